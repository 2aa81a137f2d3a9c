"""0-1 loss."""

from __future__ import annotations

from typing import ClassVar

from shakedown.metrics.classes import CLASSES, TWO_CLASSES
from shakedown.metrics.kernels import MEAN_LOSS, ZERO_ONE
from shakedown.metrics.metric import Metric


class ZeroOneLoss(Metric):
    """0-1 loss."""

    name: ClassVar[str] = "zero_one"
    label: ClassVar[str] = "0-1 loss"
    sentence: ClassVar[str] = "Share of the labels that a submission gets wrong."
    source: ClassVar[str] = "[B], [Z]"
    order: ClassVar[float] = 4
    yardstick: ClassVar[tuple[float, str]] = (0.5, "loss of a guess")  # of fair labels
    larger_is_better: ClassVar[bool] = False
    response: ClassVar[str] = TWO_CLASSES
    predicts: ClassVar[str] = CLASSES
    formula: ClassVar[int] = MEAN_LOSS
    loss: ClassVar[int] = ZERO_ONE
