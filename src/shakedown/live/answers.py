"""What participants may see: the answer to a submission, and the score that a board shows."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import BigInteger, Connection, bindparam, func, select

from shakedown.live import clock
from shakedown.live.heads import head_after
from shakedown.live.rules import DIGITS, Rules
from shakedown.live.tables import RELEASES, SUBMISSIONS

#: Above all numbers of submissions, and after all times.
LAST = 2**62

_OF_TEAM = (
    SUBMISSIONS.c.team_id == bindparam("of_team"),
    SUBMISSIONS.c.number <= bindparam("last", type_=BigInteger),
)
_THAT_DAY = select(func.count(SUBMISSIONS.c.id)).where(
    *_OF_TEAM, SUBMISSIONS.c.received_at >= bindparam("since")
)
_RELEASED = (
    select(RELEASES.c.released)
    .join(SUBMISSIONS, SUBMISSIONS.c.id == RELEASES.c.submission_id)
    .where(*_OF_TEAM, SUBMISSIONS.c.received_at < bindparam("until"))
    .order_by(SUBMISSIONS.c.number.desc())
    .limit(1)
)

_ERROR = select(RELEASES.c.standard_error).where(RELEASES.c.submission_id == bindparam("own"))


@dataclass(frozen=True)
class Answer:
    """What a participant may see of a submission.

    Attributes
    ----------
    submission : str
        Its key.
    team : str
    number : int
        Number among the team's submissions, from 1.
    received : str
        When it was received.
    score : float or None
        The score that the board shows the team after it; None if it shows none.
    next_update : str or None
        When the board may show another one, if it has a clock.
    left, left_today : int or None
        How many submissions the team may still make, in all and on that day; None for no limit.
    head : str or None
        The head of the audit log after it, for who checks later that the log still has it.
    standard_error : float or None
        That of the score, on a metered board; None on others.
    """

    submission: str
    team: str
    number: int
    received: str
    score: float | None
    next_update: str | None
    left: int | None
    left_today: int | None
    head: str | None
    standard_error: float | None = None

    @property
    def fields(self) -> dict[str, Any]:
        """Its fields, for JSON."""
        return asdict(self)


def answer_to(connection: Connection, rules: Rules, start: float | None, own) -> Answer:
    """The answer that was due when a submission was received.

    Parameters
    ----------
    connection : Connection
    rules : Rules
    start : float or None
        What a new board shows.
    own : Row
        The row of `SUBMISSIONS`, with the name of the team as `team`.
    """
    at, left_today = own.received_at, None
    if rules.per_day is not None:
        since, _ = clock.bounds_of_day(at, rules.zone)
        of_day = {"of_team": own.team_id, "last": own.number, "since": since}
        left_today = rules.per_day - connection.execute(_THAT_DAY, of_day).scalar_one()
    following = None if rules.updates is None else clock.next_update(rules.updates, at)
    return Answer(
        own.key, own.team, own.number, clock.text(at),
        shown_to(connection, rules, start, own.team_id, at, own.number), clock.text(following),
        None if rules.per_team is None else rules.per_team - own.number,
        left_today, head_after(connection, own),
        rounded(connection.execute(_ERROR, {"own": own.id}).scalar()) if rules.is_metered else None,
    )  # fmt: skip


def shown_to(
    connection: Connection,
    rules: Rules,
    start: float | None,
    team_id: int,
    at: int,
    number: int | None = None,
) -> float | None:
    """The score that a team sees.

    Parameters
    ----------
    connection : Connection
    rules : Rules
    start : float or None
        What a new board shows.
    team_id, at : int
        The team, and the time.
    number : int, optional
        The last of its submissions that counts; by default all do.
    """
    own = {"of_team": team_id, "last": LAST if number is None else number, "until": LAST}
    if rules.updates is not None:
        update = clock.last_update(rules.updates, at)
        if update is None:
            return rounded(start)
        own["until"] = update
    last = connection.execute(_RELEASED, own).one_or_none()
    return rounded(start if last is None else last.released)


def rounded(score: float | None) -> float | None:
    """A score as it is shown, to `DIGITS` significant digits."""
    return None if score is None else float(f"{score:.{DIGITS}g}")
