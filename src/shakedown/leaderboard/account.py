"""An account of a metered board: its meter, the files to come, and what the next one may cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil, inf
from typing import NamedTuple

import numpy as np

from shakedown.interface import Metering
from shakedown.leaderboard.meter import Meter, Price

#: How the rest of the budget is spread over the files to come: see `Account.allowance`.  Of .5 to 3
#: the best compromise between lag on the way and in the end, and equal parts (1) are near to it.
PACE = 0.75
#: The smallest noise as a share of what an answer measures.  A response of few values could put
#: many rows into the digits of one precise answer.
LEAST = 0.1


class Quote(NamedTuple):
    """What a file costs and tells, by its board.  Its cost depends on the files alone.

    Attributes
    ----------
    cost, left, budget : float
        Degrees of freedom that its answer costs, those that are left before it, and all of them.
    files_left : int
        Files that are answered, before it.
    error : float
        Standard error of its score that is to be expected once it is answered.
    error_now : float
        Standard error by the answers so far.
    """

    cost: float
    left: float
    budget: float
    files_left: int
    error: float
    error_now: float


class Use(NamedTuple):
    """Files, and the degrees of freedom that they cost."""

    files: int
    degrees: float


@dataclass(frozen=True)
class Account:
    """What an account may still learn: its meter, and the files that it has asked for.

    It does not change: `after` gives the next one.

    Attributes
    ----------
    meter : Meter
    terms : Metering
        The board's: budget, files that are answered, and smallest noise.
    made : int
        Files so far.
    of : mapping of str to Use
        What each of those who share it has used.
    """

    meter: Meter
    terms: Metering
    made: int = 0
    of: Mapping[str, Use] = field(default_factory=dict)

    @classmethod
    def opened(cls, n: int, terms: Metering) -> Account:
        """A new account on a board of n rows."""
        return cls(Meter(n), terms)

    @property
    def left(self) -> float:
        """Degrees of freedom that are left."""
        return max(self.terms.degrees - self.meter.spent, 0.0)

    @property
    def files_left(self) -> int:
        """Files that are still answered."""
        return max(self.terms.files - self.made, 0)

    def left_to(self, who: str | None) -> Use:
        """Files and degrees of freedom that are left to one who shares the meter; None: to all."""
        if who is None or self.terms.share == 1.0:
            return Use(self.files_left, self.left)
        used, terms = self.of.get(who, Use(0, 0.0)), self.terms
        files = max(ceil(terms.share * terms.files) - used.files, 0)
        degrees = max(terms.share * terms.degrees - used.degrees, 0.0)
        return Use(min(files, self.files_left), min(degrees, self.left))

    def allowance(self, who: str | None = None) -> float:
        """Degrees of freedom that the next file may cost, by one who shares the meter or by all.

        With r files to come, a share (1 - 1 / r)^.75 of the rest is kept for those after it, so it
        may cost about three quarters of an equal part; the last file may cost all that is left.
        """
        return min(_next_part(self.left_to(name)) for name in (None, who))

    def asked(self, u: np.ndarray, who: str | None = None) -> tuple[Price, float]:
        """The price of the next file, and the noise of its answer (infinite: it gets none)."""
        price = self.meter.price(u)
        least = max(self.terms.sd, LEAST * price.length)
        return price, price.sd_within(self.allowance(who), least)

    def after(self, price: Price, sd: float, answer: float, who: str | None = None) -> Account:
        """The account after a file that it has priced; see `Meter.after`.

        A file without an answer uses nothing: nobody can use up what is for others with it.
        """
        if sd == inf:
            return self
        of = self.of
        if who is not None:
            files, degrees = of.get(who, Use(0, 0.0))
            of = {**of, who: Use(files + 1, degrees + price.cost(sd))}
        return Account(self.meter.after(price, sd, answer), self.terms, self.made + 1, of)


def _next_part(left: Use) -> float:
    """What the first of the files that are left may cost."""
    if not left.files:
        return 0.0
    return left.degrees * (1.0 - ((left.files - 1.0) / left.files) ** PACE)
