"""Mean squared error."""

from __future__ import annotations

from typing import ClassVar

from shakedown.metrics.kernels import MEAN_LOSS, SQUARED
from shakedown.metrics.metric import Metric


class MeanSquaredError(Metric):
    """Mean squared error."""

    name: ClassVar[str] = "mse"
    label: ClassVar[str] = "MSE"
    axis: ClassVar[str] = "MSE\n(1 = response variance)"
    sentence: ClassVar[str] = "Mean of the squared differences between prediction and response."
    source: ClassVar[str] = "[C] equation 1"
    order: ClassVar[float] = 1
    # The response is scaled to variance 1 (ddof = 1) in each set, so its mean there, as a
    # prediction, has an MSE slightly below: (n - 1) / n of a set with n rows.
    yardstick: ClassVar[tuple[float, str]] = (1.0, "variance of the response")
    larger_is_better: ClassVar[bool] = False
    formula: ClassVar[int] = MEAN_LOSS
    loss: ClassVar[int] = SQUARED
