"""Attacks with fitted models on classes: they submit labels, or probabilities.

The label is the one nearer to the prediction; for probabilities see `classes.probable`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from shakedown.attacks.attack import Attack, PreparedAttack
from shakedown.attacks.classifier import centred, nearer
from shakedown.interface import Game, ParticipantData
from shakedown.metrics.classes import probable
from shakedown.terms import LeaderboardClient, Receipt, Terms


class Changes(NamedTuple):
    """What is sent for predictions of the public and of the final rows."""

    public: Callable[[np.ndarray], np.ndarray]
    final: Callable[[np.ndarray], np.ndarray]


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
        label = partial(nearer, mean=mean)
        self._wrap(attack.prepare(view, model, rng), Changes(label, label))

    def _wrap(self, prepared: PreparedAttack, changes: Changes) -> None:
        """Play a prepared attack, and change its predictions."""
        self._prepared, self._changes = prepared, changes
        self.size, self.iteration_board = prepared.size, prepared.iteration_board
        if prepared.opening is not None:
            self.opening = changes.public(prepared.opening)

    def play(self, open_board: Callable[[], LeaderboardClient]) -> Game:
        """Play against boards of one kind."""
        changes = self._changes
        game = self._prepared.play(lambda: _Board(open_board(), changes))
        models = game.models
        public, final = changes.public(models.public), changes.final(models.final)
        return replace(game, models=replace(models, public=public, final=final))


class Probable(Classifying):
    """An attack on standardised classes that submits the probabilities of its models."""

    def __init__(
        self, attack: Attack, participant: ParticipantData, model, rng: np.random.Generator
    ) -> None:
        train, *others = participant.cells or (None, None, None)
        public, final = (
            partial(
                probable,
                training=participant.y_train,
                responses=None if cells is None else (train.responses, cells.responses),
            )
            for cells in others
        )
        self._wrap(attack.prepare(participant, model, rng), Changes(public, final))


class _Board:
    """A board to which predictions are sent as something else."""

    def __init__(self, board: LeaderboardClient, changes: Changes) -> None:
        self._board, self._changes = board, changes

    @property
    def terms(self) -> Terms:
        return self._board.terms

    def submit(self, predictions: np.ndarray, final: Callable | None = None) -> Receipt:
        return self._board.submit(self._changes.public(predictions), self._of(final))

    def submit_opening(self, final: Callable | None = None) -> Receipt:
        return self._board.submit_opening(self._of(final))

    def submit_each(self, predictions: np.ndarray) -> Receipt:
        return self._board.submit_each(self._changes.public(predictions))

    def _of(self, final: Callable | None) -> Callable | None:
        """The final rows, in one array or in blocks as they come."""
        return None if final is None else lambda: self._all(final())

    def _all(self, made: np.ndarray | Iterator[np.ndarray]) -> np.ndarray | Iterator[np.ndarray]:
        changed = self._changes.final
        return changed(made) if isinstance(made, np.ndarray) else map(changed, made)
