"""Scores as their textbook formulas, with and without weights on the rows.

Weights need not add up to one.  Moments have divisor n (or the sum of the weights).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata


def squared_errors(y, prediction):
    return (prediction - y) ** 2


def absolute_errors(y, prediction):
    return np.abs(prediction - y)


def zero_one_losses(y, prediction):
    return (prediction != y).astype(float)


def pearson(y, prediction, w=None):
    """Pearson correlation with weighted moments ([C], Methods, formula below Algorithm 6)."""
    if np.ptp(y) == 0 or np.ptp(prediction) == 0:
        return np.nan  # a constant has no correlation
    mean_y = np.average(y, weights=w)
    mean_p = np.average(prediction, weights=w)
    covariance = np.average((y - mean_y) * (prediction - mean_p), weights=w)
    variance_y = np.average((y - mean_y) ** 2, weights=w)
    variance_p = np.average((prediction - mean_p) ** 2, weights=w)
    return float(covariance / np.sqrt(variance_y * variance_p))


def ccc(y, prediction, w=None):
    """Lin's concordance correlation coefficient (Lin 1989), moments with divisor n."""
    if np.ptp(y) == 0 and np.ptp(prediction) == 0 and y[0] == prediction[0]:
        return np.nan  # 0 / 0
    mean_y = np.average(y, weights=w)
    mean_p = np.average(prediction, weights=w)
    covariance = np.average((y - mean_y) * (prediction - mean_p), weights=w)
    variance_y = np.average((y - mean_y) ** 2, weights=w)
    variance_p = np.average((prediction - mean_p) ** 2, weights=w)
    return float(2 * covariance / (variance_y + variance_p + (mean_y - mean_p) ** 2))


@dataclass(frozen=True)
class Metric:
    """A score of predictions, shape (n,), against the response, shape (n,).

    Attributes
    ----------
    larger_is_better : bool
    loss : callable or None
        ``loss(y, prediction)``, shape (n,), where the score is its mean, or the root of its mean;
        None where it is neither.
    root : bool
        Whether the score is the root of the mean loss.
    moments : callable or None
        ``moments(y, prediction, w)``: the score as a function of weighted moments, otherwise.
    ranked : bool
        Whether the moments are those of the ranks (average ranks for ties).  Ranks are computed
        once, from all rows and without weights; weighting and resampling rows act on the ranks.
    """

    larger_is_better: bool
    loss: Callable | None = None
    root: bool = False
    moments: Callable | None = None
    ranked: bool = False

    def prepare(self, y, prediction):
        """The pairs that weighting and resampling act on: ranks for Spearman, else the data."""
        if self.ranked:
            return rankdata(y), rankdata(prediction)
        return y, prediction

    def prepared_score(self, y, prediction, w=None):
        """The score of pairs that went through `prepare`."""
        if self.loss is not None:
            mean = float(np.average(self.loss(y, prediction), weights=w))
            return mean**0.5 if self.root else mean
        return self.moments(y, prediction, w)

    def score(self, y, prediction, w=None):
        """The score; NaN where it is not defined."""
        return self.prepared_score(*self.prepare(y, prediction), w)


METRICS = {
    "mse": Metric(larger_is_better=False, loss=squared_errors),
    "rmse": Metric(larger_is_better=False, loss=squared_errors, root=True),
    "mae": Metric(larger_is_better=False, loss=absolute_errors),
    "brier": Metric(larger_is_better=False, loss=squared_errors),
    "integrated_brier": Metric(larger_is_better=False, loss=squared_errors),
    "zero_one": Metric(larger_is_better=False, loss=zero_one_losses),
    "pearson": Metric(larger_is_better=True, moments=pearson),
    "spearman": Metric(larger_is_better=True, moments=pearson, ranked=True),
    "ccc": Metric(larger_is_better=True, moments=ccc),
}
