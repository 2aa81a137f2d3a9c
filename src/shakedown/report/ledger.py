"""The claims as a page shows them: what was measured, and whether each holds."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from typing import Any

import pandas as pd
from markupsafe import Markup

from shakedown.claims.claim import CHOSEN
from shakedown.claims.settling import AFFORDABLE
from shakedown.claims.verdicts import VERDICTS, verdicts
from shakedown.wording import signed

#: The study in which the remarks of the column `seen` were made.
DEFAULT = "default"
# The papers that a source cites, such as "[C] Fig. 9".
_PAPERS = re.compile(r"\[\w+\]")


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
        Carlo `interval`, and `is_chosen`, which is not empty if the bound is ours.  An undecided
        claim has either `replicates_needed`, to two digits, or where no affordable number would
        settle it `tie_within`.
    """
    if claims is None:
        return []
    shown = ["measured", "low", "high", "literal_measured", "tie_within"]
    numbers = claims[shown].map(_number, na_action="ignore").astype("string")
    needed = claims["replicates_needed"].astype("Int64")
    affordable = needed.le(AFFORDABLE).fillna(False).astype(bool)
    unbounded = claims["high"].eq(math.inf) & claims["measured"].ne(math.inf)
    printed = {"-": "−", "<=": "≤", ">=": "≥"}
    texts = claims.assign(
        verdict=verdicts(claims),
        measured=numbers["measured"],
        interval="[" + numbers["low"] + ", " + numbers["high"].mask(unbounded, "∞") + "]",
        required=claims["required"].replace(printed, regex=True),
        literal=claims["literal"].replace(printed, regex=True),
        literal_measured=numbers["literal_measured"],
        is_chosen=claims["bound"].where(claims["bound"] == CHOSEN),
        replicates_needed=needed.where(affordable).map(_about, na_action="ignore"),
        tie_within=numbers["tie_within"].mask(affordable),
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
    link = Markup('<a href="#{0}-{1}">{2}</a>')
    return {
        "link": link.format("claim", row["claim"], row["statement"]),
        "reason": row["note"] if verdict == "not run" else "",
        "measured_sort": "" if pd.isna(measured) else f"{measured:e}".replace("inf", "1e999"),
        "whose": "our bound" if row["is_chosen"] else "",
        "place": link.format("figure", figure, figure) if figure else "–",
        "facets": {
            "Paper": _PAPERS.findall(row["source"]) or ["none"],
            "Verdict": "not checked" if verdict == "not run" else verdict,
            "Figure": figure or "none",
        },
    }


def _about(count: float) -> str:
    """A number to two digits, rounded up."""
    unit = 10 ** max(0, len(str(int(count))) - 2)
    return f"{math.ceil(count / unit) * unit:,}"


def _number(value: float) -> str:
    if math.isinf(value):
        # A crossing that does not happen, as `Requirement.parse` calls it; or no lower bound.
        return "none" if value > 0 else "−∞"
    if value == int(value) and abs(value) >= 1:
        return f"{value:,.0f}".replace("-", "−")
    # More digits where three would hide on which side of zero it lies; not those of rounding.
    digits = next((d for d in range(3, 8) if abs(value) >= 0.5 * 10.0**-d), 3)
    return signed(value, digits)
