"""Read submissions from files of one submission each, in the order of the table's rows."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from shakedown.interface import InputError
from shakedown.replay import ids
from shakedown.replay.cleaning import Messages
from shakedown.replay.label_numbers import LabelNumbers, values_of
from shakedown.replay.log_tables import read_header
from shakedown.replay.settings import ReplayEntry
from shakedown.tables.cells import read_table
from shakedown.tables.header import SUFFIXES, Header, full_path
from shakedown.tables.opening import ARCHIVES
from shakedown.wording import counted, some


def find_files(path: str, folder: Path) -> dict[str, Path]:
    """The file of each submission.

    Raises
    ------
    InputError
        If the folder does not exist or is empty, or two files are of the same submission.
    """
    where = full_path(path, folder)
    if not os.path.isdir(where):
        raise InputError(f"'folder': wanted a folder with a file for each submission; no {where}.")
    files: dict[str, Path] = {}
    for file in sorted(p for p in where.iterdir() if p.is_file() and not p.name.startswith(".")):
        name = _without(SUFFIXES, file.name)
        # A packed file has the name of the submission, unless there is also an unpacked one.
        unpacked = _without(SUFFIXES, _without(ARCHIVES, file.name))
        name = name if unpacked in files else unpacked
        if name in files:
            raise InputError(
                f"'folder': {files[name].name} and {file.name} are both submission '{name}'. "
                "Remove or rename one of them."
            )
        files[name] = file
    if not files:
        raise InputError(f"'folder': {where} is empty; wanted a file for each submission.")
    return files


def _without(suffixes: Sequence[str], name: str) -> str:
    suffix = next((s for s in suffixes if name.lower().endswith(s)), "")
    return name[: len(name) - len(suffix)]


def read_files(
    files: Mapping[str, Path],
    rows: np.ndarray,
    settings: ReplayEntry,
    labels: LabelNumbers | None,
    messages: Messages,
) -> dict[str, tuple[np.ndarray, np.ndarray, str]]:
    """For each file: numbers, shape (n,), which cells are not numbers, and one such cell."""
    at = {name: i for i, name in enumerate(rows)}
    raw = {}
    for name, path in files.items():
        try:
            header = read_header(str(path), Path("."))
            column = _prediction_column(header, settings)
            table = read_table(header, [settings.id, column])
            values, no_number = values_of(table, column, labels)
        except InputError as e:
            messages.add("unreadable", 1, f"Not played: {e}", name)
            continue
        own = table.texts(settings.id)
        position = np.array([at.get(row, -1) for row in own], int)
        note_strange(own[position < 0], rows, name, messages)
        odd = no_number & (position >= 0)
        example = str(table.texts(column)[odd][0]) if odd.any() else ""
        in_order = aligned(position, values, no_number, len(rows), name, messages)
        raw[name] = (*in_order, example)
    return raw


def note_strange(strange: np.ndarray, rows: np.ndarray, name: str, messages: Messages) -> None:
    """Report the ids of a submission that match no row."""
    done = (
        f"{counted(len(strange), 'prediction')} for ids that match no row: "
        f"{some(strange, most=3)}; ignored.{ids.cure(strange, rows)}"
    )
    messages.add("id_unknown", len(strange), done, name)


def _prediction_column(header: Header, settings: ReplayEntry) -> str:
    header.require(settings.id, "id")
    column = settings.prediction
    if column is not None:
        header.require(column, "prediction")
        return column
    others = [c for c in header.columns if c and c != settings.id]
    if len(others) != 1:
        raise header.source.error(
            f"wanted one column besides '{settings.id}'; got {some(others) or 'none'}. "
            "Name the column of predictions with 'prediction'."
        )
    return others[0]


def aligned(
    position: np.ndarray,
    values: np.ndarray,
    no_number: np.ndarray,
    n: int,
    name: str,
    messages: Messages,
) -> tuple[np.ndarray, np.ndarray]:
    """Values and which of them are no numbers, each shape (n,), in the order of the rows.

    `position`, shape (k,), is the row of each value of a file; -1 for unknown ids.
    """
    cells = pd.DataFrame({"value": values, "odd": no_number})[position >= 0]
    groups = cells.groupby(position[position >= 0])
    values = groups["value"].agg(["min", "max"]).reindex(range(n))
    lines = groups.size().reindex(range(n), fill_value=0)
    odd = groups["odd"].any().reindex(range(n), fill_value=False)
    differ = values["max"] > values["min"]
    repeated = int(((lines > 1) & ~differ).sum())
    done = f"{counted(repeated, 'id')} with the same prediction more than once; it counts once."
    messages.add("id_repeated", repeated, done, name)
    conflicting = int(differ.sum())
    done = f"{counted(conflicting, 'id')} with different predictions; treated as missing."
    messages.add("id_conflicting", conflicting, done, name)
    settled = values["min"].mask(differ)
    return settled.to_numpy(), (odd & settled.isna() & ~differ).to_numpy()
