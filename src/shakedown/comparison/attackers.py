"""What attackers without a model gain on a board: each attack that learns something there plays."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

import numpy as np

from shakedown.attacks.attack import ATTACKS, Attack
from shakedown.comparison.candidates import MSE
from shakedown.dryrun.reach import plays
from shakedown.interface import ParticipantData
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.scorer import Scorer
from shakedown.seeding import stream
from shakedown.simulation.session import Session

#: A mean gain up to this is none: files of zeros have it, too.  Two that differ by less are equal.
NOTHING = 1e-9


class Reached(NamedTuple):
    """What the best attack gains.

    Attributes
    ----------
    attack : str or None
        Its name; None if no attack gains more on average than files of zeros do.
    gain, error : float
        Mean over the replicates, and its standard error, in shares of the response's variance.
    """

    attack: str | None
    gain: float
    error: float


def best(gains: Mapping[str, np.ndarray]) -> Reached:
    """The attack with the largest mean gain, of the gains of each by its name; shape (replicates,).

    The first of several that gain the same.
    """
    largest = max((own.mean() for own in gains.values()), default=0.0)
    if largest <= NOTHING:
        return Reached(None, 0.0, 0.0)
    name, own = next((name, own) for name, own in gains.items() if own.mean() >= largest - NOTHING)
    return Reached(name, float(own.mean()), float(own.std(ddof=1) / np.sqrt(len(own))))


def gains(
    board: Mechanism, rows: int, submissions: int, replicates: int, seed: int
) -> dict[str, np.ndarray]:
    """The gain of each attack in each replicate, by the attack's name; shape (replicates,)."""
    made = [kind(submissions=submissions, points=[submissions]) for kind in attackers(board, rows)]
    return {
        attack.name: np.array(
            [gained(attack, board, rows, own) for own in range(seed, seed + replicates)]
        )
        for attack in made
    }


def attackers(board: Mechanism, rows: int) -> list[type[Attack]]:
    """The attacks of the package with arbitrary numbers that learn something from a board."""
    return [
        kind
        for kind in ATTACKS.classes.values()
        if kind.threat == "null_adversary"
        and {"submissions", "points"} <= set(kind.model_fields)
        and plays(kind, MSE, board, rows)
    ]


def gained(attack: Attack, board: Mechanism, rows: int, seed: int) -> float:
    """How much better than that of zeros the final file's public score is."""
    nothing = np.empty((rows, 0))
    view = ParticipantData(nothing, np.empty(rows), nothing, np.empty((1, 0)))
    y = response(np.random.default_rng(seed), rows)
    session = Session(Scorer(MSE, y, undefined_is_zero=True), board, partial(stream, seed))
    game = attack.prepare(view, None, stream(seed, "attack")).play(session.open)
    return float((y**2).mean() - ((game.models.public[-1] - y) ** 2).mean())


def response(rng: np.random.Generator, rows: int) -> np.ndarray:
    """A normal response, standardised; shape (rows,)."""
    y = rng.standard_normal(rows)
    return (y - y.mean()) / y.std(ddof=1)
