"""What a claim measures, and how far the replicates pin it down: 95 % Monte Carlo intervals.

The first of these rules that applies:

share
    Of the replicates for which something is true: the exact interval of Clopper and Pearson.
    After 0 of 30 the share may be .116.
largest, smallest
    Of several uncertain numbers: `band`, which holds all of them at once.
moving in leaps, infinite
    Where all resamples give whole or half numbers, as counts do, or one is infinite: the `middle`
    of the resamples.
any other number
    The middle of the resamples, and the same reflected at the measured number.  If resampling moves
    the number to one side, sampling may have done so before: the reflection takes that bias off.

Replicates can agree by chance.  What a share `unseen` of all replicates would show, 11.6 % where
there are 30, may be in none of them.  So a claim remains undecided, whatever its resamples say, if
it uses a quantile that lies so close to an end (the 95 % quantile of 30), or if it uses a mean and
all resamples are equal.  A median of 6 or more replicates that agree is what they say.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from xarray import DataArray

LEVEL = 0.95
_TAIL = (1 - LEVEL) / 2


class Marked(NamedTuple):
    """Numbers whose extreme, or flags whose share, is what a claim measures."""

    x: DataArray
    what: str  # "max", "min" or "share"


def largest(x: DataArray) -> Marked:
    """The largest of all numbers of an array, with an interval of its own; a claim returns it."""
    return Marked(x, "max")


def smallest(x: DataArray) -> Marked:
    """The smallest of all numbers of an array, with an interval of its own; a claim returns it."""
    return Marked(x, "min")


def share(flags: DataArray) -> Marked:
    """The share of the replicates for which something is true; a claim returns it.

    Flags have the axis `replicate` alone: bool, or 0 and 1 with nan for those that do not count.
    """
    return Marked(flags, "share")


def unseen(n: int) -> float:
    """The largest share of all replicates that n of them may miss, with 97.5 % confidence."""
    return 1 - _TAIL ** (1 / n)


def exact_share(flags: np.ndarray) -> tuple[float, float, float]:
    """The share of flags that are true, and Clopper and Pearson's interval of it."""
    from statsmodels.stats.proportion import proportion_confint  # slow to import

    flags = flags[~np.isnan(flags)]
    if not len(flags):
        return np.nan, np.nan, np.nan
    hits, n = int(flags.sum()), len(flags)
    low, high = proportion_confint(hits, n, alpha=1 - LEVEL, method="beta")
    return hits / n, float(low), float(high)


def interval(draws: np.ndarray) -> tuple[float, float]:
    """Interval of a number that is neither a share nor an extreme.

    Parameters
    ----------
    draws : ndarray, shape (1 + resamples,)
        The measured number, then the resampled ones.
    """
    low, high = middle(draws)
    if not np.isfinite(draws).all() or np.all(np.mod(2 * draws, 1) == 0):
        return low, high
    return float(min(low, 2 * draws[0] - high)), float(max(high, 2 * draws[0] - low))


def middle(draws: np.ndarray) -> tuple[float, float]:
    """The middle 95 % of resamples, and the measured number."""
    measured, resampled = draws[0], draws[1:]
    # Of the resamples themselves, not between two of them: some may be infinite.
    low = np.nanquantile(resampled, _TAIL, method="lower")
    high = np.nanquantile(resampled, 1 - _TAIL, method="higher")
    return float(min(measured, low)), float(max(measured, high))


def band(draws: np.ndarray, extreme) -> tuple[float, float]:
    """Interval of the largest or smallest of several numbers, from a band around all of them.

    Parameters
    ----------
    draws : ndarray, shape (1 + resamples, points)
    extreme : callable
        `numpy.max` or `numpy.min`.

    Notes
    -----
    The largest of several uncertain numbers lies further out than that of the true ones, and in a
    resample further still: a plain bootstrap would call a statement on all points of a grid
    certainly wrong because some points do not differ.  So every number gets as many of its standard
    errors to either side as it takes to hold all of them at once in 95 % of the resamples.
    Wherever the true numbers lie in this band, their extreme lies between those of its edges.
    """
    measured, resampled = draws[0], draws[1:]
    error = resampled.std(axis=0)
    away = np.abs(resampled - measured)
    ratio = np.divide(away, error, out=np.zeros_like(away), where=error > 0)
    width = np.quantile(ratio.max(axis=1), LEVEL, method="higher") * error
    return float(extreme(measured - width)), float(extreme(measured + width))
