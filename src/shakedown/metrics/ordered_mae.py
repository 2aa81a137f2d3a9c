"""Mean absolute error of ordered classes."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shakedown.metrics.classes import ORDERED_CLASSES
from shakedown.metrics.confusion import OfTables, ratio


class OrderedMeanAbsoluteError(OfTables):
    """Mean absolute difference of ordered classes, in steps; undefined if there is one class.

    A step is the smallest difference between the values that the response has for two classes, such
    as 1 for classes 1, 2 and 3, which it also is if these are standardised.
    """

    name: ClassVar[str] = "ordered_mae"
    label: ClassVar[str] = "MAE of classes"
    axis: ClassVar[str] = "MAE of classes (steps)"
    sentence: ClassVar[str] = (
        "Mean of the absolute differences between true and predicted classes, in steps from one "
        "class to the next."
    )
    order: ClassVar[float] = 29
    larger_is_better: ClassVar[bool] = False
    response: ClassVar[str] = ORDERED_CLASSES
    # For two classes of equal size, predicted equally often, it is 1/2 - r / 2, with the
    # correlation r of both: an r of .05 is .025 here.
    tolerated: ClassVar[float] = -0.025

    @property
    def read_as(self) -> str:
        """Its own: a constant file has a better score than most that correlate a little."""
        return self.name

    def of_tables(self, tables: np.ndarray, classes: np.ndarray) -> np.ndarray:
        steps = np.abs(classes[:, None] - classes) / np.diff(classes).min()
        return ratio((tables * steps).sum(axis=(1, 2)), tables.sum(axis=(1, 2)))
