"""F1 as a mean over classes."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shakedown.metrics.classes import CLASSES
from shakedown.metrics.confusion import OfTables, diagonal, mean_over_classes, ratio


class MacroF1(OfTables):
    """Mean over classes of the F1 of each; undefined if there is one class.

    A class that is not predicted has the F1 0.  Of a bootstrap sample that lacks a class, it is
    the mean over the others.
    """

    name: ClassVar[str] = "macro_f1"
    label: ClassVar[str] = "Macro F1"
    sentence: ClassVar[str] = (
        "F1 of each class, the harmonic mean of its precision and its recall, as a mean over the "
        "classes."
    )
    order: ClassVar[float] = 25
    larger_is_better: ClassVar[bool] = True
    response: ClassVar[str] = CLASSES
    # For two classes of equal size, predicted equally often, each F1 is 1/2 + r / 2, with the
    # correlation r of both: an r of .05 is .025 here.
    tolerated: ClassVar[float] = -0.025

    def of_tables(self, tables: np.ndarray, classes: np.ndarray) -> np.ndarray:
        both = tables.sum(axis=2) + tables.sum(axis=1)
        return mean_over_classes(ratio(2.0 * diagonal(tables), both), tables)
