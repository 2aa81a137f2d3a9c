"""Intervals of quantiles from order statistics, for any distribution of the values."""

from __future__ import annotations

from functools import cache

import numpy as np

#: Largest probability that a bound on one side fails.
TAIL = 0.025


@cache
def ranks(n: int, tau: float, tail: float = TAIL) -> tuple[int, int]:
    """Ranks (1, 2, ...) of the order statistics that bound the tau-quantile of n values.

    Returns
    -------
    low, high : int
        P(low-th smallest > quantile) <= tail and P(high-th smallest < quantile) <= tail, from the
        binomial distribution, for any distribution of the values; 0 or n + 1 if there is no such
        rank.
    """
    from scipy import special  # slow to import, though far less than scipy.stats

    r = np.arange(float(n + 1))
    below = np.append(0.0, special.bdtr(r, n, tau))  # [r]: P(fewer than r at or below it)
    low = int(np.searchsorted(below, tail, side="right")) - 1
    above = np.append(1.0, special.bdtrc(r, n, tau))  # [s]: P(s or more below it)
    high = int(np.argmax(above <= tail))
    return min(low, n), high


def quantile_interval(sorted_values: np.ndarray, tau: float) -> tuple[float, float, float]:
    """A quantile and its interval from order statistics.

    Parameters
    ----------
    sorted_values : ndarray of float, shape (n,)
        Independent values, from small to large; at least one.
    tau : float
        Probability of the quantile, in (0, 1).

    Returns
    -------
    estimate, low, high : float
        The interval has a confidence of at least 95 %; an end is -inf or inf if there are too few
        values.
    """
    low, high = bounds(sorted_values[None], tau)
    return float(np.quantile(sorted_values, tau)), float(low[0]), float(high[0])


def bounds(rows: np.ndarray, tau: float, tail: float = TAIL) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper bounds of the quantile of each sorted row; shape (m,) each.

    Each bound fails with a probability of at most `tail`.
    """
    n = rows.shape[1]
    low, high = ranks(n, float(tau), float(tail))
    nothing = np.full(len(rows), np.inf)
    return (rows[:, low - 1] if low else -nothing), (rows[:, high - 1] if high <= n else nothing)
