"""Log loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from shakedown.compiled import ordered
from shakedown.metrics.classes import PROBABILITIES, TWO_CLASSES, positive_rows
from shakedown.metrics.of_classes import OfClasses

#: Smallest probability; a smaller one, also one below 0, counts as this.
SMALLEST = 1e-15


class LogLoss(OfClasses):
    """Log loss of the probability of the positive class; undefined if there is one class.

    Probabilities are on the scale of the response: the smaller of its values stands for 0, and the
    larger one, of the positive class, for 1.  Probabilities of a class are at least 1e-15, so that
    each file has a finite score.  In a bootstrap sample of a response with one value, the loss is
    that of 1/2.
    """

    name: ClassVar[str] = "log_loss"
    label: ClassVar[str] = "Log loss"
    axis: ClassVar[str] = "log loss (nats)"
    sentence: ClassVar[str] = (
        "Mean of minus the natural logarithm of the probability of a row's class; probabilities "
        "are at least 1e-15."
    )
    source: ClassVar[str] = "Good (1952)"
    order: ClassVar[float] = 22
    larger_is_better: ClassVar[bool] = False
    response: ClassVar[str] = TWO_CLASSES
    predicts: ClassVar[str] = PROBABILITIES
    # Predictions that explain a small share R² of the variance of the labels have a log loss that
    # is smaller by R² / 2, whatever the sizes of the classes: an R² of 5 % is .025 here.
    tolerated: ClassVar[float] = -0.025
    alone: ClassVar[float] = float(np.log(2.0))

    def of_files(
        self, y: np.ndarray, predictions: np.ndarray, weights: np.ndarray | None
    ) -> np.ndarray:
        low, high = y.min(), y.max()
        weights = np.ones(len(y)) if weights is None else np.asarray(weights, float)
        return _mean_losses(positive_rows(y), (predictions - low) / (high - low), weights)

    def resampled(
        self, y: np.ndarray, prediction: np.ndarray
    ) -> Callable[[np.ndarray], np.ndarray]:
        if y.min() == y.max():
            return super().resampled(y, prediction)
        share = (prediction - y.min()) / (y.max() - y.min())
        own = np.clip(np.where(positive_rows(y), share, 1.0 - share), SMALLEST, 1.0 - SMALLEST)
        losses = -np.log(own)
        return lambda weights: weights @ losses / weights.sum(axis=1)


@ordered
def _mean_losses(positive, probabilities, weights):
    """The mean loss of each of m files; `probabilities` are (m, n), the others (n,)."""
    m, n = probabilities.shape
    out = np.empty(m)
    for t in range(m):
        total = count = 0.0
        for i in range(n):
            own = probabilities[t, i] if positive[i] else 1.0 - probabilities[t, i]
            if own < SMALLEST:
                own = SMALLEST
            elif own > 1.0 - SMALLEST:
                own = 1.0 - SMALLEST
            total -= weights[i] * np.log(own)
            count += weights[i]
        out[t] = total / count
    return out
