"""BayesBootLadderBoot: [C] Algorithm 6."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from shakedown.component import parameter
from shakedown.leaderboard.gates import Gate
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.posterior_odds import PosteriorOdds, fewer_draws
from shakedown.leaderboard.releases import Bootstrap, Release
from shakedown.leaderboard.shared_parameters import DRAWS, POSTERIOR_ODDS, B
from shakedown.metrics import Metric


class BayesBootLadderBoot(Mechanism):
    """BayesBootLadderBoot."""

    name: ClassVar[str] = "bayesboot_ladderboot"
    label: ClassVar[str] = "BayesBootLadderBoot"
    phrase: ClassVar[str] = (
        "shows the best score so far with noise, and counts only gains that pass a Bayesian test"
    )
    sentence: ClassVar[str] = (
        "Like BayesBootLadder, but shows after each submission the mean score of the best so far "
        "over b new bootstrap samples of the public rows."
    )
    source: ClassVar[str] = "[C] Algorithm 6"
    order: ClassVar[float] = 9
    colour: ClassVar[str] = "#267F45"
    examples: ClassVar[tuple[dict, ...]] = (
        {"posterior_odds": 1.0, "b": 3, "draws": 10},
        {"posterior_odds": 3.0, "b": 3, "dirichlet": True},
    )

    posterior_odds: float = POSTERIOR_ODDS
    b: int = B
    draws: int = DRAWS
    dirichlet: bool = parameter(
        False,
        description=(
            "Whether the released score uses Dirichlet weights instead of resampled rows."
        ),
    )

    @cached_property
    def gate(self) -> Gate:
        return PosteriorOdds(self.posterior_odds, self.draws)

    @cached_property
    def release(self) -> Release:
        return Bootstrap(self.b, self.dirichlet)

    @classmethod
    def for_dry_run(cls, metric: Metric, threshold: float, n_public: int) -> list[dict]:
        if metric.has_losses or metric.formula is None:
            return []
        return [{"posterior_odds": [99, 5.67, 1], **fewer_draws(n_public), "b": [10, 100]}]

    @classmethod
    def for_replay(cls, metric: Metric, step: float | None) -> list[dict]:
        return [{"posterior_odds": 5.67, "b": 10}] if metric.is_quick else []
