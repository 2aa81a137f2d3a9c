"""Normalised root mean squared error."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shakedown.metrics.moments_of_draws import OfMoments, squares_left_of_draws
from shakedown.metrics.weights import squares_left, undefined


class NormalisedRootMeanSquaredError(OfMoments):
    """Root mean squared error, divided by the response's standard deviation.

    The deviation is that of the scored rows, with the divisor n (``ddof=0``): the mean of these
    rows scores exactly 1, and NRMSE² = 1 - R².  Others divide by the range or by the mean of the
    response.  The range follows two rows, and a standardised response has the mean 0.
    """

    name: ClassVar[str] = "nrmse"
    label: ClassVar[str] = "NRMSE"
    axis: ClassVar[str] = "NRMSE\n(1 = sd of the response)"
    sentence: ClassVar[str] = (
        "Root of the mean squared error, divided by the standard deviation of the response."
    )
    order: ClassVar[float] = 9
    yardstick: ClassVar[tuple[float, str]] = (1.0, "standard deviation of the response")
    larger_is_better: ClassVar[bool] = False
    # An MSE of .95 of the variance is an RMSE of .975 standard deviations.
    tolerated: ClassVar[float] = -0.025

    def function(
        self, y: np.ndarray, prediction: np.ndarray, sample_weight: np.ndarray | None = None
    ) -> float:
        left = squares_left(y, prediction, sample_weight)
        return undefined(sample_weight, 1.0) if left is None else float(np.sqrt(left))

    def of_draws(self, y: np.ndarray, predictions: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return np.sqrt(squares_left_of_draws(y, predictions, weights))
