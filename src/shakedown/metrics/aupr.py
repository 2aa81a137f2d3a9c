"""Area under the curve of precision and recall."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from shakedown.compiled import ordered
from shakedown.metrics.auroc import DRAWS, sorted_by_class
from shakedown.metrics.classes import SCORES, TWO_CLASSES, positive_rows
from shakedown.metrics.of_classes import OfClasses


class AveragePrecision(OfClasses):
    """Area under the curve of precision and recall; undefined if there is one class.

    It is the average precision: the curve is a staircase, without lines between its points.  In a
    bootstrap sample with one class it is the share of the positive class, 0 or 1; 1/2 if the whole
    response has one value, which may be either class.
    """

    name: ClassVar[str] = "aupr"
    label: ClassVar[str] = "AUPR"
    axis: ClassVar[str] = "area under the precision-recall curve"
    sentence: ClassVar[str] = (
        "Average precision: the share of the positive class, which has the larger value, among the "
        "rows with at least the score of one of its rows, as a mean over these."
    )
    source: ClassVar[str] = "Davis and Goadrich (2006)"
    order: ClassVar[float] = 21
    larger_is_better: ClassVar[bool] = True
    response: ClassVar[str] = TWO_CLASSES
    predicts: ClassVar[str] = SCORES
    # For classes of equal size, and normal scores with a small correlation r, it is 1/2 + .45 r:
    # an r of .05 is .02 here.
    tolerated: ClassVar[float] = -0.02
    alone: ClassVar[float] = 0.5

    @property
    def read_as(self) -> str:
        """Spearman's correlation: see `attacks.orders`."""
        return "spearman"

    def of_files(
        self, y: np.ndarray, predictions: np.ndarray, weights: np.ndarray | None
    ) -> np.ndarray:
        if weights is None:
            return _precisions(*sorted_by_class(y, predictions))
        positive, out = positive_rows(y), np.full(len(predictions), np.nan)
        for t in np.flatnonzero(~np.isnan(predictions).any(axis=1)):
            order = np.argsort(predictions[t])[::-1]
            out[t] = _weighted_precision(predictions[t, order], positive[order], weights[order])
        return out

    def resampled_files(
        self, y: np.ndarray, predictions: np.ndarray
    ) -> Callable[[np.ndarray], np.ndarray]:
        if y.min() == y.max() or np.isnan(predictions).any():
            return super().resampled_files(y, predictions)
        orders = np.argsort(-predictions, axis=1)
        positive = positive_rows(y)
        last = [
            np.append(np.diff(file[order]) != 0.0, True)  # of equal scores
            for file, order in zip(predictions, orders, strict=True)
        ]

        def scores(weights: np.ndarray) -> np.ndarray:
            out = np.empty((len(predictions), len(weights)))
            for start in range(0, len(weights), DRAWS):
                block = np.ascontiguousarray(weights[start : start + DRAWS].T, dtype=float)
                for t, order in enumerate(orders):
                    of_block = out[t, start : start + DRAWS]
                    _precisions_of_draws(last[t], positive[order], order, block, of_block)
            return out.T

        return scores


@ordered
def _precisions_of_draws(last, positive, order, weights, out):
    """`_weighted_precision` for each column of weights, shape (n, draws); row by row for all."""
    n, draws = weights.shape
    ones, taken, wrong, total = np.zeros((4, draws))
    has_ones = False
    for k in range(n):
        of_row = weights[order[k]]
        if positive[k]:
            has_ones = True
            for b in range(draws):
                ones[b] += of_row[b]
        else:
            for b in range(draws):
                wrong[b] += of_row[b]
        if last[k] and has_ones:
            for b in range(draws):
                taken[b] += ones[b]
                rows = taken[b] + wrong[b]
                total[b] += ones[b] * (taken[b] / (rows if rows > 0.0 else 1.0))
                ones[b] = 0.0
            has_ones = False
    for b in range(draws):
        out[b] = total[b] / taken[b] if taken[b] > 0.0 else 0.0


@ordered
def _precisions(ones, others):
    """The average precision of each of m files, from its sorted scores of both classes."""
    m, n_1, n_0 = len(ones), ones.shape[1], others.shape[1]
    out = np.empty(m)
    for t in range(m):
        if np.isnan(ones[t, -1]) or np.isnan(others[t, -1]):  # sorted to the end
            out[t] = np.nan
            continue
        total, taken, wrong = 0.0, 0, 0  # rows with at least a score, of each class
        while taken < n_1:
            score, before = ones[t, n_1 - 1 - taken], taken
            while taken < n_1 and ones[t, n_1 - 1 - taken] == score:
                taken += 1
            while wrong < n_0 and others[t, n_0 - 1 - wrong] >= score:
                wrong += 1
            total += (taken - before) * (taken / (taken + wrong))
        out[t] = total / n_1
    return out


@ordered
def _weighted_precision(scores, positive, weights):
    """The average precision of rows from the largest score on, all shape (n,).

    Where one class has no weight, the share of the positive class.
    """
    n, start = len(scores), 0
    taken = wrong = total = 0.0
    while start < n:
        stop, before = start, taken
        while stop < n and scores[stop] == scores[start]:
            if positive[stop]:
                taken += weights[stop]
            else:
                wrong += weights[stop]
            stop += 1
        if taken > before:
            total += (taken - before) * (taken / (taken + wrong))
        start = stop
    return total / taken if taken > 0.0 else 0.0
