"""Tokens of teams and of the organiser; the database has only their hashes."""

from __future__ import annotations

import hashlib
import hmac
from typing import NamedTuple

from sqlalchemy import Connection, select

from shakedown.live.tables import BOARDS, TEAMS

#: Longest token that is looked at.
LONGEST = 200


class Team(NamedTuple):
    """A team of a board: its id, its name, and the hash of its token."""

    id: int
    name: str
    token: str


def hashed(token: str) -> str:
    """The hash of a token, as stored; tokens are random, so they need no salt."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def team_of(connection: Connection, board_id: int, token: str) -> Team | None:
    """The team of a token; None if it is no team's."""
    return None if len(token) > LONGEST else team_of_hash(connection, board_id, hashed(token))


def team_of_hash(connection: Connection, board_id: int, wanted: str) -> Team | None:
    """The team whose token has that hash; None if there is none.

    All hashes are compared, each in constant time: how long it takes tells nothing but the number
    of teams.
    """
    held = TEAMS.c.board_id == board_id, TEAMS.c.token.is_not(None)
    found = None
    for row in connection.execute(select(TEAMS.c.id, TEAMS.c.name, TEAMS.c.token).where(*held)):
        if hmac.compare_digest(row.token, wanted):
            found = Team(*row)
    return found


def is_organiser(connection: Connection, board_id: int, token: str) -> bool:
    """Whether a token is that of the board's organiser."""
    return len(token) <= LONGEST and is_organiser_hash(connection, board_id, hashed(token))


def is_organiser_hash(connection: Connection, board_id: int, wanted: str) -> bool:
    """Whether a hash is that of the organiser's token."""
    held = select(BOARDS.c.organiser_token).where(BOARDS.c.id == board_id)
    return hmac.compare_digest(connection.execute(held).scalar_one(), wanted)
