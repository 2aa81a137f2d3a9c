"""A control: scores on rows that no board has used."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from shakedown.leaderboard.gates import Always, Gate
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.releases import Exact, Release


class FreshHoldout(Mechanism):
    """Fresh holdout."""

    name: ClassVar[str] = "fresh_holdout"
    label: ClassVar[str] = "Fresh holdout"
    phrase: ClassVar[str] = "measures public scores on rows that no board has used"
    sentence: ClassVar[str] = (
        "Control: the public score of the final model is measured on rows that no board has "
        "used, so it shows no overfit."
    )
    order: ClassVar[float] = 12
    colour: ClassVar[str] = "#0B0B0B"
    is_control: ClassVar[bool] = True
    fresh: ClassVar[bool] = True

    @cached_property
    def gate(self) -> Gate:
        return Always()

    @cached_property
    def release(self) -> Release:
        return Exact()
