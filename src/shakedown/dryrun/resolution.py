"""How small a difference the public rows can resolve: the standard error of one score."""

from __future__ import annotations

import numpy as np

from shakedown.data.checks import SETS
from shakedown.data.grouped import from_zero, means
from shakedown.data.splits import set_sizes
from shakedown.dryrun.thresholds import unit
from shakedown.interface import Challenge
from shakedown.metrics import ABSOLUTE, SQUARED, Metric

#: ASSUME: a tolerated Δ below this share of the standard error is worth a warning.  By chance alone
#: the public score of one model is then off its true score by more than is tolerated in at least 3
#: of 5 cases: P(|N(0, 1)| > 1/2) = .62.
COARSE = 0.5


def standard_error(challenge: Challenge, metric: Metric) -> float | None:
    """The standard error of the public score of one file, in the metric's own unit.

    For a mean loss it is the standard deviation over rows of the loss of the best constant
    prediction on the standardised response, divided by the root of the number of public rows; for a
    root of a mean loss it follows by the delta method; of rows in groups, the means of their losses
    are independent; for a correlation it is that of unrelated
    variables, one over the root of the number of rows, or of groups.

    Parameters
    ----------
    challenge : Challenge
        Without an official split, all its rows tell what public ones are like.
    metric : Metric

    Returns
    -------
    float or None
        None for a metric that is a function, also of losses with weights: nothing is known of it.
    """
    if metric.function is not None:
        return None
    n = set_sizes(challenge)["public"]
    public = slice(None) if challenge.split is None else challenge.split == SETS[1]
    y = np.asarray(challenge.y[public], float)
    codes = None if challenge.group is None else from_zero(challenge.group.codes[public])
    if codes is not None:
        n *= (int(codes.max()) + 1) / len(codes)
    if not metric.has_losses:
        return float(1 / np.sqrt(n))
    losses = independent = _losses_of_best_constant(y, metric)
    if codes is not None:
        independent = means(losses, codes)
    error = np.std(independent, ddof=1) / np.sqrt(n)
    if metric.root and error:
        error /= 2 * np.sqrt(np.mean(losses))
    # Public rows are standardised by themselves, and all scores scaled by the spread of all rows.
    own = np.std(y, ddof=1) ** metric.degree
    return float(error / own * unit(challenge, metric))


def _losses_of_best_constant(y: np.ndarray, metric: Metric) -> np.ndarray:
    """The loss of the best constant prediction on each row, shape (n,)."""
    if metric.loss == SQUARED:
        return (y - y.mean()) ** 2
    if metric.loss == ABSOLUTE:
        return np.abs(y - np.median(y))
    return (y != (y.mean() > 0.5)).astype(float)
