r"""What the degrees of freedom that a meter reads are worth, and how many keep a gain.

A metered board (`meter`) keeps D, the effective degrees of freedom of the files that it has
answered, within a budget.  Then, with normal noise of variance at most c in each row,

    E gain <= c D / n,   P(n gain / c >= x) <= exp(-(sqrt x - sqrt D)^2 / 2)  for x >= D,

whatever is submitted, adaptively; the first is reached by the mean of the response given all
answers.  A correlation is the root of such a share, with D / (n - 1); the luck of the honest file
comes on top of what is exceeded with a probability.  Proofs are in ``docs/proofs/metered.md``.
"""

from __future__ import annotations

from math import log, sqrt
from statistics import NormalDist

#: Degrees of freedom that the known length of a standardised response counts for.
LENGTH = 1.0


def charged_gain(
    degrees: float, rows: int, delta: float | None = None, variance: float = 1.0
) -> float:
    """The largest gain in the MSE: on average, or but for a chance delta.

    Parameters
    ----------
    degrees : float
        The most that the meter reads.
    rows : int
        Public rows.
    delta : float, optional
        None for the mean.
    variance : float
        c, the largest variance of a row's response given all that a participant knows.

    Examples
    --------
    >>> charged_gain(10.45, 209)
    0.05
    """
    if delta is None:
        return variance * degrees / rows
    return variance * (sqrt(degrees) + sqrt(-2.0 * log(delta))) ** 2 / rows


def degrees_within(
    gain: float, rows: int, delta: float | None = None, variance: float = 1.0
) -> float:
    """The degrees of freedom that keep a gain; parameters are those of `charged_gain`.

    Below 0 if even a board that shows nothing is not known to keep it.

    Examples
    --------
    >>> round(degrees_within(0.05, 209), 2), round(degrees_within(0.05, 209, 0.25), 2)
    (10.45, 2.46)
    """
    most = rows * gain / variance
    if delta is None:
        return most
    left = sqrt(most) - sqrt(-2.0 * log(delta))
    return left * left if left > 0.0 else -(left * left)


def charged_correlation(degrees: float, rows: int, delta: float | None = None) -> float:
    """As `charged_gain`, for a correlation: at most 1."""
    if delta is None:
        return min(sqrt(degrees / (rows - 1)), 1.0)
    reached = sqrt(degrees) + _beyond(delta)
    return min(reached / sqrt(rows - 1), 1.0)


def degrees_within_correlation(gain: float, rows: int, delta: float | None = None) -> float:
    """As `degrees_within`, for a correlation."""
    left = gain * sqrt(rows - 1) - (0.0 if delta is None else _beyond(delta))
    return left * left if left > 0.0 else -(left * left)


def _beyond(delta: float) -> float:
    """Deviations that the final file, and minus the honest one, exceed with half of delta each."""
    return sqrt(-2.0 * log(delta / 2.0)) - NormalDist().inv_cdf(delta / 2.0)
