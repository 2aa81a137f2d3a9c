"""How many submissions are safe: where the attacker's frontier crosses a threshold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from shakedown.attacks.attack import MODELLER
from shakedown.dryrun.candidates import GROUP
from shakedown.interface import InputError
from shakedown.simulation.outcomes import typed

_LIMITS = [
    *GROUP, "threat", "threshold", "quantile", "safe_submissions", "ci_low", "ci_high",
    "censored", "replicates",
]  # fmt: skip


def safe_submissions(
    curve: pd.DataFrame, thresholds: Sequence[float], upper: pd.DataFrame | None = None
) -> pd.DataFrame:
    """The most submissions that keep Δ above a threshold.

    Parameters
    ----------
    curve : DataFrame
        As `frontier` returns it.
    thresholds : sequence of float
        Tolerated Δ, below 0, in the curve's unit.
    upper : DataFrame, optional
        Upper ends, as `bootstrap.upper_ends` returns them.  Without it, an upper end is the number
        before the first at which delta_high reaches the threshold.

    Returns
    -------
    DataFrame
        Per setting, threat and threshold: dataset, metric, setting, threat, threshold, quantile,
        safe_submissions, ci_low, ci_high (null: no upper end), censored, replicates.  If Δ does not
        reach the threshold at any number played, the limit is the largest of them and `censored`
        is true.

    Raises
    ------
    InputError
        If a threshold is not below 0.

    Notes
    -----
    Limits and their lower ends are read off one curve and nothing else.

    The limit interpolates the curve linearly between the numbers of submissions played, starting
    from no overfit without submissions.  If an attack gets there in a jump between two numbers, its
    limit lies between them all the same.  The interval is one of this limit, and its 5 % of error
    are shared so as to protect the organiser: at most 1 % of the limits lie below its lower end,
    the cautious limit, and about 4 % above its upper end.

    The lower end is the crossing of delta_low (0 if the first number played has crossed).  It fails
    only if delta_low does at a number played next to the limit, at each with a probability of at
    most 2.5 %; as the smallest of many such bounds it fails less often.  The 1 % is measured
    (.15 % of 68 rows of 200 known limits with 40 replicates each, and 1.5 % in the worst row;
    tests/known/coverage.py).  A lower end from a bootstrap, allowed to be too high in 2.5 % of the
    cases, was so in more than 4 % of them in half of the rows, and in 11 % in the worst.

    The upper end is that of a bootstrap of the whole procedure (`bootstrap.upper_ends`).  It is
    lower than the crossing of delta_high, which holds for every distribution of Δ, and bounds the
    interpolated limit, not the last number before the first played that suffices.  Of the known
    limits 3.1 % were above it, and 9 % in the worst row; 96.7 % were in the interval.
    """
    if bad := [t for t in thresholds if not t < 0]:
        raise InputError(f"thresholds: wanted numbers below 0 (overfit is Δ < 0); got {bad}.")
    keys = [*GROUP, "threat", "quantile"]
    upper_ends = (
        None if upper is None else upper.set_index([*keys[:-1], "threshold"])["upper"].to_dict()
    )
    rows: list[dict] = []
    for key, part in curve.groupby(keys, observed=True, dropna=False, sort=False):
        part = part.sort_values("submissions")
        grid = part["submissions"].to_numpy(float)
        delta = part["delta"].to_numpy(float)
        # A missing bound is infinite.
        low = part["delta_low"].fillna(-np.inf).to_numpy(float)
        high = part["delta_high"].fillna(np.inf).to_numpy(float)
        for threshold in thresholds:
            first, lower, reached = (
                int(np.argmax(np.append(line <= threshold, True))) for line in (delta, low, high)
            )
            safe = _crossing(grid, delta, first, threshold)
            ends = np.ceil(grid[reached]) - 1 if reached < len(grid) else np.inf
            if upper_ends is not None:
                # Too few replicates bound nothing, however often they are drawn again.
                known = np.isfinite(high).any() and first < len(grid)
                ends = max(upper_ends[(*key[:-1], threshold)], safe) if known else np.inf
            rows.append(
                dict(zip(keys, key, strict=True))
                | {
                    "threshold": float(threshold),
                    "safe_submissions": safe,
                    "ci_low": _crossing(grid, low, lower, threshold) if lower else 0,
                    "ci_high": ends if np.isfinite(ends) else None,
                    "censored": first == len(grid),
                    "replicates": part["replicates"].iloc[0],
                }
            )
    counts = dict.fromkeys(("safe_submissions", "ci_low", "ci_high"), "Int64")
    return typed(pd.DataFrame(rows, columns=_LIMITS)).astype(counts | {"censored": bool})


def of_threat(table: pd.DataFrame, threat: str) -> pd.DataFrame:
    """The rows of a threat; those of the modeller if no other attack can read the metric."""
    threats = table["threat"].astype(str)
    return table[(threats == (threat if (threats == threat).any() else MODELLER)).to_numpy(bool)]


def is_same(thresholds, wanted: float):
    """Whether thresholds equal the wanted one, up to the rounding of text files."""
    return np.isclose(np.asarray(thresholds, float), wanted, rtol=1e-9, atol=0)


def at_threshold(limits: pd.DataFrame, threshold: float) -> pd.DataFrame:
    """The limits for one threshold."""
    return limits[is_same(limits["threshold"], threshold)]


def _crossing(grid: np.ndarray, delta: np.ndarray, first: int, threshold: float) -> float:
    """Largest whole number before the curve from (0, 0) falls to the threshold."""
    if first == len(grid):
        return grid[-1]
    before, above = (grid[first - 1], delta[first - 1]) if first else (0.0, 0.0)
    share = (above - threshold) / (above - delta[first])
    return max(before, np.ceil(before + share * (grid[first] - before)) - 1)
