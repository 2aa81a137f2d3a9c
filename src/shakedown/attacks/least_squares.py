"""Least squares that adds one feature at a time, on standardised features.

By the Frisch-Waugh-Lovell theorem, adding a candidate feature to a set needs only the part of the
candidate that is orthogonal to the set; this takes O(n) per candidate.  The same linear combination
of features is formed on the public rows for the predictions.  Features are rows of the arrays here,
so that each is contiguous in memory.  The training columns and the response have mean zero, so the
intercept is zero.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shakedown.compiled import kernel

#: A feature is collinear if its orthogonal part has less than this share of its sum of squares.
COLLINEAR = 1e-12


class Extension(NamedTuple):
    """The results of `extend` that `carried` applies to public or final rows."""

    chosen: int
    slope: float  # of the chosen candidate
    overlaps: np.ndarray  # (p - 1,) of the other candidates with it
    slopes: np.ndarray  # (p - 1,) of the other candidates, for the larger set


@kernel
def candidate_predictions(train, public, residual, base):
    """Public predictions of the models on the set so far and one candidate.

    Parameters
    ----------
    train : ndarray, shape (p, n_train)
        The parts of the candidates that are orthogonal to the set.
    public : ndarray, shape (p, n_public)
        The same linear combinations on the public rows.
    residual : ndarray, shape (n_train,)
        Training response minus the fit on the set.
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


@kernel
def _slope(j, train, residual):
    """Slope of the residual on candidate j; 0 if the candidate is collinear."""
    n = train.shape[1]
    cross = square = 0.0
    for i in range(n):
        cross += train[j, i] * residual[i]
        square += train[j, i] * train[j, i]
    return cross / square if square > COLLINEAR * n else 0.0


def extend(
    train: np.ndarray, residual: np.ndarray, chosen: int, *, in_place: bool = False
) -> tuple[Extension, np.ndarray, np.ndarray]:
    """Add a candidate to the set.

    Parameters
    ----------
    train, residual : ndarray
        As in `candidate_predictions`.
    chosen : int
        Index of the candidate.
    in_place : bool
        Whether the new `train` takes the place of the old one, which takes less time.

    Returns
    -------
    step : Extension
        The argument of `carried`.
    train, residual : ndarray
        As in `candidate_predictions`, for the larger set; the other candidates keep their order.
    """
    pivot, new_train = train[chosen].copy(), train[:-1]
    if not in_place:
        new_train = np.empty(new_train.shape)
    new_residual, overlaps = np.empty(len(residual)), np.empty(len(new_train))
    slopes = np.empty(len(new_train))
    slope = _extend(train, residual, chosen, pivot, new_train, new_residual, overlaps, slopes)
    return Extension(chosen, slope, overlaps, slopes), new_train, new_residual


@kernel
def _extend(train, residual, chosen, pivot, new_train, new_residual, overlaps, slopes):
    """Fill the last four arguments for `extend`; returns the slope of the chosen candidate.

    `pivot` is a copy of its row, and `new_train` may be ``train[:-1]``: no row is read after the
    ones before it are written.
    """
    p, n = train.shape
    square = cross = 0.0
    for i in range(n):
        square += pivot[i] * pivot[i]
        cross += pivot[i] * residual[i]
    weight = 1.0 / square if square > COLLINEAR * n else 0.0
    new_residual[:] = residual - cross * weight * pivot
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
    return cross * weight


@kernel
def larger_fit(base, step, pivot):
    """Predictions of the fit on the larger set, from those on the set and the candidate's row."""
    return base + step.slope * pivot


@kernel
def carried(rows, pivot, base, step, new_rows, start, stop):
    """Add the same candidate on other rows, and predict with some of the other candidates.

    Parameters
    ----------
    rows : ndarray, shape (p, m)
        The parts of the candidates that are orthogonal to the set, on these rows.
    pivot : ndarray, shape (m,)
        A copy of the row of the candidate.
    base : ndarray, shape (m,)
        The result of `larger_fit`.
    step : Extension
    new_rows : ndarray, shape (p - 1, m)
        Receives rows `start` to `stop` for the larger set.  It may be ``rows[:-1]`` if the earlier
        ones are done, as no row is read after the ones before it are written.
    start, stop : int
        The other candidates to predict with.

    Returns
    -------
    ndarray, shape (stop - start, m)
        As `candidate_predictions`, for the larger set.
    """
    m = rows.shape[1]
    predictions = np.empty((stop - start, m))
    for k in range(start, stop):
        j = k if k < step.chosen else k + 1
        overlap, slope = step.overlaps[k], step.slopes[k]
        for i in range(m):
            new_rows[k, i] = rows[j, i] - overlap * pivot[i]
        for i in range(m):
            predictions[k - start, i] = base[i] + slope * new_rows[k, i]
    return predictions


@kernel
def nested_predictions(train, response, public, final, order):
    """Predictions of the least-squares models on the first 1, 2, ..., k features of `order`.

    One modified Gram-Schmidt orthogonalisation gives all k models.

    Parameters
    ----------
    train : ndarray, shape (p, n_train)
    response : ndarray, shape (n_train,)
    public : ndarray, shape (p, n_public)
    final : ndarray, shape (p, n_final)
    order : ndarray of int, shape (k,)

    Returns
    -------
    public : ndarray, shape (k, n_public)
    final : ndarray, shape (k, n_final)
    """
    overlaps, slopes = _orthogonalised(_rows(train, order), response)
    return _nested(public, order, overlaps, slopes), _nested(final, order, overlaps, slopes)


