"""The one unit of an answer: shares of the response's spread, or the metric's own without one.

A share says the same of every table: 5 % of the variance is little or much whatever the response is
measured in.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shakedown.wording import amount


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
    text = amount(scaled(value, rests), digits).replace("-", "−")
    return f"{text} %" if rests.get("share") else text


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
