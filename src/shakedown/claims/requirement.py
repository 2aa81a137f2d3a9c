"""What a claim asks of a number, such as "< 0" or "between 0.3 and 0.5"."""

from __future__ import annotations

import re
from math import inf, nextafter
from typing import NamedTuple

from shakedown.interface import InputError

_NUMBER = r"([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)"
_COMPARED = re.compile(rf"(<=|>=|<|>|=)\s*{_NUMBER}", re.IGNORECASE)
_BETWEEN = re.compile(rf"between\s+{_NUMBER}\s+and\s+{_NUMBER}", re.IGNORECASE)

#: How near a number must come to meet "= x", relative to the larger of x and 1.
EQUAL = 1e-9


class Requirement(NamedTuple):
    """Numbers from `low` to `high`, both included: "< x" ends at the number before x."""

    text: str
    low: float
    high: float

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
            return cls(text, inf, inf)
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
        x = float(found[2])
        slack = EQUAL * max(1.0, abs(x))
        ends = {"<": (-inf, nextafter(x, -inf)), "<=": (-inf, x), "=": (x - slack, x + slack)}
        ends |= {">": (nextafter(x, inf), inf), ">=": (x, inf)}
        return cls(text, *ends[found[1]])

    def met_by(self, x: float) -> bool:
        """Whether the number is one of them; NaN never is."""
        return self.low <= x <= self.high

    def decided_by(self, low: float, high: float) -> bool:
        """Whether all numbers from `low` to `high` give the same answer."""
        return (self.met_by(low) and self.met_by(high)) or high < self.low or low > self.high
