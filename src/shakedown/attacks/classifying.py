"""Attacks with fitted models on classes: they submit labels, or probabilities.

A label is the one that is nearer to a prediction; for probabilities see `classes.probable`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from shakedown.attacks.attack import Attack, PreparedAttack
from shakedown.attacks.classifier import centred, nearer
from shakedown.interface import Game, ParticipantData
from shakedown.metrics.classes import probable
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
        self._wrap(attack.prepare(view, model, rng), partial(nearer, mean=mean))

    def _wrap(self, prepared: PreparedAttack, changed: Callable) -> None:
        """Play a prepared attack, with its predictions `changed`."""
        self._prepared, self._changed = prepared, changed
        self.size, self.iteration_board = prepared.size, prepared.iteration_board
        if prepared.opening is not None:
            self.opening = changed(prepared.opening)

    def play(self, open_board: Callable[[], LeaderboardClient]) -> Game:
        """Play against boards of one kind."""
        game = self._prepared.play(lambda: _Board(open_board(), self._changed))
        models = game.models
        public, final = (self._changed(part) for part in (models.public, models.final))
        return replace(game, models=replace(models, public=public, final=final))


class Probable(Classifying):
    """The same on standardised classes, of whose models it submits probabilities."""

    def __init__(
        self, attack: Attack, participant: ParticipantData, model, rng: np.random.Generator
    ) -> None:
        changed = partial(probable, training=participant.y_train)
        self._wrap(attack.prepare(participant, model, rng), changed)


class _Board:
    """A board to which predictions are sent as something else."""

    def __init__(self, board: LeaderboardClient, changed: Callable) -> None:
        self._board, self._changed = board, changed

    @property
    def terms(self) -> Terms:
        return self._board.terms

    def submit(self, predictions: np.ndarray, final: Callable | None = None) -> Receipt:
        return self._board.submit(self._changed(predictions), self._of(final))

    def submit_opening(self, final: Callable | None = None) -> Receipt:
        return self._board.submit_opening(self._of(final))

    def submit_each(self, predictions: np.ndarray) -> Receipt:
        return self._board.submit_each(self._changed(predictions))

    def _of(self, final: Callable | None) -> Callable | None:
        """The final rows, in one array or in blocks as they come."""
        return None if final is None else lambda: self._all(final())

    def _all(self, made: np.ndarray | Iterator[np.ndarray]) -> np.ndarray | Iterator[np.ndarray]:
        return self._changed(made) if isinstance(made, np.ndarray) else map(self._changed, made)
