"""The tables of the database; migrations (`migrations/`) make them.

What participants may see stands in `releases`; all else is for the organiser.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

METADATA = MetaData()
#: SQLite numbers rows by itself only in columns of type INTEGER.
_ID = BigInteger().with_variant(Integer, "sqlite")

#: Contents that never change, named by their SHA-256: the truth, and each submission.
CONTENTS = Table(
    "contents",
    METADATA,
    Column("sha256", String(64), primary_key=True),
    Column("content", LargeBinary, nullable=False),
)

CHALLENGES = Table(
    "challenges",
    METADATA,
    Column("id", _ID, primary_key=True),
    Column("name", String(200), nullable=False, unique=True),
    Column("truth", ForeignKey("contents.sha256"), nullable=False),
)

#: Times are whole microseconds since 1970, UTC.
BOARDS = Table(
    "boards",
    METADATA,
    Column("id", _ID, primary_key=True),
    Column("challenge_id", ForeignKey("challenges.id"), nullable=False),
    Column("name", String(200), nullable=False, unique=True),
    Column("rules", Text, nullable=False),
    Column("organiser_token", String(64), nullable=False),
    Column("last_at", BigInteger, nullable=False),
    Column("closed_at", BigInteger),
    Column("published_at", BigInteger),
)

#: `final_key` is the key of the submission that the team has named as its final one.
TEAMS = Table(
    "teams",
    METADATA,
    Column("id", _ID, primary_key=True),
    Column("board_id", ForeignKey("boards.id"), nullable=False),
    Column("name", String(200), nullable=False),
    Column("token", String(64)),
    Column("registered_at", BigInteger, nullable=False),
    Column("final_key", String(200)),
    UniqueConstraint("board_id", "name"),
)

#: `StoredState` of each account: a team, or "" for a board that all share.
STATES = Table(
    "states",
    METADATA,
    Column("board_id", ForeignKey("boards.id"), primary_key=True),
    Column("account", String(200), primary_key=True),
    Column("state", Text, nullable=False),
)

#: `key` names a submission among its team's: no team can take another's.
#: `number` counts the team's submissions, `account_number` those of its account, from 1.
SUBMISSIONS = Table(
    "submissions",
    METADATA,
    Column("id", _ID, primary_key=True),
    Column("board_id", ForeignKey("boards.id"), nullable=False),
    Column("team_id", ForeignKey("teams.id"), nullable=False),
    Column("key", String(200), nullable=False),
    Column("number", Integer, nullable=False),
    Column("account", String(200), nullable=False),
    Column("account_number", Integer, nullable=False),
    Column("received_at", BigInteger, nullable=False),
    Column("content", ForeignKey("contents.sha256"), nullable=False),
    UniqueConstraint("team_id", "key"),
    UniqueConstraint("team_id", "number"),
    UniqueConstraint("board_id", "account", "account_number"),
)

#: Secret: what the board decided, and the scores.
DECISIONS = Table(
    "decisions",
    METADATA,
    Column("submission_id", ForeignKey("submissions.id"), primary_key=True),
    Column("accepted", Boolean, nullable=False),
    Column("refused", Boolean, nullable=False),
    Column("in_force", Integer, nullable=False),
    Column("score_public", Double, nullable=False),
    Column("score_final", Double, nullable=False),
)

RELEASES = Table(
    "releases",
    METADATA,
    Column("submission_id", ForeignKey("submissions.id"), primary_key=True),
    Column("released", Double),
    Column("standard_error", Double),
)

#: Secret: products of a file with those before it that its account's meter keeps, as doubles: the
#: rows of a Gram matrix, so that a board that is restored need not compute them again.
PRODUCTS = Table(
    "products",
    METADATA,
    Column("submission_id", ForeignKey("submissions.id"), primary_key=True),
    Column("products", LargeBinary, nullable=False),
)

#: Append-only: triggers refuse changes.  Each entry has the hash of the one before.
AUDIT = Table(
    "audit",
    METADATA,
    Column("id", _ID, primary_key=True),
    Column("board_id", ForeignKey("boards.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("kind", String(20), nullable=False),
    Column("payload", Text, nullable=False),
    Column("previous", String(64), nullable=False),
    Column("hash", String(64), nullable=False),
    UniqueConstraint("board_id", "number"),
    Index("audit_at", "board_id", "at"),
)
