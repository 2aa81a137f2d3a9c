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
    return [f"{one.name}{end}" for one in statistics for end in ENDS]


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
    for one, found in zip(statistics, values.T, strict=True):
        found = found[~np.isnan(found)]
        count, scale = len(found), unit if one.scored else 1.0
        mean = found.mean() if count else np.nan
        half = np.nan
        if count > 1:
            half = stats.t.ppf(0.975, count - 1) * found.std(ddof=1) / np.sqrt(count)
        low, high = max(mean - half, one.least), min(mean + half, one.most)
        ends = (mean, low, high) if count > 1 else (mean, np.nan, np.nan)
        row |= {f"{one.name}{end}": scale * value for end, value in zip(ENDS, ends, strict=True)}
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
