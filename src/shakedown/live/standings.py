"""The public board, and a team's own history: what pages show, made of `answers` alone."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import BigInteger, Connection, and_, bindparam, func, select

from shakedown.live import clock
from shakedown.live.answers import LAST, Answer, answer_to, rounded
from shakedown.live.rules import Rules
from shakedown.live.tables import RELEASES, SUBMISSIONS, TEAMS

#: Answers on a page.
PAGE = 50

_SUBMITTED = select(TEAMS.c.name).where(
    TEAMS.c.id.in_(
        select(SUBMISSIONS.c.team_id).where(SUBMISSIONS.c.board_id == bindparam("of_board"))
    )
)
_LATEST = (
    select(SUBMISSIONS.c.team_id, func.max(SUBMISSIONS.c.number).label("number"))
    .where(
        SUBMISSIONS.c.board_id == bindparam("of_board"),
        SUBMISSIONS.c.received_at < bindparam("until", type_=BigInteger),
    )
    .group_by(SUBMISSIONS.c.team_id)
    .subquery()
)
#: What each team's last submission before a time released, as `answers.shown_to` has it.
_RELEASED = (
    select(TEAMS.c.name, RELEASES.c.released)
    .select_from(_LATEST)
    .join(SUBMISSIONS, and_(
        SUBMISSIONS.c.team_id == _LATEST.c.team_id, SUBMISSIONS.c.number == _LATEST.c.number
    ))
    .join(RELEASES, RELEASES.c.submission_id == SUBMISSIONS.c.id)
    .join(TEAMS, TEAMS.c.id == _LATEST.c.team_id)
)  # fmt: skip


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
    of = {"of_board": board_id, "until": LAST}
    if rules.updates is not None:
        # Before the first update every team sees the start.
        of["until"] = clock.last_update(rules.updates, at) or 0
    names = connection.execute(_SUBMITTED, of).scalars()
    released = dict(connection.execute(_RELEASED, of).tuples().all())
    shown = {team: rounded(released.get(team, start)) for team in names}
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


def key_of(connection: Connection, team_id: int, number: int) -> str | None:
    """The key of a team's submission of that number; None if there is none."""
    own = SUBMISSIONS.c.team_id == team_id, SUBMISSIONS.c.number == number
    return connection.execute(select(SUBMISSIONS.c.key).where(*own)).scalar()


def final_number(connection: Connection, team_id: int) -> tuple[int, str] | None:
    """Number and key of the submission that a team has named as its final one, if any."""
    query = (
        select(SUBMISSIONS.c.number, SUBMISSIONS.c.key)
        .join(TEAMS, TEAMS.c.id == SUBMISSIONS.c.team_id)
        .where(TEAMS.c.id == team_id, SUBMISSIONS.c.key == TEAMS.c.final_key)
    )
    row = connection.execute(query).one_or_none()
    return None if row is None else (row.number, row.key)


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
