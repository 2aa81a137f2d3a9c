"""Ladder: [C] Algorithm 3."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from shakedown.leaderboard.gates import Gate, PairedTest
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.releases import Release, Rounded
from shakedown.leaderboard.shared_parameters import ALPHA
from shakedown.metrics import Metric


class Ladder(Mechanism):
    """Ladder."""

    name: ClassVar[str] = "ladder"
    label: ClassVar[str] = "Ladder"
    phrase: ClassVar[str] = "shows the best score so far, and counts only gains that pass a t-test"
    sentence: ClassVar[str] = (
        "Shows the best score so far, rounded to a multiple of 1/n; a submission counts as better "
        "if a one-sided paired t-test rejects at level α."
    )
    source: ClassVar[str] = "[C] Algorithm 3"
    order: ClassVar[float] = 6
    colour: ClassVar[str] = "#FC9507"
    examples: ClassVar[tuple[dict, ...]] = ({"alpha": 0.15},)

    alpha: float = ALPHA

    @cached_property
    def gate(self) -> Gate:
        return PairedTest(self.alpha, rounds_best=True)

    @cached_property
    def release(self) -> Release:
        return Rounded(None)

    @classmethod
    def for_dry_run(cls, metric: Metric, threshold: float, n_public: int) -> list[dict]:
        if not metric.has_losses:
            return []
        return [
            {"alpha": [0.01, 0.15, 0.5]},
            {"alpha": 0.15, "defences": [{"name": "baseline"}]},
        ]

    @classmethod
    def for_replay(cls, metric: Metric, step: float | None) -> list[dict]:
        return [{"alpha": 0.15}] if metric.has_losses else []  # [C]'s middle level
