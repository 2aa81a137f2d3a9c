"""A running board."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import Connection, Engine, bindparam, select

from shakedown.interface import InputError, guess
from shakedown.live import audit, clock, database, events
from shakedown.live.answers import Answer, answer_to
from shakedown.live.contents import content_of
from shakedown.live.events import Event
from shakedown.live.finals import named_files
from shakedown.live.judging import LiveJudge
from shakedown.live.names import check_look, named
from shakedown.live.predictions import values_of
from shakedown.live.quotas import check_limits, check_namings, check_open, left_to_note, state_of
from shakedown.live.rules import Rules
from shakedown.live.stored_board import StoredBoard, boards_of
from shakedown.live.submission_file import Refused
from shakedown.live.tables import BOARDS, CHALLENGES, SUBMISSIONS, TEAMS
from shakedown.live.tokens import HasToken, has_token, hashed
from shakedown.live.truth import Truth, sha256
from shakedown.wording import counted

if TYPE_CHECKING:
    from shakedown.leaderboard.account import Quote

# Statements are made once: making one takes longer than running it.
_TEAM = select(TEAMS.c.id).where(
    TEAMS.c.board_id == bindparam("of_board"), TEAMS.c.name == bindparam("of_team")
)
_SCORED = (
    select(SUBMISSIONS, TEAMS.c.name.label("team"))
    .join(TEAMS, TEAMS.c.id == SUBMISSIONS.c.team_id)
    .where(TEAMS.c.board_id == bindparam("of_board"), TEAMS.c.name == bindparam("of_team"))
    .where(SUBMISSIONS.c.key == bindparam("of_key"))
)


class LiveBoard(StoredBoard):
    """A running board in a database.

    Make one with `create`, open it with `open`.  Several processes on several machines can open
    the same board; submissions are judged one after another.  How it is read, checked and copied
    is in `StoredBoard`.
    """

    @classmethod
    def create(
        cls, url: str, rules: Rules, truth: Truth, *, name: str = "board", challenge: str = "",
        now: Callable[[], int] = clock.now,
    ) -> tuple[LiveBoard, str]:  # fmt: skip
        """Make a board, and its database if it is new.

        Parameters
        ----------
        url : str
            As in `database.connect`.
        rules : Rules
        truth : Truth
        name : str
            Name of the board.
        challenge : str
            Name of the challenge; by default that of the board.
        now : callable
            Gives the time in microseconds since 1970.

        Returns
        -------
        board : LiveBoard
        token : str
            The organiser's token.  Only its hash is stored.

        Raises
        ------
        InputError
            If the database has a board of that name, a challenge of that name has another truth, or
            the metric cannot be computed on the truth.
        """
        name, challenge = named("board", name), named("challenge", challenge or name)
        rules = rules.for_truth(truth)
        LiveJudge(0, rules, truth).check_metric()
        engine = database.connect(url, new=True)
        token, content = secrets.token_urlsafe(24), truth.content
        event = Event(
            now(),
            "create",
            {
                "board": name, "challenge": challenge, "rules": rules.text,
                "truth": sha256(content), "token": hashed(token),
            },
        )  # fmt: skip
        with _disposed_on_failure(engine):
            database.migrate(engine)
            with database.transaction(engine) as connection:
                database.lock(connection)
                if name in boards_of(connection):
                    raise InputError(
                        f"board '{name}' exists in this database. Choose another name, or open it."
                    )
                known = connection.execute(
                    select(CHALLENGES.c.truth).where(CHALLENGES.c.name == challenge)
                ).scalar()
                if known not in (None, sha256(content)):
                    raise InputError(
                        f"challenge '{challenge}' has another truth in this database. "
                        "Choose another name for the challenge."
                    )
                events.store(connection, sha256(content), content)
                audit.append(connection, events.create(connection, event), event)
        return cls(engine, name, now), token

    @classmethod
    def open(
        cls, url: str, name: str | None = None, *, now: Callable[[], int] = clock.now
    ) -> LiveBoard:
        """Open a board; `name` can be left out if the database has only one.

        Raises
        ------
        InputError
            If there is no such board.
        """
        engine = database.connect(url)
        with _disposed_on_failure(engine):
            if not database.has_tables(engine):
                raise InputError(
                    "database: it holds no board. Make one: shakedown board create --help"
                )
            database.migrate(engine)
            with database.reading(engine) as connection:
                names = boards_of(connection)
                if lost := audit.lost_boards(connection):
                    raise database.Damaged(
                        f"database: table boards has lost {counted(lost, 'board')} of the audit "
                        "log. Restore the last backup that passes the audit."
                    )
            if name is None and len(names) == 1:
                name = names[0]
            if name not in names:
                got = "no name" if name is None else f"'{name}'"
                raise InputError(
                    f"board: wanted one of {', '.join(names) or 'none'}; got {got}."
                    f"{guess(name, names)}"
                )
        return cls(engine, name, now)

    def register(self, team: str, *, renew: bool = True) -> str:
        """Register a team; returns its token, of which only the hash is stored.

        Parameters
        ----------
        team : str
        renew : bool
            Whether a team that has a token gets a new one, and the old one ends.

        Raises
        ------
        HasToken
            If it has one, and `renew` is False.
        InputError
            If the name is not valid, or differs from another team's only in capitals, blanks or
            the way in which characters are coded.
        """
        token = secrets.token_urlsafe(24)
        with self._locked() as (connection, at, _):
            known = self._team(connection, team) is not None
            if not renew and has_token(connection, self._id, team):
                raise HasToken(
                    f"Team '{team}' has a token. A new one would end it, and sign the team out."
                )
            if not known:
                check_look(connection, self._id, team)
            kind = "token" if known else "register"
            self._record(
                connection, Event(at, kind, {"team": named("team", team), "token": hashed(token)})
            )
        return token

    def submit(
        self, team: str, predictions: np.ndarray | Mapping[str, Any] | str | Path | bytes,
        key: str | None = None,
    ) -> Answer:  # fmt: skip
        """Judge a submission.

        Parameters
        ----------
        team : str
            A team that is not known is registered, without a token.
        predictions : ndarray, mapping, path or bytes
            Shape (n,) in the order of the truth, or (n, q) with q responses; a prediction for each
            id, or a mapping of responses to predictions; a file, or its content (see
            `submission_file` and `submission_matrix`).
        key : str, optional
            Names the submission among the team's.  If it is sent again, it is not scored again:
            the answer is that of the first time.  By default each submission is a new one.

        Returns
        -------
        Answer

        Raises
        ------
        Refused
            If it is not counted: a file with an error, a limit, a closed board, or a key that was
            used for another submission.
        """
        key = named("submission", uuid.uuid4().hex if key is None else str(key))
        try:
            values = self._judge.checked(values_of(predictions, self.truth))
        except Refused as e:
            self._reject(team, key, e.reason)
            raise
        except InputError as e:
            self._reject(team, key, "no_score")
            raise Refused(str(e), "no_score") from e
        content = content_of(values, self.rules)
        name = sha256(content)
        with self._turn:
            return self._submitted(team, key, name, content)

    def _submitted(self, team: str, key: str, name: str, content: bytes) -> Answer:
        """The answer to a checked submission; one thread at a time, until a failure is cleared."""
        try:
            with self._locked() as (connection, at, closed):
                if (answer := self._earlier(connection, team, key, name)) is not None:
                    return answer
                check_open(self.rules, closed, at)
                check_limits(connection, self._id, self.rules, team, at)
                if self._team(connection, team) is None:
                    given = {"team": named("team", team), "token": None}
                    self._record(connection, Event(at, "register", given))
                events.store(connection, name, content)
                payload = {"team": team, "key": key, "content": name}
                self._record(connection, Event(at, "submit", payload))
                answer = self._earlier(connection, team, key, name)
        except BaseException:
            self._judge.forget(team)
            raise
        return answer

    def quote(
        self, team: str, predictions: np.ndarray | Mapping[str, Any] | str | Path | bytes
    ) -> Quote | None:
        """What a file would cost a team and tell it, if it came now; None on boards without prices.

        The cost depends on the files alone; nothing is counted.  Parameters are those of `submit`.

        Raises
        ------
        InputError
            If the file has an error.
        """
        values = values_of(predictions, self.truth)
        with self._turn, database.reading(self._engine) as connection:
            return self._judge.quote(connection, named("team", team), values)

    def name_final(self, team: str, key: str) -> int:
        """Name a team's final file, as long as the board is open; the last one named counts.

        Parameters
        ----------
        team : str
        key : str
            Names the submission among the team's.

        Returns
        -------
        int
            The number of the submission.

        Raises
        ------
        Refused
            If the board is not open, the team has no such submission, or it has named too many
            files within the hour.
        """
        with self._locked() as (connection, at, closed):
            check_open(self.rules, closed, at, "No final file was named.")
            if (number := self._number(connection, team, key)) is None:
                raise Refused(
                    f"Team '{team}' has no submission '{key}'. No final file was named.", "final"
                )
            if named_files(connection, self._id).get(team) != key:
                check_namings(connection, self._id, team, at)
                self._record(connection, Event(at, "final", {"team": team, "key": key}))
        return number

    def close(self) -> None:
        """Accept no more submissions."""
        with self._locked() as (connection, at, closed):
            if closed is None:
                self._record(connection, Event(at, "close", {}))

    def publish(self) -> None:
        """Show everybody the final table, for ever.

        Raises
        ------
        InputError
            If the board is not closed.
        """
        with self._locked() as (connection, at, closed):
            if state_of(self.rules, closed, at) != "closed":
                raise InputError(
                    f"board '{self.name}' is not closed, and final scores must be unknown until "
                    "it is: shakedown board close"
                )
            of_board = select(BOARDS.c.published_at).where(BOARDS.c.id == self._id)
            if connection.execute(of_board).scalar() is None:
                self._record(connection, Event(at, "publish", {}))

    def _reject(self, team: str, key: str, reason: str) -> None:
        """Note that a file was not counted, unless many of the team's were within the hour."""
        with self._locked() as (connection, at, _):
            left = left_to_note(connection, self._id, named("team", team), at)
            if not left:
                return
            reason += "; more within the hour are not listed" if left == 1 else ""
            payload = {"team": team, "key": key, "reason": reason}
            self._record(connection, Event(at, "reject", payload))

    def _number(self, connection: Connection, team: str, key: str) -> int | None:
        of = {"of_board": self._id, "of_team": named("team", team), "of_key": key}
        own = connection.execute(_SCORED, of).one_or_none() if key.isprintable() else None
        return None if own is None else own.number

    def _team(self, connection: Connection, team: str) -> int | None:
        of_team = {"of_board": self._id, "of_team": named("team", team)}
        return connection.execute(_TEAM, of_team).scalar()

    def _earlier(self, connection: Connection, team: str, key: str, name: str) -> Answer | None:
        """The answer to a submission that was scored; None for a new key."""
        of = {"of_board": self._id, "of_team": team, "of_key": key}
        own = connection.execute(_SCORED, of).one_or_none()
        if own is None:
            return None
        if own.content != name:
            raise Refused(
                f"submission '{key}' was scored with other predictions. Give a new file a name of "
                "its own; the file was not counted.",
                "key",
            )
        return answer_to(connection, self.rules, self._judge.start, own)


@contextmanager
def _disposed_on_failure(engine: Engine):
    try:
        yield
    except BaseException:
        engine.dispose()
        raise
