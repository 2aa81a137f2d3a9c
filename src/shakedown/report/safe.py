"""How many submissions are safe: an answer for each attack with several budgets."""

from __future__ import annotations

import pandas as pd

from shakedown.leaderboard.mechanism import settings_in
from shakedown.report.results import QUESTION, largest_budget, question, title
from shakedown.wording import listed


def safe_submissions(summary: pd.DataFrame, *, threshold: float) -> list[dict]:
    """Up to how many submissions the median Δ stays at or above a threshold, board by board.

    An experiment answers this if its attack was played over several numbers of features that end
    with different numbers of submissions.  A number is safe if neither it nor a smaller one that
    was tried has a median Δ below the threshold; between two that were tried nothing is said.

    Parameters
    ----------
    summary : DataFrame
        Summaries of one or several experiments.
    threshold : float
        The Δ that is accepted, in units of the metric.

    Returns
    -------
    list of dict
        For each data set, design, metric, attack and board: its words (`results.question`), the
        numbers `tried`, and `rows`: board, the largest `safe` number, the smallest one `over` it.
    """
    controls = [one.setting for one in settings_in(summary) if one.is_control]
    boards = summary[~summary["setting"].isin(controls)]
    found = []
    for _, group in boards.groupby(QUESTION, observed=True, dropna=False, sort=False):
        ends = largest_budget(group, by=["n_features"])
        tried = sorted(ends["submissions"].unique())
        if ends["n_features"].nunique() < 2 or len(tried) < 2:
            continue
        rows = []
        for setting, own in ends.groupby("setting", observed=True, sort=False):
            over = own.loc[own["median_delta"] < threshold, "submissions"]
            safe = [n for n in tried if over.empty or n < over.min()]
            rows.append(
                {
                    "board": title(setting),
                    "safe": f"{safe[-1]:,}" if safe else "none",
                    "over": "–" if over.empty else f"{over.min():,}",
                }
            )
        found.append(
            question(group.iloc[0]) | {"tried": listed([f"{n:,}" for n in tried]), "rows": rows}
        )
    return found
