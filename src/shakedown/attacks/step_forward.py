"""The step-forward attack: [C] Algorithm 7.

Each iteration adds every remaining feature in turn to the selected ones, submits, and selects the
feature of the last jump in the released scores.  Line 5, which submits all univariate models again
in every iteration, is left out: it contradicts line 4 and every count of submissions in the text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from shakedown.attacks import jumps
from shakedown.attacks.least_squares import candidate_predictions, extend
from shakedown.interface import FinalModels, Game, InputError, View, Window

BOARDS = ("fresh", "carried_on")
DETECTORS = ("told", "penalised")


@dataclass(frozen=True, eq=False)
class _Plateau:
    """What the same board showed since the last jump that was found, that one included."""

    released: np.ndarray = field(default_factory=lambda: np.empty(0))
    accepted: np.ndarray | None = field(default_factory=lambda: np.empty(0, bool))


class StepForward:
    """Step-forward attack.

    Parameters
    ----------
    view : View
    model
        The final model, see `models`.
    iterations : int
        Most iterations; the outcome has a point for each of 1, 2, ...  An iteration that shows no
        jump ends the attack, and the later points repeat what it holds.
    board : {"fresh", "carried_on"}
        Whether each iteration opens a new leaderboard, as with a new account, or all are played
        on one.  [C] does not say; its Fig. 6 needs "fresh".
    detector : {"told", "penalised"}
        How the last jump is found on a board with noise: binary segmentation told the true number
        of jumps, as in [C], or penalised least squares without that help.
    min_segment : int
        Shortest stretch between two jumps that the detectors consider on a board with noise.

    Attributes
    ----------
    opening : ndarray, shape (p, n_public)
        The first iteration's submissions, the same for every board.
    size : int
        Most features that it selects.

    Raises
    ------
    InputError
        If `board` or `detector` is none of the above.
    """

    def __init__(
        self,
        view: View,
        model,
        *,
        iterations: int,
        board: str = "fresh",
        detector: str = "told",
        min_segment: int = 2,
    ) -> None:
        for name, value, known in (("board", board, BOARDS), ("detector", detector, DETECTORS)):
            if value not in known:
                raise InputError(f"step_forward: `{name}` must be one of {known}, got {value!r}.")
        self._view, self._model = view, model
        self.size = self._iterations = min(iterations, view.X_train.shape[1])
        self._points = iterations
        self.board = board
        self._detector = detector
        self._min_segment = min_segment
        self._start = (view.X_train.T, view.X_public.T, view.y_train, np.zeros(len(view.X_public)))
        self.opening = candidate_predictions(*self._start)

    def play(self, open_board: Callable[[], Window]) -> Game:
        """Play against boards of one kind."""
        state, predictions = self._start, self.opening
        remaining = np.arange(len(predictions))
        selected: list[int] = []
        submitted, taken, counts = [], [], []
        board = None
        for _ in range(self._iterations):
            if self.board == "fresh" or board is None:
                board, seen = open_board(), _Plateau()
            released = board.submit(predictions)  # Algorithm 7, line 4
            submitted.append(remaining)
            counts.append(len(released))
            found = self._last_jump(board, released, seen)  # line 6
            if found is None:
                taken.append(np.empty(0, int))
                break
            told = board.told_accepted()[found:] if self._asks_oracle(board) else None
            seen = _Plateau(released[found:], told)
            selected.append(int(remaining[found]))  # line 7
            taken.append(remaining[found : found + 1])
            remaining = np.delete(remaining, found)  # line 8
            if len(submitted) < self._iterations:
                predictions, state = extend(*state, found)
        return Game(self._models(np.array(selected, int), np.cumsum(counts)), submitted, taken)

    def _last_jump(self, board: Window, released: np.ndarray, seen: _Plateau) -> int | None:
        """Index, in this batch, of the first submission after the last jump.

        On a new board the first score is a jump, from R_0 = infinity; so only a board that is
        carried on, or that never shows a difference, has an iteration without one.
        """
        if board.replaces_always:
            # Every score is a jump here; the attacker takes the best one instead.
            return _best(released, board.larger_is_better)
        before = len(seen.released)
        signal = np.concatenate([seen.released, released])
        if not board.is_noisy:
            found = jumps.last_change(signal)
        elif self._asks_oracle(board):
            # Whatever was accepted after the first score of the signal is a jump within it.
            accepted = np.concatenate([seen.accepted, board.told_accepted()])
            found = jumps.last_of_told(signal, int(accepted[1:].sum()), self._min_segment)
        else:
            found = jumps.last_penalised(signal, self._min_segment)
        if found is None or found < before:
            return None if before else 0
        return found - before

    def _asks_oracle(self, board: Window) -> bool:
        return board.is_noisy and self._detector == "told"

    def _models(self, selected: np.ndarray, submissions: np.ndarray) -> FinalModels:
        """The model after each iteration; after the last one that found a jump it stays."""
        view, points = self._view, self._points
        public = np.zeros((points + 1, len(view.X_public)))
        final = np.zeros((points + 1, len(view.X_final)))
        k = len(selected)
        if k:
            public[1 : k + 1], final[1 : k + 1] = self._model.nested(view, selected)
        held = np.minimum(np.arange(1, points + 1), k)
        made = submissions[np.minimum(np.arange(points), len(submissions) - 1)]
        return FinalModels(public[held], final[held], held, np.arange(1, points + 1), made)


def _best(released: np.ndarray, larger_is_better: bool) -> int | None:
    """The best score, the first among ties; None where several are all the same."""
    if len(released) > 1 and released.min() == released.max():
        return None
    return int(released.argmax() if larger_is_better else released.argmin())
