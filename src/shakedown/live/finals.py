"""The files that count in the end, and the final table that is published."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sqlalchemy import Connection, select

from shakedown.live.answers import rounded
from shakedown.live.rules import Rules
from shakedown.live.tables import DECISIONS, RELEASES, SUBMISSIONS, TEAMS


@dataclass(frozen=True)
class FinalRow:
    """A row of the final table.

    Attributes
    ----------
    place : int
        1 leads, by the scores of all digits; teams with the same score share a place.
    team : str
    score : float
        On the final rows, of the file that counts, rounded as scores are shown.
    """

    place: int
    team: str
    score: float

    @property
    def fields(self) -> dict[str, Any]:
        """Its fields, for JSON."""
        return asdict(self)


def named_files(connection: Connection, board_id: int) -> dict[str, str]:
    """The keys of the final files that teams have named, by team."""
    own = TEAMS.c.board_id == board_id, TEAMS.c.final_key.is_not(None)
    named = connection.execute(select(TEAMS.c.name, TEAMS.c.final_key).where(*own))
    return dict(named.tuples().all())


def final_table(connection: Connection, board_id: int, rules: Rules) -> list[FinalRow]:
    """The final ranking, best first; as `export` ranks the teams.

    The file that a team has named counts.  Without one it is the last that the board accepted, or
    the first if it accepted none; on a board that shows every score, the one with the best shown.
    """
    # Imported here: who only submits needs no table.
    from shakedown.leaderboard.mechanism import of_setting
    from shakedown.leaderboard.team_boards import team_history

    rows = connection.execute(
        select(
            SUBMISSIONS.c.key, TEAMS.c.name.label("team"), DECISIONS.c.accepted,
            DECISIONS.c.score_final, RELEASES.c.released,
        )
        .join(TEAMS, TEAMS.c.id == SUBMISSIONS.c.team_id)
        .join(DECISIONS, DECISIONS.c.submission_id == SUBMISSIONS.c.id)
        .join(RELEASES, RELEASES.c.submission_id == SUBMISSIONS.c.id)
        .where(SUBMISSIONS.c.board_id == board_id)
        .order_by(SUBMISSIONS.c.id)
    ).all()  # fmt: skip
    if not rows:
        return []
    teams, codes = np.unique([row.team for row in rows], return_inverse=True)
    released = np.array([np.nan if row.released is None else row.released for row in rows])
    accepted = np.array([row.accepted for row in rows], bool)
    history = team_history(
        of_setting(rules.setting), rules.judged_by, codes, released, accepted
    )  # fmt: skip
    named = named_files(connection, board_id)
    number = {(row.team, row.key): k for k, row in enumerate(rows)}
    last = {row.team: int(history.in_force[k]) for k, row in enumerate(rows)}
    scores = {
        str(team): rows[number.get((team, named.get(team, "")), last[team])].score_final
        for team in teams
    }
    sign = rules.judged_by.sign
    ranked = sorted(sign * score for score in scores.values())
    places = {score: place for place, score in reversed(list(enumerate(ranked, 1)))}
    table = [FinalRow(places[sign * s], team, rounded(s)) for team, s in scores.items()]
    return sorted(table, key=lambda row: (row.place, row.team))
