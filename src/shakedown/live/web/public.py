"""The public board, which is made again only when it has changed."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sqlalchemy import Connection, bindparam, func, select

from shakedown.live import clock
from shakedown.live.finals import FinalRow, final_table
from shakedown.live.live_board import LiveBoard
from shakedown.live.quotas import state_of
from shakedown.live.standings import StandingsRow, standings
from shakedown.live.tables import AUDIT, BOARDS
from shakedown.live.version import versioned

_NOW = select(
    BOARDS.c.closed_at, BOARDS.c.published_at,
    select(func.max(AUDIT.c.number)).where(AUDIT.c.board_id == bindparam("of_board"))
    .scalar_subquery().label("entries"),
).where(BOARDS.c.id == bindparam("of_board"))  # fmt: skip


@dataclass(frozen=True)
class Moment:
    """On what the public board depends.

    Attributes
    ----------
    entries : int
        Of the audit log: all that is stored changes with a new one.
    state : str
        As in `quotas.state_of`.
    since : int or None
        When the board opens, closes or was closed, as `state` has it; None if there is no such
        time.
    update : int or None
        The next update of a board with a clock.
    published : bool
    """

    entries: int
    state: str
    since: int | None
    update: int | None
    published: bool


def moment_of(board: LiveBoard, connection: Connection, board_id: int, at: int) -> Moment:
    """On what the public board depends at a time; two rows of the database."""
    rules, now = board.rules, connection.execute(_NOW, {"of_board": board_id}).one()
    state = state_of(rules, now.closed_at, at)
    ended = rules.closes if now.closed_at is None else now.closed_at
    since = rules.opens if state == "before the start" else ended
    update = clock.next_update(rules.updates, at) if rules.updates else None
    return Moment(now.entries, state, since, update, now.published_at is not None)


class PublicView:
    """The public board at a moment.

    Attributes
    ----------
    moment : Moment
    rows : list of StandingsRow
    final : list of FinalRow, or None
        The final table, if it is published.
    """

    def __init__(
        self, board: LiveBoard, moment: Moment, rows: list[StandingsRow],
        final: list[FinalRow] | None,
    ) -> None:  # fmt: skip
        self._board, self.moment, self.rows, self.final = board, moment, rows, final
        #: Rows as HTML, which the desk writes once; by team.
        self.written: dict[str, dict[str, str]] = {}

    @property
    def fields(self) -> dict[str, Any]:
        """What programs get."""
        rules, now = self._board.rules, self.moment
        return versioned({
            "board": self._board.name, "metric": rules.metric,
            "larger_is_better": rules.judged_by.larger_is_better,
            "next_update": clock.text(now.update), "state": now.state,
            "opens": clock.text(rules.opens),
            "closes": clock.text(now.since if now.state == "closed" else rules.closes),
            "teams": [row.fields for row in self.rows],
            "final": None if self.final is None else [row.fields for row in self.final],
        })  # fmt: skip

    @cached_property
    def json(self) -> bytes:
        """The same as JSON."""
        return json.dumps(self.fields, ensure_ascii=False, separators=(",", ":")).encode()


class PublicBoard:
    """Keeps the last view.

    Parameters
    ----------
    board : LiveBoard
    """

    def __init__(self, board: LiveBoard) -> None:
        self._board, self._turn = board, threading.Lock()
        self._last: PublicView | None = None

    def view(self) -> PublicView:
        """The public board now."""
        board, last = self._board, self._last
        with board.reading() as (connection, board_id, at):
            moment = moment_of(board, connection, board_id, at)
        if last is not None and last.moment == moment:
            return last
        with self._turn:  # one makes it again, and the others wait
            with board.reading() as (connection, board_id, at):
                moment = moment_of(board, connection, board_id, at)
                last = self._last
                if last is None or last.moment != moment:
                    rows = standings(connection, board_id, board.rules, board.start, at)
                    final = (
                        final_table(connection, board_id, board.rules)
                        if moment.published else None
                    )  # fmt: skip
                    last = self._last = PublicView(board, moment, rows, final)
            return last
