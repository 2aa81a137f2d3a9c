"""Where an attacker sits: a participant's side of the boards, and the record of what was played."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shakedown.interface import Climbed
from shakedown.leaderboard.board import Best, Board, Referee
from shakedown.leaderboard.catalogue import Mechanism
from shakedown.leaderboard.error import LeaderboardError, State, TrueRisks


class Table:
    """Where an attacker sits: opens boards of one kind and keeps the record of every batch.

    With `truth` that is also how far the boards were from it, unless they show no score; nothing
    of this is shown to the attacker.
    """

    def __init__(
        self,
        referee: Referee,
        mechanism: Mechanism,
        luck: Callable,
        truth: TrueRisks | None = None,
    ) -> None:
        self.referee, self.mechanism, self._luck = referee, mechanism, luck
        self.boards: list[Board] = []
        self.accepted: list[int] = []
        self.changed: list[int] = []
        self.released: list[np.ndarray] = []
        self.replaced: list[np.ndarray] = []
        self.truth = truth if mechanism.shows_scores else None
        self._after: list[tuple[Board, Best]] = []
        self._error = LeaderboardError(
            referee.metric.sign, shows_each=mechanism.gate.name == "always"
        )
        self._states: list[State] = []

    def open(self) -> Seat:
        """Open a new board and return the participant's side of it."""
        board = Board(self.referee, self.mechanism, self._luck, len(self.boards) + 1)
        self.boards.append(board)
        return Seat(self, board)

    def record(self, board: Board, released: np.ndarray, changed: int) -> None:
        """Keep what a batch did; `changed` is how often it changed the number that is shown."""
        self.released.append(released)
        self.replaced.append(board.last_accepted)
        for totals, more in ((self.accepted, board.last_accepted.sum()), (self.changed, changed)):
            totals.append(int(more) + (totals[-1] if totals else 0))
        self._after.append((board, board.best))

    def compare(
        self, board: Board, risks: np.ndarray, released: np.ndarray, *, anew: bool = False
    ) -> None:
        """Keep how far a batch's released scores were from its true risks, shape (m,).

        `anew`: each of them came from an account of its own.
        """
        (self._error.after_each if anew else self._error.after)(board, risks, released)
        self._states.append(self._error.state(board))

    def error_with(
        self,
        batch: int,
        public: np.ndarray,
        final: np.ndarray,
        released: np.ndarray,
        *,
        anew: bool = False,
    ) -> np.ndarray:
        """[B] Definition 2.1 with one submission more after a batch; NaN where it is not known.

        Parameters
        ----------
        batch : int
        public, final : ndarray, shape (q, n_public) and (q, n_final)
            The predictions of q submissions, each of which is the last one in turn.
        released : ndarray, shape (q,)
            What the board shows for them; NaN for one that is not made.
        anew : bool
            Whether they come from a new account.

        Returns
        -------
        ndarray, shape (q,)
        """
        if self.truth is None:
            return np.full(len(released), np.nan)
        state = self._states[batch]
        if anew:
            state = State(np.inf, np.inf, state.largest)
        errors = self._error.after_one_more(state, self.truth.of(public, lambda: final), released)
        return np.where(np.isnan(released), state.largest, errors)

    def preview(self, batch: int, predictions: np.ndarray, *, anew: bool = False) -> np.ndarray:
        """What predictions, (q, n_public), would have been shown next after a batch; (q,).

        With `anew` each is shown what the first submission of a new account is.
        """
        board, best = self._after[batch]
        if anew:
            board = Board(self.referee, self.mechanism, self._luck, len(self.boards) + 1)
            best = board.best
        return board.preview(predictions, best)

    def ranks(self, board: Board, shown: np.ndarray) -> np.ndarray:
        """The account's rank after each submission, where it is ranked by `shown`, shape (m,).

        1 for the lead; accounts that are shown the same share the mean of their ranks.
        """
        others = [other.shown for other in self.boards if other is not board and other.submissions]
        others = np.array(others)[:, None]
        return 1.0 + (others < shown).sum(axis=0) + 0.5 * (others == shown).sum(axis=0)


class Seat:
    """A participant's side of a board (`interface.Window`); it offers nothing of the response."""

    __slots__ = (
        "climb", "is_noisy", "larger_is_better", "replaces_always", "step", "submit",
        "submit_each", "told_accepted",
    )  # fmt: skip

    def __init__(self, table: Table, board: Board) -> None:
        mechanism = table.mechanism
        self.larger_is_better = table.referee.metric.larger_is_better
        self.is_noisy = mechanism.is_noisy
        self.replaces_always = mechanism.gate.name == "always"
        self.step = mechanism.release.step_for(len(table.referee.y))

        def submit(predictions: np.ndarray, final: Callable | None = None) -> np.ndarray:
            changed = board.changed
            released = board.submit(predictions)
            if mechanism.shows_ranks:
                released = table.ranks(board, released)
            table.record(board, released, board.changed - changed)
            if table.truth is not None:
                table.compare(board, table.truth.of(predictions, final), released)
            return released

        def climb(labels: np.ndarray, moves: np.ndarray, lowest: float) -> Climbed:
            changed = board.changed
            climbed = board.climb(labels, moves, lowest)
            table.record(board, climbed.shown, board.changed - changed)
            if table.truth is not None:
                risks = table.truth.of_labels(climbed.ones, len(labels))
                table.compare(board, risks, climbed.shown)
            return Climbed(climbed.shown, climbed.kept)

        def submit_each(predictions: np.ndarray) -> np.ndarray:
            released = board.submit_each(predictions)
            table.record(board, released, len(released))
            if table.truth is not None:
                table.compare(board, table.truth.of(predictions), released, anew=True)
            return released

        self.submit, self.submit_each, self.climb = submit, submit_each, climb
        self.told_accepted = lambda: board.last_accepted
