"""What honest teams get from boards: how late they see a gain, and in which order they end."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from shakedown.comparison.attackers import response
from shakedown.comparison.candidates import MSE
from shakedown.dryrun.usefulness import teams
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.seeding import stream

#: ASSUME: the share of the variance that a middling team explains in the end.
EXPLAINED = 0.4
#: Rows on which the true scores of the teams' files are computed.
TRUE_ROWS = 2000


class Served(NamedTuple):
    """What teams get from a board, as in `teams.served`: means over the replicates.

    Attributes
    ----------
    lag, error : float
        In shares of the response's variance, and its standard error.
    order : float
        Rank correlation of shown and true scores of the teams in the end.
    """

    lag: float
    error: float
    order: float


def served(
    boards: Sequence[Mechanism],
    rows: int,
    submissions: int,
    tolerated: float,
    replicates: int,
    seed: int,
) -> list[Served]:
    """What the same teams get from each board."""
    participation = teams.Participation(submissions, threshold=-tolerated)
    found = []
    for own in range(seed, seed + replicates):
        draws = partial(stream, own, "boards")
        y = response(draws("response"), rows)
        known = teams.truth(MSE, response(draws("truth"), TRUE_ROWS), rng=draws("scores"))
        base = np.sqrt(EXPLAINED)
        every = teams.served(MSE, boards, y, known, base, participation, draws)
        found.append([statistics[:2] for statistics in every])
    means = np.mean(found, axis=0)
    errors = np.std(found, axis=0, ddof=1) / np.sqrt(replicates)
    return [
        Served(float(lag), float(error), float(order))
        for (lag, order), (error, _) in zip(means, errors, strict=True)
    ]
