"""Attacks of a user's own that end early, and one that repeats its last model instead."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shakedown.attacks.attack import Attack, PreparedAttack
from shakedown.component import parameter
from shakedown.interface import FinalModels, Game


class Patient(Attack):
    """Submits the features one by one, and repeats its last model where it ends early."""

    label: ClassVar[str] = "Patient"
    sentence: ClassVar[str] = "Submits features one by one until one is not accepted."
    point_name: ClassVar[str] = "file"
    repeats: ClassVar[bool] = True

    files: int = parameter(4, ge=1, description="Most files.")

    @classmethod
    def for_dry_run(cls, scope):
        return {"mine": {"name": cls.name}}

    def prepare(self, participant, model, rng):
        return _Prepared(self, participant)

    def ends(self, accepted, y_train):
        """Whether a file was the last one."""
        return not accepted


class Hasty(Patient):
    """Has no points after the first file that is not accepted."""

    label: ClassVar[str] = "Hasty"
    repeats: ClassVar[bool] = False


class Moody(Hasty):
    """Ends by its data, whatever the board does."""

    label: ClassVar[str] = "Moody"

    def ends(self, accepted, y_train):
        return y_train[0] < 0


class Late(Hasty):
    """Ends early in few replicates, and not in those of the rehearsal."""

    label: ClassVar[str] = "Late"
    played: ClassVar[int] = 0

    def prepare(self, participant, model, rng):
        Late.played += 1
        return super().prepare(participant, model, rng)

    def ends(self, accepted, y_train):
        return Late.played > 3


class _Prepared(PreparedAttack):
    size = 1

    def __init__(self, attack, participant):
        self.attack, self.participant = attack, participant

    def play(self, open_board):
        client, data = open_board(), self.participant
        public, final, submitted = [], [], []
        for k in range(self.attack.files):
            X, Z = data.X_public[:, k], data.X_final[:, k]
            receipt = client.submit(X[None], lambda Z=Z: Z[None])
            public.append(X)
            final.append(Z)
            submitted.append(np.array([k]))
            if self.attack.ends(receipt.accepted[0], data.y_train):
                break
        made = np.arange(1, len(public) + 1)
        if self.attack.repeats:
            more = self.attack.files - len(public)
            public, final = public + [public[-1]] * more, final + [final[-1]] * more
            made = np.append(made, np.full(more, made[-1]))
        q = len(public)
        models = FinalModels(
            np.array(public), np.array(final), np.ones(q, int), np.arange(1, q + 1), made
        )
        return Game(models, submitted, submitted)
