"""Claims for people: what the paper says, what was found, and whether the two agree."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import pandas as pd

from shakedown.interface import InputError
from shakedown.wording import count, counted, listed, signed

#: Verdicts, from the one that asks for attention to the one that does not; the class of each, and
#: a mark that is told from the others without colour.
VERDICTS = {
    "does not hold": ("no", "✗"),
    "does not hold, within Monte Carlo error": ("unsure", "≈"),
    "holds, within Monte Carlo error": ("unsure", "≈"),
    "holds": ("yes", "✓"),
    "not run": ("missing", "–"),
}

#: The columns that are read.
NEEDS = (
    *("claim", "source", "statement", "measured", "required", "holds"),
    *("low", "high", "certain", "replicates", "figure", "note", "seen"),
)


#: The study that the ledger's column `seen` tells of.
DEFAULT = "default"


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
    figure: str

    @property
    def kind(self) -> str:
        """Class that the style sheet knows."""
        return VERDICTS[self.verdict][0]

    @property
    def mark(self) -> str:
        """Sign that stands before the words."""
        return VERDICTS[self.verdict][1]


def verdicts(claims: pd.DataFrame, *, study: str = DEFAULT) -> list[Verdict]:
    """Claims in the order of the ledger.

    Parameters
    ----------
    claims : DataFrame
        Columns claim, source, statement, measured, required, holds ("yes", "no" or "not run"),
        low and high (Monte Carlo interval), certain ("yes", "no" or null), replicates (null for
        an exact number), figure, note, seen (or null); see `shakedown.claims.evaluate`.
    study : str
        Its name.  What was seen in the default study is told as such in others, and only beside
        claims that do not hold there.

    Raises
    ------
    InputError
        If a column is missing, or `holds` is something else.
    """
    missing = [name for name in NEEDS if name not in claims.columns]
    if missing:
        raise InputError(
            f"the claims lack the column{'s' * (len(missing) > 1)} {', '.join(missing)}; "
            f"they have {', '.join(map(str, claims.columns)) or 'none'}. Check the claims again."
        )
    return [
        Verdict(
            claim=str(row.claim),
            source=str(row.source),
            statement=str(row.statement),
            measured=_measured(row),
            required=_required(str(row.required)),
            verdict=_verdict(row),
            note=_note(row, study),
            figure=_text(row.figure),
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


def summed_up(found: list[Verdict]) -> str:
    """The same in a few words, for a list of figures: "3 hold, 1 does not"."""
    held = sum(v.verdict.startswith("holds") for v in found)
    failed = sum(v.verdict == "does not hold" for v in found)
    near = sum(v.verdict.startswith("does not hold,") for v in found)
    idle = sum(v.verdict == "not run" for v in found)
    parts = [
        f"{held} hold{'s' * (held == 1)}" * bool(held),
        f"{failed} do{'es' * (failed == 1)} not" * bool(failed),
        f"{near} miss{'es' * (near == 1)} within error" * bool(near),
        f"{idle} not run" * bool(idle),
    ]
    return ", ".join(part for part in parts if part)


def _verdict(row) -> str:
    if row.holds == "not run":
        return "not run"
    if row.holds not in ("yes", "no"):
        raise InputError(
            f"claim {row.claim!r}: holds must be yes, no or not run, got {row.holds!r}. "
            "Check the claims again."
        )
    word = "holds" if row.holds == "yes" else "does not hold"
    return f"{word}, within Monte Carlo error" if _text(row.certain) == "no" else word


def _note(row, study: str) -> str:
    note, seen = _text(row.note), _text(row.seen)
    if not seen or study == DEFAULT:
        return f"{note} {seen}".strip()
    if row.holds != "no":  # there it would explain what did not happen
        return note
    return f"{note} In the default study: {seen}".strip()


def _measured(row) -> str:
    if pd.isna(row.measured):
        return ""
    # A crossing that did not happen is infinite; so is its distance from another one.
    endless = "∞" if str(row.required)[:1] in ("<", ">") else "never"
    text = _number(row.measured, endless)
    if not (pd.isna(row.low) or pd.isna(row.high)):
        text += f" [{_number(row.low, endless)}, {_number(row.high, endless)}]"
    if not pd.isna(row.replicates):
        text += f" ({counted(int(row.replicates), 'replicate')})"
    return text


def _required(text: str) -> str:
    """With true signs before numbers."""
    text = re.sub(r"-(?=[\d.])", "−", text)
    return text.replace("<=", "≤").replace(">=", "≥")


def _number(value: float, endless: str) -> str:
    if math.isinf(value):
        return endless if value > 0 else "−∞"
    if value == int(value) and abs(value) >= 1:
        return f"{value:,.0f}".replace("-", "−")
    # More digits where three would hide on which side of zero it lies; not those of rounding.
    digits = next((d for d in range(3, 8) if abs(value) >= 0.5 * 10.0**-d), 3)
    return signed(value, digits)


def _text(value: object) -> str:
    return "" if pd.isna(value) else str(value)
