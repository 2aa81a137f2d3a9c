"""A submission log, and the file in which it is stored."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd

from shakedown.data.files import archive, make_private, replacing
from shakedown.interface import Cells, InputError
from shakedown.replay.cleaning import NOT_PLAYED
from shakedown.replay.structure import Structure


@dataclass(frozen=True, eq=False)
class Log:
    """A submission log after the rules, ready to be played.

    Attributes
    ----------
    name : str
        The study's name.
    rows : ndarray of str, shape (n,)
        Ids of the rows.  With several responses, what is called a row is a cell, and the cells of a
        row have its id.
    truth : ndarray of float, shape (n,)
        The true response, in its original unit.
    public : ndarray of bool, shape (n,)
        The rows that the board scores; the others are private.
    predictions : ndarray of float, shape (m, n)
        Finite predictions, one row per submission, in playing order.
    submissions : DataFrame
        m rows in playing order: `submission` (its id), `team`, `order` (1 to m), `order_in_team`
        (from 1) and `time` (missing if unknown).
    messages : DataFrame
        What the rules did, one row per message: `submission` and `team` (missing if the message is
        about the whole log), `rule` (its name), `count` (of cells, rows or submissions), `done`
        (one sentence), `played` (whether the submission was played; missing without one).
    structure : Structure
        Which response each value is of, and which values belong together.
    """

    name: str
    rows: np.ndarray
    truth: np.ndarray
    public: np.ndarray
    predictions: np.ndarray
    submissions: pd.DataFrame
    messages: pd.DataFrame
    structure: Structure = Structure()


#: The columns of `Log.submissions`.
SUBMISSIONS = ("submission", "team", "order", "order_in_team", "time")
_ARRAYS = ("name", "rows", "truth", "public", "predictions")
_FRAMES = ("submissions", "messages")
_STRUCTURE = ("group", "groups", "weights", "responses", "response_of", "row_of")


def save(log: Log, path: str | Path) -> None:
    """Write a log to one .npz file without pickled objects, so that reading it runs no code.

    Creates missing folders, and replaces an existing file in one step.  The file holds the truth:
    its owner alone can read it.
    """
    arrays = {key: np.asarray(getattr(log, key)) for key in _ARRAYS}
    for key in _FRAMES:
        arrays[key] = np.frombuffer(getattr(log, key).to_parquet(index=False), np.uint8)
    arrays |= _of_structure(log.structure)
    with replacing(path) as temporary:
        make_private(temporary)
        with open(temporary, "wb") as file:
            np.savez(file, allow_pickle=False, **arrays)


def load(path: str | Path) -> Log:
    """Read a log that `save` wrote.

    Raises
    ------
    InputError
        If the file is missing or was not written by `save`.
    """
    with archive(path, "submission log") as npz:
        arrays = {key: npz[key] for key in (*_ARRAYS, *_FRAMES)}
        frames = {key: pd.read_parquet(BytesIO(arrays.pop(key).tobytes())) for key in _FRAMES}
        arrays |= {key: npz[key] for key in _STRUCTURE if key in npz}
        structure = _structure({key: arrays.pop(key) for key in _STRUCTURE if key in arrays})
        return Log(name=str(arrays.pop("name")), **frames, **arrays, structure=structure)


def _of_structure(structure: Structure) -> dict[str, np.ndarray]:
    """The arrays of a file that say what is known of the values."""
    arrays = {"group": np.asarray(structure.group)}
    if structure.groups is not None:
        arrays["groups"] = structure.groups
    if structure.weights is not None:
        arrays["weights"] = structure.weights
    if structure.cells is not None:
        names, responses, rows = structure.cells
        arrays |= {"responses": np.array(names), "response_of": responses, "row_of": rows}
    return arrays


def _structure(arrays: dict[str, np.ndarray]) -> Structure:
    """What `_of_structure` has written."""
    cells = None
    if "responses" in arrays:
        names = tuple(arrays["responses"].tolist())
        cells = Cells(names, arrays["response_of"], arrays["row_of"])
    return Structure(
        cells, arrays.get("groups"), arrays.get("weights"), str(arrays.get("group", ""))
    )


def dropped_teams(log: Log) -> pd.DataFrame:
    """The teams without any playable submission.

    Returns
    -------
    DataFrame
        One row per submission of these teams: `team`, `submission`, `rule` (that dropped it) and
        `reason` (one sentence).
    """
    dropped = log.messages[log.messages["rule"].isin(NOT_PLAYED) & log.messages["team"].notna()]
    dropped = dropped[
        ~dropped["played"].astype(bool) & ~dropped["team"].isin(log.submissions["team"])
    ]
    dropped = dropped.sort_values(["team", "submission"], kind="stable", ignore_index=True)
    return dropped.rename(columns={"done": "reason"})[["team", "submission", "rule", "reason"]]


def rows_in(log: Log, submissions: list[str]) -> np.ndarray:
    """Positions of submissions in the log.

    Raises
    ------
    InputError
        If a submission is not in the log.
    """
    at = {str(s): k for k, s in enumerate(log.submissions["submission"])}
    if unknown := [s for s in submissions if str(s) not in at]:
        raise InputError(
            f"log '{log.name}': the tables of its replay name submissions that it does not have: "
            f"{', '.join(unknown[:5])}. Replay the log again."
        )
    return np.array([at[str(s)] for s in submissions], dtype=int)
