"""Logistic regressions: of all features, and of those that a lasso chooses."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np

#: Penalties per feature, on half the sum of squares, of models of all features.  The information
#: of a row is at most 1/4, so these shrink as ridge regressions with four times the penalty.
PENALTIES = (2.5, 0.75, 0.25, 0.075)
#: Models of the features that a lasso chooses: its penalties as shares of the smallest that selects
#: none, and the penalty per feature.
LASSO, RELAXED = (0.55, 0.35, 0.2), 0.25
#: Number of models.
MODELS = len(PENALTIES) + len(LASSO)


def fitted(
    X: np.ndarray,
    codes: np.ndarray,
    targets: np.ndarray,
    count: int,
    weights: np.ndarray | None = None,
) -> Iterator[tuple[np.ndarray, int]]:
    """Probabilities of each class, shape (n, count), by each model, and the features it uses.

    Parameters
    ----------
    X : ndarray, shape (m, p)
    codes : ndarray of int, shape (m,)
        Classes from 0, of which at least two occur.
    targets : ndarray, shape (n, p)
    count : int
        Number of classes.
    weights : ndarray, shape (m,), optional
        What each row counts; a lasso chooses features without them.
    """
    if weights is not None:  # so that a penalty weighs as much as before
        weights = weights / weights.mean()
    p = X.shape[1]
    for penalty in PENALTIES:
        yield probabilities(X, codes, targets, count, p * penalty, weights), p
    for columns in chosen(X, np.eye(count)[codes]):
        size = len(columns)
        parts = X[:, columns], codes, targets[:, columns]
        yield probabilities(*parts, count, max(size, 1) * RELAXED, weights), size


def probabilities(
    X: np.ndarray,
    codes: np.ndarray,
    targets: np.ndarray,
    count: int,
    penalty: float,
    weights: np.ndarray | None = None,
) -> np.ndarray:
    """Probabilities of each class, shape (n, count), by one model; as for `fitted`."""
    from sklearn.exceptions import ConvergenceWarning  # slow to import
    from sklearn.linear_model import LogisticRegression

    predicted = np.zeros((len(targets), count))
    if not X.shape[1]:
        return predicted + np.bincount(codes, weights, count) / len(codes)
    with warnings.catch_warnings():
        # A participant would also submit a model that has not converged.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = LogisticRegression(C=1.0 / penalty, max_iter=200).fit(X, codes, weights)
    predicted[:, model.classes_] = model.predict_proba(targets)
    return predicted


def chosen(X: np.ndarray, of_classes: np.ndarray) -> list[np.ndarray]:
    """The columns that lassos of `LASSO` choose for all classes together.

    Parameters
    ----------
    X : ndarray, shape (m, p)
    of_classes : ndarray, shape (m, k)
        1 in the column of a row's class, and 0 in others.
    """
    from sklearn.exceptions import ConvergenceWarning  # slow to import
    from sklearn.linear_model import lasso_path

    X, Y = np.asfortranarray(X - X.mean(axis=0)), of_classes - of_classes.mean(axis=0)
    largest = np.sqrt(((X.T @ Y) ** 2).sum(axis=1)).max() / len(Y)
    if largest <= 0:
        return [np.arange(0)] * len(LASSO)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        penalties = largest * np.array(LASSO)
        _, found, _ = lasso_path(X, Y, alphas=penalties, tol=1e-3, max_iter=200)
    return [np.flatnonzero(found[:, :, k].any(axis=0)) for k in range(len(LASSO))]
