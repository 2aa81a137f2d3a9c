"""Scale features and responses to mean 0 and standard deviation 1 (ddof = 1), compiled."""

from __future__ import annotations

from functools import cache

import numpy as np

from shakedown.compiled import ordered

#: Values that are added with eight sums side by side; the sums of longer rows are those of halves.
MOST_AT_ONCE = 128
#: Sums that can wait for others: enough for 2^64 values.
MOST_BLOCKS = 64


def standardised(rows: np.ndarray) -> np.ndarray:
    """Each row (a feature or a response), shape (m, n), with mean 0 and standard deviation 1.

    Rows may be of any size, and may differ in their last digits only; none may be constant.
    """
    result = np.array(rows, dtype=float, order="C")
    usual = _standardise_rows(result, blocks(rows.shape[1]))
    if not usual.all():
        result[~usual] = _standardised_exactly(rows[~usual])
    return result


def _standardised_exactly(rows: np.ndarray) -> np.ndarray:
    """As `standardised`, slower: powers of two, which are exact, bring all sizes to 1."""
    rows = _of_size_one(rows)
    centred = rows - rows.mean(axis=1, keepdims=True)
    centred = _of_size_one(centred - centred.mean(axis=1, keepdims=True))
    return centred / centred.std(axis=1, ddof=1, keepdims=True)


def _of_size_one(rows: np.ndarray) -> np.ndarray:
    """Each row times a power of two, so that its largest absolute value lies in [1/2, 1)."""
    return np.ldexp(rows, -np.frexp(np.abs(rows).max(axis=1, keepdims=True))[1])


@cache
def blocks(n: int) -> np.ndarray:
    """How n values are added, pairwise as in NumPy: rounding errors grow with the logarithm of n.

    Returns
    -------
    ndarray of int, shape (k, 2)
        The lengths of successive blocks, and how many times the last two sums are added after each.
    """

    def split(n: int) -> list[list[int]]:
        if n <= MOST_AT_ONCE:
            return [[n, 0]]
        half = n // 2 - n // 2 % 8
        parts = split(half) + split(n - half)
        parts[-1][1] += 1
        return parts

    return np.array(split(n))


@ordered
def scale_sets(columns, candidates, rows, added, features, sets, count):
    """Write the candidates that vary in every set, scaled, after the first `count` features.

    Parameters
    ----------
    columns : ndarray, shape (p, n)
    candidates : ndarray of int, shape (m,)
        Some of the features.
    rows, added : three ndarrays of int
        The rows of each set, and their `blocks`.
    features : ndarray of int, shape (q,)
    sets : three ndarrays, shape (q, n_set)

    Returns
    -------
    count : int
        The number of features then.
    usual : ndarray of bool, shape (count,)
        False for a feature that only `standardised` can scale.
    """
    usual = np.ones(len(features), np.bool_)
    room, sums = np.empty(columns.shape[1]), np.empty(MOST_BLOCKS)
    for k in candidates:
        varies = True
        for s in range(3):
            out, row, column = sets[s][count], rows[s], columns[k]
            for i in range(len(out)):
                out[i] = column[row[i]]
            varies &= _varies(out)
        if varies:
            for s in range(3):
                usual[count] &= _standardise(sets[s][count], added[s], room, sums)
            features[count] = k
            count += 1
    return count, usual[:count]


@ordered
def _varies(x):
    same = 1
    while same < len(x) and x[same] == x[0]:
        same += 1
    return same < len(x)


@ordered
def _standardise_rows(rows, added):
    usual = np.empty(len(rows), np.bool_)
    room, sums = np.empty(rows.shape[1]), np.empty(MOST_BLOCKS)
    for k in range(len(rows)):
        usual[k] = _standardise(rows[k], added, room, sums)
    return usual


@ordered
def _standardise(x, added, room, sums):
    """Scale a row in place; False if its squares are 0 or infinite, or its mean is inexact."""
    n = len(x)
    mean = _sum(x, added, sums) / n
    for i in range(n):
        x[i] -= mean
    rest = _sum(x, added, sums) / n
    for i in range(n):
        away = x[i] - rest
        room[i] = away * away
    sd = np.sqrt(_sum(room, added, sums) / (n - 1))
    for i in range(n):
        x[i] /= sd
    return 1e-100 < sd < 1e100 and abs(mean) < 1e8 * sd  # not for NaN


@ordered
def _sum(x, added, sums):
    """The sum of the values in these `blocks`; `sums` has room for those that wait."""
    count = start = 0
    for k in range(len(added)):
        sums[count] = _sum_of_block(x, start, start + added[k, 0])
        start += added[k, 0]
        count += 1
        for _ in range(added[k, 1]):
            count -= 1
            sums[count - 1] += sums[count]
    return sums[0]


@ordered
def _sum_of_block(x, start, stop):
    if stop - start < 8:
        total = -0.0
        for i in range(start, stop):
            total += x[i]
        return total
    a, b, c, d = x[start], x[start + 1], x[start + 2], x[start + 3]
    e, f, g, h = x[start + 4], x[start + 5], x[start + 6], x[start + 7]
    whole = stop - (stop - start) % 8
    for i in range(start + 8, whole, 8):
        a += x[i]
        b += x[i + 1]
        c += x[i + 2]
        d += x[i + 3]
        e += x[i + 4]
        f += x[i + 5]
        g += x[i + 6]
        h += x[i + 7]
    total = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for i in range(whole, stop):
        total += x[i]
    return total
