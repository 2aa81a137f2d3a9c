"""Freedman's attack: select features by their score on the public leaderboard.

[C], section "Freedman's attack": fit one univariate regression per feature on the training set,
submit them all, rank them by the released scores, and fit a regression on the top k.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from shakedown.attacks.attack import Attack, PreparedAttack, Scope, spaced
from shakedown.attacks.least_squares import candidate_predictions
from shakedown.component import parameter
from shakedown.interface import FinalModels, Game, ParticipantData
from shakedown.terms import LeaderboardClient
from shakedown.wording import counted


class Freedman(Attack):
    """Freedman's attack; its outcomes have a point for each k = 1, 2, ..."""

    name: ClassVar[str] = "freedman"
    label: ClassVar[str] = "Freedman"
    phrase: ClassVar[str] = "Freedman's attack"
    sentence: ClassVar[str] = (
        "Submits one model per feature, then fits the k features with the best released scores "
        "together."
    )
    source: ClassVar[str] = '[C] section "Freedman\'s attack"'
    order: ClassVar[float] = 1
    point_name: ClassVar[str] = "k"
    points_are_sizes: ClassVar[bool] = True
    threat: ClassVar[str] = "modeller"
    classifies: ClassVar[bool] = True
    examples: ClassVar[tuple[dict, ...]] = ({"largest_model": 3},)

    largest_model: int = parameter(
        30,
        ge=1,
        description=(
            "Largest number of features k in the final model; the models with 1, 2, ..., k "
            "features are all scored."
        ),
    )

    def extent(self, features: int) -> tuple[int, int]:
        return features, min(self.largest_model, features)

    def prepare(self, participant: ParticipantData, model, rng) -> PreparedFreedman:
        return PreparedFreedman(self, participant, model)

    @classmethod
    def for_dry_run(cls, scope: Scope) -> dict[str, dict[str, Any]]:
        count = {"fine": 8, "coarse": 3, "coarsest": 3}[scope.grain]
        sizes = spaced(8, min(scope.features, scope.most), count)
        return {
            "freedman": {
                "name": cls.name,
                "largest_model": scope.carried,
                "budgets": [{"features": m} for m in sizes],
            }
        }

    @classmethod
    def made_of(cls, points: str) -> str:
        return f"made of the k = {points} features with the best shown scores"

    @classmethod
    def spent(cls, features: int, point: int, board: str | None) -> str:
        return f"{counted(features, 'feature')} tried one by one, the best {point:,} kept"


class PreparedFreedman(PreparedAttack):
    """The attack in one replicate."""

    def __init__(self, attack: Freedman, participant: ParticipantData, model) -> None:
        self._participant, self._model = participant, model
        self.size = min(attack.largest_model, participant.X_train.shape[1])
        self.opening = self._predictions(participant.X_public)
        # Boards without noise often show the same order.
        self._models: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}

    def play(self, open_board: Callable[[], LeaderboardClient]) -> Game:
        """Play against one board."""
        board = open_board()
        X_final = self._participant.X_final
        released = board.submit_opening(lambda: self._predictions(X_final)).released
        # Ties go to the earlier submission: "we simply select the first k consecutive features".
        ranked = (-released if board.terms.larger_is_better else released).argsort(kind="stable")
        top = ranked[: self.size]
        if (key := top.tobytes()) not in self._models:
            self._models[key] = self._model.nested(self._participant, top)
        public, final = self._models[key]
        k = np.arange(1, len(top) + 1)
        models = FinalModels(public, final, k, k, np.full(len(k), len(released)))
        return Game(models, [np.arange(len(released))], [top])

    def _predictions(self, X: np.ndarray) -> np.ndarray:
        """Predictions of the univariate models, shape (p, n), of the rows of X, shape (n, p)."""
        seen = self._participant
        return candidate_predictions(seen.X_train.T, X.T, seen.y_train, np.zeros(len(X)))
