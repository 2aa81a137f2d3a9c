"""Claims for people: what the paper says, what was found, and whether the two agree."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pandas as pd

from shakedown.figures.wording import count, listed, signed

#: Verdicts, from the one that asks for attention to the one that does not, and their classes.
VERDICTS = {
    "does not hold": "no",
    "does not hold, within Monte Carlo error": "unsure",
    "holds, within Monte Carlo error": "unsure",
    "holds": "yes",
    "not run": "missing",
}


@dataclass(frozen=True)
class Verdict:
    """One claim as the page shows it."""

    claim: str
    source: str
    statement: str
    measured: str
    required: str
    verdict: str
    note: str

    @property
    def kind(self) -> str:
        """Class that the style sheet knows."""
        return VERDICTS[self.verdict]


def verdicts(claims: pd.DataFrame) -> list[Verdict]:
    """Claims in the order of the ledger.

    Parameters
    ----------
    claims : DataFrame
        Columns claim, source, statement, measured, required, holds ("yes", "no" or "not run"),
        low and high (Monte Carlo interval), certain ("yes", "no" or null), note.
    """
    return [
        Verdict(
            claim=str(row.claim),
            source=str(row.source),
            statement=str(row.statement),
            measured=_measured(row),
            required=str(row.required).replace("-", "−"),
            verdict=_verdict(row),
            note="" if pd.isna(row.note) else str(row.note),
        )
        for row in claims.itertuples()
    ]


def tally(found: list[Verdict]) -> str:
    """How many claims hold, in a sentence."""
    numbers = {name: sum(v.verdict == name for v in found) for name in VERDICTS}
    run = len(found) - numbers["not run"]
    held = numbers["holds"] + numbers["holds, within Monte Carlo error"]
    failed = numbers["does not hold"]
    near = numbers["does not hold, within Monte Carlo error"]
    parts = [f"{held} of {run} statements hold"]
    if unsure := numbers["holds, within Monte Carlo error"]:
        parts[0] += f" ({count(unsure)} of them within Monte Carlo error)"
    parts.append(f"{count(failed)} do{'es' * (failed == 1)} not")
    if near:
        parts.append(f"{count(near)} miss{'es' * (near == 1)} by no more than Monte Carlo error")
    text = listed(parts) + "."
    if numbers["not run"]:
        text += f" {count(numbers['not run']).capitalize()} could not be checked in this study."
    return text


def _verdict(row) -> str:
    if row.holds == "not run":
        return "not run"
    word = "holds" if row.holds == "yes" else "does not hold"
    return f"{word}, within Monte Carlo error" if row.certain == "no" else word


def _measured(row) -> str:
    if pd.isna(row.measured):
        return "–"
    text = _number(row.measured)
    if pd.isna(row.low) or pd.isna(row.high):
        return text
    return f"{text} [{_number(row.low)}, {_number(row.high)}]"


def _number(value: float) -> str:
    if math.isinf(value):
        return "never" if value > 0 else "−∞"
    if value == int(value) and abs(value) >= 1:
        return f"{value:,.0f}".replace("-", "−")
    return signed(value, 3)
