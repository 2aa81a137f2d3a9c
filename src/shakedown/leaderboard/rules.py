"""What a board publishes of its mechanism."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from shakedown.interface import Rule, Schedule
from shakedown.leaderboard.defences.cap import Cap
from shakedown.leaderboard.defences.cap_per_day import CapPerDay
from shakedown.leaderboard.defences.distinct import Distinct
from shakedown.leaderboard.defences.sticky import Sticky
from shakedown.leaderboard.defences.value_range import ValueRange
from shakedown.leaderboard.gates import Always, Margin, PairedTest, PosteriorOdds
from shakedown.leaderboard.laplace import NoisyMargin
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.scorer import Scorer


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
    if isinstance(gate, NoisyMargin):
        return Rule(gate.margin, 0.0, np.hypot(gate.threshold, gate.comparison) * np.sqrt(2.0))
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
    budget = getattr(mechanism.gate, "budget", None)
    return min(caps if budget is None else [*caps, budget], default=None)


def improvements_per_day(mechanism: Mechanism) -> tuple[int, int] | None:
    """How many of them may do so in a day, and the submissions of a day; None for any number."""
    rules = (rule for rule in mechanism.rules if isinstance(rule, CapPerDay))
    return next(((rule.improvements, rule.day) for rule in rules), None)


def noise_sd(mechanism: Mechanism) -> float:
    """Standard deviation of the noise of a shown score, if it is the same for every score; or 0."""
    return getattr(mechanism.release, "noise_sd", 0.0)


def tells(mechanism: Mechanism) -> bool:
    """Whether a shown number with noise changes exactly when a submission replaces the best."""
    sticky = any(isinstance(rule, Sticky) for rule in mechanism.rules)
    return mechanism.is_noisy and (sticky or getattr(mechanism.release, "tells", False))


def schedule(mechanism: Mechanism) -> Schedule | None:
    """The updates of a digest; None for other boards."""
    return getattr(mechanism.release, "schedule", None)


def largest_variance(mechanism: Mechanism, scorer: Scorer) -> float | None:
    """Variance of predictions (``ddof=1``) above which a file is refused; None for no limit."""
    limits = [rule.largest(scorer) for rule in mechanism.rules if isinstance(rule, ValueRange)]
    return min(limits, default=None)


def nearest(mechanism: Mechanism, scorer: Scorer) -> float:
    """Difference (root mean square) from an earlier file up to which a file is refused; or 0."""
    return max((r.nearest(scorer) for r in mechanism.rules if isinstance(r, Distinct)), default=0.0)
