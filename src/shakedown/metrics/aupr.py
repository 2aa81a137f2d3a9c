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

    def resampled(
        self, y: np.ndarray, prediction: np.ndarray
    ) -> Callable[[np.ndarray], np.ndarray]:
        if y.min() == y.max() or np.isnan(prediction).any():
            return super().resampled(y, prediction)
        order = np.argsort(prediction)[::-1]
        scores, positive = prediction[order], positive_rows(y)[order]
        last = np.append(scores[1:] != scores[:-1], True)  # of equal scores
        return lambda weights: _resampled_precisions(last, positive, order, weights)


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


def _resampled_precisions(last, positive, order, weights):
    """`_weighted_precision` for each row of weights, shape (draws, n); returns shape (draws,)."""
    precisions = np.empty(len(weights))
    for start in range(0, len(weights), DRAWS):
        block = weights[start : start + DRAWS]
        by_row = np.ascontiguousarray(block.T, dtype=float)
        _precisions_of_draws(last, positive, order, by_row, precisions[start : start + DRAWS])
    return precisions


@ordered
def _precisions_of_draws(last, positive, order, weights, out):
    """Precisions of rows from the largest score on, under weights of shape (n, draws).

    Row by row and for all draws at once, which is several times faster than draw by draw.
    """
    n, draws = weights.shape
    taken, wrong, before = np.zeros(draws), np.zeros(draws), np.zeros(draws)
    total = np.zeros(draws)
    for k in range(n):
        row = order[k]
        if positive[k]:
            for b in range(draws):
                taken[b] += weights[row, b]
        else:
            for b in range(draws):
                wrong[b] += weights[row, b]
        if last[k]:
            for b in range(draws):
                if taken[b] > before[b]:
                    total[b] += (taken[b] - before[b]) * (taken[b] / (taken[b] + wrong[b]))
                    before[b] = taken[b]
    for b in range(draws):
        out[b] = total[b] / taken[b] if taken[b] > 0.0 else 0.0
