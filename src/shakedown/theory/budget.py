"""The information budget of a challenge: what a gain that is tolerated requires of the board.

A budget is the number of nats for which a bound of the gain (`shakedown.theory.gains`) is as large
as tolerated; a board keeps it if it leaks no more (`shakedown.theory.leakage`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import floor, inf, log10
from typing import NamedTuple

from shakedown.leaderboard.disclosure import Disclosure
from shakedown.theory.gains import GainBound
from shakedown.theory.leakage import noisy_nats
from shakedown.theory.searches import largest, smallest
from shakedown.theory.transcripts import Transcripts, board_transcripts


@dataclass(frozen=True)
class BoardUse:
    """A board, and how it is used.

    Attributes
    ----------
    disclosure : callable
        What the board shows, by the number of public rows.
    rows : int
        Number of public rows.
    start, floor, submissions, accounts, shared, improvements, acceptance
        As in `leakage.board_nats`; start and floor are risks.
    noise : float or None
        The ratio rho of `leakage.noisy_nats`, for scores with fresh Gaussian noise in place of the
        board.
    """

    disclosure: Callable[[int], Disclosure]
    rows: int
    start: float
    floor: float
    submissions: int | None = None
    accounts: int = 1
    shared: bool = False
    improvements: int | None = None
    acceptance: bool = False
    noise: float | None = None

    @property
    def told(self) -> Transcripts | float | None:
        """What the board can show all these accounts together; None if it cannot be counted.

        With `noise`, the nats of information.
        """
        if self.noise is not None:
            return self.accounts * noisy_nats(self.submissions, self.noise)
        return board_transcripts(
            self.disclosure(self.rows), submissions=self.submissions, start=self.start,
            floor_=self.floor, accounts=self.accounts, shared=self.shared,
            improvements=self.improvements, acceptance=self.acceptance,
        )  # fmt: skip

    @property
    def nats(self) -> float | None:
        """Leakage to all these accounts together; None if it cannot be counted."""
        told = self.told
        return told.nats if isinstance(told, Transcripts) else told

    def showing(self, **changes: float) -> BoardUse:
        """The same with another step or number of updates."""
        return replace(self, disclosure=lambda rows: replace(self.disclosure(rows), **changes))

    def updated(self, updates: int) -> BoardUse:
        """The same with so many updates, which come more often if the files do not reach them."""
        every = self.disclosure(self.rows).every
        if every is None or self.submissions is None:
            return self.showing(updates=updates)
        files = self.submissions * (self.accounts if self.shared else 1)
        return self.showing(updates=updates, every=max(1, min(every, files // updates)))


class Needed(NamedTuple):
    """What keeps the gain within a limit, each with everything else unchanged.

    Attributes
    ----------
    nats : float
        The budget: the most nats, over all accounts and whatever the levels of the board; inf if
        there is no limit, below 0 if even one file that was fixed beforehand can gain more.
    rows : float
        The fewest public rows; inf if no number is enough.
    submissions, updates : float or None
        The most submissions of an account, and updates of a board with a fixed number of them; 0 if
        one is too many, inf if there is no limit, None for what does not matter.  Updates come more
        often if the submissions would not reach so many.
    accounts : float
        The most accounts that may work together; as `submissions`.
    step : float or None
        The smallest of the offered steps; inf if none is large enough, None if none was offered.
    """

    nats: float
    rows: float
    submissions: float | None
    updates: float | None
    accounts: float
    step: float | None


def needed(
    plan: BoardUse,
    bound: GainBound,
    gain: float,
    *,
    delta: float | None = None,
    steps: Iterable[float] | None = None,
) -> Needed | None:
    """What keeps the gain within a limit.

    Parameters
    ----------
    plan : BoardUse
        The board as planned.
    bound : GainBound
        The bound of the gain.
    gain : float
        Largest gain that is tolerated, above 0, in units of the score.
    delta : float, optional
        Probability with which it may be larger; by default the expected gain is limited.
    steps : iterable of float, optional
        Steps to choose from, for a board whose step can be chosen.

    Returns
    -------
    Needed or None
        None if the board's transcripts cannot be counted.

    Raises
    ------
    InputError
        If a number is missing or out of its range.
    """
    if plan.nats is None:
        return None

    def keeps(other: BoardUse) -> bool:
        return bound.keeps(other.told, other.rows, gain, delta)

    def most(change: Callable[[int], BoardUse]) -> float:
        limit = largest(lambda number: keeps(change(number)))
        return inf if limit is None else limit

    rows = smallest(lambda number: keeps(replace(plan, rows=number)))
    shown = plan.disclosure(plan.rows)
    by_updates = shown.updates is not None
    # Of updates at fixed times, submissions do not matter.
    by_submissions = plan.submissions is not None and (
        not by_updates or shown.every is not None or plan.acceptance
    )
    return Needed(
        nats=(bound.budget if plan.noise is not None else bound.count_budget)(
            gain, plan.rows, delta
        ),
        rows=inf if rows is None else rows,
        submissions=most(lambda k: replace(plan, submissions=k)) if by_submissions else None,
        updates=most(plan.updated) if by_updates else None,
        accounts=most(lambda g: replace(plan, accounts=g)),
        step=None
        if steps is None
        else next((step for step in sorted(steps) if keeps(plan.showing(step=step))), inf),
    )


def round_steps(largest_step: float) -> list[float]:
    """Steps 1, 2 and 5 times a power of 10, from a thousandth of the largest one up to it."""
    top = floor(log10(largest_step))
    steps = [float(f"{d}e{power}") for power in range(top - 3, top + 1) for d in (1, 2, 5)]
    return [step for step in steps if 0.999e-3 <= step / largest_step <= 1.001]


def grid_steps(largest_step: float) -> list[float]:
    """Steps 1, 2, 2.5 and 5 times a power of 10, in the same range."""
    quarters = [step * 1.25 for step in round_steps(largest_step) if f"{step:e}"[0] == "2"]
    return sorted({*round_steps(largest_step), *(q for q in quarters if q <= largest_step)})
