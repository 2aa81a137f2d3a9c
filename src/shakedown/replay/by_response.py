"""Score each response of a replay alone."""

from __future__ import annotations

import numpy as np
import pandas as pd

from shakedown.metrics import Metric
from shakedown.metrics.composite import BY_RESPONSE, Composite
from shakedown.metrics.parts import scores_of
from shakedown.replay.grouping import BOARD, need, reference, tidy
from shakedown.replay.log import Log, rows_in
from shakedown.replay.ranks import ranked

RESPONSES = [
    *BOARD, "response", "rows", "metric", "team", "submission", "score_private", "private_place",
]  # fmt: skip


def by_response(log: Log, metric: Metric, standings: pd.DataFrame) -> pd.DataFrame:
    """Private scores of the submissions in force for each response alone.

    Parameters
    ----------
    log : Log
    metric : Metric
        Of a composite score, the metric of its first term counts, first of those by response.
    standings : DataFrame
        The final standings of a replay of this log.

    Returns
    -------
    DataFrame
        For each response and team of the reference board (`grouping.reference`) a row: `response`,
        `rows` (private ones with a true value), `metric`, `team`, `submission` in force,
        `score_private` on this response, and `private_place` by it.  A score that is not defined is
        null, and last.  Empty for one response.
    """
    need(standings, (*BOARD, "team", "in_force"), "standings")
    cells = log.structure.cells
    if cells is None:
        return tidy([], RESPONSES).astype({"rows": "Int64", "private_place": "Int64"})
    single = single_of(metric)
    part = reference(standings)
    submissions = part["in_force"].astype(str).tolist()
    files = log.predictions[rows_in(log, submissions)]
    board = {column: part[column].iloc[0] for column in BOARD}
    rows = []
    for k, response in enumerate(cells.names):
        own = ~log.public & (cells.responses == k)
        scores = np.full(len(files), np.nan)
        if own.any():
            on = log.truth[own], np.ascontiguousarray(files[:, own])
            w = log.structure.weights[own] if metric.is_weighted else None
            scores = single.score(*on) if w is None or not w.any() else scores_of(single, *on, w)
        places = ranked(single.sign * scores)
        shared = board | {"response": response, "rows": int(own.sum()), "metric": single.name}
        for team, submission, score, place in zip(
            part["team"].astype(str), submissions, scores, places, strict=True
        ):
            rows.append(
                shared
                | {"team": team, "submission": submission, "score_private": score}
                | {"private_place": place}
            )
    return tidy(rows, RESPONSES).astype({"rows": "Int64", "private_place": "Int64"})


def single_of(metric: Metric) -> Metric:
    """The metric of one response."""
    if not isinstance(metric, Composite):
        return metric
    terms = sorted(metric.terms, key=lambda term: term.over != BY_RESPONSE)  # stable
    return terms[0].metric
