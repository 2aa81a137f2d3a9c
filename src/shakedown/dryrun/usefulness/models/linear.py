"""Models of numbers: ridge regressions and lassos."""

from __future__ import annotations

import warnings

import numpy as np

from shakedown.dryrun.usefulness.models.kind import Kind

#: Ridge penalties per feature, and lasso penalties as shares of the smallest that selects none.
RIDGE = (30.0, 10.0, 3.0, 1.0, 0.3)
LASSO = (0.8, 0.55, 0.35, 0.2, 0.1)


class Linear(Kind):
    """Five ridge regressions and five lassos."""

    def worth(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The absolute correlation with the response, up to a factor."""
        centred = X - X.mean(axis=0)
        spread = np.sqrt((centred**2).sum(axis=0))
        return np.abs((y - y.mean()) @ centred) / np.where(spread > 0, spread, np.inf)

    def fitted(
        self, X: np.ndarray, y: np.ndarray, targets: np.ndarray, *, rng: np.random.Generator,
        weights: np.ndarray | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
        coefficients, intercepts = paths(X, y)
        predictions = coefficients @ targets.T + intercepts[:, None]
        return predictions[None], np.count_nonzero(coefficients, axis=1)


def paths(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients, shape (10, p), and intercepts, shape (10,), of the ridge and lasso models."""
    m, p = X.shape
    if m < 2:  # a response that is missing nearly everywhere
        return np.zeros((len(RIDGE) + len(LASSO), p)), np.zeros(len(RIDGE) + len(LASSO))
    mean_x, mean_y = X.mean(axis=0), y.mean()
    X, y = np.asfortranarray(X - mean_x), y - mean_y
    coefficients = np.vstack([_ridge(X, y, p * np.array(RIDGE)), lasso(X, y)])
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


def lasso(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Lasso coefficients, shape (5, p)."""
    from sklearn.exceptions import ConvergenceWarning  # slow to import
    from sklearn.linear_model import lasso_path

    largest = np.abs(X.T @ y).max() / len(y)
    if largest <= 0:
        return np.zeros((len(LASSO), X.shape[1]))
    with warnings.catch_warnings():
        # A participant would also submit a model that has not converged.
        warnings.simplefilter("ignore", ConvergenceWarning)
        penalties = largest * np.array(LASSO)
        _, coefficients, _ = lasso_path(X, y, alphas=penalties, tol=1e-3, max_iter=200)
    return coefficients.T
