"""Limits of submissions, and the times between which a board accepts them."""

from __future__ import annotations

from sqlalchemy import Connection, func, select

from shakedown.live import clock
from shakedown.live.files import Refused
from shakedown.live.rules import Rules
from shakedown.live.tables import BOARDS, SUBMISSIONS, TEAMS


def closed_at(connection: Connection, board_id: int) -> int | None:
    """When the organiser closed a board; None if it is open."""
    return connection.execute(select(BOARDS.c.closed_at).where(BOARDS.c.id == board_id)).scalar()


def check_limits(connection: Connection, board_id: int, rules: Rules, team: str, at: int) -> None:
    """Raise a `Refused` if a team may not submit at a time."""
    closed = closed_at(connection, board_id)
    if closed is not None or (rules.closes is not None and at >= rules.closes):
        end = clock.text(rules.closes if closed is None else closed)
        raise Refused(f"The board closed {end}. The file was not counted.", "closed")
    if rules.opens is not None and at < rules.opens:
        raise Refused(
            f"The board opens {clock.text(rules.opens)}. The file was not counted.", "closed"
        )
    since, until = clock.bounds_of_day(at, rules.zone)
    on_board = SUBMISSIONS.c.board_id == board_id
    of_team = TEAMS.c.board_id == board_id, TEAMS.c.name == team
    day = SUBMISSIONS.c.received_at >= since, SUBMISSIONS.c.received_at < until
    counted = select(func.count(SUBMISSIONS.c.id)).join(TEAMS, TEAMS.c.id == SUBMISSIONS.c.team_id)
    for limit, which, of in (
        (rules.per_team, of_team, "a team"),
        (rules.per_day, (*of_team, *day), f"a team in a day ({rules.zone})"),
        (rules.in_total, (on_board,), "all teams together"),
    ):
        if limit is None:
            continue
        count = connection.execute(counted.where(*which)).scalar_one()
        if count >= limit:
            raise Refused(
                f"The limit is {limit:,} submissions of {of}, and {count:,} were made. The file "
                "was not counted.",
                "limit",
            )
