"""A board in a database: what is read of it, how it is changed, checked and copied."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import Connection, Engine, bindparam, create_engine, select
from sqlalchemy.pool import StaticPool

from shakedown.interface import InputError
from shakedown.live import audit, clock, database, events, heads
from shakedown.live.alike import said_of_meter
from shakedown.live.contents import predictions_of
from shakedown.live.events import Event
from shakedown.live.judging import LiveJudge
from shakedown.live.of_labels import said_of_labels
from shakedown.live.prices import TeamMeter, meter_of
from shakedown.live.tables import BOARDS
from shakedown.live.told import said_of

if TYPE_CHECKING:
    import pandas as pd

# Statements are made once: making one takes longer than running it.
_LOCK = (
    select(BOARDS.c.last_at, BOARDS.c.closed_at)
    .where(BOARDS.c.id == bindparam("of_board"))
    .with_for_update()
)


class StoredBoard:
    """A board in a database.

    Parameters
    ----------
    engine : Engine
    name : str
    now : callable
        Gives the time in microseconds since 1970.

    Attributes
    ----------
    name : str
    rules : Rules
    truth : Truth
        Secret.
    """

    def __init__(self, engine: Engine, name: str, now: Callable[[], int] = clock.now) -> None:
        self._engine, self.name, self._now = engine, name, now
        weakref.finalize(self, engine.dispose)
        self._turn = threading.RLock()
        with database.reading(engine) as connection:
            of_name = select(BOARDS.c.id).where(BOARDS.c.name == name)
            self._id: int = connection.execute(of_name).scalar_one()
            self._judge: LiveJudge = events.judge_of(connection, self._id)
        self.rules, self.truth = self._judge.rules, self._judge.truth

    @property
    def sentences(self) -> list[str]:
        """The rules for participants, with times in UTC."""
        return [*self._of_truth, *self.rules.sentences]

    @property
    def local_sentences(self) -> list[str]:
        """The rules for participants, with times in the board's zone."""
        return [*self._of_truth, *self.rules.local_sentences]

    @property
    def _of_truth(self) -> list[str]:
        """The rules on classes, several responses and groups, and on a meter of them."""
        mechanism, metric, truth = self.rules.mechanism, self.rules.judged_by, self.truth
        of_meter = said_of_meter(mechanism, truth) + said_of_labels(mechanism, metric, truth)
        return said_of(truth, metric) + of_meter

    def log(self) -> pd.DataFrame:
        """All submissions in order, for the organiser.

        Returns
        -------
        DataFrame
            submission (its key), team, number (among the team's), received (time), accepted,
            refused (by a defence), released, score_public, score_final, content (its SHA-256).
        """
        from shakedown.live.log_table import log_table  # pandas is slow to import

        with database.reading(self._engine) as connection:
            return log_table(connection, self._id)

    def predictions(self, content: str) -> np.ndarray:
        """The predictions of that SHA-256, shape (n,), in the order of the truth."""
        with database.reading(self._engine) as connection:
            return predictions_of(events.content(connection, content), self.rules)

    @property
    def start(self) -> float | None:
        """The score that a new board shows; None if it shows none."""
        return self._judge.start

    def head(self) -> tuple[str, int]:
        """The head of the audit log now (`heads`), and how many entries it has."""
        with self.reading() as (connection, board_id, _):
            return heads.last_head(connection, board_id) or "", audit.length(connection, board_id)

    def audit(self, expected: Sequence[str] = ()) -> list[str]:
        """Rebuild the board from its log in memory, and compare; a sentence for each difference.

        Without `expected`, heads that were printed before (`head`), it cannot tell whether the last
        entries of the log, or all of them, were replaced.
        """
        with database.reading(self._engine) as connection:
            different = heads.missing(connection, self._id, expected)
        shared = {"check_same_thread": False}
        copy = create_engine("sqlite://", poolclass=StaticPool, connect_args=shared)
        try:
            return different + audit.rebuild(self._engine, self.name, copy)
        except InputError as e:
            return [*different, str(e)]

    def copy_to(self, url: str) -> list[str]:
        """Rebuild the board in another database; returns differences as `audit` does."""
        with ExitStack() as after:
            target = database.connect(url, new=True)
            after.callback(target.dispose)
            database.migrate(target)
            with database.reading(target) as connection:
                known = self.name in boards_of(connection)
            if known:
                raise InputError(f"copy: '{self.name}' exists in that database. Give an empty one.")
            return audit.rebuild(self._engine, self.name, target)

    def meter(self, connection: Connection, team: str, numbers: Sequence[int]) -> TeamMeter | None:
        """What a team may see of its meter; see `prices.meter_of`."""
        with self._turn:
            return meter_of(connection, self._id, self._judge, team, numbers)

    @contextmanager
    def reading(self):
        """A connection that only reads, the board's id, and the time by its clock."""
        with database.reading(self._engine) as connection:
            of_board = select(BOARDS.c.last_at).where(BOARDS.c.id == self._id)
            last = connection.execute(of_board).scalar_one()
            yield connection, self._id, max(self._now(), last)

    @contextmanager
    def _locked(self):
        """A transaction that holds the board's lock; the time, and when the board was closed."""
        with database.transaction(self._engine) as connection:
            # SQLite has locked the database already.
            last, closed = connection.execute(_LOCK, {"of_board": self._id}).one()
            # A clock that is set back does not turn back the board's.
            yield connection, max(self._now(), last), closed

    def _record(self, connection: Connection, event: Event) -> None:
        payload = events.apply(connection, self._id, event, self._judge)
        audit.append(connection, self._id, Event(event.at, event.kind, payload))


def boards_of(connection: Connection) -> list[str]:
    """The names of a database's boards."""
    return list(connection.execute(select(BOARDS.c.name).order_by(BOARDS.c.name)).scalars())
