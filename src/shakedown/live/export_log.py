"""The log of a board in the format of a replay: its rows, its submissions, its configuration."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml
from sqlalchemy import select

from shakedown.data.grouped import from_zero
from shakedown.interface import Cells
from shakedown.leaderboard.mechanism import of_setting
from shakedown.live.contents import predictions_of
from shakedown.live.live_board import LiveBoard
from shakedown.live.tables import CONTENTS, SUBMISSIONS
from shakedown.live.truth import Truth
from shakedown.replay.log import Log
from shakedown.replay.structure import Structure
from shakedown.replay.winner_rule import WinnerRule

#: Table of the rows, list of submissions, folder with a file for each, and configuration.
ROWS, LISTING, FILES, REPLAY = "rows.parquet", "submissions.csv", "files", "replay.yaml"


def log_of(board: LiveBoard, made: pd.DataFrame) -> Log:
    """A board's submissions as the log of a replay.

    Parameters
    ----------
    board : LiveBoard
    made : DataFrame
        `LiveBoard.log`; it must have a row.

    Returns
    -------
    Log
        Submissions are called s1, s2, ... in their order, because keys can be any text.  With
        several responses each prediction that was asked for counts as a row of it.
    """
    with board.reading() as (connection, board_id, _):
        contents = dict(
            connection.execute(
                select(CONTENTS.c.sha256, CONTENTS.c.content).where(
                    CONTENTS.c.sha256.in_(
                        select(SUBMISSIONS.c.content).where(SUBMISSIONS.c.board_id == board_id)
                    )
                )
            )
            .tuples()
            .all()
        )
    predictions = np.array(
        [predictions_of(contents[name], board.rules) for name in made["content"]]
    )
    order = np.arange(1, len(made) + 1)
    width = len(str(len(made)))
    submissions = pd.DataFrame({
        "submission": [f"s{t:0{width}}" for t in order],
        "team": made["team"].to_numpy(str),
        "order": order,
        "order_in_team": made["number"].to_numpy(int),
        "time": made["received"].dt.tz_localize(None).astype("datetime64[ns]"),
    })  # fmt: skip
    truth = board.truth
    of_each = max(len(truth.responses), 1)
    columns = ["submission", "team", "rule", "count", "done", "played"]
    return Log(
        study_of(board), np.repeat(np.array(truth.ids), of_each), truth.values.ravel(),
        np.repeat(truth.public, of_each), predictions, submissions, pd.DataFrame(columns=columns),
        _structure(truth),
    )  # fmt: skip


def _structure(truth: Truth) -> Structure:
    """Which response each prediction that was asked for is of, and which ones belong together."""
    n, of_each = len(truth.ids), max(len(truth.responses), 1)
    rows = np.repeat(np.arange(n), of_each)
    cells = Cells(truth.responses, np.tile(np.arange(of_each), n), rows)
    weights = None if truth.weights is None else truth.weights.ravel()
    if truth.group is not None:
        groups = from_zero(truth.group.codes)[rows]
        several = cells if truth.responses else None
        return Structure(several, groups, weights, truth.group.name)
    return Structure(cells, rows, weights) if truth.responses else Structure()


def with_truth(log: Log) -> Log:
    """The log of the values that have a true one, as a replay reads it."""
    known = ~np.isnan(log.truth)
    if known.all():
        return log
    return replace(
        log, rows=log.rows[known], truth=log.truth[known], public=log.public[known],
        predictions=log.predictions[:, known], structure=log.structure.part(known),
    )  # fmt: skip


def write_log(board: LiveBoard, folder: Path, log: Log, rule: WinnerRule) -> None:
    """Write rows and submissions, apart from their list, and the configuration of a replay.

    With one response the table of rows has a column for each submission.  With several it has a
    column for each response, and each submission is a table of its own in the folder `FILES`: a
    column of ids, and one for each response.
    """
    truth = board.truth
    rows = _rows(truth)
    names = log.submissions["submission"]
    if truth.responses:
        (folder / FILES).mkdir()
        for name, predictions in zip(names, log.predictions, strict=True):
            table = dict(zip(truth.responses, _table(truth, predictions).T, strict=True))
            file = pd.DataFrame({"id": truth.ids, **table})
            file.to_parquet(folder / FILES / f"{name}.parquet", index=False)
    else:
        rows |= dict(zip(names, log.predictions, strict=True))
    pd.DataFrame(rows).to_parquet(folder / ROWS, index=False)
    (folder / REPLAY).write_text(_text(board, folder, rule), "utf-8")


def _table(truth: Truth, cells: np.ndarray) -> np.ndarray:
    """Predictions, shape (n q,), as a table of rows and responses."""
    return cells.reshape(len(truth.ids), len(truth.responses))


def _rows(truth: Truth) -> dict[str, Any]:
    """The columns of the table of rows, without submissions."""
    sets = np.where(truth.public, "public", "private")
    truths = {"truth": truth.values}
    if truth.times is not None:
        truths = {"truth": np.abs(truth.times), "event": truth.times > 0.0}
    elif truth.censored:
        truths = {"truth": np.abs(truth.values), "event": truth.values > 0.0}
    elif truth.responses:
        truths = dict(zip(truth.responses, truth.values.T, strict=True))
    rows = {"id": np.array(truth.ids), **truths, _free("set", truths): sets}
    return rows if truth.group is None else rows | {_free("group", truths): truth.group.codes}


def _free(name: str, taken: Collection[str]) -> str:
    """A name of a column that no response has."""
    return name if name not in taken else _free(name + "_", taken)


def _replay(board: LiveBoard, folder: Path, rule: WinnerRule) -> dict:
    """The configuration of a replay."""
    truth = board.truth
    several, grouped = list(truth.responses), truth.group is not None
    own = [] if truth.horizons else several  # columns of the table of rows
    return {
        "study": study_of(board),
        "seed": board.rules.seed,
        "replay": {
            "table": str(folder / ROWS),
            "id": "id",
            "truth": own or "truth",
            **({"event": "event"} if truth.censored or truth.horizons else {}),
            **({"horizons": list(truth.horizons)} if truth.horizons else {}),
            "public": _free("set", own),
            **({"group": _free("group", own)} if grouped else {}),
            **({"folder": str(folder / FILES)} if several else {}),
            "submissions": str(folder / LISTING),
            "metric": board.rules.metric,
            **({"winner": asked} if (asked := rule.model_dump(exclude_defaults=True)) else {}),
        },
    }


def _text(board: LiveBoard, folder: Path, rule: WinnerRule) -> str:
    """The configuration of a replay, as a user would write it."""
    config = _replay(board, folder, rule)
    mechanism = of_setting(board.rules.setting)
    around = [own for own in mechanism.defences if not own.one_board]
    kept = ", without the board that all accounts share" * (len(around) < len(mechanism.defences))
    whole = {"name": type(mechanism).name, **mechanism.parameters}
    if around:
        whole["defences"] = [{"name": type(own).name, **own.parameters} for own in around]
    entry = yaml.safe_dump([whole], default_flow_style=True, width=1000).strip()
    return (
        "# Replay the log on other boards: shakedown replay, with the path of this file, from the\n"
        "# folder in which it was exported.\n"
        + yaml.safe_dump(config, sort_keys=False, allow_unicode=True)
        + f"  # The board that ran, {mechanism.title}{kept}:\n  # mechanisms: {entry}\n"
    )


def study_of(board: LiveBoard) -> str:
    """The name of the board, in the form that a study's name has."""
    return "replay_" + re.sub(r"[^A-Za-z0-9]+", "_", board.name).strip("_")
