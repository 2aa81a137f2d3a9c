"""Kendall's tau-b."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from shakedown.compiled import kernel
from shakedown.metrics.metric import Metric
from shakedown.metrics.pairs_of_draws import DRAWS, add_right, narrow
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

    def resampled_files(
        self, y: np.ndarray, predictions: np.ndarray
    ) -> Callable[[np.ndarray], np.ndarray]:
        order = np.argsort(y, kind="stable")
        in_order, files = y[order], predictions[:, order]
        kinds = [np.unique(file, return_inverse=True)[1] for file in (in_order, *files)]

        def taus(weights: np.ndarray) -> np.ndarray:
            out = np.empty((len(weights), len(files)))
            for start in range(0, len(weights), DRAWS):
                by_row = np.ascontiguousarray(weights[start : start + DRAWS].T[order], dtype=float)
                out[start : start + DRAWS] = _taus(in_order, kinds, by_row).T
            return out

        return taus


def _taus(y: np.ndarray, kinds: list[np.ndarray], weights: np.ndarray) -> np.ndarray:
    """Kendall's tau-b of m files in bootstrap samples, shape (m, draws).

    Rows are in rising order of `y`; `kinds` are the ranks from 0 of the response and of each file,
    where equal values share one; weights have shape (n, draws).
    """
    own, *files = kinds
    out, uncensored, counts = [], np.zeros(len(y), bool), narrow(weights)
    without_ties = _pairs_apart(np.arange(len(y)), weights)
    apart_y = _pairs_apart(own, weights)
    for file in files:
        # Twice the pairs that are ordered differently, and once those that the file ties.
        wrong = np.zeros(weights.shape[1])
        add_right(file + 1, y, uncensored, weights, counts, 1.0, wrong)
        has_ties = file.max() + 1 < len(file)
        apart = _pairs_apart(file, weights) if has_ties else without_ties
        scale = np.sqrt(apart_y) * np.sqrt(apart)
        tau = np.divide(apart_y - wrong, scale, out=np.zeros_like(scale), where=scale > 0.0)
        out.append(np.clip(tau, -1.0, 1.0))
    return np.array(out)


def _pairs_apart(kinds: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The pairs of rows of two kinds, each as the product of its weights; shape (draws,)."""
    order = np.argsort(kinds, kind="stable")
    starts = np.searchsorted(kinds[order], np.arange(kinds.max() + 1))
    sums = np.add.reduceat(weights[order], starts)
    before = np.cumsum(sums, axis=0) - sums  # a difference of squares would be rounded
    return (sums * before).sum(axis=0)


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
