"""Matthews' correlation of classes."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shakedown.metrics.classes import CLASSES
from shakedown.metrics.confusion import OfTables, diagonal, ratio


class MatthewsCorrelation(OfTables):
    """Matthews' correlation, of two or more classes; undefined if there is one.

    It is 0 if one class is predicted in all rows, and in a bootstrap sample with one class.
    """

    name: ClassVar[str] = "mcc"
    label: ClassVar[str] = "Matthews correlation"
    short: ClassVar[str] = "MCC"
    sentence: ClassVar[str] = (
        "Correlation between true and predicted classes; from -1 to 1, and 0 for a guess."
    )
    source: ClassVar[str] = "Matthews (1975), Gorodkin (2004)"
    order: ClassVar[float] = 27
    yardstick: ClassVar[tuple[float, str]] = (0.0, "score of a guess")
    larger_is_better: ClassVar[bool] = True
    response: ClassVar[str] = CLASSES
    # It is a correlation; for two classes, Pearson's of 0s and 1s.
    tolerated: ClassVar[float] = -0.05

    def of_tables(self, tables: np.ndarray, classes: np.ndarray) -> np.ndarray:
        rows, taken = tables.sum(axis=2), tables.sum(axis=1)
        n, right = rows.sum(axis=1), diagonal(tables).sum(axis=1)
        # Gorodkin (2004), with sums for means.
        both = right * n - (rows * taken).sum(axis=1)
        spread = n * n - (rows * rows).sum(axis=1)
        spread_taken = n * n - (taken * taken).sum(axis=1)
        # With weights, a difference of equal numbers is rounded.
        least = 1e-14 * n * n
        scale = np.sqrt(spread) * np.sqrt(spread_taken)
        return np.where((spread > least) & (spread_taken > least), ratio(both, scale), 0.0)
