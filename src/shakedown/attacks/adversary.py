"""What attacks that submit arbitrary numbers share.

They use no feature and no model, and predict the final rows by the mean of the response: zeros.  So
the final score is that of the intercept-only prediction, and Δ is the public score of what they end
with less the public score of zeros (up to 1/n_final - 1/n_public of the response's variance, as
each set is scaled to variance 1).  Noise on the final rows would make Δ as large as one likes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np
from pydantic import model_validator

from shakedown.attacks.attack import Attack, PreparedAttack
from shakedown.attacks.guesses import Points, checked_points, fair_labels, points_parameter
from shakedown.component import parameter
from shakedown.interface import FinalModels, Game, LeaderboardClient, ParticipantData


class Adversary(Attack):
    """An attack that submits arbitrary numbers; derive from it and write `prepare`."""

    point_name: ClassVar[str] = "outcome"
    ignores_features: ClassVar[bool] = True
    metrics: ClassVar[tuple[str, ...]] = ("mse", "rmse")
    examples: ClassVar[tuple[dict, ...]] = ({"submissions": 12, "points": [3]},)

    submissions: int = parameter(ge=1, description="Number of submissions.")
    points: Points = points_parameter()

    @model_validator(mode="after")
    def _within(self) -> Adversary:
        checked_points(self.points, self.submissions)
        return self


class PreparedAdversary(PreparedAttack):
    """An adversary in one replicate; derive from it and write `_play`.

    Attributes
    ----------
    n : int
        Public rows.
    submissions : int
    """

    board = "carried_on"

    def __init__(
        self, attack: Adversary, participant: ParticipantData, rng: np.random.Generator
    ) -> None:
        self.attack, self.submissions = attack, attack.submissions
        self.n, self._n_final = len(participant.X_public), len(participant.X_final)
        # The last submission is always a point.
        self._points = sorted({*checked_points(attack.points, self.submissions), self.submissions})
        self._signs = fair_labels(rng, self.submissions, self.n)

    def signs(self, start: int, stop: int) -> np.ndarray:
        """Random signs of some of the submissions; float, shape (stop - start, n)."""
        return 2.0 * self._signs[start:stop] - 1.0

    def play(self, open_board: Callable[[], LeaderboardClient]) -> Game:
        """Play on one board."""
        run = Run(open_board(), self._points, self._n_final)
        self._play(run)
        return run.game()

    def _play(self, run: Run) -> None:
        raise NotImplementedError


class Run:
    """One run of an adversary on a board: its submissions, and what it would end with.

    Attributes
    ----------
    board : LeaderboardClient
    root : bool
        Whether scores are roots of a mean square.
    """

    def __init__(self, board: LeaderboardClient, points: list[int], n_final: int) -> None:
        self.board, self.root = board, board.metric == "rmse"
        self._points, self._n_final = points, n_final
        self._sizes: list[int] = []
        self._files: list[np.ndarray] = []
        self._used: list[int] = []

    def submit(self, files: np.ndarray) -> np.ndarray:
        """Submit files, shape (m, n); returns the released scores, shape (m,)."""
        self._sizes.append(len(files))
        final = np.zeros((1, self._n_final))
        return self.board.submit(files, lambda: final.repeat(len(files), axis=0)).released

    def would_end(self, file: np.ndarray, submissions: int, used: int) -> None:
        """Note its final file, shape (n,), if `submissions` is a point.

        `used` is the number of submissions that it learned from.
        """
        if submissions in self._points:
            self._files.append(file.copy())
            self._used.append(used)

    def game(self) -> Game:
        """The game played."""
        q, m = len(self._points), len(self._sizes)
        models = FinalModels(
            np.array(self._files),
            np.zeros((q, self._n_final)),
            np.array(self._used),
            np.arange(1, q + 1),
            np.array(self._points),
        )
        starts = np.cumsum([0, *self._sizes])
        submitted = [np.arange(a, b) for a, b in zip(starts, starts[1:], strict=False)]
        # Sets of no feature, for a trace.
        return Game(models, submitted, [np.arange(0)] * m, sets=[np.arange(0)] * int(starts[-1]))
