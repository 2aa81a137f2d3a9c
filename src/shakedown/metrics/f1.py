"""F1 of two classes."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shakedown.metrics.classes import TWO_CLASSES
from shakedown.metrics.confusion import OfTables, ratio


class F1(OfTables):
    """F1 of the positive one of two classes; undefined if there is one class.

    It is 0 in a bootstrap sample without rows of the positive class.
    """

    name: ClassVar[str] = "f1"
    label: ClassVar[str] = "F1"
    sentence: ClassVar[str] = (
        "Harmonic mean of the precision and the recall of the positive class, which has the larger "
        "value."
    )
    source: ClassVar[str] = "van Rijsbergen (1979)"
    order: ClassVar[float] = 26
    larger_is_better: ClassVar[bool] = True
    response: ClassVar[str] = TWO_CLASSES
    # For classes of equal size, predicted equally often, it is 1/2 + r / 2, with the correlation r
    # of both: an r of .05 is .025 here.
    tolerated: ClassVar[float] = -0.025

    def of_tables(self, tables: np.ndarray, classes: np.ndarray) -> np.ndarray:
        twice = 2.0 * tables[:, 1, 1]
        return ratio(twice, twice + tables[:, 0, 1] + tables[:, 1, 0])
