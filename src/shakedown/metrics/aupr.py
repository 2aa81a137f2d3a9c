"""Area under the curve of precision and recall."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shakedown.compiled import ordered
from shakedown.metrics.classes import SCORES, TWO_CLASSES, on_labels
from shakedown.metrics.metric import Metric
from shakedown.metrics.weights import undefined


class AveragePrecision(Metric):
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

    @property
    def scores_constants(self) -> bool:
        return True

    def scores_of(self, y: np.ndarray, predictions: np.ndarray) -> np.ndarray:
        known = on_labels(y, predictions)
        if known is None:
            return np.full(len(predictions), np.nan)
        positive = known[0]
        ones, others = (np.sort(predictions[:, rows], axis=1) for rows in (positive, ~positive))
        return _precisions(ones, others)

    def function(
        self, y: np.ndarray, prediction: np.ndarray, sample_weight: np.ndarray | None = None
    ) -> float:
        known = on_labels(y, prediction)
        if known is None:
            return undefined(sample_weight, 0.5)
        if sample_weight is None:
            return float(self.scores_of(y, prediction[None])[0])
        if np.isnan(prediction).any():
            return np.nan
        order = np.argsort(prediction)[::-1]
        return float(_weighted_precision(prediction[order], known[0][order], sample_weight[order]))


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
