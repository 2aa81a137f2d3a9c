"""Full-disclosure: releases every submission's own score ([C])."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from shakedown.leaderboard.gates import Always, Gate
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.releases import Exact, Release
from shakedown.metrics import Metric


class FullDisclosure(Mechanism):
    """Full-disclosure."""

    name: ClassVar[str] = "full_disclosure"
    label: ClassVar[str] = "Full-disclosure"
    phrase: ClassVar[str] = "shows the exact score of every submission"
    sentence: ClassVar[str] = "Shows the exact score of every submission."
    source: ClassVar[str] = "[C]"
    order: ClassVar[float] = 1
    colour: ClassVar[str] = "#BC0005"
    guarantee: ClassVar[str] = "union"

    @cached_property
    def gate(self) -> Gate:
        return Always()

    @cached_property
    def release(self) -> Release:
        return Exact()

    @classmethod
    def for_dry_run(cls, metric: Metric, threshold: float, n_public: int) -> list[dict]:
        return [{}]

    @classmethod
    def for_replay(cls, metric: Metric, step: float | None) -> list[dict]:
        return [{}]
