"""What a metered board tells a team beside its scores: prices, errors, and what is left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import Connection, select

from shakedown.leaderboard.account import OF_A_ROW
from shakedown.live.answers import rounded
from shakedown.live.tables import CONTENTS, DECISIONS, SUBMISSIONS, TEAMS
from shakedown.wording import amount, counted

if TYPE_CHECKING:
    from shakedown.leaderboard.account import Quote
    from shakedown.live.judging import LiveJudge

_OF_PRECISION = "of the precision with which a public row may be measured"


@dataclass(frozen=True)
class TeamMeter:
    """What a team may see of its meter.

    Attributes
    ----------
    left : str
        What is left of it, in words.
    now : dict
        Score and standard error of files by all answers so far, both rounded, by the number of the
        submission.
    """

    left: str
    now: dict[int, tuple[float | None, float | None]]


def meter_of(
    connection: Connection, board_id: int, judge: LiveJudge, team: str, numbers: Sequence[int]
) -> TeamMeter | None:
    """The meter of a team, with some of its submissions by their numbers; None on other boards."""
    if not judge.rules.is_metered:
        return None
    query = (
        select(SUBMISSIONS.c.number, CONTENTS.c.content)
        .join(CONTENTS, CONTENTS.c.sha256 == SUBMISSIONS.c.content)
        .join(TEAMS, TEAMS.c.id == SUBMISSIONS.c.team_id)
        .join(DECISIONS, DECISIONS.c.submission_id == SUBMISSIONS.c.id)
        .where(TEAMS.c.board_id == board_id, TEAMS.c.name == team)
        .where(DECISIONS.c.refused.is_(False), SUBMISSIONS.c.number.in_(numbers))
        .order_by(SUBMISSIONS.c.number)
    )
    files = connection.execute(query).all()
    if not files:
        return TeamMeter("", {})
    scores, errors, quote = judge.known(connection, team, [file.content for file in files])
    now = {
        file.number: (rounded(score), rounded(error))
        for file, score, error in zip(files, scores, errors, strict=True)
    }
    return TeamMeter(left_of(quote), now)


def left_of(quote: Quote) -> str:
    """What is left of a meter, in words; `quote` is that of the last file, if it came again."""
    if not quote.files_left or quote.left <= 0.0:
        return (
            "The meter is used up: further files count for the final, and their scores are shown "
            "as earlier answers tell them."
        )
    said, error = counted(quote.files_left, "file"), amount(quote.error)
    if quote.unit == OF_A_ROW:
        return (
            f"{said} will still be answered. The public row that was measured best has used "
            f"{1.0 - quote.left:.0%} {_OF_PRECISION}. Your last file, sent again, would be shown "
            f"to about ± {error}."
        )
    return (
        f"{said} will still be answered, for {quote.left:.3g} of {quote.budget:.3g} {quote.unit}. "
        f"One like your last file would be answered to about ± {error}."
    )


def price_of(quote: Quote) -> str:
    """The price of a file in words."""
    known = f"Its score is known to ± {amount(quote.error_now)} from your earlier answers."
    if not quote.files_left or quote.left <= 0.0:
        return f"The meter is used up: this file would not be answered. {known}"
    error = f"its score would be shown to about ± {amount(quote.error)} (standard error). {known}"
    if quote.unit == OF_A_ROW:
        return (
            f"It would use {quote.cost:.2%} {_OF_PRECISION}, {quote.left:.0%} is left in the one "
            f"that was measured best, and {error}"
        )
    return (
        f"It would cost {quote.cost:.2g} of the {quote.left:.3g} {quote.unit} that are left, and "
        f"{error}"
    )
