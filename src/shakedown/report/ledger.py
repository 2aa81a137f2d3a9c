"""The claims as a page shows them: what was measured, and whether each holds."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from shakedown.claims.verdicts import verdicts
from shakedown.interface import InputError
from shakedown.simulation.outcomes import require
from shakedown.wording import signed

#: Verdicts in the order of a page: the class that the style sheet knows, and a mark that needs no
#: colour.
VERDICTS = {
    "holds": ("yes", "✓"),
    "fails": ("no", "✗"),
    "undecided": ("unsure", "?"),
    "not run": ("missing", "–"),
}

#: Kinds of claims.  Only statistical ones are counted in the headline.
KINDS = ("statistical", "arithmetic", "carried over")

#: The study in which the remarks of the column `seen` were made.
DEFAULT = "default"

#: The columns that are read.
NEEDS = (
    *("claim", "source", "kind", "statement", "measured", "required", "holds"),
    *("low", "high", "certain", "replicates", "figure", "note", "seen"),
)


@dataclass(frozen=True)
class Claim:
    """One claim.  Texts are empty where there is nothing to show.

    Attributes
    ----------
    id, source, kind, statement, required, note, figure : str
    verdict : str
        One of `VERDICTS`.
    measured, interval, replicates : str
        The number, its 95 % Monte Carlo interval and the replicates behind it.
    seen : str
        Why it came out as it did in the default study.
    """

    id: str
    source: str
    kind: str
    statement: str
    verdict: str
    measured: str
    interval: str
    replicates: str
    required: str
    note: str
    seen: str
    figure: str

    @property
    def look(self) -> str:
        """Class that the style sheet knows."""
        return VERDICTS[self.verdict][0]

    @property
    def mark(self) -> str:
        """Sign before the words."""
        return VERDICTS[self.verdict][1]


def ledger(claims: pd.DataFrame | None, *, study: str = DEFAULT) -> list[Claim]:
    """Claims in the order of the table.

    Parameters
    ----------
    claims : DataFrame or None
        The table `claims.csv`.  A study without claims has none.
    study : str
        Its name.  Other studies than the default one show `seen` only beside claims that do not
        hold.

    Raises
    ------
    InputError
        If a column is missing, or `holds` or `kind` has an unknown value.
    """
    if claims is None:
        return []
    require(claims, NEEDS, "the claims")
    for column, wanted in (("holds", ("yes", "no", "not run")), ("kind", KINDS)):
        wrong = claims[~claims[column].isin(wanted)]
        if len(wrong):
            row = wrong.iloc[0]
            raise InputError(
                f"claim {row['claim']!r}: {column} must be one of {', '.join(wanted)}, got "
                f"{row[column]!r}. Check the claims again."
            )
    found = []
    for row, verdict in zip(claims.to_dict("records"), verdicts(claims), strict=True):
        one = {key: "" if pd.isna(value) else value for key, value in row.items()}
        remark = study == DEFAULT or one["holds"] == "no"
        found.append(
            Claim(
                id=str(one["claim"]),
                **{key: str(one[key]) for key in ("source", "kind", "statement", "figure", "note")},
                verdict=verdict,
                measured=_number(one["measured"]),
                interval=_interval(one["low"], one["high"]),
                replicates="" if one["replicates"] == "" else f"{int(one['replicates']):,}",
                required=_printed(str(one["required"])),
                seen=str(one["seen"]) * remark,
            )
        )
    return found


def by_verdict(claims: Iterable[Claim]) -> dict[str, list[Claim]]:
    """Claims of each verdict that occurs, in the order of `VERDICTS`."""
    claims = list(claims)
    parts = {verdict: [one for one in claims if one.verdict == verdict] for verdict in VERDICTS}
    return {verdict: part for verdict, part in parts.items() if part}


def _interval(low: float | str, high: float | str) -> str:
    return f"[{_number(low)}, {_number(high)}]" if "" not in (low, high) else ""


def _number(value: float | str) -> str:
    if value == "":
        return ""
    if math.isinf(value):
        return "none"  # a crossing that does not happen, as `Requirement.parse` calls it
    if value == int(value) and abs(value) >= 1:
        return f"{value:,.0f}".replace("-", "−")
    # More digits where three would hide on which side of zero it lies; not those of rounding.
    digits = next((d for d in range(3, 8) if abs(value) >= 0.5 * 10.0**-d), 3)
    return signed(value, digits)


def _printed(required: str) -> str:
    """With the signs of print."""
    return required.replace("-", "−").replace("<=", "≤").replace(">=", "≥")
