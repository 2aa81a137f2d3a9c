"""What a claim asks of a number, such as "< 0" or "between 0.3 and 0.5"."""

from __future__ import annotations

import re
from math import inf, nextafter
from typing import NamedTuple

from shakedown.interface import InputError

#: How near a number must come to meet "= x", relative to the larger of x and 1.
EQUAL = 1e-9

_X = r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)"
#: What may be asked, and the ends of the numbers that meet it.
_FORMS = {
    f"<{_X}": lambda x: (-inf, nextafter(x, -inf)),
    f"<={_X}": lambda x: (-inf, x),
    f">{_X}": lambda x: (nextafter(x, inf), inf),
    f">={_X}": lambda x: (x, inf),
    f"={_X}": lambda x: (x - EQUAL * max(1.0, abs(x)), x + EQUAL * max(1.0, abs(x))),
    f"between{_X} and{_X}": lambda low, high: (low, high),
    "none": lambda: (inf, inf),
}


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
        for form, ends in _FORMS.items():
            if match := re.fullmatch(form, text.strip(), re.IGNORECASE):
                low, high = ends(*map(float, match.groups()))
                if low > high:
                    raise InputError(
                        f"`required` {text!r}: wanted the smaller number first, got {low:g} before "
                        f"{high:g}. Swap them."
                    )
                return cls(text.strip(), low, high)
        raise InputError(
            f"`required` {text!r} is not understood; wanted one of '< x', '<= x', '> x', '>= x', "
            "'= x', 'between x and y', 'none'."
        )

    def met_by(self, x: float) -> bool:
        """Whether the number is one of them; NaN never is."""
        return self.low <= x <= self.high

    def decided_by(self, low: float, high: float) -> bool:
        """Whether all numbers from `low` to `high` give the same answer."""
        return (self.met_by(low) and self.met_by(high)) or high < self.low or low > self.high
