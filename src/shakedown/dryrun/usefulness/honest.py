"""Submissions of honest participants, in order of rising quality.

If the table has a signal, the submissions are models that are fitted to growing parts of the
training set and submitted in the order of their validation scores; `models` has a file for each
kind of response.  If it has no signal, they are the response plus decreasing noise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from shakedown.data.censored import risk_score
from shakedown.data.grouped import in_groups
from shakedown.data.splits import Split, Splitter
from shakedown.data.weights import on_rows
from shakedown.dryrun.usefulness.models.classifiers import Classifiers
from shakedown.dryrun.usefulness.models.hazards import Hazards
from shakedown.dryrun.usefulness.models.kind import MODELS, Kind
from shakedown.dryrun.usefulness.models.linear import Linear
from shakedown.interface import FinalModels, InputError, ParticipantData
from shakedown.metrics import Metric
from shakedown.metrics.classes import CLASSED, CLASSES, TIMES, classes_of, nearest

#: Share of the training rows that a participant uses for validation; at least 5 rows.
HELD_BACK = 0.25

#: Shares of the other training rows to which models are fitted.
PARTS = (1 / 3, 2 / 3, 1.0)

SUBMISSIONS = len(PARTS) * MODELS

#: Correlations with the response of the first and the last submission made by `noise`.
NOISE = (0.1, 0.7)

#: Significance level of the test for a signal.
LEVEL = 0.05


def models(view: ParticipantData, metric: Metric, *, rng: np.random.Generator) -> FinalModels:
    """Files as a participant would submit them, that of the best validated model last.

    Parameters
    ----------
    view : ParticipantData
        The data that a participant sees.
    metric : Metric
        The metric of the challenge; it ranks the models on the validation rows.
    rng : numpy.random.Generator
        Draws the validation rows and the parts of the other rows.

    Returns
    -------
    FinalModels
        30 models: ten that suit the response, fitted to one, two and three thirds of the rows that
        are not used for validation.  Models without a finite validation score come first.

    Notes
    -----
    If there are more than 500 features, only the 500 most promising ones in the fitting rows are
    used.  A table with thousands of features then takes a fraction of a second.
    """
    validation, parts = _divided(view, rng)
    sets = (view.X_train[validation], view.X_public, view.X_final)
    responses = _responses(view, validation)
    kinds = [_kind(metric, view.y_train[train]) for train, *_ in responses]
    files = kinds[0].files
    predicted, public, final = (np.empty((files, SUBMISSIONS, len(X))) for X in sets)
    n_selected = np.zeros(SUBMISSIONS)
    for kind, (train, *places) in zip(kinds, responses, strict=True):
        own = [rows[train[rows]] for rows in parts]
        targets = [X[at] for X, at in zip(sets, places, strict=True)]
        *made, used = _fitted(kind, view, own, targets, rng)
        for whole, at, part in zip((predicted, public, final), places, made, strict=True):
            whole[:, :, at] = part
        n_selected += used / len(responses)
    scorer = on_rows(metric, view, 0, validation)
    truth = view.y_train if view.times is None else view.times
    scores = [scorer.score(truth[validation], files) for files in predicted]
    quality = -metric.sign * np.array(scores)
    quality = np.where(np.isfinite(quality), quality, -np.inf)
    best = quality.argmax(axis=0), np.arange(SUBMISSIONS)
    rising = np.argsort(quality[best], kind="stable")
    selected = np.rint(n_selected).astype(int)
    return _sequence(public[best][rising], final[best][rising], selected[rising])


def _kind(metric: Metric, y: np.ndarray) -> Kind:
    """The kind of models for a training response under a metric."""
    if metric.response in CLASSED:
        return Classifiers(metric, np.unique(y))
    return Hazards() if metric.response == TIMES else Linear()


def _divided(
    view: ParticipantData, rng: np.random.Generator
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Rows for validation, and growing parts of the others; no group is in both."""
    n = len(view.y_train)
    held = min(n - 4, max(5, round(HELD_BACK * n)))
    if view.groups is None:
        order = rng.permutation(n)
    else:
        order, ends = in_groups(view.groups[0], rng)
        held = max(int(ends[ends <= held].max(initial=0)), int(ends[0]))
    fitting = order[held:]
    return order[:held], [fitting[: max(3, round(share * len(fitting)))] for share in PARTS]


