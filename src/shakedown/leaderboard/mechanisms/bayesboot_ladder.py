"""BayesBootLadder: [C] Algorithm 5."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from shakedown.leaderboard.gates import Gate
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.posterior_odds import PosteriorOdds, fewer_draws
from shakedown.leaderboard.releases import Release, Rounded
from shakedown.leaderboard.shared_parameters import DRAWS, POSTERIOR_ODDS
from shakedown.metrics import Metric


class BayesBootLadder(Mechanism):
    """BayesBootLadder."""

    name: ClassVar[str] = "bayesboot_ladder"
    label: ClassVar[str] = "BayesBootLadder"
    phrase: ClassVar[str] = (
        "shows the best score so far, and counts only gains that pass a Bayesian test"
    )
    sentence: ClassVar[str] = (
        "Shows the best score so far, rounded to a multiple of 1/n; a submission counts as better "
        "if a Bayesian bootstrap's posterior odds reach a threshold."
    )
    source: ClassVar[str] = "[C] Algorithm 5"
    order: ClassVar[float] = 8
    colour: ClassVar[str] = "#00CFFC"
    examples: ClassVar[tuple[dict, ...]] = ({"posterior_odds": 1.0, "draws": 10},)

    posterior_odds: float = POSTERIOR_ODDS
    draws: int = DRAWS

    @cached_property
    def gate(self) -> Gate:
        return PosteriorOdds(self.posterior_odds, self.draws)

    @cached_property
    def release(self) -> Release:
        return Rounded(None)

    @classmethod
    def for_dry_run(cls, metric: Metric, threshold: float, n_public: int) -> list[dict]:
        # ASSUME: with a function each file takes too long for the thousands of files of a dry run.
        if metric.has_losses or metric.formula is None:
            return []
        return [{"posterior_odds": [99, 5.67, 1], **fewer_draws(n_public)}]

    @classmethod
    def for_replay(cls, metric: Metric, step: float | None) -> list[dict]:
        return [{"posterior_odds": 5.67}] if metric.is_quick else []
