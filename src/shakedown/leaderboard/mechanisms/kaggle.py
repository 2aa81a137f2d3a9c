"""Kaggle's reference mechanism: [B] Algorithm 3."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from shakedown.component import parameter
from shakedown.leaderboard.gates import Always, Gate
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.releases import Release, Rounded
from shakedown.metrics import Metric


class Kaggle(Mechanism):
    """Kaggle reference."""

    name: ClassVar[str] = "kaggle"
    label: ClassVar[str] = "Kaggle reference"
    phrase: ClassVar[str] = "shows the rounded score of every submission"
    sentence: ClassVar[str] = "Shows the score of every submission, rounded to a multiple of η."
    source: ClassVar[str] = "[B] Algorithm 3"
    order: ClassVar[float] = 2
    colour: ClassVar[str] = "#611203"
    guarantee: ClassVar[str] = "union"

    eta: float = parameter(
        1e-5,
        gt=0.0,
        symbol="η",
        unit="score",
        description="Step of the released score, in units of the score; [B] calls it alpha.",
    )

    @cached_property
    def gate(self) -> Gate:
        return Always()

    @cached_property
    def release(self) -> Release:
        return Rounded(self.eta)

    @classmethod
    def for_replay(cls, metric: Metric, step: float | None) -> list[dict]:
        return [{}]