def _responses(view: ParticipantData, validation: np.ndarray) -> list[tuple[np.ndarray, ...]]:
    """For each response its rows in the training, validation, public and final set; as bool."""
    if view.cells is None:
        sizes = len(view.y_train), len(validation), len(view.X_public), len(view.X_final)
        return [tuple(np.full(n, True) for n in sizes)]
    train, public, final = (cells.responses for cells in view.cells)
    sets = train, train[validation], public, final
    return [tuple(codes == k for codes in sets) for k in range(len(view.cells[0].names))]


def _fitted(
    kind: Kind,
    view: ParticipantData,
    parts: Sequence[np.ndarray],
    sets: Sequence[np.ndarray],
    rng: np.random.Generator,
) -> tuple[np.ndarray, ...]:
    """Predictions for sets of features by models of parts of the training rows, and their sizes.

    Parameters
    ----------
    kind : Kind
    view : ParticipantData
    parts : sequence of ndarray of int
        Rows to which models are fitted; the last has all of them.
    sets : sequence of ndarray, shape (n_set, p)
    rng : numpy.random.Generator

    Returns
    -------
    tuple of ndarray, shapes (files, 30, n_set), and shape (30,)
    """
    y = kind.response(view)
    columns = kind.promising(view.X_train[parts[-1]], y[parts[-1]])
    X, targets = view.X_train[:, columns], np.vstack([X_set[:, columns] for X_set in sets])
    weights = None if view.weights is None else view.weights[0]
    fits = [
        kind.fitted(
            X[rows], y[rows], targets, rng=rng, weights=None if weights is None else weights[rows]
        )
        for rows in parts
    ]
    predictions, used = zip(*fits, strict=True)
    ends = np.cumsum([len(X_set) for X_set in sets[:-1]])
    return *np.split(np.concatenate(predictions, axis=1), ends, axis=2), np.concatenate(used)


def noise(split: Split, *, correlation: float, rng: np.random.Generator) -> FinalModels:
    """Predictions made from the response plus decreasing noise.

    Parameters
    ----------
    split : Split
    correlation : float
        Correlation between the errors of successive submissions, in [0, 1).
    rng : numpy.random.Generator

    Returns
    -------
    FinalModels
        30 predictions r (r y + sqrt(1 - r²) e) for r from .1 to .7 in equal steps.  In expectation,
        each has the correlation r with the response and the mean squared error 1 - r².
    """
    rising = np.linspace(*NOISE, SUBMISSIONS)
    parts = []
    for y in numbers(split):
        errors = following(SUBMISSIONS, len(y), correlation, rng=rng)
        parts.append(calibrated(y, errors, rising))
    return _sequence(*parts, np.zeros(SUBMISSIONS, int))


def numbers(split: Split) -> tuple[np.ndarray, np.ndarray]:
    """The public and the final response; of censored times, their risk scores."""
    parts = split.y_public, split.y_final
    return parts if split.view.times is None else tuple(map(risk_score, parts))


def following(m: int, n: int, correlation: float, *, rng: np.random.Generator) -> np.ndarray:
    """Standard normal errors of submissions that follow each other; shape (m, n)."""
    fresh = rng.standard_normal((m, n))
    errors = np.empty_like(fresh)
    errors[0] = fresh[0]
    for k in range(1, m):
        errors[k] = correlation * errors[k - 1] + np.sqrt(1 - correlation**2) * fresh[k]
    return errors


