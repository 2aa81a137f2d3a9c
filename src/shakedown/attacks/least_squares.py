"""Least squares one feature at a time, on standardised features.

By the Frisch-Waugh-Lovell theorem the fit on a set of features and one more needs only the part of
that one that is orthogonal to the set: O(n) per candidate.  The same linear combination is applied
to the public rows, which carries the model over.  Features lie in rows here, so that each is one
stretch of memory.  The training columns and response have mean zero, so the intercept is zero.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shakedown.compiled import inlined, kernel

#: A feature that keeps less than this share of its sum of squares adds nothing to the set.
COLLINEAR = 1e-12


class Step(NamedTuple):
    """What rows that no model is fitted to need when one candidate is taken into the set."""

    chosen: int
    slope: float  # of the candidate that is taken
    overlaps: np.ndarray  # (p - 1,) of the others with it
    slopes: np.ndarray  # (p - 1,) of the others, for the larger set


@kernel
def candidate_predictions(train, public, residual, base):
    """Public predictions of the models "the set so far, and one feature more".

    Parameters
    ----------
    train : ndarray, shape (p, n_train)
        Candidates' parts that are orthogonal to the set.
    public : ndarray, shape (p, n_public)
        The same linear combinations on the public rows.
    residual : ndarray, shape (n_train,)
        Training response less the fit on the set.
    base : ndarray, shape (n_public,)
        Public predictions of the fit on the set.

    Returns
    -------
    ndarray, shape (p, n_public)
    """
    out = np.empty(public.shape)
    for j in range(len(train)):
        slope = _slope(j, train, residual)
        for i in range(public.shape[1]):
            out[j, i] = base[i] + slope * public[j, i]
    return out


@inlined
def _slope(j, train, residual):
    """Slope of the residual on candidate j; 0 for one that adds nothing."""
    n = train.shape[1]
    cross = square = 0.0
    for i in range(n):
        cross += train[j, i] * residual[i]
        square += train[j, i] * train[j, i]
    return cross / square if square > COLLINEAR * n else 0.0


@kernel
def extend(train, residual, chosen):
    """Take one candidate into the set.

    Parameters
    ----------
    train, residual : ndarray
        As in `candidate_predictions`.
    chosen : int

    Returns
    -------
    step : Step
        What `carried` needs.
    train, residual : ndarray
        As in `candidate_predictions`, for the larger set; the other candidates keep their order.
    """
    p, n = train.shape
    pivot = train[chosen]
    square = cross = 0.0
    for i in range(n):
        square += pivot[i] * pivot[i]
        cross += pivot[i] * residual[i]
    weight = 1.0 / square if square > COLLINEAR * n else 0.0
    new_residual = residual - cross * weight * pivot
    new_train = np.empty((p - 1, n))
    overlaps, slopes = np.empty(p - 1), np.empty(p - 1)
    for k in range(p - 1):
        j = k if k < chosen else k + 1
        overlap = 0.0
        for i in range(n):
            overlap += pivot[i] * train[j, i]
        overlap *= weight
        for i in range(n):
            new_train[k, i] = train[j, i] - overlap * pivot[i]
        overlaps[k] = overlap
        slopes[k] = _slope(k, new_train, new_residual)
    return Step(chosen, cross * weight, overlaps, slopes), new_train, new_residual


@kernel
def carried(rows, base, step):
    """Take the same candidate into the set on other rows, and predict with each of the others.

    Parameters
    ----------
    rows : ndarray, shape (p, m)
        Candidates' parts that are orthogonal to the set, on these rows.
    base : ndarray, shape (m,)
        Predictions of the fit on the set.
    step : Step

    Returns
    -------
    predictions : ndarray, shape (p - 1, m)
        As `candidate_predictions`, for the larger set.
    rows, base : ndarray
        For the larger set.
    """
    p, m = rows.shape
    pivot = rows[step.chosen]
    new_base = base + step.slope * pivot
    new_rows, predictions = np.empty((p - 1, m)), np.empty((p - 1, m))
    for k in range(p - 1):
        j = k if k < step.chosen else k + 1
        overlap, slope = step.overlaps[k], step.slopes[k]
        for i in range(m):
            new_rows[k, i] = rows[j, i] - overlap * pivot[i]
        for i in range(m):
            predictions[k, i] = new_base[i] + slope * new_rows[k, i]
    return predictions, new_rows, new_base


@kernel
def nested_predictions(train, response, public, final):
    """Predictions of the least-squares models on the first 1, 2, ..., k features.

    Modified Gram-Schmidt: one orthogonalisation serves all k models.

    Parameters
    ----------
    train : ndarray, shape (k, n_train)
    response : ndarray, shape (n_train,)
    public : ndarray, shape (k, n_public)
    final : ndarray, shape (k, n_final)

    Returns
    -------
    public : ndarray, shape (k, n_public)
    final : ndarray, shape (k, n_final)
    """
    k, n = train.shape
    a, b, c = train.copy(), public.copy(), final.copy()
    out_b, out_c = np.empty(b.shape), np.empty(c.shape)
    residual = response.copy()
    sum_b, sum_c = np.zeros(b.shape[1]), np.zeros(c.shape[1])
    for j in range(k):
        square = cross = 0.0
        for i in range(n):
            square += a[j, i] * a[j, i]
            cross += a[j, i] * residual[i]
        weight = 1.0 / square if square > COLLINEAR * n else 0.0
        slope = cross * weight
        residual -= slope * a[j]
        sum_b += slope * b[j]
        sum_c += slope * c[j]
        out_b[j] = sum_b
        out_c[j] = sum_c
        for q in range(j + 1, k):
            overlap = 0.0
            for i in range(n):
                overlap += a[j, i] * a[q, i]
            overlap *= weight
            for i in range(n):
                a[q, i] -= overlap * a[j, i]
            for i in range(b.shape[1]):
                b[q, i] -= overlap * b[j, i]
            for i in range(c.shape[1]):
                c[q, i] -= overlap * c[j, i]
    return out_b, out_c


@kernel
def subset_predictions(train, response, public, sets, sizes):
    """Public predictions of least-squares models, each on its own set of features.

    Modified Gram-Schmidt on the training rows; the coefficients by substitution backwards, so
    that the public rows are touched once per feature.

    Parameters
    ----------
    train : ndarray, shape (p, n_train)
    response : ndarray, shape (n_train,)
    public : ndarray, shape (p, n_public)
    sets : ndarray of int, shape (q, k)
        The first `sizes[t]` of row t are the features of model t.
    sizes : ndarray of int, shape (q,)

    Returns
    -------
    ndarray, shape (q, n_public)
    """
    q, largest = sets.shape
    n = train.shape[1]
    out = np.zeros((q, public.shape[1]))
    a = np.empty((largest, n))
    overlaps = np.empty((largest, largest))
    slopes = np.empty(largest)
    for t in range(q):
        k = sizes[t]
        for j in range(k):
            a[j] = train[sets[t, j]]
        for j in range(k):
            square = cross = 0.0
            for i in range(n):
                square += a[j, i] * a[j, i]
                cross += a[j, i] * response[i]
            weight = 1.0 / square if square > COLLINEAR * n else 0.0
            slopes[j] = cross * weight
            for r in range(j + 1, k):
                overlap = 0.0
                for i in range(n):
                    overlap += a[j, i] * a[r, i]
                overlap *= weight
                overlaps[j, r] = overlap
                for i in range(n):
                    a[r, i] -= overlap * a[j, i]
        for j in range(k - 1, -1, -1):
            slope = slopes[j]
            for r in range(j + 1, k):
                slope -= overlaps[j, r] * slopes[r]
            slopes[j] = slope
            row = public[sets[t, j]]
            for i in range(len(row)):
                out[t, i] += slope * row[i]
    return out
