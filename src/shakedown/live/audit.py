"""The audit log: every event of a board in a chain of hashes, from which the board is rebuilt."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator

from sqlalchemy import Connection, Engine, bindparam, insert, select

from shakedown.interface import InputError
from shakedown.live import events
from shakedown.live.database import migrate, reading, sound, transaction
from shakedown.live.events import Event
from shakedown.live.tables import (
    AUDIT,
    BOARDS,
    CHALLENGES,
    DECISIONS,
    PRODUCTS,
    RELEASES,
    STATES,
    SUBMISSIONS,
    TEAMS,
)
from shakedown.live.truth import sha256

#: The hash before the first entry.
FIRST = "0" * 64

_LAST = (
    select(AUDIT.c.number, AUDIT.c.hash)
    .where(AUDIT.c.board_id == bindparam("of_board"))
    .order_by(AUDIT.c.number.desc())
    .limit(1)
)
_ADD = insert(AUDIT)
_NOT_OURS = "no board writes that. Restore the last backup that passes the audit."


def append(connection: Connection, board_id: int, event: Event) -> None:
    """Add an event to the log; the caller holds the board's lock."""
    last = connection.execute(_LAST, {"of_board": board_id}).one_or_none()
    number, previous = (0, FIRST) if last is None else last
    payload = json.dumps(event.payload, sort_keys=True, ensure_ascii=False)
    row = {
        "board_id": board_id, "number": number + 1, "at": event.at, "kind": event.kind,
        "payload": payload, "previous": previous,
        "hash": _hash(previous, number + 1, event.at, event.kind, payload),
    }  # fmt: skip
    connection.execute(_ADD, row)


def length(connection: Connection, board_id: int) -> int:
    """How many entries the log has."""
    last = connection.execute(_LAST, {"of_board": board_id}).one_or_none()
    return 0 if last is None else last.number


def lost_boards(connection: Connection) -> int:
    """How many boards have a log and no row of their own."""
    known = select(BOARDS.c.id)
    lost = select(AUDIT.c.board_id).where(AUDIT.c.number == 1, AUDIT.c.board_id.not_in(known))
    return len(connection.execute(lost).all())


