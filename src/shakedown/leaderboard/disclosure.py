"""What a board can show; `shakedown.theory.leakage` counts its transcripts with it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Disclosure:
    """What a board can show one account during a whole challenge.

    Attributes
    ----------
    step : float or None
        Every shown score is a multiple of it, the start or the floor; in units of the score.  None
        if the shown scores cannot be counted.
    falls : bool
        Whether the shown risk never rises.
    starts : bool
        Whether the board begins with a score that does not depend on submissions.
    updates : int or None
        How often the score can change in the whole challenge; None for after each submission.
    every : int or None
        Submissions from one of these updates to the next; None if other times are fixed.
    improvements : int or None
        How often the best can be replaced in the whole challenge; None for any number.
    shows_acceptance : bool
        Whether every submission that replaces the best changes the shown score.
    floor : float or None
        Lowest risk that is shown; None if the board sets none.
    shared : bool
        Whether all accounts of a participant share the board.
    slack : float or None
        How much worse than the shown score the exact score of the submission that it shows can be
        at most, in units of the score; None if that is not known.  A score beyond the floor is
        shown as the floor.
    degrees : float or None
        The degrees of freedom that all answers can tell together, on a metered board.
    gain : float or None
        The gain that such a board keeps on average under a score of labels, in its unit.
    reason : str
        Why the shown scores cannot be counted, one sentence for readers; "" if they can.
    """

    step: float | None
    falls: bool = False
    starts: bool = False
    updates: int | None = None
    every: int | None = None
    improvements: int | None = None
    shows_acceptance: bool = False
    floor: float | None = None
    shared: bool = False
    slack: float | None = None
    degrees: float | None = None
    gain: float | None = None
    reason: str = ""


#: A board that shows nothing about the public rows.
NOTHING = Disclosure(1.0, falls=True, starts=True, updates=0)


def uncounted(reason: str) -> Disclosure:
    """The disclosure of a board whose shown scores cannot be counted."""
    return Disclosure(None, reason=reason)
