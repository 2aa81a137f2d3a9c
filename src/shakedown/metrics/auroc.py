"""Area under the receiver operating characteristic."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from shakedown.compiled import ordered
from shakedown.metrics.classes import SCORES, TWO_CLASSES, positive_rows
from shakedown.metrics.of_classes import OfClasses

#: Draws of a bootstrap at a time: the weights of all rows stay near the processor.
DRAWS = 128


class AreaUnderROC(OfClasses):
    """Area under the receiver operating characteristic; undefined if there is one class.

    In a bootstrap sample with one class it is 1/2.
    """

    name: ClassVar[str] = "auroc"
    label: ClassVar[str] = "AUROC"
    axis: ClassVar[str] = "area under the ROC curve"
    sentence: ClassVar[str] = (
        "Area under the receiver operating characteristic: the probability that a row of the "
        "positive class, which has the larger value, has a larger score than one of the other "
        "class; ties count half."
    )
    source: ClassVar[str] = "Hanley and McNeil (1982)"
    order: ClassVar[float] = 20
    yardstick: ClassVar[tuple[float, str]] = (0.5, "score of a guess")
    larger_is_better: ClassVar[bool] = True
    response: ClassVar[str] = TWO_CLASSES
    predicts: ClassVar[str] = SCORES
    # For classes of equal size, and scores whose ranks have the correlation r with them, it is
    # 1/2 + r / √3: an r of .05 is .03 here.
    tolerated: ClassVar[float] = -0.03
    alone: ClassVar[float] = 0.5

    @property
    def read_as(self) -> str:
        """Spearman's correlation: see `attacks.areas`."""
        return "spearman"

    def of_files(
        self, y: np.ndarray, predictions: np.ndarray, weights: np.ndarray | None
    ) -> np.ndarray:
        if weights is not None:
            return np.array([self.weighted(y, prediction)(weights) for prediction in predictions])
        return _areas(*sorted_by_class(y, predictions))

    def weighted(self, y: np.ndarray, prediction: np.ndarray) -> Callable[[np.ndarray], float]:
        if y.min() == y.max():
            return lambda weights: self.alone
        if np.isnan(prediction).any():
            return lambda weights: np.nan
        order = np.argsort(prediction)
        scores, positive = prediction[order], positive_rows(y)[order]
        return lambda weights: float(_weighted_area(scores, positive, order, weights))

    def resampled(
        self, y: np.ndarray, prediction: np.ndarray
    ) -> Callable[[np.ndarray], np.ndarray]:
        if y.min() == y.max() or np.isnan(prediction).any():
            return super().resampled(y, prediction)
        order = np.argsort(prediction)
        scores, positive = prediction[order], positive_rows(y)[order]
        last = np.append(scores[1:] != scores[:-1], True)  # of equal scores
        return lambda weights: _resampled_areas(last, positive, order, weights)


def sorted_by_class(y: np.ndarray, predictions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The sorted scores of m files in the positive and in the other class, shape (m, n_class)."""
    positive = positive_rows(y)
    # NumPy sorts each class many times faster than a compiled sort of both would.
    ones, others = (np.sort(predictions[:, rows], axis=1) for rows in (positive, ~positive))
    return ones, others


@ordered
def _areas(ones, others):
    """The area of each of m files, from its sorted scores of both classes."""
    m, n_1, n_0 = len(ones), ones.shape[1], others.shape[1]
    out = np.empty(m)
    for t in range(m):
        if np.isnan(ones[t, -1]) or np.isnan(others[t, -1]):  # sorted to the end
            out[t] = np.nan
            continue
        below = up_to = 0  # of the other class: rows below a score, and up to it
        pairs = 0
        for i in range(n_1):
            while below < n_0 and others[t, below] < ones[t, i]:
                below += 1
            up_to = max(up_to, below)
            while up_to < n_0 and others[t, up_to] <= ones[t, i]:
                up_to += 1
            pairs += below + up_to  # twice the pairs in the right order; exact
        out[t] = pairs / (2.0 * n_1 * n_0)
    return out


@ordered
def _weighted_area(scores, positive, order, weights):
    """The area of rows sorted by their scores; 1/2 if a class has no weight.

    All have shape (n,); the weights are in the order of the rows before sorting.  A pair of rows
    counts as the product of their weights.
    """
    n, start = len(scores), 0
    before = area = of_ones = 0.0
    while start < n:
        stop, ones, others = start, 0.0, 0.0
        while stop < n and scores[stop] == scores[start]:
            if positive[stop]:
                ones += weights[order[stop]]
            else:
                others += weights[order[stop]]
            stop += 1
        area += ones * (before + 0.5 * others)
        before += others
        of_ones += ones
        start = stop
    pairs = of_ones * before
    return area / pairs if pairs > 0.0 else 0.5


def _resampled_areas(last, positive, order, weights):
    """`_weighted_area` for each row of weights, shape (draws, n); the result has shape (draws,)."""
    areas = np.empty(len(weights))
    for start in range(0, len(weights), DRAWS):
        block = weights[start : start + DRAWS]
        by_row = np.ascontiguousarray(block.T, dtype=float)
        _areas_of_draws(last, positive, order, by_row, areas[start : start + DRAWS])
    return areas


@ordered
def _areas_of_draws(last, positive, order, weights, out):
    """Areas of rows in the order of their scores, under weights of shape (n, draws).

    Row by row and for all draws at once, which is several times faster than draw by draw.
    """
    n, draws = weights.shape
    before, ones, others = np.zeros(draws), np.zeros(draws), np.zeros(draws)
    area, of_ones = np.zeros(draws), np.zeros(draws)
    for k in range(n):
        row = order[k]
        if positive[k]:
            for b in range(draws):
                ones[b] += weights[row, b]
        else:
            for b in range(draws):
                others[b] += weights[row, b]
        if last[k]:
            for b in range(draws):
                area[b] += ones[b] * (before[b] + 0.5 * others[b])
                before[b] += others[b]
                of_ones[b] += ones[b]
                ones[b] = others[b] = 0.0
    for b in range(draws):
        pairs = of_ones[b] * before[b]
        out[b] = area[b] / pairs if pairs > 0.0 else 0.5
