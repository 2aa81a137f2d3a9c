"""Residuals of honest models: each row is predicted by a model that was fitted without it."""

from __future__ import annotations

import numpy as np

#: Penalties of a ridge regression, as shares of the mean eigenvalue; infinite: no features.
PENALTIES = (1e-2, 1e-1, 1.0, 10.0, 100.0, np.inf)


def residuals(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Residuals and predictions of the ridge regression that predicts left-out rows best.

    Parameters
    ----------
    X : ndarray of float, shape (n, p)
    y : ndarray of float, shape (n,)

    Returns
    -------
    residuals : ndarray of float, shape (n,)
        Of each row left out in turn, divided by the root of 1 - h, h its leverage, so that equal
        variances stay equal.
    predictions : ndarray of float, shape (n,)
        Of the rows left out.

    Notes
    -----
    A left-out residual is r / (1 - h), with r that of the fit to all rows.  For least squares
    r / sqrt(1 - h) has the variance of the noise.
    """
    n = len(y)
    X = X - X.mean(axis=0)
    scale = X.std(axis=0)
    X = X[:, scale > 0] / scale[scale > 0]
    centred = y - y.mean()
    if X.shape[1] > n:
        values, basis = np.linalg.eigh(X @ X.T)
    else:
        values, vectors = np.linalg.eigh(X.T @ X)
        keep = values > 1e-10 * max(1.0, values.max(initial=0.0))
        values, basis = values[keep], X @ vectors[:, keep] / np.sqrt(values[keep])
    values = np.maximum(values, 0.0)
    turned = basis.T @ centred
    best, left, predictions = np.inf, centred, np.zeros(n)
    for penalty in PENALTIES:
        strength = penalty * max(values.mean(), 1e-300) if len(values) else np.inf
        shrunk = values / (values + strength) if np.isfinite(strength) else np.zeros(len(values))
        leverage = np.minimum((basis**2) @ shrunk, 1.0 - 1.0 / n - 1e-9)
        rest = centred - basis @ (shrunk * turned)
        loss = float(np.mean((rest / (1.0 - leverage - 1.0 / n)) ** 2))
        if loss < best:
            # The mean of the other rows is no prediction: it is low where the response is high.
            best, predictions = loss, centred - rest / (1.0 - leverage)
            left = rest / np.sqrt(1.0 - leverage - 1.0 / n)
            if not np.isfinite(strength):
                predictions = np.zeros(n)
    return left, predictions
