"""How many submissions are safe: where the attacker's frontier crosses a threshold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from shakedown.attacks.attack import MODELLER
from shakedown.dryrun.frontier import GROUP
from shakedown.interface import InputError
from shakedown.simulation.outcomes import typed

_LIMITS = [
    *GROUP, "threat", "threshold", "quantile", "safe_submissions", "ci_low", "ci_high",
    "censored", "replicates",
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
    Each limit is read off one curve and nothing else.

    The estimate interpolates Δ linearly between the numbers of submissions played, starting from no
    overfit without submissions.  The ends of the interval are not interpolated.  The lower end is
    the last number played before delta_low reaches the threshold (0 if the first one does).  The
    upper end is one less than the first number at which delta_high reaches it.  An end fails only
    if the bound of Δ fails at one point (see `frontier`), so each end holds with 97.5 %, however
    many points the curve has and however Δ behaves between them.

    The intervals cover 99 to 100 % of known limits with 40 replicates (tests/known/coverage.py), as
    they end at numbers played and their lower end holds for every candidate.  The frontier is a
    minimum over candidates, which has a kink where two are equally good: one clear winner needs a
    bound of its own that holds with 97.5 %, but if several are nearly tied, the smallest of such
    bounds holds with almost 100 %.  Which case it is depends on differences below their standard
    error.

    Narrower intervals, for limits that are interpolated like the estimate (200 cases in each of 61
    rows): the percentile bootstrap of the cross-validated limit covered 95.5 %, but its lower end,
    allowed to be too high in 2.5 % of the cases, was so in more than 4 % in 21 rows, and in 8.5 %
    in the worst; with a correction for bias it covered 93 %, with 34 such rows and 11 %.
    Interpolated order statistics below and the bias-corrected bootstrap above covered 97 %, with
    too high a lower end in .6 to .9 %, and in 4.5 % in the worst row.  But the upper ends of all
    are interpolated, and in a quarter of the cases and more they are below the last number before
    the first played that suffices, the limit that ci_high bounds.
    """
    if bad := [t for t in thresholds if not t < 0]:
        raise InputError(f"thresholds: wanted numbers below 0 (overfit is Δ < 0); got {bad}.")
    keys = [*GROUP, "threat", "quantile"]
    rows: list[dict] = []
    for key, part in curve.groupby(keys, observed=True, dropna=False, sort=False):
        part = part.sort_values("submissions")
        grid = part["submissions"].to_numpy(float)
        delta = part["delta"].to_numpy(float)
        # A missing bound is infinite.
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
    largest = np.ceil(before + share * (grid[first] - before)) - 1
    return np.clip(largest, before, np.ceil(grid[first]) - 1)  # `share` is rounded
