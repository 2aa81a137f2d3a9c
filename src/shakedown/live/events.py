"""What can happen to a board, and what each event changes in the tables.

A running board and one that is rebuilt from its audit log apply the same events.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from shakedown.live.judging import Judge, predictions_of
from shakedown.live.rules import Rules
from shakedown.live.tables import (
    BOARDS,
    CHALLENGES,
    CONTENTS,
    DECISIONS,
    RELEASES,
    STATES,
    SUBMISSIONS,
    TEAMS,
)
from shakedown.live.truth import Truth


@dataclass(frozen=True)
class Event:
    """An event of a board.

    Attributes
    ----------
    at : int
        When; never before the event before it.
    kind : str
        One of `KINDS`.
    payload : dict
        Its details, for JSON.
    """

    at: int
    kind: str
    payload: dict[str, Any]


def store(connection: Connection, sha256: str, content: bytes) -> None:
    """Store a content, unless it is stored."""
    made = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    values = {"sha256": sha256, "content": content}
    connection.execute(made(CONTENTS).values(values).on_conflict_do_nothing())


def content(connection: Connection, sha256: str) -> bytes:
    """The content of that SHA-256."""
    return connection.execute(
        select(CONTENTS.c.content).where(CONTENTS.c.sha256 == sha256)
    ).scalar_one()


def create(connection: Connection, event: Event) -> int:
    """Make a board; returns its id."""
    held = event.payload
    challenge = connection.execute(
        select(CHALLENGES.c.id).where(
            CHALLENGES.c.name == held["challenge"], CHALLENGES.c.truth == held["truth"]
        )
    ).scalar()
    if challenge is None:
        challenge = connection.execute(
            insert(CHALLENGES).values(name=held["challenge"], truth=held["truth"])
        ).inserted_primary_key[0]
    return connection.execute(
        insert(BOARDS).values(
            challenge_id=challenge, name=held["board"], rules=held["rules"],
            organiser_token=held["token"], last_at=event.at,
        )
    ).inserted_primary_key[0]  # fmt: skip


def judge_of(connection: Connection, board_id: int) -> Judge:
    """The judge of a board."""
    rules, truth = connection.execute(
        select(BOARDS.c.rules, CHALLENGES.c.truth)
        .join(CHALLENGES, CHALLENGES.c.id == BOARDS.c.challenge_id)
        .where(BOARDS.c.id == board_id)
    ).one()
    return Judge(board_id, Rules.stored(rules), Truth.stored(content(connection, truth)))


def apply(connection: Connection, board_id: int, event: Event, judge: Judge) -> dict[str, Any]:
    """Change the tables as an event says; returns the payload for the audit log."""
    connection.execute(update(BOARDS).where(BOARDS.c.id == board_id).values(last_at=event.at))
    return KINDS[event.kind](connection, board_id, event, judge) or event.payload


def _register(connection, board_id, event, judge) -> None:
    connection.execute(
        insert(TEAMS).values(
            board_id=board_id, name=event.payload["team"], token=event.payload["token"],
            registered_at=event.at,
        )
    )  # fmt: skip


def _give_token(connection, board_id, event, judge) -> None:
    of = TEAMS.c.board_id == board_id, TEAMS.c.name == event.payload["team"]
    connection.execute(update(TEAMS).where(*of).values(token=event.payload["token"]))


def _submit(connection, board_id, event, judge) -> dict[str, Any]:
    held = event.payload
    team, account = held["team"], judge.account(held["team"])
    team_id, number = connection.execute(
        select(TEAMS.c.id, func.count(SUBMISSIONS.c.id))
        .join(SUBMISSIONS, SUBMISSIONS.c.team_id == TEAMS.c.id, isouter=True)
        .where(TEAMS.c.board_id == board_id, TEAMS.c.name == team)
        .group_by(TEAMS.c.id)
    ).one()
    found = judge.judge(connection, team, predictions_of(content(connection, held["content"])))
    submission = connection.execute(
        insert(SUBMISSIONS).values(
            board_id=board_id, team_id=team_id, key=held["key"], number=number + 1,
            account=account, account_number=found.state.made, received_at=event.at,
            content=held["content"],
        )
    ).inserted_primary_key[0]  # fmt: skip
    connection.execute(
        insert(DECISIONS).values(
            submission_id=submission, accepted=found.accepted, refused=found.refused,
            in_force=found.in_force, score_public=found.score_public, score_final=found.score_final,
        )
    )  # fmt: skip
    connection.execute(insert(RELEASES).values(submission_id=submission, released=found.released))
    state = json.dumps(found.state.fields, sort_keys=True)
    of = STATES.c.board_id == board_id, STATES.c.account == account
    if not connection.execute(update(STATES).where(*of).values(state=state)).rowcount:
        connection.execute(insert(STATES).values(board_id=board_id, account=account, state=state))
    return held | {
        "released": found.released, "accepted": found.accepted, "refused": found.refused,
        "score_public": found.score_public, "score_final": found.score_final,
    }  # fmt: skip


def _reject(connection, board_id, event, judge) -> None:
    """A file with an error changes nothing."""


def _close(connection, board_id, event, judge) -> None:
    connection.execute(update(BOARDS).where(BOARDS.c.id == board_id).values(closed_at=event.at))


KINDS = {
    "register": _register,
    "token": _give_token,
    "submit": _submit,
    "reject": _reject,
    "close": _close,
}
