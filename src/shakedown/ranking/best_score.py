"""The score of the best file, corrected for having been chosen as the best.

The best score of many is too good: its file was also lucky.  An interval as for any one file, which
does not know of the choice, covers the file's true score too rarely, and does so the more files are
about equally good.

An interval that holds for all files at once covers whichever file is chosen, and is too wide if
only a few could have been chosen.  So the interval here holds for those that could, up to a small
probability [1].  Let v be a tenth of the probability of an error.  With probability 1 - v no
standardised deviation of a score exceeds q(v).  Files that are further behind the best than twice
that, in their standard errors, would not have been the best on other rows; the others are
candidates.  The interval is the best score plus and minus its standard error times the quantile of
the largest deviation of the candidates, at the probability that is left.

All this happens on a scale on which a score varies about equally whatever it is: logarithms of
losses, Fisher's z of correlations, log odds of scores between 0 and 1.  Otherwise the error of the
best file would be underestimated most, as small losses also differ least between rows.

References
----------
.. [1] T. Zrnic and W. Fithian, "Locally Simultaneous Inference", Annals of Statistics 52, 2024.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit

from shakedown.metrics import Metric
from shakedown.metrics.classes import NUMBERS
from shakedown.ranking.rank_sets import spread_of

#: The share of the error that finding the candidates may use.
FOR_CANDIDATES = 0.1


class BestScore(NamedTuple):
    """What is known of the true score of the file with the best score.

    Attributes
    ----------
    low, high : float
        Ends of the interval, which accounts for the choice.
    plain_low, plain_high : float
        Those of the interval of a file that was not chosen by its score.
    candidates : int
        Files that could have been the best on other rows.
    """

    low: float
    high: float
    plain_low: float
    plain_high: float
    candidates: int


def best_score(
    metric: Metric,
    scores: np.ndarray,
    drawn: np.ndarray,
    units: int,
    *,
    rng: np.random.Generator,
    level: float = 0.95,
) -> BestScore:
    """What is known of the true score of the best of some files.

    Parameters
    ----------
    metric : Metric
    scores : ndarray, shape (m,)
    drawn : ndarray, shape (draws, m)
        Scores in bootstrap samples.
    units : int
        Number of independent rows, or groups; at least 2.
    rng : numpy.random.Generator
    level : float
        In (0, 1).
    """
    best, error = int(np.nanargmin(metric.sign * scores)), 1.0 - level
    to, back = scale_of(metric, scores, drawn)
    risks = metric.sign * to(scores)
    spread = spread_of(risks, metric.sign * to(drawn), units, rng=rng)
    sizes = np.sqrt((spread.deviations**2).mean(axis=1))
    moved = sizes > 0.0
    studentised = np.abs(spread.deviations[moved]) / sizes[moved, None] * spread.inflation
    largest = studentised.max(axis=0, initial=0.0)
    reach = np.quantile(largest, 1.0 - FOR_CANDIDATES * error) * sizes
    near = risks - reach <= risks[best] + reach[best]
    of_near = studentised[near[moved]].max(axis=0, initial=0.0)
    half = np.quantile(of_near, 1.0 - (1.0 - FOR_CANDIDATES) * error) * sizes[best]
    plain = np.quantile(np.abs(spread.deviations[best]) * spread.inflation, level)
    ends = [sorted(back(to(scores[best]) + np.array([-h, h])).tolist()) for h in (half, plain)]
    return BestScore(*ends[0], *ends[1], int(near.sum()))


def scale_of(metric: Metric, scores: np.ndarray, drawn: np.ndarray) -> tuple[Callable, Callable]:
    """A scale on which scores vary about equally, and its inverse; of these scores."""
    values = np.append(scores, drawn)
    values = values[np.isfinite(values)]
    low, high = values.min(initial=0.5), values.max(initial=0.5)
    if not metric.larger_is_better and low > 0.0:
        return np.log, np.exp
    if metric.larger_is_better and metric.response != NUMBERS and low > 0.0 and high < 1.0:
        return logit, expit
    if metric.larger_is_better and low > -1.0 and high < 1.0:
        return np.arctanh, np.tanh
    return np.asarray, np.asarray
