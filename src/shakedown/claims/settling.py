"""How many replicates would settle an undecided claim."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shakedown.claims.intervals import Measured
from shakedown.claims.requirement import Requirement

#: Where the search ends.
MOST = 10_000_000


class Settling(NamedTuple):
    """What an undecided claim takes.

    Attributes
    ----------
    replicates : int or None
        About so many would decide it, if the measured number stays; None if no number would that
        is below ten million.
    tie : float
        The interval puts the true number within this of the bound, in either direction.
    """

    replicates: int | None
    tie: float


def settling(requirement: Requirement, measured: Measured, replicates: int) -> Settling:
    """How many replicates would decide a claim that so many leave open.

    Parameters
    ----------
    requirement : Requirement
        What is asked of the number.
    measured : Measured
        The number, with an interval that does not decide.
    replicates : int
        Behind the interval.

    Notes
    -----
    An interval gets narrower as 1/√n; that of a share or a quantile is worked out for n.  The true
    number is not the measured one, so what it takes may be several times more or less.
    """

    def is_decided(n: int) -> bool:
        return requirement.decided_by(*measured.of_so_many(replicates, n))

    ends = [end for end in (requirement.low, requirement.high) if measured.low <= end]
    ends = [end for end in ends if end <= measured.high and np.isfinite(end)]
    away = [abs(side - end) for end in ends for side in (measured.low, measured.high)]
    tie = max(away, default=np.nan)
    most = replicates
    while not is_decided(most):
        most *= 2
        if most > MOST:
            return Settling(None, tie)
    least = max(most // 2, replicates)
    while most - least > max(1, most // 200):
        middle = (least + most) // 2
        least, most = (least, middle) if is_decided(middle) else (middle, most)
    return Settling(most, tie)
