"""Claims held against the tables of a study."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from shakedown.claims.intervals import interval
from shakedown.claims.ledger import Claim
from shakedown.claims.nodes import Bench
from shakedown.claims.quantity import NotAnswered
from shakedown.claims.tables import Tables

#: Columns of the result.
COLUMNS = (
    *("claim", "source", "statement", "measured", "required", "holds"),
    *("low", "high", "certain", "replicates", "figure", "note", "seen"),
)


def evaluate(
    claims: Iterable[Claim], tables: Tables, *, seed: int, resamples: int = 200
) -> pd.DataFrame:
    """Check claims.

    Parameters
    ----------
    claims : iterable of Claim
    tables : Tables
        The study's tables; claims on others are not run.
    seed : int
        Of the resamples.
    resamples : int
        Resamples of the replicates behind each interval.

    Returns
    -------
    DataFrame
        A row per claim: claim (its id), source, statement, measured, required, holds ("yes", "no",
        "not run"), low and high (95 % Monte Carlo interval of the measured number, see
        `intervals`; NaN where it is exact or comes from one replicate), certain ("yes" if all
        numbers of the interval agree, else "no"; missing for one replicate), replicates (missing
        for an exact number), figure, note, seen (in the study `default`).  A crossing that does not
        happen is measured as infinite.
    """
    bench = Bench(tables, resamples=resamples, seed=seed)
    rows = [_row(claim, bench) for claim in claims]
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    return frame.astype({"measured": float, "low": float, "high": float, "replicates": "Int64"})


def _row(claim: Claim, bench: Bench) -> dict:
    row = {
        "claim": claim.id,
        "source": claim.source,
        "statement": claim.statement,
        "required": claim.required.text,
        "figure": claim.figure,
        "note": claim.note,
        "seen": claim.seen,
    }
    try:
        found = claim.expression.work_out(bench)
        if np.isnan(found.values[0]):
            raise NotAnswered("there is nothing to measure, such as a jump that did not happen")
    except NotAnswered as e:
        return row | {"holds": "not run", "note": f"Not run: {e}. {claim.note}".strip()}
    measured = float(found.values[0])
    row |= {"measured": measured, "holds": _yes(claim.required.met_by(measured))}
    if found.replicates is None:
        return row | {"certain": "yes"}
    row["replicates"] = found.replicates
    if len(found.values) == 1:
        return row
    low, high = interval(claim.expression, found, bench)
    certain = claim.required.decided_by(low, high)
    return row | {"low": low, "high": high, "certain": _yes(certain)}


def _yes(answer: bool) -> str:
    return "yes" if answer else "no"
