"""How far the replicates pin a measured number down: 95 % Monte Carlo intervals."""

from __future__ import annotations

import numpy as np

from shakedown.claims.nodes import Bench, Node, Reduction
from shakedown.claims.quantity import Quantity

LEVEL = 0.95
_TAILS = (0.5 - LEVEL / 2, 0.5 + LEVEL / 2)
_EXTREMES = {"largest": np.max, "smallest": np.min}


def interval(node: Node, found: Quantity, bench: Bench) -> tuple[float, float]:
    """Interval of the number that an expression gives.

    Parameters
    ----------
    node : Node
        The expression.
    found : Quantity
        What it gave, with resamples.
    bench : Bench
        Where it was worked out.

    Notes
    -----
    The largest or smallest of several uncertain numbers lies further out than that of the true
    ones, and in a resample further still.  A plain bootstrap would call a statement on all points
    of a grid certainly wrong because some points do not differ.  So such a number has `band`; any
    other one has `reflected`, but `middle` if it moves in leaps or may be infinite.
    """
    values = found.values
    if node.leaps or not np.isfinite(values).all():
        return middle(values)
    if isinstance(node, Reduction) and node.name in _EXTREMES:
        grid = node.of.work_out(bench).values
        return band(grid.reshape(len(grid), -1), _EXTREMES[node.name])
    return reflected(values)


def middle(values: np.ndarray) -> tuple[float, float]:
    """The middle 95 % of resamples, and the measured number.

    Parameters
    ----------
    values : ndarray, shape (1 + resamples,)
        The measured number, then the resampled ones.
    """
    measured, resampled = values[0], values[1:]
    # Of the resamples themselves, not between two of them: some may be infinite.
    low = np.nanquantile(resampled, _TAILS[0], method="lower")
    high = np.nanquantile(resampled, _TAILS[1], method="higher")
    return float(min(measured, low)), float(max(measured, high))


def reflected(values: np.ndarray) -> tuple[float, float]:
    """The middle 95 % of resamples and the same reflected at the measured number.

    If resampling moves the number to one side, sampling may have done so before: the reflection
    takes that bias off instead of doubling it.
    """
    low, high = middle(values)
    return min(low, 2 * values[0] - high), max(high, 2 * values[0] - low)


def band(values: np.ndarray, extreme) -> tuple[float, float]:
    """Interval of the largest or smallest of several numbers, from a band around all of them.

    Parameters
    ----------
    values : ndarray, shape (1 + resamples, points)
        The measured numbers, then the resampled ones.
    extreme : callable
        `numpy.max` or `numpy.min`.

    Notes
    -----
    Every number gets as many of its standard errors to either side as it takes to hold all of them
    at once in 95 % of the resamples.  Wherever the true numbers lie in this band, their extreme
    lies between those of its edges.
    """
    measured, resampled = values[0], values[1:]
    error = resampled.std(axis=0)
    away = np.abs(resampled - measured)
    ratio = np.divide(away, error, out=np.zeros_like(away), where=error > 0)
    width = np.quantile(ratio.max(axis=1), LEVEL, method="higher") * error
    return float(extreme(measured - width)), float(extreme(measured + width))
