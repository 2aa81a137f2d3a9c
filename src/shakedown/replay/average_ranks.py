"""Rank the teams by several metrics, and by the mean of these ranks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from shakedown.leaderboard.ties import less
from shakedown.metrics import find
from shakedown.replay.grouping import BOARD, each_board, need, tidy
from shakedown.replay.log import Log, rows_in

AVERAGES = [
    *BOARD, "rows_of", "team", "submission", "metric", "score", "rank", "average_rank", "place",
]  # fmt: skip

#: Rules for equal scores, and SciPy's names for them.
TIES = {"average": "average", "best": "min"}


def average_ranks(
    log: Log, standings: pd.DataFrame, metrics: Sequence[str], ties: str = "average"
) -> pd.DataFrame:
    """Rank the teams of each board by each metric, and by the mean of these ranks.

    Parameters
    ----------
    log : Log
    standings : DataFrame
        The final standings of a replay of this log.
    metrics : sequence of str
        Names.
    ties : str
        A key of `TIES`: teams with equal scores have the mean of the ranks that they share, or the
        best of them.

    Returns
    -------
    DataFrame
        For each board, set of rows (`rows_of`: public, private, all), team and metric a row:
        `submission`, the one in force; its `score` and `rank`; the team's `average_rank` over the
        metrics, and its `place` by that, from 1; equal averages share the better place.  A file
        without a score, or with an infinite one, shares the last ranks.  Empty without metrics.

    Raises
    ------
    InputError
        If a metric is unknown, or the standings are those of another log.
    """
    need(standings, (*BOARD, "team", "in_force"), "standings")
    whole = np.full(len(log.truth), True)
    rows = []
    for board, part in each_board(standings) if metrics else ():
        in_force = part["in_force"].astype(str).tolist()
        files = log.predictions[rows_in(log, in_force)]
        for rows_of, which in (("public", log.public), ("private", ~log.public), ("all", whole)):
            scores, ranks = {}, {}
            for name in metrics:
                metric = log.structure.on(find(name), which)
                scores[name] = metric.score(log.truth[which], files[:, which])
                ranks[name] = ranked(metric.sign * scores[name], ties)
            average = np.mean(list(ranks.values()), axis=0)
            # Rounded, so that the order of the metrics decides no tie.
            place = rankdata(average.round(9), method="min").astype(int)
            of_teams = zip(part["team"].astype(str), in_force, average, place, strict=True)
            for k, (team, submission, mean, best) in enumerate(of_teams):
                shared = board | {"rows_of": rows_of, "team": team, "submission": submission}
                shared |= {"average_rank": mean, "place": best}
                rows += [
                    shared | {"metric": name, "score": scores[name][k], "rank": ranks[name][k]}
                    for name in metrics
                ]
    return tidy(rows, AVERAGES).astype({"place": "Int64"})


def ranked(risks: np.ndarray, ties: str) -> np.ndarray:
    """Ranks from 1, the smallest risk first; shape (teams,).  Ties are those of the boards."""
    known = np.nan_to_num(risks, nan=np.inf)
    order = np.argsort(known, kind="stable")
    steps = [less(known[a], known[b]) for a, b in pairwise(order)]
    level = np.empty(len(known))
    level[order] = np.cumsum([0, *steps])
    return rankdata(level, method=TIES[ties])
