"""Claims held against the tables of a study."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from shakedown.claims.claim import Claim
from shakedown.claims.intervals import Measured, interval
from shakedown.claims.requirement import Requirement
from shakedown.claims.settling import settling
from shakedown.claims.study import Study
from shakedown.claims.study_tables import NotAnswered, Tables
from shakedown.claims.verdicts import verdict
from shakedown.interface import InputError

#: Columns of the result.
COLUMNS = (
    *("claim", "source", "kind", "statement", "measured", "required", "holds"),
    *("low", "high", "certain", "replicates", "replicates_needed", "tie_within"),
    *("bound", "literal", "literal_measured", "literal_verdict", "figure", "note", "seen"),
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
        replicate), replicates (the fewest behind a number; missing for an exact one),
        replicates_needed and tie_within (of an undecided claim, see `settling`), bound (who chose
        what is required, "paper" or "ours"), literal, literal_measured and literal_verdict (what
        the text requires word for word, if it is something else, of which number, and whether it
        holds), figure, note, seen (in the study `default`).  A crossing that does not happen is
        measured as infinite.

    Raises
    ------
    InputError
        If a claim gives anything but one number, asks for what no table has, or is called
        statistical and uses no replicates.
    """
    with xr.set_options(arithmetic_join="exact"), np.errstate(divide="ignore", invalid="ignore"):
        rows = [_row(claim, Study(tables, seed, resamples, claim.dataset)) for claim in claims]
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    numbers = ("measured", "low", "high", "tie_within", "literal_measured")
    counts = ("replicates", "replicates_needed")
    return frame.astype(dict.fromkeys(numbers, float) | dict.fromkeys(counts, "Int64"))


def _row(claim: Claim, study: Study) -> dict:
    texts = ("source", "kind", "statement", "bound", "figure", "note", "seen")
    row = {"claim": claim.id, "required": claim.required.text}
    row |= {name: getattr(claim, name) for name in texts}
    try:
        row |= _held_against(claim.required, claim, claim.measure, study)
        if claim.literal is not None:
            literally = _held_against(claim.literal, claim, claim.measure_literally, study)
            row |= {
                "literal": claim.literal.text,
                "literal_measured": literally["measured"],
                "literal_verdict": verdict(literally["holds"], literally.get("certain")),
            }
    except NotAnswered as e:
        return row | {"holds": "not run", "note": f"Not run: {e}. {claim.note}".strip()}
    except InputError as e:
        raise InputError(f"Claim {claim.id} in {claim.place[0]}: {e}") from None
    return row


def _held_against(
    requirement: Requirement, claim: Claim, measure: Callable, study: Study
) -> dict[str, Any]:
    """What a claim measures, and whether it is what is required."""
    measured = _measured(claim, measure, study)
    number, low, high, replicates = measured[:4]
    if np.isnan(number):
        raise NotAnswered("there is nothing to measure, such as a jump that did not happen")
    row = {"measured": number, "holds": _yes(requirement.met_by(number)), "replicates": replicates}
    if claim.kind == "arithmetic" or replicates is None:
        return row | {"certain": "yes"}
    if replicates == 1:
        return row
    agree_by_chance = study.rare or (study.averaged and low == high)
    certain = requirement.decided_by(low, high) and not agree_by_chance
    row |= {"low": low, "high": high, "certain": _yes(certain)}
    if certain or agree_by_chance:
        return row
    return row | dict(
        zip(
            ("replicates_needed", "tie_within"),
            settling(requirement, measured, replicates),
            strict=True,
        )
    )


def _measured(claim: Claim, measure: Callable, study: Study) -> Measured:
    """The number that a claim gives, its interval, and the fewest replicates behind it."""
    try:
        measured = measure(study)
    except xr.AlignmentError:
        raise NotAnswered("the sides of a comparison do not have the same points") from None
    if study.replicates is None and claim.kind == "statistical":
        raise InputError("it uses no replicates. Give it kind='arithmetic'.")
    measured = measured if isinstance(measured, Measured) else interval(measured)
    fewest = min((n for n in (measured.replicates, study.replicates) if n), default=None)
    return measured._replace(replicates=fewest)


def _yes(answer: bool) -> str:
    return "yes" if answer else "no"
