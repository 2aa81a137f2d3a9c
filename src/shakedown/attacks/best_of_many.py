"""A careless honest participant, who submits many models and keeps the one with the best score.

This attack is from no paper.  The participant does not want to overfit: the models are fitted to
the training set only, and the leaderboard is only used to choose among them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import combinations, pairwise
from math import comb
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from shakedown.attacks import jumps
from shakedown.attacks.attack import Attack, PreparedAttack, Scope, spaced
from shakedown.attacks.least_squares import subset_predictions
from shakedown.component import parameter
from shakedown.interface import FinalModels, Game, ParticipantData
from shakedown.terms import LeaderboardClient

#: Largest number of features in a model, and fewest training rows per feature.
LARGEST, ROWS_PER_FEATURE = 10, 5
#: Repeated sets are replaced if there are at most this many times as many sets as submissions.
FEW = 8


class BestOfMany(Attack):
    """The best of many models, all submitted to one board; see `PreparedBestOfMany`."""

    name: ClassVar[str] = "best_of_many"
    label: ClassVar[str] = "Best of many"
    phrase: ClassVar[str] = "the choice of the best of many models"
    sentence: ClassVar[str] = (
        "A careless honest participant fits models to random sets of features, submits them all, "
        "and keeps the one with the best released score."
    )
    order: ClassVar[float] = 3
    point_name: ClassVar[str] = "round"
    threat: ClassVar[str] = "modeller"
    classifies: ClassVar[bool] = True
    examples: ClassVar[tuple[dict, ...]] = ({"rounds": [2, 4]},)

    rounds: list[Annotated[int, Field(ge=1)]] = parameter(
        [20, 50, 100, 200, 500],
        min_length=1,
        description=(
            "Numbers of submissions; after each, the model with the best released score so far is "
            "an outcome."
        ),
    )

    def extent(self, features: int) -> tuple[int, int]:
        return max(self.rounds), len(self.rounds)

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedBestOfMany:
        return PreparedBestOfMany(self, participant, model, rng)

    @classmethod
    def for_dry_run(cls, scope: Scope) -> dict[str, dict[str, Any]]:
        count = {"fine": 12, "coarse": 10, "coarsest": 8}[scope.grain]
        largest = _largest(scope.features, scope.train_rows)
        most = min(scope.most, n_sets(scope.features, largest))
        return {"best_of_many": {"name": cls.name, "rounds": spaced(10, most, count)}}

    @classmethod
    def spent(cls, features: int, point: int, board: str | None) -> str:
        return "one account, the best model kept"


class PreparedBestOfMany(PreparedAttack):
    """The attack in one replicate.

    Each model is a least-squares fit on a random set of features.  The size of the set is uniform
    on 1 to 10 (or to p, or to a fifth of the training rows, if smaller).  Given the size, every set
    has the same probability.  If there are only a few times as many sets as submissions, none is
    submitted twice before all have been.

    Parameters
    ----------
    attack : BestOfMany
    participant : ParticipantData
    model
        The final model, see `models`; it is fitted to the features of the model that is kept.
    rng : numpy.random.Generator
        Draws the sets of features, the same for every board.

    Attributes
    ----------
    opening : ndarray, shape (smallest of the rounds, n_public)
        The first round's submissions.
    sets : list of ndarray of int
        The features of each model.
    """

    iteration_board = "carried_on"

    def __init__(
        self, attack: BestOfMany, participant: ParticipantData, model, rng: np.random.Generator
    ) -> None:
        self._participant, self._model = participant, model
        self._rounds = [0, *sorted(set(attack.rounds))]
        n, p = participant.X_train.shape
        self.size = _largest(p, n)
        self.sets = random_sets(rng, self._rounds[-1], self.size, p)
        if n_sets(p, self.size) <= FEW * len(self.sets):
            self.sets = without_repeats(rng, self.sets, self.size, p)
        X = participant.X_public
        self._batches = [self._predictions(X, *r) for r in pairwise(self._rounds)]
        self.opening = self._batches[0]
        self._final: dict[int, np.ndarray] = {}

    def play(self, open_board: Callable[[], LeaderboardClient]) -> Game:
        """Play against one board."""
        board = open_board()
        reader = jumps.Reader(start=board.terms.start)
        shown: list[np.ndarray] = []
        kept: list[int | None] = []
        submitted, taken = [], []
        for k, (start, batch) in enumerate(zip(self._rounds[:-1], self._batches, strict=True)):
            final = partial(self._final_predictions, k)
            receipt = board.submit(batch, final) if k else board.submit_opening(final)
            shown.append(receipt.released)
            if board.terms.replaces_always:
                # Every score is a jump on this board, so the model with the best score is kept.
                model = jumps.best(np.concatenate(shown), board.terms.larger_is_better)
            else:
                jump = reader.read(board, receipt)
                model = (kept[-1] if kept else None) if jump is None else start + jump
            submitted.append(np.arange(start, start + len(batch)))
            taken.append(np.array([] if model in (None, *kept[-1:]) else [model], int))
            kept.append(model)
        return Game(self._models(kept), submitted, taken, self.sets)

    def _predictions(self, X: np.ndarray, start: int, stop: int) -> np.ndarray:
        """Predictions of models start to stop - 1, shape (stop - start, n), for X, shape (n, p)."""
        sets = self.sets[start:stop]
        padded = np.full((len(sets), self.size), -1)
        for row, features in zip(padded, sets, strict=True):
            row[: len(features)] = features
        sizes = np.array([len(features) for features in sets])
        seen = self._participant
        return subset_predictions(seen.X_train.T, seen.y_train, X.T, padded, sizes)

    def _final_predictions(self, k: int) -> np.ndarray:
        """The k-th round's predictions of the final rows; computed once for all boards."""
        if k not in self._final:
            rounds = self._rounds[k : k + 2]
            self._final[k] = self._predictions(self._participant.X_final, *rounds)
        return self._final[k]

    def _models(self, kept: list[int | None]) -> FinalModels:
        """The model that is kept after each round."""
        seen, points = self._participant, len(kept)
        public = np.zeros((points, len(seen.X_public)))
        final = np.zeros((points, len(seen.X_final)))
        size = np.zeros(points, int)
        for k, model in enumerate(kept):
            if k and model == kept[k - 1]:
                public[k], final[k], size[k] = public[k - 1], final[k - 1], size[k - 1]
            elif model is not None:
                public[k], final[k] = self._model.of(seen, self.sets[model])
                size[k] = len(self.sets[model])
        rounds = np.arange(1, points + 1)
        return FinalModels(public, final, size, rounds, np.array(self._rounds[1:]))


