"""The one unit of an answer: shares of the response's spread, or the metric's own without one.

A share says the same of every table: 5 % of the variance is little or much whatever the response is
measured in.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shakedown.wording import amount

# A Δ that is smaller than this, as a share of the tolerated one, is said to be 0.
_NOTHING = 1e-4
# A smaller percentage is said to be 0.
_LEAST = 0.005


def scaled(value: float, rests: Mapping[str, Any]) -> float:
    """A score or a Δ in % of the response's spread; as it is where this is unknown.

    Parameters
    ----------
    value : float
        In the metric's unit.
    rests : mapping
        threshold and share, as in a recommendation's `rests_on`; may be empty.
    """
    return -100.0 * value / rests["threshold"] * rests["share"] if rests.get("share") else value


def written(value: float, rests: Mapping[str, Any], digits: int = 2) -> str:
    """A score or a Δ for readers: "1.2 %", or "0.03" where there is no spread; see `scaled`."""
    number = scaled(value, rests)
    return percentage(number, digits) if rests.get("share") else _signed(number, digits)


def is_nothing(delta: float, tolerated: float) -> bool:
    """Whether a Δ is said to be 0, beside the tolerated one; both in the same unit."""
    return abs(delta) < _NOTHING * -tolerated


def percentage(number: float, digits: int = 2) -> str:
    """A number of per cent: "1.2 %"; a page keeps both parts on one line (`templates.firm`)."""
    return f"{_signed(0.0 if abs(number) < _LEAST else number, digits)} %"


def spread_of(rests: Mapping[str, Any]) -> str:
    """What shares are taken of, such as "the response’s variance"; "" where there is nothing."""
    if not rests.get("share"):
        return ""
    whose = "responses’" if rests.get("responses", 1) > 1 else "response’s"
    return f"the {whose} {rests['spread']}"


def full(value: float, rests: Mapping[str, Any], label: str, digits: int = 3) -> str:
    """A size with what it is a share of: "5 % of the response’s variance", or "0.03 (AUROC)".

    `label` is the metric's.
    """
    said, spread = written(value, rests, digits), spread_of(rests)
    return f"{said} of {spread}" if spread else f"{said} ({label})"


def _signed(number: float, digits: int) -> str:
    return amount(number, digits).replace("-", "−")
