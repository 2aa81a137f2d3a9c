"""Adaptive LadderBoot: the refinement of [C] Algorithm 4 that its discussion suggests."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from shakedown.component import parameter
from shakedown.leaderboard.gates import Gate, PairedTest
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.releases import FallingBootstrap, Release
from shakedown.leaderboard.shared_parameters import ALPHA


class AdaptiveLadderBoot(Mechanism):
    """Adaptive LadderBoot."""

    name: ClassVar[str] = "adaptive_ladderboot"
    label: ClassVar[str] = "Adaptive LadderBoot"
    phrase: ClassVar[str] = (
        "shows the best score so far, with noise that grows with an account's submissions"
    )
    sentence: ClassVar[str] = (
        "Like LadderBoot, but b starts large and is halved after every h submissions of an "
        "account, so accounts with few submissions see little noise and accounts with many see "
        "much."
    )
    source: ClassVar[str] = "[C] discussion"
    order: ClassVar[float] = 7.5
    examples: ClassVar[tuple[dict, ...]] = ({"alpha": 0.15, "b": 16, "halving": 8},)

    alpha: float = ALPHA
    b: int = parameter(
        ge=1,
        symbol="b",
        role="noise",
        descending=True,
        description=(
            "Bootstrap replications of the released scores of an account's first submissions; the "
            "fewer, the noisier."
        ),
    )
    halving: int = parameter(
        ge=1,
        symbol="h",
        unit="submissions",
        description=(
            "Number of submissions after which b is halved each time, with a minimum of 1; the "
            "fewer, the sooner the scores become noisy."
        ),
    )

    @cached_property
    def gate(self) -> Gate:
        return PairedTest(self.alpha, rounds_best=False)

    @cached_property
    def release(self) -> Release:
        return FallingBootstrap(self.b, self.halving)
