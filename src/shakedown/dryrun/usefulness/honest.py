"""Submissions of honest participants, in order of rising quality.

If the table has a signal, the submissions are ridge and lasso models that are fitted to growing
parts of the training set and submitted in the order of their validation scores.  If it has no
signal, they are the response plus decreasing noise.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from shakedown.data.censored import risk_score
from shakedown.data.grouped import in_groups
from shakedown.data.splits import Split, Splitter
from shakedown.data.weights import on_rows
from shakedown.interface import FinalModels, InputError, ParticipantData
from shakedown.metrics import Metric

#: Share of the training rows that a participant uses for validation; at least 5 rows.
HELD_BACK = 0.25

#: Shares of the other training rows to which models are fitted.
PARTS = (1 / 3, 2 / 3, 1.0)

#: Largest number of features in a fit: those that correlate most with the response.
MOST_FEATURES = 500

#: Ridge penalties per feature, and lasso penalties as shares of the smallest that selects none.
RIDGE = (30.0, 10.0, 3.0, 1.0, 0.3)
LASSO = (0.8, 0.55, 0.35, 0.2, 0.1)

SUBMISSIONS = len(PARTS) * (len(RIDGE) + len(LASSO))

#: Correlations with the response of the first and the last submission made by `noise`.
NOISE = (0.1, 0.7)

#: Significance level of the test for a signal.
LEVEL = 0.05


def models(view: ParticipantData, metric: Metric, *, rng: np.random.Generator) -> FinalModels:
    """Linear models as a participant would submit them, the best validated one last.

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
        30 models: five ridge and five lasso penalties, fitted to one, two and three thirds of the
        rows that are not used for validation.  Models without a finite validation score come first.

    Notes
    -----
    If there are more than 500 features, only the 500 that correlate most with the response in the
    fitting rows are used.  A table with thousands of features then takes a fraction of a second.
    """
    n = len(view.y_train)
    held = min(n - 4, max(5, round(HELD_BACK * n)))
    if view.groups is None:
        order = rng.permutation(n)
    else:  # no group is in both parts
        order, ends = in_groups(view.groups[0], rng)
        held = max(int(ends[ends <= held].max(initial=0)), int(ends[0]))
    validation = order[:held]
    fitting = order[held:]
    parts = [fitting[: max(3, round(share * len(fitting)))] for share in PARTS]
    sets = (view.X_train[validation], view.X_public, view.X_final)
    predicted, public, final = (np.empty((SUBMISSIONS, len(X))) for X in sets)
    n_selected = np.zeros(SUBMISSIONS)
    responses = _responses(view, validation)
    for train, *places in responses:
        own = [rows[train[rows]] for rows in parts]
        *files, used = _fitted(view, own, [X[at] for X, at in zip(sets, places, strict=True)])
        for whole, at, part in zip((predicted, public, final), places, files, strict=True):
            whole[:, at] = part
        n_selected += used / len(responses)
    scorer = on_rows(metric, view, 0, validation)
    truth = view.y_train if view.times is None else view.times
    quality = -metric.sign * scorer.score(truth[validation], predicted)
    rising = np.argsort(np.where(np.isfinite(quality), quality, -np.inf), kind="stable")
    return _sequence(public[rising], final[rising], np.rint(n_selected).astype(int)[rising])


def _responses(view: ParticipantData, validation: np.ndarray) -> list[tuple[np.ndarray, ...]]:
    """For each response its rows in the training, validation, public and final set; as bool."""
    if view.cells is None:
        sizes = len(view.y_train), len(validation), len(view.X_public), len(view.X_final)
        return [tuple(np.full(n, True) for n in sizes)]
    train, public, final = (cells.responses for cells in view.cells)
    sets = train, train[validation], public, final
    return [tuple(codes == k for codes in sets) for k in range(len(view.cells[0].names))]


def _fitted(
    view: ParticipantData, parts: Sequence[np.ndarray], sets: Sequence[np.ndarray]
) -> tuple[np.ndarray, ...]:
    """Predictions for sets of features by models of parts of the training rows, and their sizes.

    Parameters
    ----------
    view : ParticipantData
    parts : sequence of ndarray of int
        Rows to which models are fitted; the last has all of them.
    sets : sequence of ndarray, shape (n_set, p)

    Returns
    -------
    tuple of ndarray, shapes (30, n_set), and shape (30,)
    """
    columns = _promising(view.X_train[parts[-1]], view.y_train[parts[-1]])
    X, y = view.X_train[:, columns], view.y_train
    targets = np.vstack([X_set[:, columns] for X_set in sets])
    predictions, n_selected = [], []
    for rows in parts:
        coefficients, intercepts = _paths(X[rows], y[rows])
        predictions.append(coefficients @ targets.T + intercepts[:, None])
        n_selected.append(np.count_nonzero(coefficients, axis=1))
    ends = np.cumsum([len(X_set) for X_set in sets[:-1]])
    return *np.split(np.concatenate(predictions), ends, axis=1), np.concatenate(n_selected)


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


def has_signal(sequences: Sequence[FinalModels], splits: Sequence[Split]) -> bool:
    """Test at the 5 % level whether honest models predict the response.

    In each replicate, a one-sided test of Spearman's rank correlation compares the last submission
    with the final response.  It is used with every metric, because ranks are robust to skew.  The
    p-values are dependent, because the replicates split the same rows, but twice their median is a
    valid p-value under any dependence.  Of several responses each is tested, and the smallest
    p-value counts, times their number.
    """
    from scipy.stats import spearmanr  # slow to import

    levels = []
    for sequence, split in zip(sequences, splits, strict=True):
        cells, found = split.view.cells, []
        codes = np.zeros(len(split.y_final), int) if cells is None else cells[2].responses
        for k in range(int(codes.max()) + 1):
            favourite, y = sequence.final[-1][codes == k], numbers(split)[1][codes == k]
            if np.ptp(favourite) > 0:
                found.append(spearmanr(favourite, y, alternative="greater").pvalue)
        levels.append(min([1.0, *(len(found) * level for level in found)]))
    return bool(2 * np.median(levels) <= LEVEL)


def _promising(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Sorted columns of the features that correlate most with the response; at most 500."""
    if X.shape[1] <= MOST_FEATURES:
        return np.arange(X.shape[1])
    centred = X - X.mean(axis=0)
    spread = np.sqrt((centred**2).sum(axis=0))
    worth = np.abs((y - y.mean()) @ centred) / np.where(spread > 0, spread, np.inf)
    return np.sort(np.argsort(-worth, kind="stable")[:MOST_FEATURES])


