"""Metrics of predicted classes, from the confusion matrix of each file."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar

import numpy as np

from shakedown.compiled import ordered
from shakedown.metrics.classes import CLASSES, classes_of, cuts, nearest
from shakedown.metrics.of_classes import OfClasses


class OfTables(OfClasses):
    """A score of predicted classes, from a table (confusion matrix) of each file.

    The classes are the values of the response, and a prediction stands for the nearest one.

    Derive from it, and write the method `of_tables`.
    """

    predicts: ClassVar[str] = CLASSES

    @property
    def read_as(self) -> str:
        """Spearman's correlation: see `attacks.orders`."""
        return "spearman"

    @abstractmethod
    def of_tables(self, tables: np.ndarray, classes: np.ndarray) -> np.ndarray:
        """The scores of m files, shape (m,).

        Parameters
        ----------
        tables : ndarray, shape (m, k, k)
            The weight of the rows of each class, by the class that they are taken for.  In a
            bootstrap sample, classes may be without weight.
        classes : ndarray, shape (k,)
            The values of the response, two or more, in their order.
        """

    def of_files(
        self, y: np.ndarray, predictions: np.ndarray, weights: np.ndarray | None
    ) -> np.ndarray:
        classes = classes_of(y, self.response)
        weights = np.ones(len(y)) if weights is None else weights
        predictions, weights = (
            np.ascontiguousarray(a, dtype=float) for a in (predictions, weights)
        )
        tables = tables_of(np.searchsorted(classes, y), predictions, cuts(classes), weights)
        scores = self.of_tables(tables, classes)
        return np.where(np.isnan(tables[:, 0, 0]), np.nan, scores)

    def resampled(
        self, y: np.ndarray, prediction: np.ndarray
    ) -> Callable[[np.ndarray], np.ndarray]:
        if y.min() == y.max() or np.isnan(prediction).any():
            return super().resampled(y, prediction)
        classes = classes_of(y, self.response)
        k = len(classes)
        cells = k * nearest(classes, y) + nearest(classes, prediction)
        is_in = np.eye(k * k)[cells]  # (n, k * k)
        return lambda weights: self.of_tables((weights @ is_in).reshape(-1, k, k), classes)


@ordered
def tables_of(codes, predictions, cuts, weights):
    """The weight of the rows of each of k classes, by the class nearest to the prediction.

    Parameters
    ----------
    codes : ndarray of int, shape (n,)
        The class of each row, from 0.
    predictions : ndarray, shape (m, n)
    cuts : ndarray, shape (k - 1,)
        The middles between neighbouring classes; a prediction there is taken for the lower one.
    weights : ndarray, shape (n,)

    Returns
    -------
    ndarray, shape (m, k, k)
        NaN for a file with a prediction that is NaN.
    """
    (m, n), k = predictions.shape, len(cuts) + 1
    out = np.zeros((m, k, k))
    for t in range(m):
        for i in range(n):
            value = predictions[t, i]
            if np.isnan(value):
                out[t] = np.nan
                break
            low, high = 0, k - 1
            while low < high:
                middle = (low + high) // 2
                if cuts[middle] < value:
                    low = middle + 1
                else:
                    high = middle
            out[t, codes[i], low] += weights[i]
    return out


def ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """`above` divided by `below`, and 0 where `below` is 0; of any shape."""
    is_some = below > 0.0
    return np.where(is_some, above / np.where(is_some, below, 1.0), 0.0)


def mean_over_classes(values: np.ndarray, tables: np.ndarray) -> np.ndarray:
    """Means of values of classes, shape (m, k), over the classes with a weight; shape (m,)."""
    is_there = tables.sum(axis=2) > 0.0
    return ratio(np.where(is_there, values, 0.0).sum(axis=1), is_there.sum(axis=1).astype(float))


def diagonal(tables: np.ndarray) -> np.ndarray:
    """The weight of the rows of each class that are taken for it, shape (m, k)."""
    return np.diagonal(tables, axis1=1, axis2=2)
