"""Limits of submissions, and the times between which a board accepts them."""

from __future__ import annotations

import json

from sqlalchemy import Connection, bindparam, func, select

from shakedown.live import clock
from shakedown.live.database import sound
from shakedown.live.rules import Rules
from shakedown.live.submission_file import Refused
from shakedown.live.tables import AUDIT, SUBMISSIONS, TEAMS

#: Most refused files of a team, and of all teams, that the log notes within an hour; the second
#: is counted in the last `SEEN` entries.
NOTED, NOTED_OF_ALL, SEEN = 20, 500, 1000
HOUR = 3_600_000_000

_END = select(func.max(AUDIT.c.number)).where(AUDIT.c.board_id == bindparam("of_board"))
_REJECTED = select(AUDIT.c.payload).where(
    AUDIT.c.board_id == bindparam("of_board"), AUDIT.c.number > _END.scalar_subquery() - SEEN,
    AUDIT.c.kind == "reject", AUDIT.c.at > bindparam("since"),
)  # fmt: skip
_ALL = select(func.count(SUBMISSIONS.c.id)).where(SUBMISSIONS.c.board_id == bindparam("of_board"))
_OF_TEAM = (
    select(func.count(SUBMISSIONS.c.id))
    .join(TEAMS, TEAMS.c.id == SUBMISSIONS.c.team_id)
    .where(TEAMS.c.board_id == bindparam("of_board"), TEAMS.c.name == bindparam("of_team"))
)
_OF_DAY = _OF_TEAM.where(
    SUBMISSIONS.c.received_at >= bindparam("since"), SUBMISSIONS.c.received_at < bindparam("until")
)


def state_of(rules: Rules, closed: int | None, at: int) -> str:
    """Whether a board is "before the start", "open" or "closed" at a time.

    `closed` is when the organiser closed it, or None.
    """
    if closed is not None or (rules.closes is not None and at >= rules.closes):
        return "closed"
    return "before the start" if rules.opens is not None and at < rules.opens else "open"


def check_open(rules: Rules, closed: int | None, at: int) -> None:
    """Raise a `Refused` if the board accepts no submissions at a time; as in `state_of`."""
    state = state_of(rules, closed, at)
    if state == "closed":
        end = clock.text(rules.closes if closed is None else closed)
        raise Refused(f"The board closed {end}. The file was not counted.", "closed")
    if state == "before the start":
        raise Refused(
            f"The board opens {clock.text(rules.opens)}. The file was not counted.", "closed"
        )


def check_limits(connection: Connection, board_id: int, rules: Rules, team: str, at: int) -> None:
    """Raise a `Refused` if a team has made all its submissions."""
    of_team = {"of_board": board_id, "of_team": team}
    since, until = clock.bounds_of_day(at, rules.zone)
    for limit, query, which, of in (
        (rules.per_team, _OF_TEAM, of_team, "a team"),
        (
            rules.per_day, _OF_DAY, of_team | {"since": since, "until": until},
            f"a team in a day ({rules.zone})",
        ),
        (rules.in_total, _ALL, {"of_board": board_id}, "all teams together"),
    ):  # fmt: skip
        if limit is None:
            continue
        count = connection.execute(query, which).scalar_one()
        if count >= limit:
            raise Refused(
                f"The limit is {limit:,} submissions of {of}, and {count:,} were made. The file "
                "was not counted.",
                "limit",
            )


def left_to_note(connection: Connection, board_id: int, team: str, at: int) -> int:
    """How many more refused files of a team the log notes: they are free, and it only grows."""
    of = {"of_board": board_id, "since": at - HOUR}
    noted = list(connection.execute(_REJECTED, of).scalars())
    if len(noted) >= NOTED_OF_ALL:
        return 0
    with sound("an entry of the audit log"):
        of_team = sum(json.loads(payload)["team"] == team for payload in noted)
    return max(0, NOTED - of_team)
