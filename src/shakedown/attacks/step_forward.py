"""The step-forward attack: [C] Algorithm 7.

Each iteration adds every remaining feature in turn to the selected ones, submits, and selects the
feature of the last jump in the released scores.  Line 5, which submits all univariate models again
in every iteration, is left out: it contradicts line 4 and every count of submissions in the text.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from shakedown.attacks import jumps
from shakedown.attacks.least_squares import Step, candidate_predictions, carried, extend
from shakedown.interface import FinalModels, Game, InputError, View, Window

BOARDS = ("fresh", "carried_on")
DETECTORS = ("told", "penalised")


class _Averaging:
    """A board seen through the average of several submissions of each model."""

    def __init__(self, board: Window, repeats: int) -> None:
        self._board, self._repeats = board, repeats
        self.larger_is_better = board.larger_is_better
        self.is_noisy = board.is_noisy
        self.replaces_always = board.replaces_always

    def submit(self, predictions: np.ndarray, final: Callable) -> np.ndarray:
        if self._repeats == 1:
            return self._board.submit(predictions, final)
        released = self._board.submit(self._repeated(predictions), lambda: self._repeated(final()))
        released = released.reshape(-1, self._repeats)
        # Without noise they agree, and an average would differ from them in its last bits.
        return released.mean(axis=1) if self.is_noisy else released[:, -1]

    def _repeated(self, predictions: np.ndarray) -> np.ndarray:
        return np.repeat(predictions, self._repeats, axis=0)

    def told_accepted(self) -> np.ndarray:
        """Models that replaced the best, whichever submission of them did."""
        return self._board.told_accepted().reshape(-1, self._repeats).any(axis=1)


class _Rows:
    """The candidates on rows that no model is fitted to; they catch up when they are asked for."""

    def __init__(self, rows: np.ndarray) -> None:
        self._rows, self._base = rows, np.zeros(rows.shape[1])
        self._predictions = np.empty(rows.shape)
        self._steps: list[Step] = []

    def take(self, step: Step) -> None:
        """Take a candidate into the set."""
        self._steps.append(step)

    def predictions(self) -> np.ndarray:
        """Predictions of "the set so far, and one feature more", once one has been taken."""
        for step in self._steps:
            self._predictions, self._rows, self._base = carried(self._rows, self._base, step)
        self._steps.clear()
        return self._predictions


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
    repeats : int
        How often in a row each model is submitted; the attacker goes by the average score ([C],
        discussion).

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

    draws = False

    def __init__(
        self,
        view: View,
        model,
        *,
        iterations: int,
        board: str = "fresh",
        detector: str = "told",
        min_segment: int = 2,
        repeats: int = 1,
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
        self._repeats = repeats
        self.opening = self._opening(view.X_public)

    def play(self, open_board: Callable[[], Window]) -> Game:
        """Play against boards of one kind."""
        view = self._view
        train, residual = view.X_train.T, view.y_train
        public, final = _Rows(view.X_public.T), _Rows(view.X_final.T)
        predictions, on_final = self.opening, partial(self._opening, view.X_final)
        remaining = np.arange(len(predictions))
        selected: list[int] = []
        submitted, taken, counts = [], [], []
        board = None
        for _ in range(self._iterations):
            if self.board == "fresh" or board is None:
                board = _Averaging(open_board(), self._repeats)
                reader = jumps.Reader(self._detector, self._min_segment)
            released = board.submit(predictions, on_final)  # Algorithm 7, line 4
            submitted.append(np.repeat(remaining, self._repeats))
            counts.append(len(submitted[-1]))
            found = self._last_jump(board, released, reader)  # line 6
            if found is None:
                taken.append(np.empty(0, int))
                break
            selected.append(int(remaining[found]))  # line 7
            taken.append(remaining[found : found + 1])
            remaining = np.delete(remaining, found)  # line 8
            if len(submitted) < self._iterations:
                step, train, residual = extend(train, residual, found)
                public.take(step)
                final.take(step)
                predictions, on_final = public.predictions(), final.predictions
        return Game(self._models(np.array(selected, int), np.cumsum(counts)), submitted, taken)

    def _opening(self, X: np.ndarray) -> np.ndarray:
        """Predictions of the first iteration's models, shape (p, n), of the rows of X, (n, p)."""
        view = self._view
        return candidate_predictions(view.X_train.T, X.T, view.y_train, np.zeros(len(X)))

    def _last_jump(self, board: Window, released: np.ndarray, reader: jumps.Reader) -> int | None:
        """Index, in this batch, of the first submission after the last jump."""
        if board.replaces_always:
            # Every score is a jump here; the attacker takes the best one instead.
            return jumps.best(released, board.larger_is_better)
        return reader.read(board, released)

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
