"""The step-forward attack: [C] Algorithm 7.

Each iteration adds every remaining feature in turn to the selected ones, submits, and selects the
feature of the last jump in the released scores.  Line 5, which submits all univariate models again
in every iteration, is left out: it contradicts line 4 and every count of submissions in the text.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shakedown.attacks import jumps
from shakedown.attacks.least_squares import candidate_predictions, extend
from shakedown.interface import FinalModels, Game, View, Window

DETECTORS = ("auto", "told", "penalised")


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
    detector : {"auto", "told", "penalised"}
        How the last jump is found on a board with noise: binary segmentation told the true number
        of jumps ("auto", "told": as in [C]), or penalised least squares without that help.
    min_segment : int
        Shortest stretch between two jumps that the detectors consider on a board with noise.
    """

    def __init__(
        self,
        view: View,
        model,
        *,
        iterations: int,
        board: str = "fresh",
        detector: str = "auto",
        min_segment: int = 2,
    ) -> None:
        self._view, self._model = view, model
        self._iterations = min(iterations, view.X_train.shape[1])
        self._points = iterations
        self._fresh = board == "fresh"
        self._detector = detector
        self._min_segment = min_segment
        self._start = (view.X_train.T, view.X_public.T, view.y_train, np.zeros(len(view.X_public)))
        self._opening = candidate_predictions(*self._start)

    def play(self, open_board: Callable[[], Window]) -> Game:
        """Play against boards of one kind."""
        state, predictions = self._start, self._opening
        remaining = np.arange(len(predictions))
        selected: list[int] = []
        submitted, taken, counts = [], [], []
        board, before = None, np.empty(0)
        for _ in range(self._iterations):
            if self._fresh or board is None:
                board, before = open_board(), np.empty(0)
            released = board.submit(predictions)  # Algorithm 7, line 4
            submitted.append(remaining)
            counts.append(len(released))
            found = self._last_jump(board, released, before)  # line 6
            if found is None:
                taken.append(np.empty(0, int))
                break
            before = released[found:]
            selected.append(int(remaining[found]))  # line 7
            taken.append(remaining[found : found + 1])
            remaining = np.delete(remaining, found)  # line 8
            if len(submitted) < self._iterations:
                predictions, state = extend(*state, found)
        return Game(self._models(np.array(selected, int), np.cumsum(counts)), submitted, taken)

    def _last_jump(self, board: Window, released: np.ndarray, before: np.ndarray) -> int | None:
        """Index, in this batch, of the first submission after the last jump.

        `before` are the scores that the same board showed since the last jump that was found.  On
        a new board there are none, and its first score is a jump, from R_0 = infinity; so only a
        board that is carried on, or that never shows a difference, has an iteration without one.
        """
        if board.replaces_always:
            # Every score is a jump here; the attacker takes the best one instead.
            return _best(released, board.larger_is_better)
        is_new = len(before) == 0
        signal = np.concatenate([before, released])
        if not board.is_noisy:
            found = jumps.last_change(signal)
        elif self._detector == "penalised":
            found = jumps.last_penalised(signal, self._min_segment)
        else:
            told = board.told_accepted() - is_new
            found = jumps.last_of_told(signal, told, self._min_segment)
        if found is None or found < len(before):
            return 0 if is_new else None
        return found - len(before)

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
