"""Scores of censored times: shares of pairs of rows whose order the risks predict.

A censored response is one array: t if the event was seen at the time t, and -t if the row was
censored then, as in the Cox objective of XGBoost.  Of two rows it is known which one had its event
first if the earlier time is that of an event.  Equal times: an event comes before a censoring, and
two events are no pair, as in lifelines and scikit-survival.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from shakedown.compiled import ordered
from shakedown.metrics.classes import RISKS, TIMES
from shakedown.metrics.metric import Metric
from shakedown.metrics.pairs_of_draws import DRAWS, add_right, narrow
from shakedown.metrics.weights import undefined

#: How pairs count: alike (Harrell), by the square of the inverse probability that the earlier row
#: was not censored (Uno), or as the area under time-dependent ROC curves weighs them.
ALIKE, BY_CENSORING, BY_AREA = 0, 1, 2
#: The score of risks that are all equal.
GUESS = 0.5


class OfTimes(Metric):
    """A score of risks against censored times; undefined without a pair of known order.

    Derive from it, and say how `pairs` count.  A response above 0 everywhere is not censored.
    """

    pairs: ClassVar[int]
    yardstick: ClassVar[tuple[float, str]] = (GUESS, "score of a guess")
    larger_is_better: ClassVar[bool] = True
    response: ClassVar[str] = TIMES
    predicts: ClassVar[str] = RISKS
    # For normal numbers with a small correlation r, Kendall's tau is 2 r / pi, and such a score is
    # (tau + 1) / 2 = .5 + r / pi: an r of .05 is .016 here.
    tolerated: ClassVar[float] = -0.016

    @property
    def read_as(self) -> str:
        """Spearman's correlation: see `attacks.orders`."""
        return "spearman"

    def scores_of(self, y: np.ndarray, predictions: np.ndarray) -> np.ndarray:
        order, times, censored, ranks = _in_order(y, predictions)
        return _scores(ranks, times, censored, np.ones(len(order)), self.pairs)

    def function(
        self, y: np.ndarray, prediction: np.ndarray, sample_weight: np.ndarray | None = None
    ) -> float:
        if sample_weight is None:
            return float(self.scores_of(y, prediction[None])[0])
        return self.weighted(y, prediction)(sample_weight)

    def weighted(self, y: np.ndarray, prediction: np.ndarray) -> Callable[[np.ndarray], float]:
        order, times, censored, ranks = _in_order(y, prediction[None])

        def score(weights: np.ndarray) -> float:
            weights = weights[order].astype(float, copy=False)
            (found,) = _scores(ranks, times, censored, weights, self.pairs)
            is_undefined = np.isnan(found) and ranks.any()
            return undefined(weights, GUESS) if is_undefined else float(found)

        return score

    def resampled_files(
        self, y: np.ndarray, predictions: np.ndarray
    ) -> Callable[[np.ndarray], np.ndarray]:
        order, times, censored, ranks = _in_order(y, predictions)

        def scores(weights: np.ndarray) -> np.ndarray:
            out = np.empty((len(weights), len(ranks)))
            for start in range(0, len(weights), DRAWS):
                by_row = np.ascontiguousarray(weights[start : start + DRAWS].T[order], dtype=float)
                out[start : start + DRAWS] = _of_draws(ranks, times, censored, by_row, self.pairs).T
            return out

        return scores


def guess(metric: Metric) -> float:
    """The score of risks that are all equal, of a metric of times or a sum of such."""
    parts = [term.weight * (GUESS - term.centre) / term.spread for term in metric.terms]
    return sum(parts) if parts else GUESS


def _in_order(y: np.ndarray, predictions: np.ndarray) -> tuple[np.ndarray, ...]:
    """The order of rows by time, events first, and what they are in this order.

    Returns
    -------
    order, times, censored : ndarray, shape (n,)
    ranks : ndarray of int, shape (m, n)
        Of the risks of each file, from 1; equal risks share one.
    """
    times, censored = np.abs(y).astype(float, copy=False), y <= 0.0
    order = np.lexsort((censored, times))
    risks = np.ascontiguousarray(predictions[:, order], dtype=float)
    # NumPy sorts many times faster than compiled code would.
    ranks = _ranked(risks, np.argsort(risks, axis=1))
    return order, times[order], censored[order], ranks


@ordered
def _ranked(values, orders):
    """Ranks of each row of values, both shape (m, n), from their orders; equal ones share one.

    They are all 0 if a value is NaN.
    """
    m, n = values.shape
    ranks = np.zeros((m, n), np.int64)
    for t in range(m):
        if np.isnan(values[t, orders[t, n - 1]]):  # sorted to the end
            continue
        rank = 0
        for k in range(n):
            i = orders[t, k]
            if k == 0 or values[t, i] != values[t, orders[t, k - 1]]:
                rank += 1
            ranks[t, i] = rank
    return ranks


