"""Differences between reported and private scores over time."""

from __future__ import annotations

import numpy as np
import pandas as pd

from shakedown.interface import InputError
from shakedown.metrics import Metric
from shakedown.replay.grouping import BOARD, each_board, need, tidy

REPORTED = [
    *BOARD, "team", "submission", "order", "order_in_team", "time", "reported", "in_force",
    "score_private", "error", "delta", "leaderboard_error",
]  # fmt: skip

SUMMARY = [
    *BOARD, "submissions", "median_error", "mean_distance", "largest_distance", "final_distance",
    "flattered", "leaderboard_error",
]  # fmt: skip

_SEEN = (
    *(*BOARD, "submission", "team", "order", "order_in_team", "time"),
    *("score_private", "on_board", "in_force"),
)


def reported_error(seen: pd.DataFrame, metric: Metric) -> pd.DataFrame:
    """A team's score on the leaderboard minus the private score of its submission in force.

    Parameters
    ----------
    seen : DataFrame
        The table of a replay from `games.play`.
    metric : Metric

    Returns
    -------
    DataFrame
        One row per board and submission, in playing order, without boards that show no score.
        Columns: `team`, `submission`, `order`, `order_in_team`, `time`; `reported`, the team's
        score on the board after the submission; `in_force`, the team's submission that counts, and
        its `score_private`; `error` = reported - private, in the metric's unit; `delta`, the error
        with the sign changed if larger scores are better, so that it is negative if the reported
        score is too good; `leaderboard_error`, the largest absolute difference so far between the
        reported score and the best private score of the team's submissions until then.

    Raises
    ------
    InputError
        If a column or all rows are missing, or a submission in force is not in the table.

    References
    ----------
    .. [B] A. Blum and M. Hardt, "The Ladder: A Reliable Leaderboard for Machine Learning
       Competitions", ICML, 2015, Definition 2.1, with private scores as the truth.
    """
    need(seen, _SEEN, "seen")
    rows = pd.concat([part.sort_values("order") for _, part in each_board(seen)], ignore_index=True)
    own = rows.assign(in_force=rows["submission"].astype(str))[
        [*BOARD, "in_force", "score_private"]
    ]
    rows["in_force"] = rows["in_force"].astype(str)
    merged = rows.drop(columns="score_private").merge(
        own, on=[*BOARD, "in_force"], how="left", indicator=True
    )
    if (unknown := (merged["_merge"] == "left_only").to_numpy()).any():
        raise InputError(
            f"the table `seen`: submission {rows['in_force'][unknown].iloc[0]} is in force on a "
            "board where it was not made. Replay the log again."
        )
    by_team = rows["team"].astype(str)
    keys = [*(rows[c] for c in BOARD), by_team]
    risk = metric.sign * rows["score_private"]
    best = metric.sign * risk.groupby(keys, observed=True).cummin()
    reported, private = rows["on_board"].astype(float), merged["score_private"]
    off = (reported - best).abs()
    frame = rows.assign(
        reported=reported,
        score_private=private,
        error=reported - private,
        delta=metric.delta(reported, private),
        leaderboard_error=off.groupby(keys, observed=True).cummax(),
    )
    return frame.loc[reported.notna(), REPORTED].reset_index(drop=True)


def summarise_error(reported: pd.DataFrame) -> pd.DataFrame:
    """Summarise the differences between reported and private scores of each board.

    Parameters
    ----------
    reported : DataFrame
        As `reported_error` returns it.

    Returns
    -------
    DataFrame
        One row per board: `submissions`; `median_error`; `mean_distance` and `largest_distance`,
        the mean and largest absolute error; `final_distance`, the mean absolute error of the teams
        after their last submission; `flattered`, the share of reported scores that are better than
        the private score; `leaderboard_error`, the largest of all teams.
    """
    need(reported, REPORTED, "of reported scores")
    rows = []
    for board, part in each_board(reported):
        error = part["error"].to_numpy(float)
        last = part.sort_values("order").groupby(part["team"].astype(str))["error"].last()
        rows.append(
            board
            | {
                "submissions": len(part),
                "median_error": np.median(error),
                "mean_distance": np.abs(error).mean(),
                "largest_distance": np.abs(error).max(),
                "final_distance": last.abs().mean(),
                "flattered": (part["delta"].to_numpy(float) < 0).mean(),
                "leaderboard_error": part["leaderboard_error"].max(),
            }
        )
    return tidy(rows, SUMMARY)
