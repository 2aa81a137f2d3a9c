"""What can happen to a board, and what each event changes in the tables.

A running board and one that is rebuilt from its audit log apply the same events.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, func, insert, select, text, update

from shakedown.interface import InputError
from shakedown.live.contents import predictions_of, stored_products
from shakedown.live.database import Damaged, sound
from shakedown.live.judging import LiveJudge
from shakedown.live.rules import Rules
from shakedown.live.tables import (
    BOARDS,
    CHALLENGES,
    CONTENTS,
    DECISIONS,
    PRODUCTS,
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
        One of `EVENT_KINDS`.
    payload : dict
        Its details, for JSON.
    """

    at: int
    kind: str
    payload: dict[str, Any]


# Statements are made once: making one takes longer than running it.
_BOARD, _TEAM, _ACCOUNT = (bindparam(name) for name in ("of_board", "of_team", "of_account"))
# SQLAlchemy would compile its own form of this one again each time.
_STORE = text(
    f"INSERT INTO {CONTENTS.name} (sha256, content) VALUES (:sha256, :content) "
    "ON CONFLICT DO NOTHING"
)
CONTENT = select(CONTENTS.c.content).where(CONTENTS.c.sha256 == bindparam("name"))
_TOUCH = update(BOARDS).where(BOARDS.c.id == _BOARD).values(last_at=bindparam("at"))
_MADE = (
    select(TEAMS.c.id, func.count(SUBMISSIONS.c.id))
    .join(SUBMISSIONS, SUBMISSIONS.c.team_id == TEAMS.c.id, isouter=True)
    .where(TEAMS.c.board_id == _BOARD, TEAMS.c.name == _TEAM)
    .group_by(TEAMS.c.id)
)
_ADD_SUBMISSION, _ADD_DECISION, _ADD_RELEASE, _ADD_PRODUCTS, _ADD_STATE = map(
    insert, (SUBMISSIONS, DECISIONS, RELEASES, PRODUCTS, STATES)
)
_SET_STATE = (
    update(STATES)
    .where(STATES.c.board_id == _BOARD, STATES.c.account == _ACCOUNT)
    .values(state=bindparam("new"))
)


def store(connection: Connection, sha256: str, content: bytes) -> None:
    """Store a content, unless it is stored."""
    connection.execute(_STORE, {"sha256": sha256, "content": content})


def content(connection: Connection, sha256: str) -> bytes:
    """The content of that SHA-256."""
    with sound(f"content {sha256[:12]}…"):
        return connection.execute(CONTENT, {"name": sha256}).scalar_one()


def create(connection: Connection, event: Event) -> int:
    """Make a board; returns its id."""
    payload = event.payload
    challenge = connection.execute(
        select(CHALLENGES.c.id).where(
            CHALLENGES.c.name == payload["challenge"], CHALLENGES.c.truth == payload["truth"]
        )
    ).scalar()
    if challenge is None:
        challenge = connection.execute(
            insert(CHALLENGES).values(name=payload["challenge"], truth=payload["truth"])
        ).inserted_primary_key[0]
    return connection.execute(
        insert(BOARDS).values(
            challenge_id=challenge, name=payload["board"], rules=payload["rules"],
            organiser_token=payload["token"], last_at=event.at,
        )
    ).inserted_primary_key[0]  # fmt: skip


def judge_of(connection: Connection, board_id: int) -> LiveJudge:
    """The judge of a board."""
    with sound("the board's row"):
        rules, truth = connection.execute(
            select(BOARDS.c.rules, CHALLENGES.c.truth)
            .join(CHALLENGES, CHALLENGES.c.id == BOARDS.c.challenge_id)
            .where(BOARDS.c.id == board_id)
        ).one()
    with sound("the text of its rules"):
        of_board = Rules.stored(rules)
        try:
            _ = of_board.mechanism, of_board.judged_by
        except InputError as e:
            raise Damaged(f"database: its rules cannot be followed: {e}") from e
    with sound("the truth"):
        return LiveJudge(board_id, of_board, Truth.stored(content(connection, truth)))


def apply(connection: Connection, board_id: int, event: Event, judge: LiveJudge) -> dict[str, Any]:
    """Change the tables as an event says; returns the payload for the audit log."""
    connection.execute(_TOUCH, {"of_board": board_id, "at": event.at})
    return EVENT_KINDS[event.kind](connection, board_id, event, judge) or event.payload


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
    payload = event.payload
    team, account = payload["team"], judge.account(payload["team"])
    of_team = {"of_board": board_id, "of_team": team}
    team_id, number = connection.execute(_MADE, of_team).one()
    predictions = predictions_of(content(connection, payload["content"]), judge.rules)
    judgement = judge.judge(connection, team, predictions)
    row = {
        "board_id": board_id, "team_id": team_id, "key": payload["key"], "number": number + 1,
        "account": account, "account_number": judgement.state.made, "received_at": event.at,
        "content": payload["content"],
    }  # fmt: skip
    submission = connection.execute(_ADD_SUBMISSION, row).inserted_primary_key[0]
    decision = {
        "submission_id": submission, "accepted": judgement.accepted, "refused": judgement.refused,
        "in_force": judgement.in_force, "score_public": judgement.score_public,
        "score_final": judgement.score_final,
    }  # fmt: skip
    connection.execute(_ADD_DECISION, decision)
    release = {
        "submission_id": submission, "released": judgement.released,
        "standard_error": judgement.error,
    }  # fmt: skip
    connection.execute(_ADD_RELEASE, release)
    if judgement.products is not None:
        row = {"submission_id": submission, "products": stored_products(judgement.products)}
        connection.execute(_ADD_PRODUCTS, row)
    state = json.dumps(judgement.state.fields, sort_keys=True)
    of_account = {"of_board": board_id, "of_account": account, "new": state}
    if not connection.execute(_SET_STATE, of_account).rowcount:
        row = {"board_id": board_id, "account": account, "state": state}
        connection.execute(_ADD_STATE, row)
    error = {} if judgement.error is None else {"standard_error": judgement.error}
    return payload | error | {
        "released": judgement.released, "accepted": judgement.accepted,
        "refused": judgement.refused, "score_public": judgement.score_public,
        "score_final": judgement.score_final,
    }  # fmt: skip


def _reject(connection, board_id, event, judge) -> None:
    """A file with an error changes nothing."""


def _name_final(connection, board_id, event, judge) -> None:
    of = TEAMS.c.board_id == board_id, TEAMS.c.name == event.payload["team"]
    connection.execute(update(TEAMS).where(*of).values(final_key=event.payload["key"]))


def _publish(connection, board_id, event, judge) -> None:
    of_board = BOARDS.c.id == board_id
    connection.execute(update(BOARDS).where(of_board).values(published_at=event.at))


def _close(connection, board_id, event, judge) -> None:
    connection.execute(update(BOARDS).where(BOARDS.c.id == board_id).values(closed_at=event.at))


EVENT_KINDS = {
    "register": _register,
    "token": _give_token,
    "submit": _submit,
    "reject": _reject,
    "final": _name_final,
    "close": _close,
    "publish": _publish,
}
