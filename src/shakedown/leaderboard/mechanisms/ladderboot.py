"""LadderBoot: [C] Algorithm 4."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from shakedown.leaderboard.gates import Gate, PairedTest
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.releases import Bootstrap, Release
from shakedown.leaderboard.shared_parameters import ALPHA, B
from shakedown.metrics import Metric


class LadderBoot(Mechanism):
    """LadderBoot."""

    name: ClassVar[str] = "ladderboot"
    label: ClassVar[str] = "LadderBoot"
    phrase: ClassVar[str] = (
        "shows the best score so far with noise, and counts only gains that pass a t-test"
    )
    sentence: ClassVar[str] = (
        "Like Ladder, but tests against the unrounded best, and shows after each submission the "
        "mean score of the best so far over b new bootstrap samples of the public rows."
    )
    source: ClassVar[str] = "[C] Algorithm 4"
    order: ClassVar[float] = 7
    colour: ClassVar[str] = "#2B457B"
    examples: ClassVar[tuple[dict, ...]] = ({"alpha": 0.15, "b": 10},)

    alpha: float = ALPHA
    b: int = B

    @cached_property
    def gate(self) -> Gate:
        return PairedTest(self.alpha, rounds_best=False)

    @cached_property
    def release(self) -> Release:
        return Bootstrap(self.b)

    @classmethod
    def for_dry_run(cls, metric: Metric, threshold: float, n_public: int) -> list[dict]:
        if not metric.has_losses:
            return []
        return [
            {"alpha": [0.01, 0.15, 0.5], "b": [10, 100]},
            {"alpha": 0.15, "b": [10, 100], "defences": [{"name": "baseline"}]},
        ]

    @classmethod
    def for_replay(cls, metric: Metric, step: float | None) -> list[dict]:
        return [{"alpha": 0.15, "b": 10}] if metric.has_losses else []
