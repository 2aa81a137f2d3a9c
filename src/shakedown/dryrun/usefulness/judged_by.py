"""The metrics that judge honest participants, who predict a standardised response.

So do their models, and simulated submissions.  For labels the prediction stands for the nearer of
the two values that the response takes, as of a linear classifier.  Under the log loss, also as a
term of a composite score, it is a probability that is not too near to 0 or 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from shakedown.metrics import ZERO_ONE, Metric
from shakedown.metrics.classes import probable
from shakedown.metrics.log_loss import LogLoss
from shakedown.metrics.zero_one import ZeroOneLoss


class NearestLabel(ZeroOneLoss):
    """The 0/1 loss of the labels nearest to numeric predictions of a standardised response."""

    def judge(self, y: np.ndarray, predictions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """As `Metric.judge`; of equal labels, those below and above 0 are two."""
        middle = 0.5 * (y.min() + y.max()) if np.ptp(y) > 0 else 0.0
        return super().judge((y > middle).astype(float), (predictions > middle).astype(float))


class CarefulLogLoss(LogLoss):
    """The log loss of predictions as `classes.probable` makes them probabilities."""

    def scores_of(self, y: np.ndarray, predictions: np.ndarray) -> np.ndarray:
        return super().scores_of(y, probable(predictions, y))

    def function(
        self, y: np.ndarray, prediction: np.ndarray, sample_weight: np.ndarray | None = None
    ) -> float:
        return super().function(y, probable(prediction, y), sample_weight)

    def resampled(
        self, y: np.ndarray, prediction: np.ndarray
    ) -> Callable[[np.ndarray], np.ndarray]:
        return super().resampled(y, probable(prediction, y))


def judging(metric: Metric) -> Metric:
    """The metric that judges predictions of the standardised response."""
    if metric.loss == ZERO_ONE:
        return NearestLabel()
    if type(metric) is LogLoss:
        return CarefulLogLoss()
    terms = tuple(replace(term, metric=judging(term.metric)) for term in metric.terms)
    return metric.with_terms(terms) if terms != metric.terms else metric
