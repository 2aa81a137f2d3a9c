"""The public board, and a team's own history: what pages show, made of `answers` alone."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, func, select

from shakedown.live.answers import Answer, answer_to, shown_to
from shakedown.live.rules import Rules
from shakedown.live.tables import SUBMISSIONS, TEAMS

#: Answers on a page.
PAGE = 50


@dataclass(frozen=True)
class StandingsRow:
    """A row of the public board.

    It has no time and no number of submissions: with these the others could tell which submission
    moved a score.

    Attributes
    ----------
    place : int or None
        1 leads; teams with the same shown score share a place.  None without a score.
    team : str
    score : float or None
        What the board shows the team.
    """

    place: int | None
    team: str
    score: float | None

    @property
    def fields(self) -> dict[str, Any]:
        """Its fields, for JSON."""
        return asdict(self)


def standings(
    connection: Connection, board_id: int, rules: Rules, start: float | None, at: int
) -> list[StandingsRow]:
    """The public board at a time: teams that have submitted, the best first.

    Tied teams are in the order of their names: one of times would tell who was accepted first.
    """
    submitted = select(SUBMISSIONS.c.team_id).where(SUBMISSIONS.c.board_id == board_id)
    teams = connection.execute(
        select(TEAMS.c.id, TEAMS.c.name).where(TEAMS.c.id.in_(submitted)).order_by(TEAMS.c.name)
    ).all()
    shown = {team.name: shown_to(connection, rules, start, team.id, at) for team in teams}
    sign = -1.0 if rules.judged_by.larger_is_better else 1.0
    scores = sorted(sign * score for score in shown.values() if score is not None)
    places = {score: place for place, score in reversed(list(enumerate(scores, 1)))}
    rows = [
        StandingsRow(None if score is None else places[sign * score], team, score)
        for team, score in shown.items()
    ]
    return sorted(rows, key=lambda row: (row.place is None, row.place or 0, row.team))


def history(
    connection: Connection,
    rules: Rules,
    start: float | None,
    team_id: int,
    before: int | None = None,
    limit: int = PAGE,
) -> list[Answer]:
    """The answers that a team has got, the latest first.

    Parameters
    ----------
    connection, rules, start
        As in `answers.answer_to`.
    team_id : int
    before : int, optional
        Only submissions with a smaller number.
    limit : int
        Most answers.
    """
    query = (
        select(SUBMISSIONS, TEAMS.c.name.label("team"))
        .join(TEAMS, TEAMS.c.id == SUBMISSIONS.c.team_id)
        .where(SUBMISSIONS.c.team_id == team_id)
        .order_by(SUBMISSIONS.c.number.desc())
        .limit(limit)
    )
    if before is not None:
        query = query.where(SUBMISSIONS.c.number < before)
    rows = connection.execute(query).all()
    return [answer_to(connection, rules, start, own) for own in rows]


def made(connection: Connection, team_id: int) -> int:
    """How many submissions a team has made."""
    return connection.execute(
        select(func.count(SUBMISSIONS.c.id)).where(SUBMISSIONS.c.team_id == team_id)
    ).scalar_one()


def made_by_team(connection: Connection, board_id: int) -> dict[str, int]:
    """How many submissions each registered team has made, in the order of the teams' names."""
    rows = connection.execute(
        select(TEAMS.c.name, func.count(SUBMISSIONS.c.id))
        .join(SUBMISSIONS, SUBMISSIONS.c.team_id == TEAMS.c.id, isouter=True)
        .where(TEAMS.c.board_id == board_id)
        .group_by(TEAMS.c.name)
        .order_by(TEAMS.c.name)
    )
    return dict(rows.tuples().all())
