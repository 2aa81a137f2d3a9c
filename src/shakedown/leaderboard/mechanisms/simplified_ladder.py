"""The Simplified Ladder: [Z] Algorithm 2."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from shakedown.component import parameter
from shakedown.leaderboard.gates import Gate, Margin
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.releases import Release, Rounded
from shakedown.metrics import Metric


class SimplifiedLadder(Mechanism):
    """Simplified Ladder."""

    name: ClassVar[str] = "simplified_ladder"
    label: ClassVar[str] = "Simplified Ladder"
    phrase: ClassVar[str] = "shows the best score so far, rounded"
    sentence: ClassVar[str] = (
        "Shows the best score so far, rounded to a multiple of η; a submission counts as better if "
        "it beats the shown best."
    )
    source: ClassVar[str] = "[Z] Algorithm 2"
    order: ClassVar[float] = 4
    colour: ClassVar[str] = "#BDDBA6"
    guarantee: ClassVar[str] = "simplified_ladder"
    examples: ClassVar[tuple[dict, ...]] = ({"eta": 0.01},)

    eta: float = parameter(
        gt=0.0,
        symbol="η",
        unit="score",
        description="Step of the released score, in units of the score.",
    )

    @cached_property
    def gate(self) -> Gate:
        return Margin(0.0, self.eta)

    @cached_property
    def release(self) -> Release:
        return Rounded(self.eta)

    @classmethod
    def for_replay(cls, metric: Metric, step: float | None) -> list[dict]:
        return [] if step is None else [{"eta": step}]