@kernel
def _orthogonalised(rows, response):
    """Orthogonalise the rows, shape (k, n), in place, by modified Gram-Schmidt.

    Returns
    -------
    overlaps : ndarray, shape (k, k)
        In ``overlaps[q, j]``, for j < q, the multiple of row j that is taken from row q.
    slopes : ndarray, shape (k,)
        Slope of the response on each orthogonal row; 0 if the row is collinear.
    """
    k, n = rows.shape
    overlaps, slopes = np.empty((k, k)), np.empty(k)
    # The products of row 0 with the later rows; `_take_from_later` finds those of the other rows.
    for q in range(1, k):
        product = 0.0
        for i in range(n):
            product += rows[0, i] * rows[q, i]
        overlaps[q, 0] = product
    for j in range(k):
        square = cross = 0.0
        for i in range(n):
            square += rows[j, i] * rows[j, i]
            cross += rows[j, i] * response[i]
        weight = 1.0 / square if square > COLLINEAR * n else 0.0
        slopes[j] = cross * weight
        for q in range(j + 1, k):
            overlaps[q, j] *= weight
        if j + 1 < k:
            _take_from_later(rows, overlaps, j)
    return overlaps, slopes


@kernel
def _take_from_later(rows, overlaps, j):
    """Take the multiples ``overlaps[q, j]`` of row j from each later row q, in place.

    ``overlaps[q, j + 1]`` receives the products of what is left with the next row, in the same
    pass.  Four rows at a time, so that rows j and j + 1 are read a quarter as often.
    """
    k, n = rows.shape
    overlap = overlaps[j + 1, j]
    for i in range(n):
        rows[j + 1, i] -= overlap * rows[j, i]
    whole = k - (k - j - 2) % 4
    for q in range(j + 2, whole, 4):
        first, second = overlaps[q, j], overlaps[q + 1, j]
        third, fourth = overlaps[q + 2, j], overlaps[q + 3, j]
        a = b = c = d = 0.0
        for i in range(n):
            taken, following = rows[j, i], rows[j + 1, i]
            rows[q, i] -= first * taken
            rows[q + 1, i] -= second * taken
            rows[q + 2, i] -= third * taken
            rows[q + 3, i] -= fourth * taken
            a += rows[q, i] * following
            b += rows[q + 1, i] * following
            c += rows[q + 2, i] * following
            d += rows[q + 3, i] * following
        overlaps[q, j + 1], overlaps[q + 1, j + 1] = a, b
        overlaps[q + 2, j + 1], overlaps[q + 3, j + 1] = c, d
    for q in range(whole, k):
        overlap = overlaps[q, j]
        product = 0.0
        for i in range(n):
            rows[q, i] -= overlap * rows[j, i]
            product += rows[q, i] * rows[j + 1, i]
        overlaps[q, j + 1] = product


@kernel
def _nested(features, order, overlaps, slopes):
    """Predictions of the nested models on other rows; shape (k, n).

    The same linear combinations are formed on these rows, for two models at a time.
    """
    k, n = len(order), features.shape[1]
    # The copy of the last row is its partner if k is odd, and unused otherwise.
    rows, out = _rows(features, np.append(order, order[-1:])), np.empty((k, n))
    fit = np.zeros(n)
    for q in range(k):
        whole = q - q % 4
        if q % 2 == 0:
            _take_from_two(rows, q, whole, overlaps[q], overlaps[min(q + 1, k - 1)])
        for j in range(whole, q):
            overlap = overlaps[q, j]
            for i in range(n):
                rows[q, i] -= overlap * rows[j, i]
        slope = slopes[q]
        for i in range(n):
            fit[i] += slope * rows[q, i]
            out[q, i] = fit[i]
    return out


@kernel
def _take_from_two(rows, q, whole, overlaps, next_overlaps):
    """Take multiples of the first `whole` rows from rows q and q + 1, in place.

    The multiples are `overlaps`, for row q, and `next_overlaps`, each of shape (k,).
    `whole` is a multiple of four.  Four rows are taken in one pass, so that rows q and q + 1 are
    read and written less often.
    """
    for j in range(0, whole, 4):
        a, b, c, d = overlaps[j], overlaps[j + 1], overlaps[j + 2], overlaps[j + 3]
        e, f, g, h = (
            next_overlaps[j],
            next_overlaps[j + 1],
            next_overlaps[j + 2],
            next_overlaps[j + 3],
        )
        for i in range(rows.shape[1]):
            first, second = rows[j, i], rows[j + 1, i]
            third, fourth = rows[j + 2, i], rows[j + 3, i]
            rows[q, i] = rows[q, i] - a * first - b * second - c * third - d * fourth
            rows[q + 1, i] = rows[q + 1, i] - e * first - f * second - g * third - h * fourth


@kernel
def _rows(array, order):
    """A copy of some rows."""
    rows = np.empty((len(order), array.shape[1]))
    for j in range(len(order)):
        row = order[j]
        for i in range(rows.shape[1]):  # a slice would take a third longer
            rows[j, i] = array[row, i]
    return rows


@kernel
def subset_predictions(train, response, public, sets, sizes):
    """Public predictions of least-squares models, each on its own set of features.

    The training rows are orthogonalised by modified Gram-Schmidt, and the coefficients are found by
    back substitution, so the public rows are read once per feature.

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
    q = len(sets)
    out = np.zeros((q, public.shape[1]))
    for t in range(q):
        features = sets[t, : sizes[t]]
        overlaps, slopes = _orthogonalised(_rows(train, features), response)
        for j in range(len(features) - 1, -1, -1):
            slope = slopes[j]
            for r in range(j + 1, len(features)):
                slope -= overlaps[r, j] * slopes[r]
            slopes[j] = slope
            row = public[features[j]]
            for i in range(len(row)):
                out[t, i] += slope * row[i]
    return out
