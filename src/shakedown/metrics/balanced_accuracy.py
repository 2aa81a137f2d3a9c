"""Balanced accuracy."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shakedown.metrics.classes import CLASSES
from shakedown.metrics.confusion import OfTables, diagonal, mean_over_classes, ratio


class BalancedAccuracy(OfTables):
    """Mean over classes of the share of the class that is found; undefined if there is one class.

    Of a bootstrap sample that lacks a class, it is the mean over the others.
    """

    name: ClassVar[str] = "balanced_accuracy"
    label: ClassVar[str] = "Balanced accuracy"
    short: ClassVar[str] = "BA"
    axis: ClassVar[str] = "balanced accuracy"
    sentence: ClassVar[str] = (
        "Share of the rows of a class that are predicted as it, as a mean over the classes."
    )
    source: ClassVar[str] = "Brodersen et al. (2010)"
    order: ClassVar[float] = 24
    larger_is_better: ClassVar[bool] = True
    response: ClassVar[str] = CLASSES
    # For two classes of equal size, predicted equally often, it is 1/2 + r / 2, with the
    # correlation r of both: an r of .05 is .025 here.
    tolerated: ClassVar[float] = -0.025
    alone: ClassVar[float] = 0.5

    def of_tables(self, tables: np.ndarray, classes: np.ndarray) -> np.ndarray:
        return mean_over_classes(ratio(diagonal(tables), tables.sum(axis=2)), tables)
