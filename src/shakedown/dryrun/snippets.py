"""Write submission limits in the formats of challenge platforms."""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import ceil

from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.responses import OF_LABELS
from shakedown.metrics import find

#: Longest month, for limits per month.
MONTH = 31


def per_day(submissions: int, days: int) -> int:
    """Submissions per day that allow a participant to use all of them; rounded up, at least 1."""
    return max(1, ceil(submissions / days))


def snippets(
    submissions: int,
    days: int,
    board: Mechanism | None = None,
    metric: str = "mse",
    *,
    is_grouped: bool = False,
    is_several: bool = False,
) -> dict[str, str]:
    """Texts to paste into the configurations of platforms.

    Parameters
    ----------
    submissions : int
        Total number of submissions of a participant; at least 1.
    days : int
        Length of the challenge; at least 1.
    board : Mechanism, optional
        The board, in the metric's own unit.
    metric : str
        Name or import path of the metric; used only with `board`.
    is_grouped, is_several : bool
        Whether rows belong together, and whether there are several responses.

    Returns
    -------
    dict of str to str
        Text by platform: "Synapse" (a call of its Python client), "EvalAI" and "Codabench" (a
        phase in YAML).  If the board releases less than every score, "Python" is a scoring program
        that calls it.

    Notes
    -----
    The total keeps a board safe.  The limit per day spreads the total over the challenge, so it can
    be rounded up.
    """
    daily = per_day(submissions, days)
    monthly = min(submissions, MONTH * daily)
    spread = f"{submissions} over {days} day{'s' * (days > 1)}, rounded up"
    texts = {
        "Synapse": f"""\
# A round of the evaluation queue; its limits count per participant or team. On the web:
# edit the queue, "Total Submissions / Round", and "Daily" under "Advanced Limits".
import json

import synapseclient

queue = "9600000"  # yours
limits = [
    {{"limitType": "TOTAL", "maximumSubmissions": {submissions}}},
    {{"limitType": "DAILY", "maximumSubmissions": {daily}}},  # {spread}
]
challenge = {{
    "evaluationId": queue,
    "roundStart": "2030-01-01T00:00:00.000Z",  # yours
    "roundEnd": "2030-02-01T00:00:00.000Z",  # yours
    "limits": limits,
}}
synapse = synapseclient.login()
synapse.restPOST(f"/evaluation/{{queue}}/round", json.dumps(challenge))
""",
        "EvalAI": f"""\
# challenge_config.yaml: three keys of the phase; they count per team.
challenge_phases:
  - id: 1
    max_submissions_per_day: {daily}  # {spread}
    max_submissions_per_month: {monthly}  # {MONTH} times that, and no more than in all
    max_submissions: {submissions}  # in all: this one keeps the leaderboard safe
""",
        "Codabench": f"""\
# competition.yaml: two keys of the phase; they count per participant. The editor on the
# web calls the second one submissions per person.
phases:
  - index: 0
    max_submissions_per_day: {daily}  # {spread}
    max_submissions: {submissions}  # in all: this one keeps the leaderboard safe
""",
    }

    if board is not None and not board.shows_all:
        texts["Python"] = _program(board, metric, _of_rows(metric, is_grouped, is_several))
    return texts


#: What a metric is told of the public rows or cells.
_OF_ROWS = {
    "cells": "the response and the row of each public cell, as shakedown.interface.Cells.",
    "groups": "of each public {unit}, numbered from 0 without gaps.",
    "weights": "of each public {unit}.",
}


def _of_rows(metric: str, is_grouped: bool, is_several: bool) -> list[str]:
    """Which of `_OF_ROWS` a dry run's metric is told."""
    told = {"cells": is_several, "groups": is_grouped, "weights": find(metric).is_weighted}
    return [name for name, is_told in told.items() if is_told]


def _program(board: Mechanism, metric: str, of_rows: Sequence[str]) -> str:
    """A board of this setting, for a scoring program; `of_rows` are some of `_OF_ROWS`."""
    scored = f"find_metric({json.dumps(metric)})"
    if of_rows:
        scored += f".on({', '.join(name if name in of_rows else 'None' for name in _OF_ROWS)})"
    unit = "cell" if "cells" in of_rows else "row"
    told = "".join(f"\n# {name}: {_OF_ROWS[name].format(unit=unit)}" for name in of_rows)
    named = [json.dumps(board.name), *(f"{key}={value!r}" for key, value in board.given.items())]
    if board.defences:
        named.append(f"defences={[{'name': d.name, **d.given} for d in board.defences]}")
    # Steps are in the response's own unit; all other boards were played on standardised data.
    scale = "" if any(board.parameters[key] is not None for key in board.scored()) else (
        "\n# Divide both by the standard deviation of y_public, as in the dry run."
    )  # fmt: skip
    made, more = f"mechanism({', '.join(named)})", ""
    if (
        board.release.standardises and metric not in OF_LABELS
    ):  # it states the mean and the spread of the public responses
        made = f"with_unit({made}, y_public)"
        more = "\nfrom shakedown.leaderboard.responses import with_unit"
    whom = "all participants together" if board.one_board else "each participant"
    return f"""\
# The board itself, one for {whom}; y_public are the public responses.{told}{scale}
from shakedown import Board, Scorer, find_metric, mechanism, stream{more}

seed = 1  # yours, and secret: the noise comes from it
board = Board(
    Scorer({scored}, y_public),
    {made},
    lambda *axes: stream(seed, *axes),
)
# predictions: shape (submissions, public {unit}s); show what is released.
released, accepted = board.submit(predictions)
"""