def _of_draws(ranks, times, censored, weights, pairs):
    """Scores of m files in bootstrap samples, shape (m, draws); weights have shape (n, draws)."""
    draws = weights.shape[1]
    own, more, less = np.empty((3, *weights.shape))
    total, counts, out = np.empty(draws), narrow(weights), np.full((len(ranks), draws), np.nan)
    _worth_of_draws(times, censored, weights, pairs, own, more, less, total)
    by_area, less_own = pairs == BY_AREA, own * less
    for of_file, found in zip(ranks, out, strict=True):
        if of_file.max() == 0:  # a risk is NaN
            continue
        right = np.zeros(draws)
        add_right(of_file, times, censored, own, more if by_area else counts, 1.0, right)
        if by_area:
            add_right(of_file, times, censored, less_own, counts, -1.0, right)
        known = total > 0.0
        found[:] = undefined(weights, GUESS)
        found[known] = np.clip(0.5 * right[known] / total[known], 0.0, 1.0)
    return out


@ordered
def _worth_of_draws(times, censored, weights, pairs, own, more, less, total):
    """`_worth` for each column of weights, shape (n, draws), into arrays of the same shape."""
    for b in range(weights.shape[1]):
        of_draw = _worth(times, censored, weights[:, b].copy(), pairs)
        own[:, b], more[:, b], less[:, b] = of_draw[0], of_draw[1], of_draw[2]
        total[b] = of_draw[4]


@ordered
def _scores(ranks, times, censored, weights, pairs):
    """Scores of m files, shape (m,); NaN without a pair of known order that has a weight.

    A file with a risk that is NaN has ranks of 0, and the score NaN, too.
    """
    own, more, less, weights, total = _worth(times, censored, weights, pairs)
    return _ordered_right(ranks, times, censored, own, more, less, weights, total)


@ordered
def _worth(times, censored, weights, pairs):
    """What rows count in pairs, from their times in rising order, events first; all of shape (n,).

    The pair of an event i and a later row j counts ``own[i] (more[j] - less[i] w[j])``, with the
    weights w.  Probabilities of no censoring and of no event are Kaplan and Meier's.

    Returns
    -------
    own, more, less, weights : ndarray, shape (n,)
    total : float
        What all pairs of known order count.
    """
    n = len(times)
    own, more, less = np.zeros(n), np.zeros(n), np.zeros(n)
    later = np.zeros(n + 1)  # from the end, so that it is exactly 0 where no weight is left
    for k in range(n - 1, -1, -1):
        later[k] = later[k + 1] + weights[k]
    uncensored = alive = 1.0
    cases = sum_of_steps = total = 0.0
    start = 0
    while start < n:
        stop, events, others = start, 0.0, 0.0
        while stop < n and times[stop] == times[start]:
            if censored[stop]:
                others += weights[stop]
            else:
                events += weights[stop]
            stop += 1
        left = others + later[stop]  # rows that are known to have no event up to this time
        if left > 0.0:
            uncensored *= 1.0 - others / left
        inverse = 1.0
        if pairs != 0:  # nobody is observed beyond a time at which the probability is 0
            inverse = 1.0 / uncensored if uncensored > 0.0 else 0.0
        if pairs == 1:
            inverse *= inverse
        for k in range(start, stop):
            more[k] = weights[k]
            if not censored[k]:
                own[k] = inverse * weights[k]
            if pairs == 2:
                more[k], less[k] = weights[k] * sum_of_steps, sum_of_steps
        if pairs != 2:
            total += inverse * events * left
        elif events > 0.0:
            before = alive
            alive *= left / (events + left)
            cases += inverse * events
            if later[stop] > 0.0:
                sum_of_steps += (before - alive) / (cases * later[stop])
                total += before - alive
        start = stop
    return own, more, less, weights, total


@ordered
def _ordered_right(of_files, times, censored, own, more, less, weights, total):
    """The share of pairs that the risks order right, by what they count; shape (m,).

    Equal risks count half.

    Rows are taken from the largest time on.  A binary indexed tree (Fenwick 1994) has what those
    before are worth, by the ranks of their risks: the time is O(n log n).
    """
    m, n = of_files.shape
    out = np.full(m, np.nan)
    tree, counts = np.empty(n + 1), np.empty(n + 1)
    if not total > 0.0:
        return out
    for t in range(m):
        ranks = of_files[t]
        rank = ranks.max()
        if rank == 0:
            continue
        tree[: rank + 1] = 0.0
        counts[: rank + 1] = 0.0
        right = 0.0
        stop = n
        while stop > 0:
            start = stop - 1
            while not censored[start] and start > 0 and _is_tied(times, censored, start - 1, start):
                start -= 1
            for k in range(start, stop):
                if own[k] > 0.0:
                    worth = _sum_up_to(tree, ranks[k] - 1) + _sum_up_to(tree, ranks[k])
                    if less[k] > 0.0:
                        number = _sum_up_to(counts, ranks[k] - 1) + _sum_up_to(counts, ranks[k])
                        worth -= less[k] * number
                    right += own[k] * worth
            for k in range(start, stop):
                at = ranks[k]
                while at <= rank:
                    tree[at] += more[k]
                    counts[at] += weights[k]
                    at += at & -at
            stop = start
        out[t] = min(max(0.5 * right / total, 0.0), 1.0)
    return out


@ordered
def _is_tied(times, censored, i, k):
    """Whether two neighbours are events at the same time."""
    return not censored[i] and not censored[k] and times[i] == times[k]


@ordered
def _sum_up_to(tree, at):
    """The sum of the values of the ranks up to this one."""
    total = 0.0
    while at > 0:
        total += tree[at]
        at -= at & -at
    return total
