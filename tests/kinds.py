"""Responses and predictions of the kind that a metric takes."""

from dataclasses import replace

import numpy as np

from shakedown.metrics import METRICS, ZERO_ONE, find
from shakedown.metrics.classes import NUMBERS, TIMES, TWO_CLASSES

#: Metrics that are no sum of terms, and can be terms.
SINGLE = [name for name in METRICS if not find(name).terms]
#: The cuts between classes made of numbers, by the kind of the response.
CUTS = {TWO_CLASSES: [0.0]}
OTHER_CUTS = [-0.5, 0.5]


def fitting(metric, y, predictions):
    """A response of numbers around 0 and predictions of it, for a metric of another kind.

    The response becomes classes 0 and 1, or 0, 1 and 2.  Predictions are moved, so that those
    nearest to a class are those that were on the same side of the cuts; labels, for the 0/1 loss.
    For times, a larger number is an earlier event, and every fifth is censored.
    """
    if metric.response == NUMBERS:
        return y, predictions
    if metric.response == TIMES:
        return np.exp(-y) * np.where(np.arange(len(y)) % 5, 1.0, -1.0), predictions
    cuts = CUTS.get(metric.response, OTHER_CUTS)
    if metric.loss == ZERO_ONE:
        predictions = np.digitize(predictions, cuts) * 1.0
    else:
        predictions = predictions + 0.5 * len(cuts)
    return np.digitize(y, cuts) * 1.0, predictions


def fitting_log(metric, log):
    """A log of submissions whose truth fits the metric, as `fitting`."""
    centre, scale = np.mean(log.truth), np.std(log.truth)
    given = ((values - centre) / scale for values in (log.truth, log.predictions))
    truth, predictions = fitting(metric, *given)
    is_same = metric.response == NUMBERS
    return log if is_same else replace(log, truth=truth, predictions=predictions)
