"""The answers at a larger tolerated Δ: which leaderboard, and how many submissions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from shakedown.dryrun.options import is_attacked, order, rows_of

#: Tolerated Δ, in those of the dry run.
TIMES = (1.0, 1.5, 2.0, 3.0, 5.0)


def cautious(curve: pd.DataFrame, threshold: float) -> int:
    """The most submissions tested up to which all lower ends of Δ reach the threshold.

    Unlike `limits.safe_submissions` it takes no number between two tested ones, so it needs no
    curve between them; it is at most the cautious limit.

    Parameters
    ----------
    curve : DataFrame
        The rows of one setting and threat of `frontier.frontier`.
    threshold : float
        Tolerated Δ, below 0.

    Returns
    -------
    int
        0 if even the fewest submissions tested are too many.
    """
    curve = curve.sort_values("submissions")
    # A missing bound is infinite.
    low = curve["delta_low"].astype(float).fillna(-np.inf).to_numpy()
    held = np.logical_and.accumulate(low >= threshold)
    return int(curve["submissions"].to_numpy()[held][-1]) if held.any() else 0


def answers(
    frontier: pd.DataFrame,
    options: Sequence[Mapping[str, Any]],
    *,
    wanted: int,
    threshold: float,
    times: Sequence[float] = TIMES,
) -> list[dict[str, Any]]:
    """The leaderboard to use at each of several tolerated Δ, and its safe submissions.

    Among the leaderboards on which the wanted number is safe it is the one with the smallest lag
    (`options.order`; whether a number is proved does not count), else the one with the most safe
    submissions.  The leaderboards are those of the dry run, whose steps suit its own threshold: a
    dry run with another one has others to choose from.

    Parameters
    ----------
    frontier : DataFrame
        As `frontier.frontier` returns it; only the rows of one threat.
    options : sequence of mapping
        Leaderboards, as in a recommendation.
    wanted : int
    threshold : float
        The tolerated Δ of the dry run, below 0.
    times : sequence of float
        By which it is multiplied.

    Returns
    -------
    list of dict
        For each: times, threshold, submissions (0: no number tested is safe), enough (whether they
        are as many as wanted), most_tested (on this leaderboard), setting, label and lag.  Empty if
        no leaderboard was attacked.
    """
    curves = {o["setting"]: rows_of(frontier, o["setting"]) for o in options if is_attacked(o)}
    attacked = [o for o in options if len(curves.get(o["setting"], ()))]
    if not attacked:
        return []
    rows = []
    for factor in times:
        tolerated = factor * threshold
        safe = [cautious(curves[option["setting"]], tolerated) for option in attacked]
        at_these = [
            {**option, "ci_low": n, "safe_submissions": n}
            for option, n in zip(attacked, safe, strict=True)
        ]
        best = min(at_these, key=lambda option: order(option, wanted, proof=False))
        rows.append(
            {
                "times": factor,
                "threshold": tolerated,
                "submissions": best["ci_low"],
                "enough": best["ci_low"] >= wanted,
                "most_tested": int(curves[best["setting"]]["submissions"].max()),
                **{key: best[key] for key in ("setting", "label", "lag")},
            }
        )
    return rows
