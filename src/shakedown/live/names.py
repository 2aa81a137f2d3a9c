"""Names of teams, boards, challenges, and keys of submissions."""

from __future__ import annotations

import unicodedata

from sqlalchemy import Connection, select

from shakedown.interface import InputError
from shakedown.live.tables import TEAMS

#: Longest name of a team, a board, a challenge, or key of a submission.
LONGEST = 200


def named(what: str, name: str) -> str:
    """A name that can be stored and shown."""
    if not 0 < len(name) <= LONGEST or not name.isprintable() or name != name.strip():
        raise InputError(
            f"name of a {what}: wanted 1 to {LONGEST} printable characters without blanks at "
            f"either end; got {name[:40]!r}."
        )
    return name


def _look(team: str) -> str:
    """The same for names that look the same."""
    return " ".join(unicodedata.normalize("NFKC", team).casefold().split())


def check_look(connection: Connection, board_id: int, team: str) -> None:
    """Raise an `InputError` if a new name looks like that of another team of the board."""
    names = select(TEAMS.c.name).where(TEAMS.c.board_id == board_id)
    for other in connection.execute(names).scalars():
        if _look(other) == _look(team):
            raise InputError(
                f"name of a team: '{team}' looks like that of team '{other}'. Choose another one."
            )
