"""F1 of two classes."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shakedown.metrics.classes import TWO_CLASSES
from shakedown.metrics.confusion import OfTables, ratio


class F1(OfTables):
    """F1 of the larger of two classes; undefined if there is one class.

    It is 0 in a bootstrap sample without rows of the larger class.
    """

    name: ClassVar[str] = "f1"
    label: ClassVar[str] = "F1"
    sentence: ClassVar[str] = (
        "Harmonic mean of two shares: the rows of the larger class that are taken for it, and the "
        "rows taken for it that are of it."
    )
    source: ClassVar[str] = "van Rijsbergen (1979)"
    order: ClassVar[float] = 26
    larger_is_better: ClassVar[bool] = True
    response: ClassVar[str] = TWO_CLASSES
    # Of classes, and predictions, that are alike in number, it is 1/2 + r / 2, r the correlation
    # of both: .05 there is .025 here.
    tolerated: ClassVar[float] = -0.025

    def of_tables(self, tables: np.ndarray, classes: np.ndarray) -> np.ndarray:
        twice = 2.0 * tables[:, 1, 1]
        return ratio(twice, twice + tables[:, 0, 1] + tables[:, 1, 0])
