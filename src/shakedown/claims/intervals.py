"""What a claim measures, and how far the replicates pin it down: 95 % Monte Carlo intervals.

What a claim returns says which one:

`share`, `median`, `quantile`
    of the replicates: the exact interval, by Clopper and Pearson or from order statistics.  After 0
    of 30 the share may be .116; the 95 % quantile of 30 has no upper bound.
`largest`, `smallest`, `read_off`
    of several uncertain numbers: from a `band` that holds all of them at once.
any other number
    the middle 95 % of its resamples, and the same reflected at the measured number.  If resampling
    moves the number to one side, sampling may have done so before: the reflection takes that bias
    off.

Medians that agree in all 200 resamples have no width in the last two, and next to never in the
exact interval: its ends are a second value only if 1 resample in 40 or more would show that value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from xarray import DataArray

from shakedown.claims.study_tables import NotAnswered
from shakedown.interface import InputError
from shakedown.simulation.quantiles import quantile_interval, ranks

LEVEL = 0.95


class Measured(NamedTuple):
    """What a claim measures, and the ends of its interval; nan for none."""

    number: float
    low: float = np.nan
    high: float = np.nan
    replicates: int | None = None  # of a share, a median or a quantile of these
    at: Callable[[int], tuple[float, float]] | None = None  # see `of_so_many`

    def of_so_many(self, replicates: int, n: int) -> tuple[float, float]:
        """The ends that the interval of `replicates` would have with n, if the number stays.

        Exact for a share; otherwise an end comes nearer as 1/√n.  NaN if there is no interval.
        """
        if self.at is not None:
            return self.at(n)
        nearer = np.sqrt(replicates / n)
        return tuple(self.number + nearer * (end - self.number) for end in (self.low, self.high))


def share(flags: DataArray) -> Measured:
    """The share of the replicates for which something is true; a claim returns it.

    Flags have the axis `replicate` alone: bool, or 0 and 1 with nan for those that do not count.
    """
    from scipy.special import betaincinv  # slow to import, though far less than scipy.stats

    values, n = _counting(flags)
    if not len(values):
        return Measured(np.nan)

    def ends(replicates: int) -> tuple[float, float]:
        hits = values.sum() * (replicates / n)
        others = len(values) * (replicates / n) - hits
        # Clopper and Pearson (1934), in quantiles of the beta distribution.
        low = betaincinv(hits, others + 1.0, (1.0 - LEVEL) / 2.0) if hits else 0.0
        high = betaincinv(hits + 1.0, others, (1.0 + LEVEL) / 2.0) if others else 1.0
        return low, high

    return Measured(values.mean(), *ends(n), n, ends)


def median(x: DataArray) -> Measured:
    """The median of a number of each replicate, nan for none; a claim returns it."""
    return quantile(x, 0.5)


def quantile(x: DataArray, at: float) -> Measured:
    """A quantile of a number of each replicate, nan for none; a claim returns it."""
    values, n = _counting(x)
    if not len(values):
        return Measured(np.nan)
    measured, values = Measured(*quantile_interval(np.sort(values), at), n), np.sort(values)

    def ends(replicates: int) -> tuple[float, float]:
        counted = max(1, round(len(values) * replicates / n))
        low, high = ranks(counted, at)
        # The values are those of a larger sample, too, at the same share of its ranks.
        shares = [(low - 0.5) / counted, (high - 0.5) / counted]
        low_end, high_end = np.quantile(values, np.clip(shares, 0.0, 1.0))
        return (low_end if low else -np.inf), (high_end if high <= counted else np.inf)

    return measured._replace(at=ends)


def largest(x: DataArray) -> Measured:
    """The largest of all numbers of an array; a claim returns it."""
    return read_off(x, lambda numbers: numbers.max(skipna=False))


def smallest(x: DataArray) -> Measured:
    """The smallest of all numbers of an array; a claim returns it."""
    return read_off(x, lambda numbers: numbers.min(skipna=False))


def read_off(x: DataArray, function: Callable[[DataArray], DataArray]) -> Measured:
    """A number read off several uncertain ones, such as how many are below 0; a claim returns it.

    `function` takes `x` without its resamples.  As numbers grow it must only rise, or only fall.
    """
    x = _along("resample", x).transpose("resample", ...)
    measured = float(function(x[0]))
    if len(x) == 1 or np.isnan(measured):
        return Measured(measured)
    if not np.isfinite(x).all():
        return interval(DataArray([float(function(sample)) for sample in x], dims="resample"))
    return Measured(measured, *sorted(float(function(edge)) for edge in band(x)))


def interval(x: DataArray) -> Measured:
    """A number that is none of these: along the axis `resample`, as measured, then resampled."""
    measured, *resampled = _alone("resample", x)
    if not resampled or np.isnan(measured):
        return Measured(measured)
    # Of the resamples themselves, not between two of them: some may be infinite.
    low = np.nanquantile(resampled, (1 - LEVEL) / 2, method="lower")
    high = np.nanquantile(resampled, (1 + LEVEL) / 2, method="higher")
    ends = [measured, low, high]
    if np.isfinite(resampled).all():
        ends += [2 * measured - high, 2 * measured - low]
    return Measured(measured, min(ends), max(ends))


def band(x: DataArray) -> tuple[DataArray, DataArray]:
    """The edges of a band that holds several uncertain numbers at once.

    Along the first axis, `resample`, are the measured numbers, then the resampled ones.

    Notes
    -----
    The largest of several uncertain numbers lies further out than that of the true ones, and in a
    resample further still: a plain bootstrap would call a statement on all points of a grid
    certainly wrong because some points do not differ.  So every number gets as many of its standard
    errors to either side as it takes to hold all of them at once in 95 % of the resamples.
    Wherever the true numbers lie in this band, their extreme lies between those of its edges.
    """
    measured, resampled = x[0], x[1:].to_numpy()
    error = resampled.std(axis=0)
    away = np.abs(resampled - measured.to_numpy()) / np.where(error > 0, error, np.inf)
    furthest = away.reshape(len(away), -1).max(axis=1)
    width = np.quantile(furthest, LEVEL, method="higher") * error
    return measured - width, measured + width


def _counting(x: DataArray) -> tuple[np.ndarray, int]:
    """The values of the replicates that count, and the number of all."""
    values = _alone("replicate", x)
    return values[~np.isnan(values)], len(values)


def _alone(axis: str, x: DataArray) -> np.ndarray:
    """The numbers along an axis; InputError if there is a number for each point of another one."""
    x = _along(axis, x)
    if others := [str(dim) for dim in x.dims if dim != axis]:
        raise InputError(
            f"it gives a number for each {' and '.join(others)}; wanted a single one. Choose one "
            "value, or return largest(...), smallest(...) or the mean over it."
        )
    return x.to_numpy()


def _along(axis: str, x: DataArray) -> DataArray:
    """Numbers with this axis, which an exact number has not; NotAnswered if there are none."""
    x = DataArray(x).astype(float)
    if not x.size:
        raise NotAnswered("there is only one point, so that there are no steps to compare")
    return x if axis in x.dims else x.expand_dims(axis)