def calibrated(y: np.ndarray, errors: np.ndarray, r: np.ndarray) -> np.ndarray:
    """Predictions r (r y + sqrt(1 - r²) e) of known quality; shape (m, n).

    Parameters
    ----------
    y : ndarray, shape (n,)
        Standardised response.
    errors : ndarray, shape (m, n) or (n,)
        Standard normal, independent of the response.
    r : ndarray, shape (m,)
        Correlations with the response, in (0, 1].

    Notes
    -----
    The predictions are shrunk like those of a least-squares model: the expected mean squared error
    is 1 - r², and no multiple of the prediction has a smaller one.
    """
    r = r[:, None]
    return r * (r * y + np.sqrt(1.0 - r * r) * errors)


def has_signal(
    sequences: Sequence[FinalModels], splits: Sequence[Split], metric: Metric | None = None
) -> bool:
    """Test at the 5 % level whether honest models predict the response.

    In each replicate, a one-sided test of Spearman's rank correlation compares the last submission
    with the final response.  It is used with every metric, because ranks are robust to skew, but
    for predicted classes without an order, of which right ones are counted.  The p-values are
    dependent, because the replicates split the same rows, but twice their median is a valid p-value
    under any dependence.  Of several responses each is tested, and the smallest p-value counts,
    times their number.
    """
    by_hits = metric is not None and (metric.response, metric.predicts) == (CLASSES, CLASSES)
    test, levels = level_of_hits if by_hits else _level_of_ranks, []
    for sequence, split in zip(sequences, splits, strict=True):
        cells, found = split.view.cells, []
        codes = np.zeros(len(split.y_final), int) if cells is None else cells[2].responses
        for k in range(int(codes.max()) + 1):
            favourite, y = sequence.final[-1][codes == k], numbers(split)[1][codes == k]
            if np.ptp(favourite) > 0:
                found.append(test(favourite, y))
        levels.append(min([1.0, *(len(found) * level for level in found)]))
    return bool(2 * np.median(levels) <= LEVEL)


def _level_of_ranks(file: np.ndarray, y: np.ndarray) -> float:
    from scipy.stats import spearmanr  # slow to import

    return spearmanr(file, y, alternative="greater").pvalue


def level_of_hits(file: np.ndarray, y: np.ndarray) -> float:
    """One-sided p-value of the number of rows whose class is predicted.

    It is normal, with the mean and the variance under all permutations of the response [1].

    References
    ----------
    .. [1] W. Hoeffding, "A combinatorial central limit theorem", Annals of Mathematical Statistics,
           1951.
    """
    from scipy.stats import norm  # slow to import

    classes = classes_of(y)
    predicted, true = nearest(classes, file), nearest(classes, y)
    sent, given = (np.bincount(codes, minlength=len(classes)) for codes in (predicted, true))
    n, hits = len(y), np.sum(predicted == true)
    expected = sent @ given / n
    # Hits in the table of predicted and true classes, less the means of its rows and columns [1].
    centred = np.eye(len(classes)) - given[:, None] / n - sent / n + expected / n
    variance = sent @ centred**2 @ given / (n - 1)
    return float(norm.sf((hits - expected) / np.sqrt(variance))) if variance > 0 else 1.0


def _sequence(public, final, n_selected) -> FinalModels:
    order = np.arange(1, len(public) + 1)
    return FinalModels(
        np.ascontiguousarray(public), np.ascontiguousarray(final), n_selected, order, order
    )


def usable_splits(splitter: Splitter, replicates: int) -> Iterator[Split]:
    """Random splits; skips those in which a set has a constant response or no feature varies.

    If ten times `replicates` splits have been skipped, the error of the last one is raised.
    """
    number = used = 0
    while used < replicates:
        try:
            split = splitter.split(number)
        except InputError:
            if number - used >= 10 * replicates:
                raise
        else:
            used += 1
            yield split
        number += 1


def without_features(split: Split) -> Split:
    """A split without its features, which are not needed once the models are fitted."""
    view = split.view
    train, public, final = (
        np.empty((len(X), 0)) for X in (view.X_train, view.X_public, view.X_final)
    )
    bare = replace(view, X_train=train, X_public=public, X_final=final)
    return Split(bare, split.y_public, split.y_final, split.features[:0])
