"""A board that shows only ranks: the minimal leaderboard of [Z] section 2.2."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from shakedown.component import parameter
from shakedown.leaderboard.gates import Gate, Margin
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.releases import Ranks, Release


class RankBoard(Mechanism):
    """Ranks alone."""

    name: ClassVar[str] = "rank_board"
    label: ClassVar[str] = "Ranks alone"
    phrase: ClassVar[str] = "shows ranks and no scores"
    sentence: ClassVar[str] = (
        "Shows no score, but each account's rank among all accounts, by exact scores or by scores "
        "rounded to a multiple of η."
    )
    source: ClassVar[str] = "[Z] section 2.2"
    order: ClassVar[float] = 10
    colour: ClassVar[str] = "#280070"
    shows: ClassVar[str] = "ranks"

    eta: float | None = parameter(
        None,
        gt=0.0,
        symbol="η",
        unit="score",
        description="Scores are rounded to a multiple of this before ranking; null: exact scores.",
    )

    @cached_property
    def gate(self) -> Gate:
        return Margin(0.0, self.eta or 0.0)

    @cached_property
    def release(self) -> Release:
        return Ranks(self.eta or 0.0)
