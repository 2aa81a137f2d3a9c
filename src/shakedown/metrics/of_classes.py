"""What metrics of classes that are given as a function have in common: one class alone."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from shakedown.metrics.metric import Metric
from shakedown.metrics.weights import undefined


class OfClasses(Metric):
    """A score of classes; undefined if all responses are equal, and `alone` in a bootstrap sample.

    Derive from it, and write the method `of_files`.

    Attributes
    ----------
    alone : float
        The score of a bootstrap sample of a response with one value.
    """

    alone: ClassVar[float] = 0.0

    @abstractmethod
    def of_files(
        self, y: np.ndarray, predictions: np.ndarray, weights: np.ndarray | None
    ) -> np.ndarray:
        """The scores of m files, shape (m,).

        Parameters
        ----------
        y : ndarray, shape (n,)
            With two values or more.
        predictions : ndarray, shape (m, n)
        weights : ndarray, shape (n,), or None
            Of the rows; None if all count the same.

        Raises
        ------
        ValueError
            If there are too many classes.
        """

    def scores_of(self, y: np.ndarray, predictions: np.ndarray) -> np.ndarray:
        if y.min() == y.max():
            return np.full(len(predictions), np.nan)
        return self.of_files(y, predictions, None)

    def function(
        self, y: np.ndarray, prediction: np.ndarray, sample_weight: np.ndarray | None = None
    ) -> float:
        if y.min() == y.max():
            return undefined(sample_weight, self.alone)
        return float(self.of_files(y, prediction[None], sample_weight)[0])
