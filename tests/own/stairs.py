"""A mechanism, an attack and a metric of a user's own: the one file that they write.

`Stairs` has a gate and a release of its own, and parameters that nobody has heard of.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from shakedown.attacks.attack import Attack, PreparedAttack
from shakedown.component import parameter
from shakedown.interface import FinalModels, Game
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.metrics import Metric


@dataclass(frozen=True)
class FarBelow:
    """Better than the best by a share `gamma` of its risk and by `least`, and lucky."""

    gamma: float
    least: float
    chance: float
    name = "far_below"
    needs_losses = False

    @property
    def draws_weights(self):
        return self.chance < 1

    def decide(self, batch, best, metric, y, *, chain, rng):
        standing, risk, last = np.empty(len(batch.risks), int), best.risk, -1
        for t, new in enumerate(batch.risks):
            better = not np.isfinite(risk) or new < risk - max(self.least, self.gamma * abs(risk))
            if self.draws_weights and np.isfinite(risk):
                better = better and rng.random() < self.chance
            standing[t] = t if better else last
            if better and chain:
                risk, last = new, t
        return standing


@dataclass(frozen=True)
class Floored:
    """The score in force, rounded down to a multiple of `gamma`."""

    gamma: float
    name = "floored"
    is_noisy = False

    def step_for(self, n):
        return self.gamma

    def show(self, batch, best, standing, metric, y, rng):
        risks = np.where(standing >= 0, batch.risks[standing], best.risk)
        return np.floor(risks / self.gamma) * self.gamma


class Stairs(Mechanism):
    """Shows the best score so far on a staircase."""

    label: ClassVar[str] = "Staircase board"
    sentence: ClassVar[str] = "Shows the best score so far, rounded down to a step of its stairs."
    colour: ClassVar[str] = "#117733"

    gamma: float = parameter(gt=0.0, lt=1.0, symbol="γ", description="Height of a step.")
    least: float = parameter(0.0, ge=0, unit="score", description="Least gain.")
    draws: float = parameter(1.0, gt=0, le=1, description="Chance of a better submission.")

    @cached_property
    def gate(self):
        return FarBelow(self.gamma, self.least, self.draws)

    @cached_property
    def release(self):
        return Floored(self.gamma)


class Halving(Metric):
    """The mean of the square roots of absolute errors."""

    label: ClassVar[str] = "Mean root error"
    short: ClassVar[str] = "MRE"
    sentence: ClassVar[str] = "The mean over the rows of the root of the absolute error."
    larger_is_better: ClassVar[bool] = False

    def function(self, y, prediction, sample_weight=None):
        return float(np.average(np.sqrt(np.abs(y - prediction)), weights=sample_weight))


class Echo(Attack):
    """Submits one feature after another, and keeps those that were accepted."""

    label: ClassVar[str] = "Echo"
    phrase: ClassVar[str] = "the echo attack"
    sentence: ClassVar[str] = "Submits single features and averages those that were accepted."
    point_name: ClassVar[str] = "round"
    threat: ClassVar[str] = "modeller"

    rounds: int = parameter(2, ge=1, description="Rounds, of a few features each.")

    @classmethod
    def for_dry_run(cls, scope):
        return {"echo": {"name": cls.name, "rounds": 3}}

    @classmethod
    def spent(cls, features, point, board):
        return "on single features"

    def prepare(self, participant, model, rng):
        return _Echo(self, participant)


class _Echo(PreparedAttack):
    iteration_board = "carried_on"

    def __init__(self, attack, participant):
        self.attack, self.participant = attack, participant
        self.size = min(2, participant.X_train.shape[1])

    def play(self, open_board):
        client, data = open_board(), self.participant
        signs = np.sign(data.X_train.T @ data.y_train)
        public, final = np.zeros(len(data.X_public)), np.zeros(len(data.X_final))
        rows, submitted, selected = [], [], []
        for round_ in range(self.attack.rounds):
            features = np.arange(3) + 3 * round_
            features = features[features < len(signs)]
            tried = signs[features, None] * data.X_public[:, features].T
            receipt = client.submit(tried, lambda f=features: signs[f, None] * data.X_final[:, f].T)
            kept = features[receipt.accepted]
            public = public + 0.1 * (data.X_public[:, kept] @ signs[kept])
            final = final + 0.1 * (data.X_final[:, kept] @ signs[kept])
            rows.append((public, final, len(kept)))
            submitted.append(features)
            selected.append(kept)
        made = np.cumsum([len(features) for features in submitted])
        models = FinalModels(
            np.array([row[0] for row in rows]),
            np.array([row[1] for row in rows]),
            np.array([row[2] for row in rows]),
            np.arange(1, len(rows) + 1),
            made,
        )
        return Game(models, submitted, selected)
