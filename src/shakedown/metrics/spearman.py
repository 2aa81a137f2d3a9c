"""Spearman's correlation."""

from __future__ import annotations

from typing import ClassVar

from shakedown.metrics.kernels import PEARSON
from shakedown.metrics.metric import Metric


class SpearmanCorrelation(Metric):
    """Spearman's correlation."""

    name: ClassVar[str] = "spearman"
    label: ClassVar[str] = "Spearman correlation"
    short: ClassVar[str] = "Spearman"
    sentence: ClassVar[str] = "Pearson's correlation of the ranks of prediction and response."
    order: ClassVar[float] = 6
    larger_is_better: ClassVar[bool] = True
    formula: ClassVar[int] = PEARSON
    ranks: ClassVar[bool] = True
