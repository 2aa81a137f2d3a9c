"""Models of classes: logistic regressions and random forests, and the files made of them."""

from __future__ import annotations

from itertools import chain

import numpy as np

from shakedown.dryrun.usefulness.models import forests, logistic
from shakedown.dryrun.usefulness.models.kind import Kind
from shakedown.metrics import Metric
from shakedown.metrics.classes import (
    CLASSES,
    ORDERED_CLASSES,
    PROBABILITIES,
    nearest,
    probable,
)


class Classifiers(Kind):
    """Seven logistic regressions and three random forests.

    Parameters
    ----------
    metric : Metric
        Of classes; it says what a file has.
    values : ndarray, shape (k,)
        The values of the training response, in their order.

    Notes
    -----
    Where a metric takes classes, a model could send two files: with the likeliest class of each
    row, or as if all classes were equally frequent, as metrics that count rare classes as much as
    others ask for.  Of ordered classes it sends the one nearest to the expected value.  Other
    metrics take the expected value: of two classes, their probability on the scale of the response.
    """

    def __init__(self, metric: Metric, values: np.ndarray) -> None:
        self._predicts, self._values = metric.predicts, values
        self._is_ordered = metric.response == ORDERED_CLASSES
        self.files = 2 if metric.predicts == CLASSES else 1

    def worth(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The share of a feature's variance between the classes."""
        centred = X - X.mean(axis=0)
        of_classes = np.eye(len(self._values))[np.searchsorted(self._values, y)]
        sums, counts = of_classes.T @ centred, of_classes.sum(axis=0)
        between = (sums**2 / np.maximum(counts, 1.0)[:, None]).sum(axis=0)
        whole = (centred**2).sum(axis=0)
        return between / np.where(whole > 0, whole, np.inf)

    def fitted(
        self, X: np.ndarray, y: np.ndarray, targets: np.ndarray, *, rng: np.random.Generator,
        weights: np.ndarray | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
        codes, count = np.searchsorted(self._values, y), len(self._values)
        seed = int(rng.integers(2**31))
        if weights is not None and not weights.any():
            weights = None
        total = len(codes) if weights is None else weights.sum()
        shares = np.bincount(codes, weights, count) / max(total, np.finfo(float).tiny)
        if np.count_nonzero(shares) < 2:  # all rows of one class, or none: a constant
            constant = shares if len(codes) else np.full(count, 1.0 / count)
            models = [(np.tile(constant, (len(targets), 1)), 0)]
            models *= logistic.MODELS + forests.MODELS
        else:
            of_forests = forests.fitted(X, codes, targets, count, seed=seed, weights=weights)
            models = chain(logistic.fitted(X, codes, targets, count, weights), of_forests)
        probabilities, used = zip(*models, strict=True)
        return self._files(np.array(probabilities), shares), np.array(used)

    def _files(self, probabilities: np.ndarray, shares: np.ndarray) -> np.ndarray:
        """The files of models, shape (files, m, n), from probabilities, shape (m, n, k)."""
        if self._predicts != CLASSES:
            expected = probabilities @ self._values
            if self._predicts == PROBABILITIES:
                expected = probable(expected, self._values)
            return expected[None]
        as_if_equal = probabilities / np.where(shares > 0, shares, np.inf)
        return np.array([self._classes(weights) for weights in (probabilities, as_if_equal)])

    def _classes(self, weights: np.ndarray) -> np.ndarray:
        """The classes predicted by weights of each, shape (m, n, k); shape (m, n)."""
        if not self._is_ordered:
            return self._values[weights.argmax(axis=-1)]
        total = weights.sum(axis=-1)
        expected = weights @ self._values / np.where(total > 0, total, 1.0)
        return self._values[nearest(self._values, expected)]
