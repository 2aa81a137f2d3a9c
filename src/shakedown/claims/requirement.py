"""What a claim asks of a number, such as "< 0" or "between 0.3 and 0.5"."""

from __future__ import annotations

import re
from math import inf
from typing import NamedTuple

from shakedown.interface import InputError

_NUMBER = r"([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)"
_COMPARED = re.compile(rf"(<=|>=|<|>|=)\s*{_NUMBER}", re.IGNORECASE)
_BETWEEN = re.compile(rf"between\s+{_NUMBER}\s+and\s+{_NUMBER}", re.IGNORECASE)

#: How near a number must come to meet "= x", relative to the larger of x and 1.
EQUAL = 1e-9


class Requirement(NamedTuple):
    """A stretch of numbers: its text, its ends, and whether these lie outside."""

    text: str
    low: float = -inf
    high: float = inf
    open_low: bool = False
    open_high: bool = False

    @classmethod
    def parse(cls, text: str) -> Requirement:
        """Read "< x", "<= x", "> x", ">= x", "= x", "between x and y" (both included), or "none".

        "none" is a crossing that does not happen.

        Raises
        ------
        InputError
            If it is none of these, or its ends are the wrong way round.
        """
        text = text.strip()
        if text == "none":
            return cls(text, low=inf)
        if found := _BETWEEN.fullmatch(text):
            low, high = map(float, found.groups())
            if low > high:
                raise InputError(
                    f"`required` {text!r}: wanted the smaller number first, got {low:g} before "
                    f"{high:g}. Swap them."
                )
            return cls(text, low, high)
        if not (found := _COMPARED.fullmatch(text)):
            raise InputError(
                f"`required` {text!r} is not understood; wanted one of '< x', '<= x', '> x', "
                "'>= x', '= x', 'between x and y', 'none'."
            )
        sign, x = found[1], float(found[2])
        if sign == "=":
            slack = EQUAL * max(1.0, abs(x))
            return cls(text, x - slack, x + slack)
        if sign[0] == "<":
            return cls(text, high=x, open_high=sign == "<")
        return cls(text, low=x, open_low=sign == ">")

    def met_by(self, x: float) -> bool:
        """Whether the number lies in the stretch; NaN never does."""
        above = x > self.low or (x == self.low and not self.open_low)
        return above and (x < self.high or (x == self.high and not self.open_high))

    def decided_by(self, low: float, high: float) -> bool:
        """Whether all numbers from `low` to `high` give the same answer."""
        if self.met_by(low) and self.met_by(high):
            return True
        under = high < self.low or (high == self.low and self.open_low)
        return under or low > self.high or (low == self.high and self.open_high)
