"""Judge submissions on the boards of a challenge, whose states stand in the database."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sqlalchemy import Connection, bindparam, select

from shakedown.data.censored import check_kind
from shakedown.data.checks import too_close
from shakedown.interface import SMALLEST_SPREAD, InputError
from shakedown.leaderboard.scorer import Scorer
from shakedown.leaderboard.sequential import JudgedFile, SequentialBoard, StoredState
from shakedown.live.contents import kept, predictions_of, products_of
from shakedown.live.database import sound
from shakedown.live.rules import Rules
from shakedown.live.submission_file import Refused
from shakedown.live.tables import CONTENTS, DECISIONS, PRODUCTS, STATES, SUBMISSIONS, TEAMS
from shakedown.live.truth import Truth
from shakedown.metrics import PEARSON
from shakedown.metrics.classes import NUMBERS, unfit
from shakedown.metrics.responses import check_responses
from shakedown.seeding import stream

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shakedown.leaderboard.account import Quote

#: Most boards that are kept in memory: without the files that a defence compares, and with them.
KEPT, KEPT_WITH_FILES = 256, 16
#: The risk that stands for none, where a metric of a user fails; worse than any other.
NO_SCORE = 1e300

_STATE = select(STATES.c.state).where(
    STATES.c.board_id == bindparam("of_board"), STATES.c.account == bindparam("of_account")
)


class Judgement(NamedTuple):
    """What a board did with a submission; only `released` and its standard error may be shown.

    `products` are what is kept of the file for a board that is restored; None for nothing.
    """

    released: float | None
    accepted: bool
    refused: bool
    in_force: int
    score_public: float
    score_final: float
    state: StoredState
    error: float | None
    products: np.ndarray | None


class LiveJudge:
    """The boards of all accounts of a challenge.

    An account is a team, or "" if all teams share a board.  Boards are kept in memory; if another
    process has changed a board, it is restored from the database.

    Parameters
    ----------
    board_id : int
    rules : Rules
    truth : Truth
    """

    def __init__(self, board_id: int, rules: Rules, truth: Truth) -> None:
        self._id, self.rules, self.truth = board_id, rules, truth
        # The correlation of a constant prediction is 0.  If it were refused, a file that is
        # constant on some rows would tell whether all public rows are among them.
        self._sets = truth.part(True), truth.part(False)
        self._scorer, self._final = (
            Scorer(
                rules.judged_by.on(own.cells, own.groups, own.weights),
                own.y,
                undefined_is_zero=True,
            )
            for own in self._sets
        )
        self._boards: dict[str, SequentialBoard] = {}

    @cached_property
    def _classes(self) -> np.ndarray:
        """The values of the truth that is scored; where they are classes, they are no secret."""
        return np.unique(np.concatenate([own.y for own in self._sets]))

    @cached_property
    def start(self) -> float | None:
        """The score that a new board shows; None if it shows none."""
        return self._new("").stored.shown

    def account(self, team: str) -> str:
        """The account of a team."""
        return "" if self.rules.is_shared else team

    def _who(self, team: str) -> str | None:
        """The team, if it shares a board that must tell it apart."""
        return team if self.rules.is_shared else None

    def checked(self, predictions: np.ndarray) -> np.ndarray:
        """Check predictions, shape (asked,), in the order of the truth; round them as stored.

        What is refused may not depend on who is public, nor on the truth: refusals are free.

        Raises
        ------
        InputError
            If they are not finite, too large, or a correlation of them has no meaning.
        """
        predictions = kept(predictions, self.rules)
        metric, spread = self.rules.judged_by, float(np.ptp(predictions))
        if metric.predicts != NUMBERS and (
            why := unfit(metric.predicts, predictions, self._classes)
        ):
            raise Refused(f"{metric.label}: {why}. Correct the file.", "kind")
        if metric.formula != PEARSON:
            return predictions
        if spread == 0:
            rounded = " in single precision" if self.rules.single else ""
            raise Refused(
                f"All predictions are {predictions[0]:g}{rounded}: {metric.label} needs "
                "predictions that differ between rows.",
                "constant",
            )
        if spread < SMALLEST_SPREAD and not metric.ranks:
            raise Refused(
                f"The predictions differ by {spread:g} at most: {metric.label} needs predictions "
                f"that differ by {SMALLEST_SPREAD:g} or more.",
                "constant",
            )
        return predictions

    def check_metric(self) -> None:
        """Check that the metric can score the truth itself, in another order.

        Raises
        ------
        InputError
            If it cannot, or scores would be too small to be compared.
        """
        metric = self.rules.judged_by
        cuts = bool(self.truth.horizons)
        check_kind(metric, self.truth.censored, "the truth", at_horizons=cuts)
        parts = (("public", self._scorer), ("final", self._final))
        for (part, scorer), own in zip(parts, self._sets, strict=True):
            if why := too_close(scorer.response, metric.smallest_spread):
                raise InputError(f"{part} values of the truth {why}")
            if not metric.compares_labels:  # such a metric takes any labels
                check_responses(metric, own.y, own.cells, f"{part} values of the truth")
            mixed = stream(0, "live", part).permutation(scorer.response)
            try:
                scorer.judge(mixed[None])
            except Exception as e:  # a user's function can raise any
                raise InputError(
                    f"metric '{self.rules.metric}' cannot be computed on the {part} rows, with "
                    "their own truth in another order as predictions. Choose another metric."
                ) from e

    def scores(self, predictions: np.ndarray) -> tuple[float, float]:
        """The public and the final score of predictions, shape (asked,); `NO_SCORE` to the bad side
        where the metric fails."""
        sign, scores = self.rules.judged_by.sign, []
        for scorer, own in zip((self._scorer, self._final), self._sets, strict=True):
            try:
                risk = float(scorer.judge(predictions[own.at][None]).risks[0])
            except MemoryError:
                raise
            except Exception:  # a user's function can raise any
                risk = NO_SCORE
            scores.append(sign * risk)
        return scores[0], scores[1]

    def judge(self, connection: Connection, team: str, predictions: np.ndarray) -> Judgement:
        """Judge a submission; the caller stores the result, or calls `forget`.

        If the metric fails, on the public rows or in a bootstrap of them, the file counts and is
        not judged.  An error would be free, and tell something of the public rows.
        """
        account, predictions = self.account(team), self.checked(predictions)
        board = self._board(connection, account)
        before = board.stored
        try:
            own = np.ascontiguousarray(predictions[self._sets[0].at])
            released, accepted, refused = board.submit_one(own, self._who(team))
            state, error = board.stored, board.error
            # A board made before single precision has no products of its first files.
            products = board.products if self.rules.single and not refused else None
        except MemoryError:
            raise
        except Exception:  # a user's function can raise any
            self.forget(team)  # it may have stopped half-way
            accepted, refused, state = False, True, replace(before, made=before.made + 1)
            error = products = None
            released = np.nan if state.shown is None else state.shown
        return Judgement(
            None if np.isnan(released) else released, accepted, refused, state.in_force,
            *self.scores(predictions), state, error, products,
        )  # fmt: skip

    def quote(self, connection: Connection, team: str, predictions: np.ndarray) -> Quote | None:
        """What predictions, shape (n,), would cost a team and tell it; None without prices.

        The cost depends on the files alone, not on the truth.

        Raises
        ------
        InputError
            As `checked`.
        """
        predictions = self.checked(predictions)
        board = self._board(connection, self.account(team))
        own = np.ascontiguousarray(predictions[self._sets[0].at])
        return board.quote(own, self._who(team))

    def known(
        self, connection: Connection, team: str, contents: Sequence[bytes]
    ) -> tuple[list[float], list[float], Quote]:
        """What a metered board knows now of a team's files: their scores, and standard errors.

        Parameters
        ----------
        contents : sequence of bytes
            The files as stored, one or more.

        Returns
        -------
        scores, errors : list of float
        quote : Quote
            What the last of them would cost, if it came again.
        """
        board = self._board(connection, self.account(team))
        files = np.array([self._public(content) for content in contents])
        quote = board.quote(files[-1], self._who(team))
        return board.known(files).tolist(), board.errors(files).tolist(), quote

    def forget(self, team: str) -> None:
        """Drop a board from memory: its last submission was not stored."""
        self._boards.pop(self.account(team), None)

    def _new(self, account: str) -> SequentialBoard:
        # The names of the streams are those of a replay.
        factory = partial(stream, self.rules.seed, "replay", "per_team", "team", account)
        return SequentialBoard(self._scorer, self.rules.mechanism, factory)

    def _board(self, connection: Connection, account: str) -> SequentialBoard:
        """The board of an account, as of the database."""
        own = {"of_board": self._id, "of_account": account}
        stored = connection.execute(_STATE, own).scalar()
        with sound("the state of a team's board"):
            state = StoredState() if stored is None else StoredState(**json.loads(stored))
        board = self._boards.get(account)
        if board is None or board.stored.made != state.made:
            board = self._boards[account] = self._new(account)
            if stored is not None:
                with sound("what a team's board rests on"):
                    self._restore(connection, board, account, state)
        self._boards[account] = self._boards.pop(account)
        if len(self._boards) > (KEPT_WITH_FILES if board.needs_files else KEPT):
            del self._boards[next(iter(self._boards))]
        return board

    def _restore(
        self, connection, board: SequentialBoard, account: str, state: StoredState
    ) -> None:
        of = SUBMISSIONS.c.board_id == self._id, SUBMISSIONS.c.account == account
        wanted = select(CONTENTS.c.content).join_from(SUBMISSIONS, CONTENTS).where(*of)
        in_force, files, judged = None, None, ()
        if state.in_force:
            number = SUBMISSIONS.c.account_number == state.in_force
            in_force = self._public(connection.execute(wanted.where(number)).scalar_one())
        if board.needs_files:
            earlier = (
                wanted.add_columns(SUBMISSIONS.c.account_number, TEAMS.c.name, PRODUCTS.c.products)
                .join(TEAMS, TEAMS.c.id == SUBMISSIONS.c.team_id)
                .join(PRODUCTS, PRODUCTS.c.submission_id == SUBMISSIONS.c.id, isouter=True)
                .join(DECISIONS, DECISIONS.c.submission_id == SUBMISSIONS.c.id)
                .where(DECISIONS.c.refused.is_(False))
                .order_by(SUBMISSIONS.c.account_number)
            )
            rows = connection.execute(earlier).all()
            files = np.array([self._public(row.content) for row in rows])
            judged = [
                JudgedFile(row.account_number, self._who(row.name), products_of(row.products))
                for row in rows
            ]
        board.restore(state, in_force, files, judged)

    def _public(self, content: bytes) -> np.ndarray:
        return np.ascontiguousarray(predictions_of(content, self.rules)[self._sets[0].at])
