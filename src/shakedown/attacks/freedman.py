"""Freedman's attack: select features by their score on the public leaderboard.

[C], section "Freedman's attack": fit one univariate regression per feature on the training set,
submit them all, rank them by the released scores, and fit a regression on the top k.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shakedown.attacks.least_squares import candidate_predictions
from shakedown.interface import FinalModels, Game, View, Window


class Freedman:
    """Freedman's attack.

    Parameters
    ----------
    view : View
    model
        The final model, see `models`.
    largest_model : int
        Largest k; the outcome has a point for each k = 1, 2, ...

    Attributes
    ----------
    opening : ndarray, shape (p, n_public)
        Its submissions, the same for every board.
    size : int
        Most features that it selects.
    board : None
        It has no iterations that could share a board or not.
    """

    board = None
    draws = False

    def __init__(self, view: View, model, *, largest_model: int = 30) -> None:
        self._view, self._model = view, model
        self.size = min(largest_model, view.X_train.shape[1])
        self.opening = self._predictions(view.X_public)

    def play(self, open_board: Callable[[], Window]) -> Game:
        """Play against one board."""
        board = open_board()
        released = board.submit(self.opening, lambda: self._predictions(self._view.X_final))
        # Ties go to the earlier submission: "we simply select the first k consecutive features".
        ranked = np.argsort(-released if board.larger_is_better else released, kind="stable")
        top = ranked[: self.size]
        public, final = self._model.nested(self._view, top)
        k = np.arange(1, len(top) + 1)
        models = FinalModels(public, final, k, None, np.full(len(k), len(released)))
        return Game(models, [np.arange(len(released))], [top])

    def _predictions(self, X: np.ndarray) -> np.ndarray:
        """Predictions of the univariate models, shape (p, n), of the rows of X, shape (n, p)."""
        view = self._view
        return candidate_predictions(view.X_train.T, X.T, view.y_train, np.zeros(len(X)))
