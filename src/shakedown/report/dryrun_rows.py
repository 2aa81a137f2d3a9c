"""Cells of the dry run's tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from shakedown.recommendation import verdict
from shakedown.wording import amount, attack_name, counted

_MISSING = "–"
# A Δ that is smaller than this, as a share of the tolerated one, is the rounding of sums.
_NOTHING = 1e-6
# Who makes fewer than this share of the submissions that others make has run out of models.
_NEARLY_ALL = 0.9


def answer(option: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    """A row of the answer's table."""
    floor, off = option["seen_floor"], option["mean_difference"]
    rank = option["rank_correlation"]
    badge = {"safe": "recommended", "undecided": "until then"}.get(found["answer"], "the safest")
    likeliest = found["likeliest"] and found["likeliest"]["label"] == option["label"]
    chosen = option is found["recommended"]
    return {
        "label": firm(option["label"]),
        "badges": [*(["likeliest"] if likeliest else []), *([badge] if chosen else [])],
        "safe": limit(option, option["smallest_tried"]),
        "interval": interval(option, option["smallest_tried"]),
        "enough": verdict(option, found["wanted"]),
        "floor": "none that was tried" if floor is None else amount(floor, 2),
        "off": _MISSING if off is None else amount(off, 2),
        "rank": _MISSING if rank is None else f"{rank:.2f}".replace("-", "−"),
    }


def firm(text: str) -> str:
    """The text with each "α = 0.5" and each "5 %" kept in one line."""
    return text.replace(" = ", "\u00a0=\u00a0").replace(" %", "\u00a0%")


def limit(
    row: Mapping[str, Any], first: int | None, last: int | None = None, tried: int | None = None
) -> str:
    """The estimate of a limit; `first` and `last` were tried by this participant, `tried` by any.

    Between nothing and the first number that was tried nothing is known, so no number is told.
    """
    safe = row["safe_submissions"]
    if first is not None and safe < first:
        return f"fewer than {first:,}"
    if row["censored"]:
        return f"all it can make: {safe:,}" if _runs_out(last, tried) else f"{safe:,} or more"
    return f"{safe:,}"


def interval(
    row: Mapping[str, Any], first: int | None, last: int | None = None, tried: int | None = None
) -> str:
    """The interval of a limit; arguments as those of `limit`."""
    low, high = row["ci_low"], row["ci_high"]
    if pd.isna(high):
        if not _runs_out(last, tried):
            return f"{low:,} or more"
        return "" if low == last else f"{low:,} to all"
    if first is not None and high < first:
        return f"fewer than {first:,}"
    return f"{low:,} to {int(high):,}"


def _runs_out(last: int | None, tried: int | None) -> bool:
    return last is not None and tried is not None and last < _NEARLY_ALL * tried


def delta(value: float, tolerated: float) -> str:
    """A Δ in a table; 0 where it is no more than rounding."""
    return "0" if abs(value) < _NOTHING * -tolerated else amount(value, 2).replace("-", "−")


def delta_interval(row: pd.Series, tolerated: float) -> str:
    """The interval of a Δ."""
    low, high = row["delta_low"], row["delta_high"]
    if pd.isna(low) or pd.isna(high):
        return "too few replicates for an interval"
    return f"{delta(low, tolerated)} to {delta(high, tolerated)}"


def how(row: pd.Series) -> str:
    """How the submissions are best spent."""
    features = counted(int(row["n_features"]), "feature")
    if row["attack"] == "freedman":
        return f"{features} tried one by one, the best {int(row['n_selected'])} kept"
    if row["attack"] == "step_forward":
        rounds = counted(int(row["iterations"]), "round")
        fresh = (
            "a new account for each round, all of which count"
            if row["board"] == "fresh"
            else "one account"
        )
        return f"{rounds} over {features}, {fresh}" if int(row["iterations"]) > 1 else (
            f"1 round over {features}"
        )  # fmt: skip
    if row["attack"] == "best_of_many":
        return "one account, the best model kept"
    return attack_name(str(row["attack"]))