def _hash(previous: str, number: int, at: int, kind: str, payload: str) -> str:
    text = json.dumps([previous, number, at, kind, payload], ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def entries(connection: Connection, board_id: int) -> Iterator[Event]:
    """The events of a board, in order.

    Raises
    ------
    InputError
        At the first entry that is missing or was changed.
    """
    rows = connection.execute(
        select(AUDIT).where(AUDIT.c.board_id == board_id).order_by(AUDIT.c.number)
    )
    previous, since = FIRST, 0
    for number, row in enumerate(rows, 1):
        with sound(f"entry {number} of the audit log"):
            expected = _hash(previous, number, row.at, row.kind, row.payload)
        if (row.number, row.previous, row.hash) != (number, previous, expected):
            raise InputError(
                f"audit: entry {number} does not follow from the one before: it was changed, or "
                "one is missing. Restore the last backup that passes the audit."
            )
        previous = row.hash
        with sound(f"entry {number} of the audit log"):
            event = Event(row.at, row.kind, dict(json.loads(row.payload)))
            if not (isinstance(event.at, int) and event.at >= since):
                raise InputError(f"audit: the time of entry {number} is before that of the last.")
        since = event.at
        yield event


def rebuild(source: Engine, board: str, target: Engine) -> list[str]:
    """Rebuild a board in another database from its audit log and the contents, and compare both.

    All that is read of the board is its state at one moment, and it can go on meanwhile.

    Parameters
    ----------
    source, target : Engine
        The database of the board, and one without a board of that name.
    board : str
        Name of the board.

    Returns
    -------
    list of str
        Differences between what the log says and what the rebuilt board did, and between the
        tables; a sentence each.

    Raises
    ------
    InputError
        If the log or a content was changed.
    """
    migrate(target)
    with reading(source) as old:
        different = _replayed(old, board, target)
        with sound("a row of its tables"):
            return different + compared(old, target, board)


def _replayed(old: Connection, board: str, target: Engine) -> list[str]:
    """Apply the events of a board's log in another database; a sentence for each difference."""
    different: list[str] = []
    with transaction(target) as new:
        old_id = old.execute(select(BOARDS.c.id).where(BOARDS.c.name == board)).scalar_one()
        board_id = judge = None
        for number, event in enumerate(entries(old, old_id), 1):
            if (event.kind == "create") != (number == 1):
                raise InputError(f"audit: entry {number} is of kind {event.kind!r}: {_NOT_OURS}")
            for name in ("truth", "content"):
                if name in event.payload:
                    _copy(old, new, event.payload[name], number)
            with sound(f"entry {number} of the audit log"):
                if event.kind == "create":
                    board_id = events.create(new, event)
                    judge = events.judge_of(new, board_id)
                    payload = event.payload
                else:
                    payload = events.apply(new, board_id, event, judge)
            if payload != event.payload:
                names = [k for k in payload if payload[k] != event.payload.get(k)]
                different.append(
                    f"entry {number} (submission '{payload.get('key')}'): rebuilt with another "
                    f"{' and '.join(names)}."
                )
            append(new, board_id, event)
    return different


def _copy(old: Connection, new: Connection, name: str, number: int) -> None:
    content = old.execute(events.CONTENT, {"name": name}).scalar()
    if content is None or sha256(content) != name:
        what = "is missing" if content is None else "was changed"
        raise InputError(
            f"audit: the content of entry {number} ({name[:12]}…) {what}. Restore the last backup "
            "that passes the audit."
        )
    events.store(new, name, content)


def compared(connection: Connection, other: Engine, board: str) -> list[str]:
    """The tables of a board that differ between two databases; a sentence each."""
    with reading(other) as second:
        return [
            f"table {name}: {_differ(a, b)}"
            for name, query in _tables(board).items()
            for a, b in [(_rows(connection, query), _rows(second, query))]
            if a != b
        ]


def _rows(connection: Connection, query) -> list[tuple]:
    # Databases sort texts in different ways.  Bytes are long: their digests do.
    rows = connection.execute(query)
    own = (tuple(sha256(v) if isinstance(v, bytes) else v for v in row) for row in rows)
    return sorted(own, key=repr)


def _differ(a: list[tuple], b: list[tuple]) -> str:
    if len(a) != len(b):
        return f"{len(a)} rows here, {len(b)} as rebuilt."
    at = next(k for k, (x, y) in enumerate(zip(a, b, strict=True)) if x != y)
    return f"row {at + 1} differs."


def _tables(board: str) -> dict:
    """A query for each table of a board, without ids, which depend on the database."""
    own = BOARDS.c.name == board
    made = (
        SUBMISSIONS.join(BOARDS, BOARDS.c.id == SUBMISSIONS.c.board_id)
        .join(TEAMS, TEAMS.c.id == SUBMISSIONS.c.team_id)
        .join(DECISIONS, DECISIONS.c.submission_id == SUBMISSIONS.c.id, isouter=True)
        .join(RELEASES, RELEASES.c.submission_id == SUBMISSIONS.c.id, isouter=True)
        .join(PRODUCTS, PRODUCTS.c.submission_id == SUBMISSIONS.c.id, isouter=True)
    )
    key = TEAMS.c.name, SUBMISSIONS.c.key
    columns = {
        "submissions": (
            SUBMISSIONS.c.number, SUBMISSIONS.c.account,
            SUBMISSIONS.c.account_number, SUBMISSIONS.c.received_at, SUBMISSIONS.c.content,
        ),
        "decisions": (
            DECISIONS.c.accepted, DECISIONS.c.refused, DECISIONS.c.in_force,
            DECISIONS.c.score_public, DECISIONS.c.score_final,
        ),
        "releases": (RELEASES.c.released, RELEASES.c.standard_error),
        "products": (PRODUCTS.c.products,),
    }  # fmt: skip
    queries = {name: select(*key, *of).select_from(made).where(own) for name, of in columns.items()}
    of_board = BOARDS.join(CHALLENGES, CHALLENGES.c.id == BOARDS.c.challenge_id)
    return queries | {
        "boards": select(
            BOARDS.c.rules, BOARDS.c.organiser_token, BOARDS.c.last_at, BOARDS.c.closed_at,
            BOARDS.c.published_at, CHALLENGES.c.name, CHALLENGES.c.truth,
        ).select_from(of_board).where(own),
        "teams": select(TEAMS.c.name, TEAMS.c.token, TEAMS.c.registered_at, TEAMS.c.final_key)
        .join(BOARDS, BOARDS.c.id == TEAMS.c.board_id).where(own),
        "states": select(STATES.c.account, STATES.c.state)
        .join(BOARDS, BOARDS.c.id == STATES.c.board_id).where(own),
    }  # fmt: skip
