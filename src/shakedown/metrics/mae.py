"""Mean absolute error."""

from __future__ import annotations

from typing import ClassVar

from shakedown.metrics.kernels import ABSOLUTE, MEAN_LOSS
from shakedown.metrics.metric import Metric


class MeanAbsoluteError(Metric):
    """Mean absolute error."""

    name: ClassVar[str] = "mae"
    label: ClassVar[str] = "MAE"
    sentence: ClassVar[str] = "Mean of the absolute differences between prediction and response."
    source: ClassVar[str] = "[C] equation 1"
    order: ClassVar[float] = 3
    larger_is_better: ClassVar[bool] = False
    formula: ClassVar[int] = MEAN_LOSS
    loss: ClassVar[int] = ABSOLUTE
