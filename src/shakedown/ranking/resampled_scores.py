"""Compute scores on bootstrap samples of the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from shakedown.interface import InputError
from shakedown.metrics import PEARSON, Metric
from shakedown.metrics.composite import Composite
from shakedown.metrics.composite_names import BY_GROUP, BY_ROW, Term
from shakedown.metrics.parts import scores_of

# Largest number of counts in memory at a time.
_CELLS = 4_000_000


def resampled_scores(
    metric: Metric,
    truth: np.ndarray,
    predictions: np.ndarray,
    *,
    draws: int,
    rng: np.random.Generator,
    strata: np.ndarray | None = None,
) -> np.ndarray:
    """Scores on bootstrap samples of the rows, the same samples for all submissions.

    Parameters
    ----------
    metric : Metric
    truth : ndarray, shape (n,)
    predictions : ndarray, shape (m, n)
    draws : int
        Number of samples of n rows with replacement, or of as many groups as the metric's set has;
        at least 1.
    rng : numpy.random.Generator
    strata : ndarray of int, shape (n,), optional
        From 0 without gaps, such as the classes of the rows: each sample has as many rows, or
        groups, of a stratum as there are.  The rows of a group have one stratum.

    Returns
    -------
    ndarray, shape (draws, m)
        In the metric's own direction and unit.  Identical submissions have exactly equal scores.
        The correlation of a constant sample is 0.

    Raises
    ------
    InputError
        If `draws` is below 1, or the metric's function refuses the values.

    Notes
    -----
    Mean losses and correlations are computed from weighted sums, by one matrix product for all
    samples; other functions are called for each sample.  A composite score is computed from those
    of its parts; a row that is drawn twice counts twice in a mean over rows.  Spearman's
    correlation uses the ranks in all n rows, as the boards do.  Memory is O(m n + 4e6).
    """
    if draws < 1:
        raise InputError(f"`draws` must be 1 or more, got {draws}.")
    # One column per distinct submission: equal columns of a matrix product may differ in the last
    # bit, which would break ties.
    own, back = np.unique(predictions, axis=0, return_inverse=True)
    score = _by_formula(metric, truth, own)
    parts = [score(counts) for counts in _counts(len(truth), draws, rng, metric.groups, strata)]
    return np.concatenate(parts)[:, back.reshape(-1)]


def _counts(
    n: int,
    draws: int,
    rng: np.random.Generator,
    groups: np.ndarray | None = None,
    strata: np.ndarray | None = None,
) -> Iterator[np.ndarray]:
    """Yield how often each row is drawn, for blocks of samples; shape (block, n).

    The rows of a group, shape (n,), are drawn together, and strata apart from each other.
    """
    at_once, units = max(1, _CELLS // n), n if groups is None else int(groups.max()) + 1
    of_unit = np.zeros(units, int)
    if strata is not None:
        of_unit[np.arange(n) if groups is None else groups] = strata
    members = [np.flatnonzero(of_unit == stratum) for stratum in range(of_unit.max() + 1)]
    for start in range(0, draws, at_once):
        block = min(at_once, draws - start)
        counts = np.zeros((block, units))
        for own in members:
            drawn = rng.integers(len(own), size=(block, len(own)))
            drawn += len(own) * np.arange(block)[:, None]
            drawn = np.bincount(drawn.ravel(), minlength=block * len(own))
            counts[:, own] = drawn.reshape(block, len(own))
        yield counts if groups is None else counts[:, groups]


def _by_formula(metric: Metric, truth: np.ndarray, predictions: np.ndarray):
    """A function from counts, shape (draws, n), to scores, shape (draws, m)."""
    if isinstance(metric, Composite):
        return _by_terms(metric, truth, predictions)
    y = metric.prepare(truth)
    if metric.function is not None:
        of_files = metric.resampled_files(y, predictions)
        return lambda counts: _computed(metric, of_files, counts)
    # Of single rows: those of a group have the same count.
    rows, _ = metric.on(None).judge(y, np.ascontiguousarray(predictions, dtype=float))
    if metric.has_losses:

        def losses(counts):
            means = counts @ rows.T / counts.sum(axis=1, keepdims=True)
            return np.sqrt(means) if metric.root else means

        return losses
    return lambda counts: _correlations(
        counts / counts.sum(axis=1, keepdims=True), y, rows, metric.formula == PEARSON
    )


def _by_terms(metric: Composite, truth: np.ndarray, predictions: np.ndarray):
    """As `_by_formula`, of a composite score."""
    terms = [(term, _of_term(metric, term, truth, predictions)) for term in metric.terms]

    def score(counts: np.ndarray) -> np.ndarray:
        return sum(term.weight * (mean(counts) - term.centre) / term.spread for term, mean in terms)

    return score


def _of_term(metric: Composite, term: Term, truth: np.ndarray, predictions: np.ndarray):
    """A function from counts, shape (draws, n), to the means of a term's parts, (draws, m)."""
    parts = metric.parts(term, truth)
    cells, counts_of_parts = parts.cells, parts.counts
    is_drawn_whole = term.over in (BY_ROW, BY_GROUP)
    scorers = [
        _of_part(metric, term.metric, own, truth, predictions, is_drawn_whole=is_drawn_whole)
        for own in cells
    ]

    def mean(counts: np.ndarray) -> np.ndarray:
        total, weights = np.zeros((len(counts), len(predictions))), np.zeros((len(counts), 1))
        for own, of_part, scorer in zip(cells, counts_of_parts, scorers, strict=True):
            drawn = counts[:, own].mean(axis=1, keepdims=True)
            weight = of_part * (drawn if is_drawn_whole else drawn > 0.0)
            # A part of which nothing is drawn has no score, and no weight.
            total += weight * scorer(np.where(drawn > 0.0, counts[:, own], 1.0))
            weights += weight
        return np.divide(total, weights, out=np.zeros_like(total), where=weights > 0.0)

    return mean


