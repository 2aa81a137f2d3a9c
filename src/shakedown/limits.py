"""How many submissions are safe: where the attacker's frontier crosses a threshold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from shakedown.frontier import GROUP, frontier, quantile_interval
from shakedown.interface import InputError
from shakedown.outcomes import STRONGEST, typed

__all__ = ["frontier", "quantile_interval", "safe_submissions"]

_LIMITS = [
    "dataset", "metric", "mechanism", "alpha", "posterior_odds", "b", "threat", "threshold",
    "safe_submissions", "ci_low", "ci_high", "censored", "eta", "quantile", "replicates",
]  # fmt: skip


def safe_submissions(curve: pd.DataFrame, thresholds: Sequence[float]) -> pd.DataFrame:
    """The most submissions that keep Δ above a threshold.

    Parameters
    ----------
    curve : DataFrame
        As `frontier` returns it.
    thresholds : sequence of float
        Tolerated Δ, below 0, in the curve's unit.

    Returns
    -------
    DataFrame
        Per mechanism, threat and threshold: dataset, metric, mechanism, alpha, posterior_odds, b,
        threat, threshold, safe_submissions, ci_low, ci_high (null: no upper end), censored, eta,
        quantile, replicates.  Where no number that was tried crosses the threshold, the largest
        one stands and `censored` is true.

    Raises
    ------
    InputError
        If a threshold is not below 0.

    Notes
    -----
    The estimate is linear between the numbers of submissions that were tried, and from no overfit
    with none.  The interval's ends are not: what lies between two of them is unknown, so the lower
    end is the last number before delta_low crosses (0 if the first one does), the upper end the
    last before the one at which delta_high does.  An end errs only if the bound of Δ errs at one
    point (see `frontier`), so it is right with 97.5 %, without correction for the curve's length,
    and for attackers who could do anything between two of its points.
    """
    if bad := [t for t in thresholds if not t < 0]:
        raise InputError(f"thresholds: wanted numbers below 0, as Δ < 0 is overfit; got {bad}.")
    keys = [*GROUP, "threat", "quantile"]
    rows: list[dict] = []
    ends: list[bool] = []  # whether the lower end is one, and not merely the last that was tried
    for key, part in curve.groupby(keys, observed=True, dropna=False, sort=False):
        part = part.sort_values("submissions")
        grid = part["submissions"].to_numpy(float)
        delta = part["delta"].to_numpy(float)
        # No bound: anything is possible.
        low = part["delta_low"].fillna(-np.inf).to_numpy(float)
        high = part["delta_high"].fillna(np.inf).to_numpy(float)
        for threshold in thresholds:
            first, lower, upper = (
                int(np.argmax(np.append(line <= threshold, True))) for line in (delta, low, high)
            )
            rows.append(
                dict(zip(keys, key, strict=True))
                | {
                    "threshold": float(threshold),
                    "safe_submissions": _crossing(grid, delta, first, threshold),
                    "ci_low": grid[lower - 1] if lower else 0,
                    "ci_high": np.ceil(grid[upper]) - 1 if upper < len(grid) else None,
                    "censored": first == len(grid),
                    "replicates": part["replicates"].iloc[0],
                }
            )
            ends.append(lower < len(grid))
    _lower_the_strongest(rows, ends)
    counts = dict.fromkeys(("safe_submissions", "ci_low", "ci_high"), "Int64")
    return typed(pd.DataFrame(rows, columns=_LIMITS)).astype(counts | {"censored": bool})


def _lower_the_strongest(rows: list[dict], ends: list[bool]) -> None:
    """Give the modeller the smallest limit of all: its numbers lie between those of the others."""
    same = [*GROUP, "quantile", "threshold"]
    strongest = {_key(row, same): row for row in rows if row["threat"] == STRONGEST}
    for row, ends_there in zip(rows, ends, strict=True):
        strong = strongest.get(_key(row, same))
        if strong is None:
            continue
        if not row["censored"] and row["safe_submissions"] < strong["safe_submissions"]:
            strong["safe_submissions"], strong["censored"] = row["safe_submissions"], False
        if ends_there:
            strong["ci_low"] = min(strong["ci_low"], row["ci_low"])


def _key(row: dict, columns: Sequence[str]) -> tuple:
    return tuple(None if pd.isna(row[c]) else row[c] for c in columns)


def _crossing(grid: np.ndarray, delta: np.ndarray, first: int, threshold: float) -> float:
    """Largest whole number before the curve, through (0, 0), gets down to the threshold."""
    if first == len(grid):
        return grid[-1]
    before, above = (grid[first - 1], delta[first - 1]) if first else (0.0, 0.0)
    share = (above - threshold) / (above - delta[first])
    largest = np.ceil(before + share * (grid[first] - before)) - 1
    return np.clip(largest, before, np.ceil(grid[first]) - 1)  # rounding of `share` apart
