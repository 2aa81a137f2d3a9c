"""The claims as a page shows them: what was measured, and whether each holds."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from typing import Any

import pandas as pd
from markupsafe import Markup, escape

from shakedown.claims.claim import CHOSEN
from shakedown.claims.settling import MOST
from shakedown.claims.verdicts import VERDICTS, verdicts
from shakedown.wording import signed

#: The study in which the remarks of the column `seen` were made.
DEFAULT = "default"
# The papers that a source cites, such as "[C] Fig. 9".
_PAPERS = re.compile(r"\[\w+\]")
# Digits in front of a decimal point that need commas.
_LARGE = re.compile(r"(?<![.\d])\d{4,}")
#: A crossing that does not happen, which `Requirement.parse` calls "none".
NO_CROSSING = "no budget tested is too large"


def ledger(
    claims: pd.DataFrame | None, *, study: str = DEFAULT, figures: Collection[str] = ()
) -> list[dict[str, Any]]:
    """The rows of the table as texts, which are empty where there is nothing to show.

    Parameters
    ----------
    claims : DataFrame or None
        The table `claims.csv`.  A study without claims has none.
    study : str
        Its name.  Other studies than the default one show `seen` only beside claims that do not
        hold.
    figures : collection of str
        The figures that the page shows.

    Returns
    -------
    list of dict
        By column; besides, what its table shows (see `_in_a_table`), the `verdict`, the 95 % Monte
        Carlo `interval`, `is_chosen`, which is not empty if the bound is ours, and `settled`, a
        sentence on what would decide an undecided claim.
    """
    if claims is None:
        return []
    shown = ["measured", "low", "high", "literal_measured"]
    numbers = claims[shown].map(_number, na_action="ignore").astype("string")
    interval = "[" + numbers["low"] + ", " + numbers["high"] + "]"
    texts = claims.assign(
        verdict=verdicts(claims),
        measured=numbers["measured"].mask(claims["measured"] == math.inf, NO_CROSSING),
        interval=interval.mask(claims["low"] == math.inf),
        required=claims["required"].map(_required),
        literal=claims["literal"].map(_required, na_action="ignore"),
        literal_measured=numbers["literal_measured"],
        is_chosen=claims["bound"].where(claims["bound"] == CHOSEN),
        settled=list(map(_settled, claims["replicates_needed"], claims["tie_within"])),
        replicates=claims["replicates"].map("{:,.0f}".format, na_action="ignore"),
        seen=claims["seen"].where((claims["holds"] == "no") | (study == DEFAULT)),
    ).astype(object)
    rows = texts.where(texts.notna(), "").to_dict("records")
    return [
        row | _in_a_table(row, measured, figures)
        for row, measured in zip(rows, claims["measured"], strict=True)
    ]


def by_verdict(claims: list[dict[str, str]]) -> dict[str, list[dict[str, str]]]:
    """Claims of each verdict that occurs, in the order of `VERDICTS`."""
    parts = {
        verdict: [claim for claim in claims if claim["verdict"] == verdict] for verdict in VERDICTS
    }
    return {verdict: part for verdict, part in parts.items() if part}


def _in_a_table(
    row: Mapping[str, str], measured: float, figures: Collection[str]
) -> dict[str, Any]:
    """What a claim's row shows, is sorted by, and is filtered by."""
    verdict, figure = row["verdict"], row["figure"] if row["figure"] in figures else ""
    whose = "our bound" if row["is_chosen"] else ""
    link = Markup('<a href="#{0}-{1}">{2}</a>')
    return {
        "link": link.format("claim", row["claim"], row["statement"]),
        "reason": row["note"] if verdict == "not run" else "",
        "measured_sort": "" if pd.isna(measured) else f"{measured:e}".replace("inf", "1e999"),
        "measured_class": "words" * (row["measured"] == NO_CROSSING),
        "required_class": "words" * (row["required"] == NO_CROSSING),
        "below_measured": _lines(row["interval"].replace(" ", "\u00a0"), row["settled"]),
        "below_required": _lines(whose, _word_for_word(row)),
        "place": link.format("figure", figure, figure) if figure else "–",
        "facets": {
            "Paper": _PAPERS.findall(row["source"]) or ["none"],
            "Verdict": "not checked" if verdict == "not run" else verdict,
            "Bound": "ours" if row["is_chosen"] else "the paper's",
            "Figure": figure or "none",
        },
    }


def _lines(*texts: str) -> Markup:
    """Texts below each other, without the empty ones."""
    return Markup("<br>").join(escape(text) for text in texts if text)


def _word_for_word(row: Mapping[str, str]) -> str:
    """What the text says literally, and what becomes of that; "" where we ask for the same."""
    if not row["literal_verdict"]:
        return ""
    measured = row["literal_measured"]
    measured = "" if measured == row["measured"] else f", measured {measured}"
    return f"word for word: {row['literal']}{measured}; {row['literal_verdict']}"


def _settled(needed: int | None, within: float) -> str:
    if not pd.isna(needed):
        return f"About {_about(needed)} replicates would settle it."
    if pd.isna(within):
        return ""
    return f"{MOST:,} replicates would not settle it: it is within {_number(within)} of the bound."


def _required(text: str) -> str:
    """A requirement as it is printed, such as "≤ 1,240"."""
    if text == "none":
        return NO_CROSSING
    text = _LARGE.sub(lambda digits: f"{int(digits[0]):,}", text)
    return text.replace("-", "−").replace("<=", "≤").replace(">=", "≥")


def _about(count: float) -> str:
    """A number to two digits, rounded up."""
    unit = 10 ** max(0, len(str(int(count))) - 2)
    return f"{math.ceil(count / unit) * unit:,}"


def _number(value: float) -> str:
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == int(value) and abs(value) >= 1:
        return f"{value:,.0f}".replace("-", "−")
    # More digits where three would hide on which side of zero it lies; not those of rounding.
    digits = next((d for d in range(3, 8) if abs(value) >= 0.5 * 10.0**-d), 3)
    return signed(value, digits)
