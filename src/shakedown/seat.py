"""Where an attacker sits: a participant's side of the boards, and the record of what was played."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shakedown.leaderboard.board import Best, Board, Referee
from shakedown.leaderboard.catalogue import Mechanism
from shakedown.leaderboard.climbing import Climb


class Table:
    """Where an attacker sits: opens boards of one kind and keeps the record of every batch."""

    def __init__(self, referee: Referee, mechanism: Mechanism, luck: Callable) -> None:
        self.referee, self.mechanism, self._luck = referee, mechanism, luck
        self.boards: list[Board] = []
        self.accepted: list[int] = []
        self.changed: list[int] = []
        self.released: list[np.ndarray] = []
        self.replaced: list[np.ndarray] = []
        self._after: list[tuple[Board, Best]] = []

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

    def preview(self, batch: int, predictions: np.ndarray) -> np.ndarray:
        """What predictions, (q, n_public), would have been shown next after a batch; (q,)."""
        board, best = self._after[batch]
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
        "told_accepted",
    )  # fmt: skip

    def __init__(self, table: Table, board: Board) -> None:
        mechanism = table.mechanism
        self.larger_is_better = table.referee.metric.larger_is_better
        self.is_noisy = mechanism.is_noisy
        self.replaces_always = mechanism.gate.name == "always"
        self.step = mechanism.release.step_for(len(table.referee.y))

        def submit(predictions: np.ndarray) -> np.ndarray:
            changed = board.changed
            released = board.submit(predictions)
            if mechanism.shows_ranks:
                released = table.ranks(board, released)
            table.record(board, released, board.changed - changed)
            return released

        def climb(labels: np.ndarray, moves: np.ndarray, lowest: float) -> Climb:
            changed = board.changed
            climbed = board.climb(labels, moves, lowest)
            table.record(board, climbed.shown, board.changed - changed)
            return climbed

        self.submit, self.climb = submit, climb
        self.told_accepted = lambda: board.last_accepted
