"""Residuals of honest models: each row is predicted by a model that was fitted without it.

Rows that belong together are left out together: the others of a group would tell its noise.
"""

from __future__ import annotations

from math import inf

import numpy as np

#: Penalties of a ridge regression, as shares of the mean eigenvalue; infinite: no features.
PENALTIES = (1e-2, 1e-1, 1.0, 10.0, 100.0, np.inf)


def residuals(
    X: np.ndarray, y: np.ndarray, units: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Residuals and predictions of the ridge regression that predicts left-out rows best.

    Parameters
    ----------
    X : ndarray of float, shape (n, p)
    y : ndarray of float, shape (n,)
    units : ndarray of int, shape (n,), optional
        What is left out together, from 0; by default each row alone.

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
    r / sqrt(1 - h) has the variance of the noise.  Of a unit the left-out ones are (I - H)^-1 r.
    """
    n = len(y)
    alike = [] if units is None else _by_size(units)
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
        left_out = rest / (1.0 - leverage - 1.0 / n)
        for rows in alike:
            left_out[rows] = _without(basis[rows], shrunk, rest[rows], n)
        loss = float(np.mean(left_out**2))
        if loss < best:
            # The mean of the other rows is no prediction: it is low where the response is high.
            best, predictions = loss, centred - rest / (1.0 - leverage)
            for rows in alike:
                predictions[rows] = centred[rows] - _without(basis[rows], shrunk, rest[rows], inf)
            left = rest / np.sqrt(1.0 - leverage - 1.0 / n)
            if not np.isfinite(strength):
                predictions = np.zeros(n)
    return left, predictions


def _by_size(units: np.ndarray) -> list[np.ndarray]:
    """The rows of units with several, in an array of shape (units, rows) for each size."""
    order, counts = np.argsort(units, kind="stable"), np.bincount(units)
    starts = np.cumsum(counts) - counts
    return [
        order[starts[counts == size][:, None] + np.arange(size)]
        for size in np.unique(counts)
        if size > 1
    ]


def _without(basis: np.ndarray, shrunk: np.ndarray, rest: np.ndarray, n: float) -> np.ndarray:
    """Residuals of units, shape (units, rows), by models that were fitted without them."""
    hat = np.einsum("ujk,k,ulk->ujl", basis, shrunk, basis, optimize=True) + 1.0 / n
    size = rest.shape[1]
    return np.linalg.solve((1.0 + 1e-9) * np.eye(size) - hat, rest[..., None])[..., 0]
