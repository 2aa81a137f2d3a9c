"""The rows of a summary that tell what came out: every mechanism at its largest budget."""

from __future__ import annotations

import pandas as pd

from shakedown.interface import InputError
from shakedown.outcomes import MECHANISM

#: What makes two rows answers to the same question.
QUESTION = ("experiment", "dataset", "design", "metric", "attack", "board")

#: The columns of a summary that the report reads.
NEEDS = (
    *QUESTION,
    *MECHANISM,
    *("n_features", "n_selected", "iterations", "submissions", "replicates"),
    *("median_delta", "delta_low", "delta_high", "median_score_public", "median_score_final"),
    "median_leaderboard_error",
)


def is_permuted(design: str) -> bool:
    """Whether nothing can be learned in a design, so that whatever is found is overfit."""
    return design != "splits"


def largest_budget(summary: pd.DataFrame) -> pd.DataFrame:
    """The row of each mechanism at which its attack is largest.

    That is the row with the most submissions; among those, with the most iterations, then with
    the most features in the final model.

    Parameters
    ----------
    summary : DataFrame
        Summaries of one or several experiments.

    Raises
    ------
    InputError
        If a column is missing, or there is no row.
    """
    missing = [c for c in NEEDS if c not in summary.columns]
    if missing:
        raise InputError(
            f"the summary lacks the column{'s' * (len(missing) > 1)} {', '.join(missing)}; "
            f"it has {', '.join(map(str, summary.columns)) or 'none'}."
        )
    if summary.empty:
        raise InputError("the summary has no rows; run at least one experiment.")
    size = summary[["submissions", "iterations", "n_selected"]].astype(float).fillna(0)
    ordered = summary.loc[
        size.sort_values(list(size.columns), ascending=False, kind="stable").index
    ]
    largest = ordered.drop_duplicates([*QUESTION, *MECHANISM])
    return largest.loc[largest.index.sort_values()]


def key_results(summary: pd.DataFrame) -> pd.DataFrame:
    """The results that the report's first table shows, the strongest overfit first.

    Parameters
    ----------
    summary : DataFrame
        Summaries of one or several experiments.

    Returns
    -------
    DataFrame
        One row per data set, design, attack, board and mechanism, at the largest budget.

    Raises
    ------
    InputError
        If a column is missing, or there is no row.
    """
    columns = [
        *("experiment", "dataset", "design", "metric", "attack", "board"),
        *(*MECHANISM, "submissions"),
        *("median_delta", "delta_low", "delta_high", "median_score_public", "median_score_final"),
        *("median_leaderboard_error", "replicates"),
    ]
    ends = largest_budget(summary.reset_index(drop=True))
    return ends.sort_values("median_delta", kind="stable")[columns].reset_index(drop=True)
