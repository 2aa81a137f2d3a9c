"""Root mean squared error."""

from __future__ import annotations

from typing import ClassVar

from shakedown.metrics.kernels import MEAN_LOSS, SQUARED
from shakedown.metrics.metric import Metric


class RootMeanSquaredError(Metric):
    """Root mean squared error."""

    name: ClassVar[str] = "rmse"
    label: ClassVar[str] = "RMSE"
    axis: ClassVar[str] = "RMSE\n(1 = sd of the response)"
    sentence: ClassVar[str] = "Root of the mean squared error, in units of the response."
    order: ClassVar[float] = 2
    yardstick: ClassVar[tuple[float, str]] = (1.0, "standard deviation of the response")
    larger_is_better: ClassVar[bool] = False
    formula: ClassVar[int] = MEAN_LOSS
    loss: ClassVar[int] = SQUARED
    root: ClassVar[bool] = True
