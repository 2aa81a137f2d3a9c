"""What adversaries know of metrics for which a prediction stands for the nearest class."""

from __future__ import annotations

import numpy as np

from shakedown.metrics import Metric
from shakedown.metrics.classes import CLASSES, MOST_CLASSES

#: The length of a step, in halves of the distance between two classes: enough to reach the next.
LONGER = 1.1


def predicted_classes(metric: Metric, y: np.ndarray) -> np.ndarray:
    """The classes that predictions stand for, shape (k,), from a response; none for other metrics.

    Parameters
    ----------
    metric : Metric
    y : ndarray, shape (n,)
        Of the training rows, standardised: nearly on the scale of the public rows.
    """
    values = np.unique(y) if metric.predicts == CLASSES else np.zeros(0)
    return values if 1 < len(values) <= MOST_CLASSES else np.zeros(0)


def class_gap(metric: Metric, y: np.ndarray) -> float:
    """The length of a step that leads from one class to the next; at least 1.

    It is 1 for metrics of other predictions.
    """
    classes = predicted_classes(metric, y)
    return max(0.5 * LONGER * float(np.diff(classes).max(initial=0.0)), 1.0)
