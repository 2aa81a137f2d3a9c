"""Quadratic kappa of ordered classes."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shakedown.metrics.classes import ORDERED_CLASSES
from shakedown.metrics.confusion import OfTables, ratio


class QuadraticKappa(OfTables):
    """Cohen's kappa with quadratic weights, of ordered classes; undefined if there is one.

    An error counts as the squared difference between the values that the response has for both
    classes.  So it is Lin's correlation between true and predicted classes.  It is 0 if one class
    is predicted in all rows, and in a bootstrap sample with one class.
    """

    name: ClassVar[str] = "kappa"
    label: ClassVar[str] = "Quadratic kappa"
    sentence: ClassVar[str] = (
        "Cohen's kappa with quadratic weights: 1 minus the mean squared difference between true "
        "and predicted classes, relative to what it would be if they were independent."
    )
    source: ClassVar[str] = "Cohen (1968)"
    order: ClassVar[float] = 28
    yardstick: ClassVar[tuple[float, str]] = (0.0, "score of a guess")
    larger_is_better: ClassVar[bool] = True
    response: ClassVar[str] = ORDERED_CLASSES
    # It is a correlation, Lin's.
    tolerated: ClassVar[float] = -0.05

    def of_tables(self, tables: np.ndarray, classes: np.ndarray) -> np.ndarray:
        values = (classes - classes[0]) / (classes[-1] - classes[0])
        squares = (values[:, None] - values) ** 2
        rows, taken = tables.sum(axis=2), tables.sum(axis=1)
        n = rows.sum(axis=1)
        seen = n * (tables * squares).sum(axis=(1, 2))
        independent = (rows[:, :, None] * taken[:, None, :] * squares).sum(axis=(1, 2))
        return ratio(independent - seen, independent)
