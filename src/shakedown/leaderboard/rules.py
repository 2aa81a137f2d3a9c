"""What a board publishes of its mechanism."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from shakedown.interface import Rule
from shakedown.leaderboard.defences.cap import Cap
from shakedown.leaderboard.gates import Always, Margin, PairedTest, PosteriorOdds
from shakedown.leaderboard.mechanism import Mechanism


def published(mechanism: Mechanism, n: int) -> Rule | None:
    """When a submission replaces the best on n public rows, if the board then shows its score.

    A Bayesian test is about the paired test whose level is the probability that its odds allow.
    None for gates from outside the package.
    """
    gate = mechanism.gate
    if not getattr(mechanism.release, "shows_in_force", False):  # your own may lack it
        return None
    if isinstance(gate, Always):
        return Rule(-np.inf, 0.0)
    if isinstance(gate, Margin):
        return Rule(gate.margin, 0.0)
    if isinstance(gate, PairedTest):
        return Rule(0.0, gate.critical(n))
    if isinstance(gate, PosteriorOdds):
        return Rule(0.0, NormalDist().inv_cdf(gate.odds / (1.0 + gate.odds)))
    return None


def replications(mechanism: Mechanism) -> int:
    """Bootstrap replications of each released score (at first, if they fall); 0 without noise."""
    return getattr(mechanism.release, "b", 0)


def improvements(mechanism: Mechanism) -> int | None:
    """Submissions of an account that may replace its best; None for any number."""
    caps = [rule.improvements for rule in mechanism.rules if isinstance(rule, Cap)]
    return min(caps, default=None)
