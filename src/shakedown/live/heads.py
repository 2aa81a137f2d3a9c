"""Heads: what is printed of the audit log, and kept outside of the database.

Each entry of the log has a hash of all entries up to it.  Who keeps one can tell later whether the
log still begins with these entries.  The hash itself is shown to nobody: an entry holds the exact
scores of a file, of which some metrics have few, and who guesses them could check the guess.  A
head is a code of the hash with a secret of the board, and tells nothing, not even how many entries
there are.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, select

from shakedown.interface import InputError
from shakedown.live.environment import secret
from shakedown.live.tables import AUDIT, BOARDS

#: Variables with the key that signs heads, and with the file that holds it.
VARIABLE, FILE_VARIABLE = "SHAKEDOWN_SIGNING_KEY", "SHAKEDOWN_SIGNING_KEY_FILE"
#: Hexadecimal digits of a head, and of its signature.
DIGITS = 40

_HEAD = re.compile(rf"([0-9a-f]{{{DIGITS}}})(?:-([0-9a-f]{{{DIGITS}}}))?")
_OWN = select(BOARDS.c.organiser_token).where(BOARDS.c.id == bindparam("of_board"))
_LAST = (
    select(AUDIT.c.hash)
    .where(AUDIT.c.board_id == bindparam("of_board"))
    .order_by(AUDIT.c.number.desc())
    .limit(1)
)
_RECEIVED = select(AUDIT.c.hash, AUDIT.c.payload).where(
    AUDIT.c.board_id == bindparam("of_board"), AUDIT.c.at == bindparam("at"),
    AUDIT.c.kind == "submit",
)  # fmt: skip
_HASHES = (
    select(AUDIT.c.hash).where(AUDIT.c.board_id == bindparam("of_board")).order_by(AUDIT.c.number)
)


def last_head(connection: Connection, board_id: int) -> str | None:
    """The head of a board's log, signed if there is a key; None if the log is empty."""
    last = connection.execute(_LAST, {"of_board": board_id}).scalar()
    return None if last is None else _printed(connection, board_id, last)


def head_after(connection: Connection, own) -> str | None:
    """The head after a submission; None if the log has lost it.

    Parameters
    ----------
    connection : Connection
    own : Row
        The row of `SUBMISSIONS`, with the name of the team as `team`.
    """
    of = {"of_board": own.board_id, "at": own.received_at}
    rows = connection.execute(_RECEIVED, of).all()
    if len(rows) > 1:
        rows = [row for row in rows if _is_of(row.payload, own)]
    return _printed(connection, own.board_id, rows[0].hash) if rows else None


def _is_of(payload: str, own) -> bool:
    try:
        fields = json.loads(payload)
        return (fields["team"], fields["key"]) == (own.team, own.key)
    except (ValueError, LookupError, TypeError):
        return False


def _printed(connection: Connection, board_id: int, entry: str) -> str:
    head = _head(connection.execute(_OWN, {"of_board": board_id}).scalar() or "", entry)
    key = secret("signing key", VARIABLE, FILE_VARIABLE)
    return head if key is None else f"{head}-{_code(key, f'shakedown signature {head}')}"


def _head(own: str, entry: str) -> str:
    # The hash of the organiser's token: random, known to who can read the database, never changed.
    return _code(own, f"shakedown head {entry}")


def _code(key: str, text: str) -> str:
    return hmac.new(key.encode(), text.encode(), hashlib.sha256).hexdigest()[:DIGITS]


def missing(connection: Connection, board_id: int, expected: Sequence[str]) -> list[str]:
    """What is wrong with heads that were printed before; a sentence each.

    Parameters
    ----------
    connection : Connection
    board_id : int
    expected : sequence of str
        As they were printed.  A signature is checked if there is a key.

    Raises
    ------
    InputError
        If a text is no head.
    """
    own = connection.execute(_OWN, {"of_board": board_id}).scalar() or ""
    key = secret("signing key", VARIABLE, FILE_VARIABLE)
    hashes = connection.execute(_HASHES, {"of_board": board_id}).scalars()
    heads = {_head(own, str(entry)) for entry in hashes}
    wrong = []
    for text in expected:
        if (parts := _HEAD.fullmatch(text.strip().lower())) is None:
            raise InputError(
                f"expect: wanted a head as a receipt or `status` has it, {DIGITS} hexadecimal "
                f"digits; got {text[:50]!r}."
            )
        head, signed = parts.groups()
        right = key is None or signed == _code(key, f"shakedown signature {head}")
        if signed and not right:
            wrong.append(
                f"head {head[:12]}…: this key did not sign it. Either it does not come from this "
                "board, or the board signs with another key."
            )
        elif head not in heads:
            wrong.append(
                f"head {head[:12]}…: the log does not have it. Since it was printed, the last "
                "entries were taken away (an old backup does that), or somebody wrote the whole "
                "log again."
            )
    return wrong