def n_sets(p: int, largest: int) -> int:
    """Number of sets of 1 to `largest` of p features."""
    return sum(comb(p, size) for size in range(1, largest + 1))


def without_repeats(
    rng: np.random.Generator, sets: list[np.ndarray], largest: int, p: int
) -> list[np.ndarray]:
    """The sets, repeats replaced by the sets that are missing; it repeats sets only after all.

    Enumerates the sets of 1 to `largest` of p features, so there should be few.
    """
    drawn: dict[tuple, np.ndarray] = {}
    for features in sets:
        drawn.setdefault(tuple(sorted(features.tolist())), features)
    missing = [
        np.array(features)
        for size in range(1, largest + 1)
        for features in combinations(range(p), size)
        if features not in drawn
    ]
    distinct = [*drawn.values(), *(missing[i] for i in rng.permutation(len(missing)))]
    return (distinct + sets)[: len(sets)]


def _largest(p: int, n: int) -> int:
    """Largest number of features in a model of p features and n training rows."""
    return min(LARGEST, p, n // ROWS_PER_FEATURE)


def random_sets(rng: np.random.Generator, q: int, largest: int, p: int) -> list[np.ndarray]:
    """q random sets of features, with a size that is uniform on 1 to `largest`.

    Parameters
    ----------
    rng : numpy.random.Generator
    q, largest, p : int
        Number of sets, largest number of features in a set, and number of features.

    Returns
    -------
    list of ndarray of int
        The features of each set, in random order.
    """
    sizes = rng.integers(1, largest, q, endpoint=True)
    # Floyd's sampling without replacement, for all sets at once; its order is not random.
    drawn = np.empty((q, largest), int)
    for k, top in enumerate(range(p - largest, p)):
        feature = rng.integers(0, top, q, endpoint=True)
        repeated = (drawn[:, :k] == feature[:, None]).any(axis=1)
        drawn[:, k] = np.where(repeated, top, feature)
    drawn = rng.permuted(drawn, axis=1)
    return [row[:size] for row, size in zip(drawn, sizes, strict=True)]