def _of_part(
    metric: Composite, of_part: Metric, own: np.ndarray, truth: np.ndarray,
    predictions: np.ndarray, *, is_drawn_whole: bool,
):  # fmt: skip
    """As `_by_formula`, of the metric of one part; a correlation that has no meaning is 0."""
    y, files = truth[own], np.ascontiguousarray(predictions[:, own])
    weights = None if metric.weights is None else metric.weights[own]
    scores = scores_of(of_part, y, files, weights)
    if is_drawn_whole:
        return lambda counts: scores
    known, by_counts = np.isfinite(of_part.score(y, files)), _by_formula(of_part, y, files)
    return lambda counts: np.where(
        known, by_counts(counts if weights is None else counts * weights), 0.0
    )


def _correlations(w: np.ndarray, y: np.ndarray, rows: np.ndarray, pearson: bool) -> np.ndarray:
    """Pearson's or Lin's correlation under weights that sum to 1, shape (draws, n)."""
    # Centring avoids cancellation.  Lin's correlation depends on the difference of the means, so it
    # uses the same centre for response and predictions.
    centre = rows.mean(axis=1, keepdims=True) if pearson else y.mean()
    y, rows = y - y.mean(), rows - centre
    mean_y, mean_p = (w @ y)[:, None], w @ rows.T  # shapes (draws, 1) and (draws, m)
    var_y = np.maximum((w @ y**2)[:, None] - mean_y**2, 0.0)
    var_p = np.maximum(w @ (rows**2).T - mean_p**2, 0.0)
    cov = w @ (rows * y).T - mean_y * mean_p
    spread = 0.5 * (var_y + var_p + (mean_y - mean_p) ** 2)
    scale = np.sqrt(var_y * var_p) if pearson else spread
    return np.divide(cov, scale, out=np.zeros_like(cov), where=scale > 0.0)


def _computed(metric: Metric, of_counts: Callable, counts: np.ndarray) -> np.ndarray:
    try:
        return of_counts(counts)
    except (TypeError, ValueError) as e:
        raise InputError(
            f"metric '{metric.name}': wanted one that takes resampled rows as `sample_weight`; got "
            f"an error ({str(e).rstrip('.')}). Choose another one, such as mse, rmse or mae."
        ) from e
