"""The parameter-free Ladder: [B] Algorithm 2, [C] Algorithm 2."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from shakedown.leaderboard.gates import Gate, PairedTest
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.releases import Release, Rounded
from shakedown.metrics import Metric


class ParameterFreeLadder(Mechanism):
    """Parameter-free Ladder."""

    name: ClassVar[str] = "parameter_free_ladder"
    label: ClassVar[str] = "Parameter-free Ladder"
    phrase: ClassVar[str] = (
        "shows the best score so far, and counts only gains of more than one standard error"
    )
    sentence: ClassVar[str] = (
        "Shows the best score so far, rounded to a multiple of 1/n; a submission counts as better "
        "if it beats the shown best by one standard error of the difference."
    )
    source: ClassVar[str] = "[B] Algorithm 2, [C] Algorithm 2"
    order: ClassVar[float] = 5
    colour: ClassVar[str] = "#D579C2"

    @cached_property
    def gate(self) -> Gate:
        return PairedTest(None, rounds_best=True)

    @cached_property
    def release(self) -> Release:
        return Rounded(None)

    @classmethod
    def for_replay(cls, metric: Metric, step: float | None) -> list[dict]:
        return [{}] if metric.has_losses else []
