"""What checked claims come to, and how many come to what."""

from __future__ import annotations

import numpy as np
import pandas as pd

VERDICTS = ("holds", "fails", "undecided", "not run")


def verdict(holds: str, certain: str | None) -> str:
    """As `verdicts`, of one claim."""
    return verdicts(pd.DataFrame({"holds": [holds], "certain": [certain]}))[0]


def verdicts(claims: pd.DataFrame) -> pd.Series:
    """The verdict on each row of `claims.csv`, one of `VERDICTS`.

    A claim is undecided where more replicates could reverse the answer, so one of a single
    replicate always is.
    """
    cases = [claims["holds"] == "not run", claims["certain"] != "yes", claims["holds"] == "yes"]
    values = np.select(cases, ["not run", "undecided", "holds"], "fails")
    return pd.Series(values, claims.index, name="verdict")


def tally(claims: pd.DataFrame) -> pd.DataFrame:
    """How many rows of `claims.csv` come to each of `VERDICTS`, and their sum, `all`.

    A row for each kind, paper ("[C]", ..., or "ours" for what is carried over to other data), and
    choice of the bound: that of the paper, or ours.
    """
    paper = claims["source"].str.extract(r"^(\[\w+\]|\w+)", expand=False).rename("paper")
    counts = pd.crosstab([claims["kind"], paper, claims["bound"]], verdicts(claims))
    counts = counts.reindex(columns=list(VERDICTS), fill_value=0)
    return counts.assign(all=counts.sum(axis=1)).rename_axis(columns=None)
