"""How far the reported scores are from the private ones, over time."""

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
    """The score beside a team on the leaderboard minus the private score of what it stands for.

    Parameters
    ----------
    seen : DataFrame
        What each team was shown after each submission; the replay's table of that name.
    metric : Metric

    Returns
    -------
    DataFrame
        Per board, in playing order: `team`, `submission`, `order`, `order_in_team`, `time`;
        `reported`, the number beside the team after that submission; `in_force`, the submission
        of the team that it stands for, and its `score_private`; `error` = reported - private, in
        the metric's unit; `delta`, the same with the sign turned where larger is better, so that
        below 0 the board flatters; `leaderboard_error`, the largest distance so far between what
        is reported and the best private score among the team's submissions so far.  Where nothing
        like a score was reported there is no row.

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
    parts = []
    for _, part in each_board(seen):
        part = part.sort_values("order", kind="stable")
        own = part.set_index(part["submission"].astype(str))["score_private"].astype(float)
        private = part["in_force"].astype(str).map(own).to_numpy(float)
        if np.isnan(private).any() and not own.isna().any():
            unknown = part.loc[np.isnan(private), "in_force"].iloc[0]
            raise InputError(
                f"the table seen: the submission {unknown} is in force on a board where it was "
                "never made. Replay the log again."
            )
        reported = part["on_board"].to_numpy(float, na_value=np.nan)
        risk = pd.Series(metric.sign * part["score_private"].to_numpy(float), index=part.index)
        best = metric.sign * risk.groupby(part["team"].astype(str)).cummin()
        off = pd.Series(np.abs(reported - best.to_numpy()), index=part.index)
        made = {
            "reported": reported,
            "score_private": private,
            "error": reported - private,
            "delta": metric.delta(reported, private),
            "leaderboard_error": off.groupby(part["team"].astype(str)).cummax(),
        }
        parts.append(part.drop(columns="score_private").assign(**made)[REPORTED])
    frame = pd.concat(parts, ignore_index=True)
    return frame[frame["reported"].notna().to_numpy()].reset_index(drop=True)


def summarise_error(reported: pd.DataFrame) -> pd.DataFrame:
    """How far reported scores are from private ones, board by board.

    Parameters
    ----------
    reported : DataFrame
        As `reported_error` returns it.

    Returns
    -------
    DataFrame
        One row per board: `submissions`; `median_error` of all; `mean_distance` and
        `largest_distance`, the mean and the largest of its absolute values; `final_distance`, the
        mean over the teams after the last submission of each; `flattered`, the share of reported
        scores that look better than the private one; `leaderboard_error`, the largest of all teams.
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
