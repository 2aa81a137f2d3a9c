"""A submission log that is ready to be played, and its file."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from shakedown.interface import InputError
from shakedown.outcomes import replacing


@dataclass(frozen=True, eq=False)
class Log:
    """A real submission log, ready to be played.

    Attributes
    ----------
    name : str
        The study's name.
    rows : ndarray of str, shape (n,)
        Ids of the rows.
    truth : ndarray of float, shape (n,)
        What was to be predicted, in its own unit.
    public : ndarray of bool, shape (n,)
        Which rows the board scores; the others are private.
    predictions : ndarray of float, shape (m, n)
        Finite; a row for each submission, in playing order.
    submissions : DataFrame
        m rows in playing order: `submission` (its id), `team`, `order` (1 to m), `order_in_team`
        (from 1) and `time` (missing where the log tells none).
    messages : DataFrame
        What the rules did, one row each: `submission` and `team` (missing where it is about the
        log as a whole), `rule` (its name), `count` (how many cells, rows or submissions), `done`
        (one plain sentence), `played` (whether that submission was played; missing where it is
        about none).
    """

    name: str
    rows: np.ndarray
    truth: np.ndarray
    public: np.ndarray
    predictions: np.ndarray
    submissions: pd.DataFrame
    messages: pd.DataFrame


_ARRAYS = ("name", "rows", "truth", "public", "predictions")
_SUBMISSIONS = ("submission", "team", "order", "order_in_team", "time")
_MESSAGES = ("submission", "team", "rule", "count", "done", "played")


def save(log: Log, path: str | Path) -> None:
    """Write a log to one .npz file; nothing in it can run code (no pickle).

    Parameters
    ----------
    log : Log
    path : str or Path
        Folders are made, an existing file is replaced in one step.
    """
    arrays = {key: np.asarray(getattr(log, key)) for key in _ARRAYS}
    for column in _SUBMISSIONS:
        arrays[f"submissions.{column}"] = _plain(log.submissions[column])
    for column in _MESSAGES:
        arrays[f"messages.{column}"] = _plain(log.messages[column])
    with replacing(path) as temporary, open(temporary, "wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


def load(path: str | Path) -> Log:
    """Read a log that `save` wrote.

    Raises
    ------
    InputError
        If the file is missing or is not such a file.
    """
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {key: archive[key] for key in archive.files}
        submissions = pd.DataFrame({c: arrays.pop(f"submissions.{c}") for c in _SUBMISSIONS})
        messages = pd.DataFrame({c: arrays.pop(f"messages.{c}") for c in _MESSAGES})
        name = str(arrays.pop("name"))
    except FileNotFoundError as e:
        raise InputError(f"{path} does not exist; write it with `save` first.") from e
    except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile) as e:
        raise InputError(
            f"{path} is not a submission log as `save` writes it ({e}); delete it and make it "
            "again."
        ) from e
    submissions = submissions.astype({"submission": object, "team": object})
    for column in ("submission", "team"):
        texts = messages[column].astype(object)
        messages[column] = texts.where(texts != "", None)
    messages["played"] = messages["played"].map({0: False, 1: True}).astype("boolean")
    messages = messages.astype({"rule": object, "done": object})
    return Log(name=name, submissions=submissions, messages=messages, **arrays)


def _plain(column: pd.Series) -> np.ndarray:
    """A column as an array without objects: "" for no text, -1 for neither true nor false."""
    if column.dtype == "boolean":
        return column.astype("Int8").fillna(-1).to_numpy(np.int8)
    if isinstance(column.dtype, pd.StringDtype) or column.dtype == object:
        return column.fillna("").to_numpy(str)
    return column.to_numpy()
