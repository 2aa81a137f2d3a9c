"""Attacks with fitted models on labels: they submit the label that is nearer to each prediction."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from shakedown.attacks.attack import Attack, PreparedAttack
from shakedown.attacks.classifier import centred, nearer
from shakedown.interface import Game, ParticipantData
from shakedown.terms import LeaderboardClient, Receipt, Terms


class Classifying(PreparedAttack):
    """An attack that chooses among models by their labels' scores, in one replicate.

    Its models are fitted to the training labels less their mean, as to a centred response.

    Parameters
    ----------
    attack : Attack
        With `classifies`.
    participant : ParticipantData
        With training labels 0 and 1, and features of mean 0 in each set.
    model
        The final model, see `models`.
    rng : numpy.random.Generator
    """

    def __init__(
        self, attack: Attack, participant: ParticipantData, model, rng: np.random.Generator
    ) -> None:
        view, mean = centred(participant)
        self._nearer = partial(nearer, mean=mean)
        self._prepared = prepared = attack.prepare(view, model, rng)
        self.size, self.iteration_board = prepared.size, prepared.iteration_board
        if prepared.opening is not None:
            self.opening = self._nearer(prepared.opening)

    def play(self, open_board: Callable[[], LeaderboardClient]) -> Game:
        """Play against boards of one kind."""
        game = self._prepared.play(lambda: _LabelBoard(open_board(), self._nearer))
        models = game.models
        public, final = (self._nearer(part) for part in (models.public, models.final))
        return replace(game, models=replace(models, public=public, final=final))


class _LabelBoard:
    """A board to which predictions are sent as labels."""

    def __init__(self, board: LeaderboardClient, nearer: Callable) -> None:
        self._board, self._nearer = board, nearer

    @property
    def terms(self) -> Terms:
        return self._board.terms

    def submit(self, predictions: np.ndarray, final: Callable | None = None) -> Receipt:
        return self._board.submit(self._nearer(predictions), self._of(final))

    def submit_opening(self, final: Callable | None = None) -> Receipt:
        return self._board.submit_opening(self._of(final))

    def submit_each(self, predictions: np.ndarray) -> Receipt:
        return self._board.submit_each(self._nearer(predictions))

    def _of(self, final: Callable | None) -> Callable | None:
        """Labels of the final rows, in one array or in blocks as they come."""
        return None if final is None else lambda: self._labels(final())

    def _labels(self, made: np.ndarray | Iterator[np.ndarray]) -> np.ndarray | Iterator[np.ndarray]:
        return self._nearer(made) if isinstance(made, np.ndarray) else map(self._nearer, made)
