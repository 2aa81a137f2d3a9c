"""Kendall's tau-b."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shakedown.compiled import kernel
from shakedown.metrics.metric import Metric
from shakedown.metrics.weights import undefined


class KendallCorrelation(Metric):
    """Kendall's tau-b; undefined if response or prediction is constant."""

    name: ClassVar[str] = "kendall"
    label: ClassVar[str] = "Kendall correlation"
    short: ClassVar[str] = "Kendall"
    axis: ClassVar[str] = "Kendall correlation (tau-b)"
    sentence: ClassVar[str] = (
        "Kendall's tau-b: the pairs of rows that prediction and response order alike, less those "
        "that they order differently, as a share of all, corrected for ties; from -1 to 1."
    )
    source: ClassVar[str] = "Kendall (1945)"
    order: ClassVar[float] = 6.5
    larger_is_better: ClassVar[bool] = True
    # Of a small correlation r of normal numbers tau is 2 r / pi: .05 there is .03 here.
    tolerated: ClassVar[float] = -0.03

    def function(
        self, y: np.ndarray, prediction: np.ndarray, sample_weight: np.ndarray | None = None
    ) -> float:
        weights = np.ones(len(y)) if sample_weight is None else sample_weight
        parts = (np.ascontiguousarray(part, dtype=float) for part in (y, prediction, weights))
        tau = float(tau_b(*parts))
        return undefined(sample_weight, 0.0) if np.isnan(tau) else tau


@kernel
def tau_b(y, p, w):
    """Kendall's tau-b of rows with weights, all of shape (n,); NaN if one of both is constant.

    A pair of rows counts as often as the product of their weights; so a row with the weight 2 is
    two equal rows, and the pair of these is tied.  Rows are taken by y from the smallest on, and a
    binary indexed tree (Fenwick 1994) has the weights of those before by their rank in p, so that
    the time is O(n log n).
    """
    n = len(y)
    order = np.argsort(p)
    ranks = np.empty(n, np.int64)  # equal values share one; from 1
    ranks[order[0]] = rank = 1
    before, tied, apart_p = 0.0, w[order[0]], 0.0
    for k in range(1, n):
        i = order[k]
        if p[i] != p[order[k - 1]]:
            rank += 1
            before += tied
            tied = 0.0
        ranks[i] = rank
        apart_p += w[i] * before
        tied += w[i]
    tree = np.zeros(rank + 1)
    order = np.argsort(y)
    before, apart_y, alike = 0.0, 0.0, 0.0
    start = 0
    while start < n:
        stop = start + 1
        while stop < n and y[order[stop]] == y[order[start]]:
            stop += 1
        tied = 0.0
        for k in range(start, stop):
            i = order[k]
            below = _sum_up_to(tree, ranks[i] - 1)
            above = before - _sum_up_to(tree, ranks[i])
            alike += w[i] * (below - above)
            tied += w[i]
        for k in range(start, stop):
            i = order[k]
            at = ranks[i]
            while at <= rank:
                tree[at] += w[i]
                at += at & -at
        apart_y += tied * before
        before += tied
        start = stop
    scale = np.sqrt(apart_y) * np.sqrt(apart_p)
    if not scale > 0.0:
        return np.nan
    return min(max(alike / scale, -1.0), 1.0)


@kernel
def _sum_up_to(tree, at):
    """The weights of the ranks up to this one."""
    total = 0.0
    while at > 0:
        total += tree[at]
        at -= at & -at
    return total
