"""Tokens of teams and of the organiser; the database has only their hashes."""

from __future__ import annotations

import hashlib
import hmac
from typing import NamedTuple

from sqlalchemy import Connection, select

from shakedown.interface import InputError
from shakedown.live.tables import BOARDS, TEAMS

#: Longest token that is looked at.
LONGEST = 200


class HasToken(InputError):
    """A team would lose a token that it has."""


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
    own = TEAMS.c.board_id == board_id, TEAMS.c.token.is_not(None)
    team = None
    for row in connection.execute(select(TEAMS.c.id, TEAMS.c.name, TEAMS.c.token).where(*own)):
        if hmac.compare_digest(row.token, wanted):
            team = Team(*row)
    return team


def has_token(connection: Connection, board_id: int, team: str) -> bool:
    """Whether a team of that name is registered, and has a token."""
    own = TEAMS.c.board_id == board_id, TEAMS.c.name == team, TEAMS.c.token.is_not(None)
    return connection.execute(select(TEAMS.c.id).where(*own)).scalar() is not None


def signature(token_hash: str, content: str) -> str:
    """The signature of a file of that SHA-256 by the team whose token has that hash.

    Anyone who sees it can send the same file again, and no other one.
    """
    message = f"shakedown submission {content}".encode()
    return hmac.new(token_hash.encode(), message, hashlib.sha256).hexdigest()


def is_signed(connection: Connection, board_id: int, team: str, content: str, signed: str) -> bool:
    """Whether `signed` is a team's signature of a file of that SHA-256."""
    # Databases do not take all characters; no team's name has them.
    name = team if team.isprintable() else ""
    own = TEAMS.c.board_id == board_id, TEAMS.c.name == name
    stored = connection.execute(select(TEAMS.c.token).where(*own)).scalar()
    # A team that is not known takes as long.
    wanted = signature(stored or hashed(""), content)
    given = signed.encode("utf-8", "surrogatepass")
    return hmac.compare_digest(wanted.encode(), given) and stored is not None


def is_organiser_hash(connection: Connection, board_id: int, wanted: str) -> bool:
    """Whether a hash is that of the organiser's token."""
    query = select(BOARDS.c.organiser_token).where(BOARDS.c.id == board_id)
    return hmac.compare_digest(connection.execute(query).scalar_one(), wanted)
