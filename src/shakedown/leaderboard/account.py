"""An account of a metered board: its meter, the files to come, and what the next one may cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shakedown.interface import Metering
from shakedown.leaderboard.meter import Meter, Price

#: How the rest of the budget is spread over the files to come: see `Account.allowance`.  Of .5 to 3
#: the best compromise between lag on the way and in the end, and equal parts (1) are near to it.
PACE = 0.75


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
    """

    meter: Meter
    terms: Metering
    made: int = 0

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

    @property
    def allowance(self) -> float:
        """Degrees of freedom that the next file may cost.

        With r files to come, a share (1 - 1 / r)^.75 of the rest is kept for those after it, so it
        may cost about three quarters of an equal part; the last file may cost all that is left.
        """
        to_come = self.files_left
        if not to_come:
            return 0.0
        return self.left * (1.0 - ((to_come - 1.0) / to_come) ** PACE)

    def asked(self, u: np.ndarray) -> tuple[Price, float]:
        """The price of the next file, and the noise of its answer (infinite: it gets none)."""
        price = self.meter.price(u)
        return price, price.sd_within(self.allowance, self.terms.sd)

    def after(self, price: Price, sd: float, answer: float) -> Account:
        """The account after a file that it has priced; see `Meter.after`."""
        return Account(self.meter.after(price, sd, answer), self.terms, self.made + 1)
