"""Scores that are linear in labels: risk = rest - <u, y>, both known from the file."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shakedown.leaderboard.label_sums import losses
from shakedown.metrics import Metric
from shakedown.metrics.log_loss import SMALLEST
from shakedown.metrics.metric import average_ranks


class Labels(NamedTuple):
    """The two values that a response takes, and how often the larger one."""

    low: float
    width: float
    ones: int

    @classmethod
    def of(cls, y: np.ndarray) -> Labels:
        """Those of a response, shape (n,)."""
        low, high = float(y.min()), float(y.max())
        return cls(low, (high - low) or 1.0, int(np.count_nonzero(y == high)))

    def without(self, values: np.ndarray) -> np.ndarray:
        """Responses or probabilities on the scale of 0 and 1."""
        return (values - self.low) / self.width

    def of_scores(self, metric: Metric) -> float:
        """What scores of labels 0 and 1 are multiplied by."""
        return self.width**2 if metric.name == "brier" else 1.0


def measured_labels(metric: Metric, files: np.ndarray, ones: int) -> tuple[np.ndarray, np.ndarray]:
    """What scores of files measure of labels y, 0 and 1; shape (m, n) and (m,).

    The risk is rest - <u, y>:

    ========  ========================================  ==============================
    0-1 loss  u = (1[p != 0] - 1[p != 1]) / n           mean of 1[p != 0]
    Brier     u = (2 p - 1) / n                         mean of p^2
    log loss  u = (ln p - ln(1 - p)) / n                mean of -ln(1 - p)
    AUROC     u = (rank - (n + 1) / 2) / (ones others)  -1/2
    ========  ========================================  ==============================

    Parameters
    ----------
    metric : Metric
        One of `responses.OF_LABELS`.
    files : ndarray, shape (m, n)
        On the scale of 0 and 1.
    ones : int
        Number of labels 1, which counts for the AUROC alone.
    """
    n = files.shape[1]
    if metric.name == "brier":
        return (2.0 * files - 1.0) / n, (files * files).mean(axis=1)
    if metric.name == "auroc":
        ranks = average_ranks(files) - (n + 1.0) / 2.0
        return ranks / max(ones * (n - ones), 1), np.full(len(files), -0.5)
    if metric.name == "zero_one":
        of_0, of_1 = (files != 0.0).astype(float), (files != 1.0).astype(float)
    else:
        of_0, of_1 = np.empty(files.shape), np.empty(files.shape)
        losses(np.ascontiguousarray(files), SMALLEST, of_0, of_1)
    return (of_0 - of_1) / n, of_0.mean(axis=1)
