"""Claims held against the tables of a study."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd
import xarray as xr

from shakedown.claims.claim import Claim
from shakedown.claims.intervals import Measured, interval
from shakedown.claims.study import Study
from shakedown.claims.study_tables import NotAnswered, Tables
from shakedown.interface import InputError

#: Columns of the result.
COLUMNS = (
    *("claim", "source", "kind", "statement", "measured", "required", "holds"),
    *("low", "high", "certain", "replicates", "figure", "note", "seen"),
)


def evaluate(
    claims: Iterable[Claim], tables: Tables, *, seed: int, resamples: int = 200
) -> pd.DataFrame:
    """Check claims against the tables of a study.

    Parameters
    ----------
    claims : iterable of Claim
    tables : Tables
    seed, resamples : int
        Of the resamples of the replicates; how many there are behind each interval.

    Returns
    -------
    DataFrame
        A row per claim: claim (its id), source, kind, statement, measured, required, holds ("yes",
        "no", "not run"), low and high (95 % Monte Carlo interval of the measured number, see
        `intervals`; NaN for arithmetic and for one replicate), certain ("yes" if all numbers of the
        interval give the same verdict and the replicates can tell, else "no"; missing for one
        replicate), replicates (the fewest behind a number; missing for an exact one), figure, note,
        seen (in the study `default`).  A crossing that does not happen is measured as infinite.

    Raises
    ------
    InputError
        If a claim gives anything but one number, asks for what no table has, or is called
        statistical and uses no replicates.
    """
    with xr.set_options(arithmetic_join="exact"), np.errstate(divide="ignore", invalid="ignore"):
        rows = [_row(claim, Study(tables, seed, resamples, claim.dataset)) for claim in claims]
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    return frame.astype({"measured": float, "low": float, "high": float, "replicates": "Int64"})


def _row(claim: Claim, study: Study) -> dict:
    texts = ("source", "kind", "statement", "figure", "note", "seen")
    row = {"claim": claim.id, "required": claim.required.text}
    row |= {name: getattr(claim, name) for name in texts}
    try:
        number, low, high, replicates = _measured(claim, study)
        if np.isnan(number):
            raise NotAnswered("there is nothing to measure, such as a jump that did not happen")
    except NotAnswered as e:
        return row | {"holds": "not run", "note": f"Not run: {e}. {claim.note}".strip()}
    except InputError as e:
        raise InputError(f"Claim {claim.id} in {claim.place[0]}: {e}") from None
    met = _yes(claim.required.met_by(number))
    row |= {"measured": number, "holds": met, "replicates": replicates}
    if claim.kind == "arithmetic" or replicates is None:
        return row | {"certain": "yes"}
    if replicates == 1:
        return row
    agree_by_chance = study.rare or (study.averaged and low == high)
    certain = claim.required.decided_by(low, high) and not agree_by_chance
    return row | {"low": low, "high": high, "certain": _yes(certain)}


def _measured(claim: Claim, study: Study) -> Measured:
    """The number that a claim gives, its interval, and the fewest replicates behind it."""
    try:
        measured = claim.measure(study)
    except xr.AlignmentError:
        raise NotAnswered("the sides of a comparison do not have the same points") from None
    if study.replicates is None and claim.kind == "statistical":
        raise InputError("it uses no replicates. Give it kind='arithmetic'.")
    measured = measured if isinstance(measured, Measured) else interval(measured)
    fewest = min((n for n in (measured.replicates, study.replicates) if n), default=None)
    return measured._replace(replicates=fewest)


def _yes(answer: bool) -> str:
    return "yes" if answer else "no"
