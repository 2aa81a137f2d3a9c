"""Relative absolute error."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shakedown.metrics.moments_of_draws import CANCELLED, OfMoments
from shakedown.metrics.weights import deviations, total, undefined


class RelativeAbsoluteError(OfMoments):
    """Sum of the absolute errors, divided by that of the mean of the scored rows."""

    name: ClassVar[str] = "rae"
    label: ClassVar[str] = "RAE"
    axis: ClassVar[str] = "RAE\n(1 = error of the mean)"
    sentence: ClassVar[str] = (
        "Relative absolute error: the sum of the absolute errors, divided by the same sum for the "
        "mean of the response."
    )
    order: ClassVar[float] = 10
    yardstick: ClassVar[tuple[float, str]] = (1.0, "the response's mean as prediction")
    larger_is_better: ClassVar[bool] = False
    # Absolute errors shrink with the standard deviation of what is left: 5 % of the variance is
    # 2.5 % of it.
    tolerated: ClassVar[float] = -0.025

    def function(
        self, y: np.ndarray, prediction: np.ndarray, sample_weight: np.ndarray | None = None
    ) -> float:
        apart = deviations(y, sample_weight)
        if apart is None:
            return undefined(sample_weight, 1.0)
        return total(abs(y - prediction), sample_weight) / total(abs(apart), sample_weight)

    def of_draws(self, y: np.ndarray, predictions: np.ndarray, weights: np.ndarray) -> np.ndarray:
        means = weights @ y / weights.sum(axis=1)
        sums = (weights * abs(y - means[:, None])).sum(axis=1)
        sums[~(sums > CANCELLED * (weights @ abs(y)))] = np.nan
        return weights @ abs(y - predictions).T / sums[:, None]
