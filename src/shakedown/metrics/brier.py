"""Brier score."""

from __future__ import annotations

from typing import ClassVar

from shakedown.metrics.classes import PROBABILITIES, TWO_CLASSES
from shakedown.metrics.kernels import MEAN_LOSS, SQUARED
from shakedown.metrics.metric import Metric


class BrierScore(Metric):
    """Mean squared error of the probability of the positive class, for labels 0 and 1.

    On a standardised response it is the mean squared error, and `degree` converts it.  Numbers
    below 0 and above 1 are scored as they are; a board checks files where it takes them.
    """

    name: ClassVar[str] = "brier"
    label: ClassVar[str] = "Brier score"
    short: ClassVar[str] = "Brier"
    sentence: ClassVar[str] = (
        "Mean of the squared differences between the probability of the positive class, which has "
        "the larger value, and the label, 0 or 1."
    )
    source: ClassVar[str] = "Brier (1950)"
    order: ClassVar[float] = 23
    larger_is_better: ClassVar[bool] = False
    response: ClassVar[str] = TWO_CLASSES
    predicts: ClassVar[str] = PROBABILITIES
    formula: ClassVar[int] = MEAN_LOSS
    loss: ClassVar[int] = SQUARED

    @property
    def read_as(self) -> str:
        """It is the mean squared error, by another name."""
        return "mse"
