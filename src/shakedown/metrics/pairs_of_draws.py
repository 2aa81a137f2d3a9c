"""Pairs of rows that risks order right, in many bootstrap samples at once.

A file's pairs are added up in a binary indexed tree over the ranks of its risks, as for one sample
(`times`).  Which steps the tree takes depends on the ranks alone, so each step is taken for a
block of samples: their weights lie side by side, as whole numbers of two bytes if they fit, and a
step for all of them takes little longer than for one.  Nothing is approximated.
"""

from __future__ import annotations

import numpy as np

from shakedown.compiled import ordered

#: Samples at a time: a tree over 2,000 rows stays near the processor.
DRAWS = 128


def narrow(weights: np.ndarray) -> np.ndarray:
    """Weights, shape (n, draws), as whole numbers of two bytes if their sums are such numbers."""
    most = np.iinfo(np.int16).max
    if weights.sum(axis=0).max(initial=0.0) > most or (weights != np.rint(weights)).any():
        return weights
    return weights.astype(np.int16)


@ordered
def add_right(ranks, times, censored, own, more, factor, right):
    """Add what pairs in the right order count, twice; equal risks count half.

    The pair of an event i and a later row j counts ``factor own[i] more[j]``.

    Parameters
    ----------
    ranks : ndarray of int, shape (n,)
        Of the risks, from 1; equal ones share one.  Rows are in rising order of time, events first.
    times, censored : ndarray, shape (n,)
    own, more : ndarray, shape (n, draws)
    factor : float
    right : ndarray, shape (draws,)
        To which it is added.
    """
    n, draws = own.shape
    most = ranks.max()
    tree = np.zeros((most + 1, draws), more.dtype)
    equal = np.zeros((most + 1, draws), more.dtype)  # what each rank has, which the tree adds up
    below = np.zeros(draws, more.dtype)
    stop = n
    while stop > 0:
        start = stop - 1
        if not censored[start]:
            while start > 0 and not censored[start - 1] and times[start - 1] == times[start]:
                start -= 1
            for k in range(start, stop):
                below[:] = 0
                at = ranks[k] - 1
                while at > 0:
                    _add(below, tree[at])
                    at -= at & -at
                _add_products(right, factor, own[k], equal[ranks[k]], below)
        for k in range(start, stop):
            at = ranks[k]
            _add(equal[at], more[k])
            while at <= most:
                _add(tree[at], more[k])
                at += at & -at
        stop = start


@ordered
def _add(to, values):
    for b in range(len(to)):
        to[b] += values[b]


@ordered
def _add_products(right, factor, own, equal, below):
    for b in range(len(right)):
        right[b] += factor * own[b] * (np.float64(equal[b]) + 2.0 * np.float64(below[b]))
