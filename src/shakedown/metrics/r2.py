"""R², the share of the response's variance that is explained."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shakedown.metrics.moments_of_draws import OfMoments, squares_left_of_draws
from shakedown.metrics.weights import squares_left, undefined


class RSquared(OfMoments):
    """R², the coefficient of determination; below 0 for a file worse than the mean.

    Its mean is that of the scored rows, so it is no mean of losses, and on a bootstrap sample no
    linear function of the mean squared error.
    """

    name: ClassVar[str] = "r2"
    label: ClassVar[str] = "R²"
    axis: ClassVar[str] = "R²\n(share of the variance)"
    sentence: ClassVar[str] = (
        "Share of the response's variance that the predictions explain: 1 less the mean squared "
        "error as a share of the variance."
    )
    order: ClassVar[float] = 8
    yardstick: ClassVar[tuple[float, str]] = (0.0, "the response's mean as prediction")
    larger_is_better: ClassVar[bool] = True

    def function(
        self, y: np.ndarray, prediction: np.ndarray, sample_weight: np.ndarray | None = None
    ) -> float:
        left = squares_left(y, prediction, sample_weight)
        return undefined(sample_weight, 0.0) if left is None else 1.0 - left

    def of_draws(self, y: np.ndarray, predictions: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return 1.0 - squares_left_of_draws(y, predictions, weights)
