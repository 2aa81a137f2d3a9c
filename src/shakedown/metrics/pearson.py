"""Pearson's correlation."""

from __future__ import annotations

from typing import ClassVar

from shakedown.metrics.kernels import PEARSON
from shakedown.metrics.metric import Metric


class PearsonCorrelation(Metric):
    """Pearson's correlation."""

    name: ClassVar[str] = "pearson"
    label: ClassVar[str] = "Pearson correlation"
    short: ClassVar[str] = "Pearson"
    sentence: ClassVar[str] = "Linear correlation between prediction and response, from -1 to 1."
    source: ClassVar[str] = "[C] equation under Algorithm 6"
    order: ClassVar[float] = 5
    larger_is_better: ClassVar[bool] = True
    formula: ClassVar[int] = PEARSON
