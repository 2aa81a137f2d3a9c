"""Limits of submissions, and the times between which a board accepts them."""

from __future__ import annotations

import json
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, func, select

from shakedown.live import clock
from shakedown.live.database import sound
from shakedown.live.rules import Rules
from shakedown.live.submission_file import Refused
from shakedown.live.tables import AUDIT, SUBMISSIONS, TEAMS

#: Most refused files of a team, and of all teams, that the log notes within an hour, and most final
#: files that a team may name; they are counted in the last `SEEN` entries.
NOTED, NOTED_OF_ALL, SEEN = 20, 500, 1000
HOUR = 3_600_000_000

_END = select(func.max(AUDIT.c.number)).where(AUDIT.c.board_id == bindparam("of_board"))
_LATEST = select(AUDIT.c.payload).where(
    AUDIT.c.board_id == bindparam("of_board"), AUDIT.c.number > _END.scalar_subquery() - SEEN,
    AUDIT.c.kind == bindparam("of_kind"), AUDIT.c.at > bindparam("since"),
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


def check_open(
    rules: Rules, closed: int | None, at: int, so: str = "The file was not counted."
) -> None:
    """Raise a `Refused` if the board accepts no submissions at a time; as in `state_of`.

    `so` ends the message.
    """
    state = state_of(rules, closed, at)
    if state == "closed":
        end = clock.text(rules.closes if closed is None else closed)
        raise Refused(f"The board closed {end}. {so}", "closed")
    if state == "before the start":
        raise Refused(f"The board opens {clock.text(rules.opens)}. {so}", "closed")


class Left(NamedTuple):
    """How many submissions a team may still make; None for no limit.

    `none_of_all` says whether all teams together have made theirs.  How many they have left is told
    to nobody: it would tell when others submit.
    """

    in_all: int | None
    today: int | None
    none_of_all: bool


def left_to(connection: Connection, board_id: int, rules: Rules, team: str, at: int) -> Left:
    """How many submissions a team may still make at a time, if the board is open."""
    in_all, today, of_all = (
        None if limit is None else max(0, limit - connection.execute(query, which).scalar_one())
        for limit, query, which, _ in _limits(board_id, rules, team, at)
    )
    if in_all is not None and today is not None:
        today = min(today, in_all)
    return Left(in_all, today, of_all == 0)


def _limits(board_id: int, rules: Rules, team: str, at: int):
    """Each limit: the number, a query that counts, its parameters, and what it is of."""
    of_team = {"of_board": board_id, "of_team": team}
    since, until = clock.bounds_of_day(at, rules.zone)
    return (
        (rules.per_team, _OF_TEAM, of_team, "a team"),
        (
            rules.per_day, _OF_DAY, of_team | {"since": since, "until": until},
            f"a team in a day ({rules.zone})",
        ),
        (rules.in_total, _ALL, {"of_board": board_id}, "all teams together"),
    )  # fmt: skip


def check_limits(connection: Connection, board_id: int, rules: Rules, team: str, at: int) -> None:
    """Raise a `Refused` if a team has made all its submissions."""
    for limit, query, which, of in _limits(board_id, rules, team, at):
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
    noted = _within_the_hour(connection, board_id, "reject", at)
    return 0 if len(noted) >= NOTED_OF_ALL else max(0, NOTED - noted.count(team))


def check_namings(connection: Connection, board_id: int, team: str, at: int) -> None:
    """Raise a `Refused` if a team has named too many final files: each is an entry of the log."""
    if _within_the_hour(connection, board_id, "final", at).count(team) >= NOTED:
        raise Refused(
            f"Your team has named {NOTED} final files within the hour. Wait; the last one counts.",
            "final",
        )


def _within_the_hour(connection: Connection, board_id: int, kind: str, at: int) -> list[str]:
    """The team of each of the latest events of that kind."""
    of = {"of_board": board_id, "since": at - HOUR, "of_kind": kind}
    payloads = list(connection.execute(_LATEST, of).scalars())
    with sound("an entry of the audit log"):
        return [json.loads(payload)["team"] for payload in payloads]
