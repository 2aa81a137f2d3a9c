"""Statistics of many samples and of their bootstrap resamples, at once.

A resample is a count of how often each replicate was drawn.  With the counts, a statistic of all
resamples needs the sample once: unlike in `scipy.stats.bootstrap`, no resample is written out.
Row 0 of the counts is the sample itself, with a one for each replicate.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from shakedown.compiled import kernel
from shakedown.seeding import stream


@cache
def resampled(n: int, *, number: int, seed: int) -> np.ndarray:
    """How often each of n replicates is drawn, in the sample and in resamples of it.

    It depends on the number of replicates alone.  So replicate r is drawn equally often in every
    setting, and what the settings share (data, random streams) stays shared.  Tables that share
    nothing may have the same counts too: a resampled covariance estimates the one in the tables,
    then near zero.

    Returns
    -------
    ndarray of int32, shape (1 + number, n)
    """
    rng = stream(seed, "claims", n)
    drawn = rng.integers(n, size=(number, n)) + n * np.arange(number)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=number * n).reshape(-1, n)
    return np.vstack([np.ones(n), counts]).astype(np.int32)


def _sizes(x: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Numbers in each resample that are not null, shape (samples, 1 + resamples)."""
    present = ~np.isnan(x)
    if present.all():
        return np.full((len(x), len(counts)), float(x.shape[1]))
    return present.astype(float) @ counts.T.astype(float)


@np.errstate(invalid="ignore")
def mean(x: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Means without nulls of x (samples, n) for counts (1 + resamples, n)."""
    return np.nan_to_num(x, nan=0.0) @ counts.T.astype(float) / _sizes(x, counts)


@np.errstate(divide="ignore", invalid="ignore")
def sd(x: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Standard deviations (ddof = 1), shape (samples, 1 + resamples); NaN for fewer than two."""
    x = x - mean(x, counts[:1])  # or the difference of two large numbers would lose digits
    n = _sizes(x, counts)
    return np.sqrt(np.maximum(mean(x**2, counts) - mean(x, counts) ** 2, 0.0) * (n / (n - 1)))


def quantile(x: np.ndarray, counts: np.ndarray, at: float) -> np.ndarray:
    """Quantiles, shape (samples, 1 + resamples), interpolated as `numpy.quantile` does."""
    sizes = _sizes(x, counts)
    quantiles = np.empty_like(sizes)
    _quantiles(x, np.argsort(x, axis=1, kind="stable"), sizes, counts, float(at), quantiles)
    return quantiles


@kernel
def _quantiles(x, order, sizes, counts, at, out):
    for sample in range(len(x)):
        for draw in range(len(counts)):
            n = int(sizes[sample, draw])
            if n == 0:
                out[sample, draw] = np.nan
                continue
            rank = at * (n - 1)
            low = int(rank)
            # The element of rank r is the first one with more than r elements up to it.
            i, seen = 0, counts[draw, order[sample, 0]]
            while seen <= low:
                i += 1
                seen += counts[draw, order[sample, i]]
            at_low = x[sample, order[sample, i]]
            while seen <= min(low + 1, n - 1):
                i += 1
                seen += counts[draw, order[sample, i]]
            out[sample, draw] = at_low + (rank - low) * (x[sample, order[sample, i]] - at_low)
