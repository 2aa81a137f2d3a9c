"""Statistics of a sample and of its bootstrap resamples, at once.

A resample is a count of how often each replicate was drawn.  With the counts, a statistic of all
resamples needs the sample once: no resample is ever written out.  Row 0 of the counts is the sample
itself, with a one for each replicate.
"""

from __future__ import annotations

import numpy as np

from shakedown.seeding import stream


def draw_counts(n: int, resamples: int, seed: int) -> np.ndarray:
    """How often each of n replicates is drawn.

    Parameters
    ----------
    n : int
        Replicates.
    resamples : int
    seed : int

    Returns
    -------
    ndarray of int32, shape (1 + resamples, n)
        The first row is all ones.

    Notes
    -----
    The counts depend on n alone.  So replicate r is drawn equally often in every setting, and what
    the settings share (data, luck) stays shared.  Tables that share nothing may have the same
    counts too: a resampled covariance estimates the one in the tables, which is then near zero.
    """
    rng = stream(seed, "claims", n)
    drawn = rng.integers(n, size=(resamples, n)) + n * np.arange(resamples)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=resamples * n).reshape(resamples, n)
    return np.vstack([np.ones((1, n)), counts]).astype(np.int32)


def present(x: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The sample without nulls, and its counts."""
    has = ~np.isnan(x)
    return (x, counts) if has.all() else (x[has], counts[:, has])


def mean(x: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Means, shape (1 + resamples,), of a sample of shape (n,); NaN without a value."""
    x, counts = present(x, counts)
    with np.errstate(invalid="ignore"):
        return counts.astype(float) @ x / counts.sum(axis=1)


def sd(x: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Standard deviations (ddof = 1), shape (1 + resamples,); NaN for fewer than two values."""
    x, counts = present(x, counts)
    weights, n = counts.astype(float), counts.sum(axis=1)
    # About the sample's mean, or the difference of two large sums would lose digits.
    x = x - (x.mean() if len(x) else 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        squares = weights @ x**2 - (weights @ x) ** 2 / n
        return np.where(n > 1, np.sqrt(np.maximum(squares, 0.0) / (n - 1)), np.nan)


def quantile(x: np.ndarray, counts: np.ndarray, at: float) -> np.ndarray:
    """Quantiles, shape (1 + resamples,), interpolated as by `numpy.quantile`; NaN without a value.

    Parameters
    ----------
    x : ndarray, shape (n,)
    counts : ndarray of int, shape (1 + resamples, n)
    at : float
        Probability, 0 to 1.
    """
    x, counts = present(x, counts)
    order = np.argsort(x, kind="stable")
    x, seen = x[order], np.cumsum(counts[:, order], axis=1)  # (n,), (1 + resamples, n)
    n = seen[:, -1] if len(x) else np.zeros(len(counts), int)
    rank = at * (n - 1)
    low = np.floor(rank)
    high = np.minimum(low + 1, n - 1)
    found = np.full(len(counts), np.nan)
    some = n > 0
    if some.any():
        # The element of rank r is the first one with more than r elements up to it.
        at_low = x[(seen[some] <= low[some, None]).sum(axis=1)]
        at_high = x[(seen[some] <= high[some, None]).sum(axis=1)]
        found[some] = at_low + (rank - low)[some] * (at_high - at_low)
    return found


def share(x: np.ndarray, counts: np.ndarray, *, below: float | None, above: float | None):
    """Shares below or above a bound, shape (1 + resamples,); NaN without a value."""
    x, counts = present(x, counts)
    inside = x < below if above is None else x > above
    return mean(inside.astype(float), counts)
