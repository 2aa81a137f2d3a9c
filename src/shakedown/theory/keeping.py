"""Whether what a board can tell keeps a gain."""

from __future__ import annotations

from shakedown.theory.gains import GainBound
from shakedown.theory.transcripts import Charged, ChargedRows, Transcripts

#: A budget that is made from a gain keeps it, whatever the rounding of the last digit.
CLOSE = 1.0 + 1e-9


def keeps_both(
    bound: GainBound,
    told: Transcripts | Charged | ChargedRows,
    rows: int,
    gain: float,
    quantile: float | None = None,
) -> bool:
    """Whether the mean gain, and with a quantile that too, is proved to be tolerated."""
    return keeps_one(bound, told, rows, gain) and (
        quantile is None or keeps_one(bound, told, rows, gain, quantile)
    )


def keeps_one(
    bound: GainBound,
    told: Transcripts | Charged | ChargedRows,
    rows: int,
    gain: float,
    delta: float | None = None,
) -> bool:
    """Whether the mean gain, or with delta the gain but for this chance, is tolerated."""
    if isinstance(told, Charged):
        return bound.charged(told.degrees, rows, delta) <= gain * CLOSE
    if isinstance(told, ChargedRows):
        return bound.charged_rows(told, delta) <= gain * CLOSE
    return bound.keeps(told, rows, gain, delta)
