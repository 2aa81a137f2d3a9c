"""Claims held against the tables of a study."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from shakedown.claims.ledger import Claim
from shakedown.claims.nodes import Bench
from shakedown.claims.quantity import NotAnswered
from shakedown.claims.tables import Tables

#: Columns of the result.
COLUMNS = (
    *("claim", "source", "statement", "measured", "required", "holds"),
    *("low", "high", "certain", "replicates", "figure", "note"),
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
        "not run"), low and high (95 % Monte Carlo interval of the measured number; NaN where it is
        exact or comes from one replicate), certain ("yes" if all numbers of the interval agree,
        else "no"; missing for one replicate), replicates (missing for an exact number), figure,
        note.  A crossing that does not happen is measured as infinite.

    Notes
    -----
    The interval holds the middle 95 % of the bootstrap distribution over replicates.  The largest
    or smallest of several uncertain numbers lies further out than that of the true ones, and in a
    resample further still.  So where the measured number does not move in leaps, the interval also
    holds that middle part reflected at the measured number, which takes this bias off instead of
    doubling it.  Otherwise a statement on all points of a grid would be called certainly wrong
    because a few points do not differ.
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
    }
    try:
        found = claim.expression.work_out(bench)
        if np.isnan(found.values[0]):
            raise NotAnswered("there is nothing to measure, such as a jump that did not happen")
    except NotAnswered as e:
        return row | {"holds": "not run", "note": f"Not run: {e}. {claim.note}".strip()}
    measured, resampled = float(found.values[0]), found.values[1:]
    row |= {"measured": measured, "holds": _yes(claim.required.met_by(measured))}
    if found.replicates is None:
        return row | {"certain": "yes"}
    row["replicates"] = found.replicates
    if not len(resampled):
        return row
    low, high = interval(measured, resampled, reflect=not claim.expression.leaps)
    certain = claim.required.decided_by(low, high)
    return row | {"low": low, "high": high, "certain": _yes(certain)}


def interval(measured: float, resampled: np.ndarray, *, reflect: bool) -> tuple[float, float]:
    """95 % interval of a number from its resamples, shape (resamples,); see `evaluate`."""
    # Of the resamples themselves, not between two of them: some may be infinite.
    low = np.nanquantile(resampled, 0.025, method="lower")
    high = np.nanquantile(resampled, 0.975, method="higher")
    ends = [measured, low, high]
    if reflect and np.isfinite(ends).all():
        ends += [2 * measured - low, 2 * measured - high]
    return float(min(ends)), float(max(ends))


def _yes(answer: bool) -> str:
    return "yes" if answer else "no"
