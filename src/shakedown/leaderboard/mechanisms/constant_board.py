"""A control: a board that shows nothing."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from shakedown.leaderboard.gates import Always, Gate
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.releases import Constant, Release


class ConstantBoard(Mechanism):
    """Constant board."""

    name: ClassVar[str] = "constant_board"
    label: ClassVar[str] = "Constant board"
    phrase: ClassVar[str] = "always shows the same number"
    sentence: ClassVar[str] = "Control: always shows the same number."
    order: ClassVar[float] = 11
    colour: ClassVar[str] = "#848484"
    shows: ClassVar[str] = "nothing"
    is_control: ClassVar[bool] = True

    @cached_property
    def gate(self) -> Gate:
        return Always()

    @cached_property
    def release(self) -> Release:
        return Constant()
