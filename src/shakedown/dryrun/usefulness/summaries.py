"""Statistics of replicates: rank correlations with ties, and means with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

from shakedown.metrics import average_ranks

ENDS = ("", "_low", "_high")


class Statistic(NamedTuple):
    """A column of `utility.csv`: its name, its range, and whether it is in units of the score."""

    name: str
    least: float = 0.0
    most: float = np.inf
    scored: bool = True


def columns(statistics: Sequence[Statistic]) -> list[str]:
    """The columns of means and intervals."""
    return [f"{statistic.name}{end}" for statistic in statistics for end in ENDS]


def means(values: np.ndarray, statistics: Sequence[Statistic], unit: float) -> dict[str, float]:
    """Means over the replicates and their 95 % t intervals.

    Parameters
    ----------
    values : ndarray, shape (replicates, m)
        A value of each statistic; replicates with NaN are left out.
    statistics : sequence of Statistic, of length m
    unit : float
        Factor of statistics in units of the score.

    Returns
    -------
    dict
        By column; NaN for an interval of one replicate, and for a mean of none.  Intervals end at
        the statistic's range.
    """
    row = {}
    for statistic, sample in zip(statistics, values.T, strict=True):
        sample = sample[~np.isnan(sample)]
        count, scale = len(sample), unit if statistic.scored else 1.0
        mean = sample.mean() if count else np.nan
        half = np.nan
        if count > 1:
            half = stats.t.ppf(0.975, count - 1) * sample.std(ddof=1) / np.sqrt(count)
        low, high = max(mean - half, statistic.least), min(mean + half, statistic.most)
        ends = (mean, low, high) if count > 1 else (mean, np.nan, np.nan)
        row |= {
            f"{statistic.name}{end}": scale * value for end, value in zip(ENDS, ends, strict=True)
        }
    return row


def rank_correlation(a: np.ndarray, b: np.ndarray) -> float:
    """Spearman's correlation of two vectors; 0 if one of them is constant.

    Values that differ by less than a billionth of the range are ties: all models with the same
    single feature have equal correlations with the response, apart from rounding errors.
    """
    values = np.array([a, b])
    spread = np.ptp(values, axis=1, keepdims=True)
    if not (spread > 1e-12 * np.abs(values).max(axis=1, keepdims=True)).all():
        return 0.0
    ranks = average_ranks(np.round((values - values[:, :1]) / spread, 9))
    return float(np.corrcoef(ranks)[0, 1])