def _paths(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients, shape (10, p), and intercepts, shape (10,), of the ridge and lasso models."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import lasso_path

    m, p = X.shape
    if m < 2:  # a response that is missing nearly everywhere
        return np.zeros((len(RIDGE) + len(LASSO), p)), np.zeros(len(RIDGE) + len(LASSO))
    mean_x, mean_y = X.mean(axis=0), y.mean()
    X, y = np.asfortranarray(X - mean_x), y - mean_y
    ridge = _ridge(X, y, p * np.array(RIDGE))
    largest = np.abs(X.T @ y).max() / m
    lasso = np.zeros((p, len(LASSO)))
    if largest > 0:
        with warnings.catch_warnings():
            # A participant would also submit a model that has not converged.
            warnings.simplefilter("ignore", ConvergenceWarning)
            penalties = largest * np.array(LASSO)
            _, lasso, _ = lasso_path(X, y, alphas=penalties, tol=1e-3, max_iter=200)
    coefficients = np.vstack([ridge, lasso.T])
    return coefficients, mean_y - coefficients @ mean_x


def _ridge(X: np.ndarray, y: np.ndarray, penalties: np.ndarray) -> np.ndarray:
    """Ridge coefficients, shape (q, p), from the smaller of the primal and the dual system."""
    m, p = X.shape
    if p <= m:
        gram, right, identity = X.T @ X, X.T @ y, np.eye(p)
        return np.array(
            [np.linalg.solve(gram + penalty * identity, right) for penalty in penalties]
        )
    gram, identity = X @ X.T, np.eye(m)
    return np.array([np.linalg.solve(gram + penalty * identity, y) for penalty in penalties]) @ X


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
