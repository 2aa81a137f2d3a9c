"""Honest participants: sequences of submissions of rising quality.

If the table has a signal, they are models: ridge and lasso paths on growing parts of the training
set, submitted in the order of their scores on held-back rows.  Without a signal, they are the
response plus less and less noise.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from shakedown.data.splits import Split
from shakedown.interface import FinalModels, ParticipantData
from shakedown.metrics import Metric

#: Share of the training rows that a participant holds back to rank models; at least 5 rows.
HELD_BACK = 0.25

#: Parts of the other training rows that models are fitted to.
PARTS = (1 / 3, 2 / 3, 1.0)

#: Most features that are fitted: those that go best with the response in the rows fitted to.
MOST_FEATURES = 500

#: Ridge penalties per feature, and lasso penalties as shares of the one that lets none in.
RIDGE = (30.0, 10.0, 3.0, 1.0, 0.3)
LASSO = (0.8, 0.55, 0.35, 0.2, 0.1)

SUBMISSIONS = len(PARTS) * (len(RIDGE) + len(LASSO))

#: Correlations with the response of the first and the last submission of the noise.
NOISE = (0.1, 0.7)

#: Level of the test for a signal.
LEVEL = 0.05


def models(view: ParticipantData, metric: Metric, *, rng: np.random.Generator) -> FinalModels:
    """Linear models as a participant would submit them, the most promising one last.

    Parameters
    ----------
    view : ParticipantData
        All that a participant sees.
    metric : Metric
        The challenge's, by which the rows that are held back rank the models.
    rng : numpy.random.Generator
        Draws the rows that are held back, and the parts.

    Returns
    -------
    FinalModels
        30 models: for each third of the rows that are not held back, five ridge and five lasso
        penalties.  A model that the held-back rows give no score comes first.

    Notes
    -----
    Only the 500 features with the largest correlations in the rows fitted to take part, which
    keeps a table with thousands of features within a fraction of a second.
    """
    n = len(view.y_train)
    order = rng.permutation(n)
    held = order[: min(n - 4, max(5, round(HELD_BACK * n)))]
    fitting = order[len(held) :]
    columns = _promising(view.X_train[fitting], view.y_train[fitting])
    X, y = view.X_train[:, columns], view.y_train
    targets = np.vstack([X[held], view.X_public[:, columns], view.X_final[:, columns]])
    predictions, n_selected = [], []
    for share in PARTS:
        rows = fitting[: max(3, round(share * len(fitting)))]
        coefficients, intercepts = _paths(X[rows], y[rows])
        predictions.append(coefficients @ targets.T + intercepts[:, None])
        n_selected.append(np.count_nonzero(coefficients, axis=1))
    stacked = np.concatenate(predictions)
    guesses, public, final = np.split(stacked, [len(held), len(held) + len(view.X_public)], axis=1)
    quality = -metric.sign * metric.score(y[held], guesses)
    rising = np.argsort(np.where(np.isfinite(quality), quality, -np.inf), kind="stable")
    return _sequence(public[rising], final[rising], np.concatenate(n_selected)[rising])


def noise(split: Split, *, correlation: float, rng: np.random.Generator) -> FinalModels:
    """Predictions made from the response plus less and less noise.

    Parameters
    ----------
    split : Split
    correlation : float
        Correlation of the errors of one submission with those of the next, in [0, 1).
    rng : numpy.random.Generator

    Returns
    -------
    FinalModels
        30 predictions r (r y + sqrt(1 - r²) e), r rising evenly from .1 to .7: each has the
        correlation r with the response and, in expectation, the mean squared error 1 - r².
    """
    rising = np.linspace(*NOISE, SUBMISSIONS)
    parts = []
    for y in (split.y_public, split.y_final):
        fresh = rng.standard_normal((SUBMISSIONS, len(y)))
        errors = np.empty_like(fresh)
        errors[0] = fresh[0]
        for k in range(1, SUBMISSIONS):
            errors[k] = correlation * errors[k - 1] + np.sqrt(1 - correlation**2) * fresh[k]
        parts.append(calibrated(y, errors, rising))
    return _sequence(*parts, np.zeros(SUBMISSIONS, int))


def calibrated(y: np.ndarray, errors: np.ndarray, r: np.ndarray) -> np.ndarray:
    """Predictions of known quality, shape (m, n): r (r y + sqrt(1 - r²) e).

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
    Shrunk like the predictions of a least-squares model: no multiple of it has a smaller mean
    squared error, which is 1 - r².
    """
    r = r[:, None]
    return r * (r * y + np.sqrt(1.0 - r * r) * errors)


def has_signal(sequences: Sequence[FinalModels], splits: Sequence[Split]) -> bool:
    """Whether honest models predict the response, tested at the 5 % level.

    In each replicate the participant's favourite, the last submission, is compared with the final
    response by a one-sided test of Spearman's rank correlation, for every metric, because ranks
    tolerate skew.  The replicates split the same rows and are not independent, but twice the median
    of p-values is a p-value under any dependence; a signal needs at most .05.
    """
    from scipy.stats import spearmanr  # slow to import

    levels = []
    for sequence, split in zip(sequences, splits, strict=True):
        favourite = sequence.final[-1]
        level = 1.0
        if np.ptp(favourite) > 0:
            level = spearmanr(favourite, split.y_final, alternative="greater").pvalue
        levels.append(level)
    return bool(2 * np.median(levels) <= LEVEL)


def _promising(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Columns, in order, of the features that correlate most with the response; at most 500."""
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
    mean_x, mean_y = X.mean(axis=0), y.mean()
    X, y = np.asfortranarray(X - mean_x), y - mean_y
    ridge = _ridge(X, y, p * np.array(RIDGE))
    largest = np.abs(X.T @ y).max() / m
    lasso = np.zeros((p, len(LASSO)))
    if largest > 0:
        with warnings.catch_warnings():
            # A path that has not converged is an honest model too.
            warnings.simplefilter("ignore", ConvergenceWarning)
            penalties = largest * np.array(LASSO)
            _, lasso, _ = lasso_path(X, y, alphas=penalties, tol=1e-3, max_iter=200)
    coefficients = np.vstack([ridge, lasso.T])
    return coefficients, mean_y - coefficients @ mean_x


def _ridge(X: np.ndarray, y: np.ndarray, penalties: np.ndarray) -> np.ndarray:
    """Coefficients, shape (q, p), by whichever of the two systems of equations is smaller."""
    m, p = X.shape
    if p <= m:
        gram, right, one = X.T @ X, X.T @ y, np.eye(p)
        return np.array([np.linalg.solve(gram + penalty * one, right) for penalty in penalties])
    gram, one = X @ X.T, np.eye(m)
    return np.array([np.linalg.solve(gram + penalty * one, y) for penalty in penalties]) @ X


def _sequence(public, final, n_selected) -> FinalModels:
    order = np.arange(1, len(public) + 1)
    return FinalModels(
        np.ascontiguousarray(public), np.ascontiguousarray(final), n_selected, order, order
    )
