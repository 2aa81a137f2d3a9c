"""Read submissions from files of one submission each, in the order of the table's rows."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from shakedown.interface import InputError
from shakedown.replay import ids
from shakedown.replay.cleaning import Messages
from shakedown.replay.label_numbers import Labels, values_of
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
    labels: Labels | None,
    messages: Messages,
) -> dict[str, tuple[np.ndarray, np.ndarray, str]]:
    """For each file: numbers, shape (n,), which cells are not numbers, and one such cell."""

    def entries(header: Header, name: str) -> Entries:
        column = _prediction_column(header, settings)
        table = read_table(header, [settings.id, column])
        values, no_number = values_of(table, column, labels)
        lines = table.texts(settings.id)
        return lines, np.zeros(len(lines), int), values, no_number, table.texts(column)

    return read_entries(files, rows, 1, entries, messages)


#: Of each prediction of a file its id, the number of its response (-1 for none), its value, whether
#: that is no number, and its text; each of shape (k,).
Entries = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def read_entries(
    files: Mapping[str, Path],
    rows: np.ndarray,
    responses: int,
    entries: Callable[[Header, str], Entries],
    messages: Messages,
) -> dict[str, tuple[np.ndarray, np.ndarray, str]]:
    """The predictions of each file: its numbers, row by row, and its cells that are not numbers.

    Parameters
    ----------
    files : mapping of str to Path
    rows : ndarray of str, shape (n,)
    responses : int
        Their number, q.
    entries : callable
        Reads the predictions of a file from its header and the submission's name.
    messages : Messages

    Returns
    -------
    dict of str to tuple
        For each submission the numbers, shape (n q,), which of the cells are not numbers, and the
        text of one of these.
    """
    at, raw = {name: i for i, name in enumerate(rows)}, {}
    for name, path in files.items():
        try:
            header = read_header(str(path), Path("."))
            lines, numbers, values, no_number, texts = entries(header, name)
        except InputError as e:
            messages.add("unreadable", 1, f"Not played: {e}", name)
            continue
        row = np.array([at.get(line, -1) for line in lines], int)
        strange = lines[row < 0]
        named = list(dict.fromkeys(strange.tolist()))
        done = (
            f"{counted(len(strange), 'prediction')} for ids that match no row: "
            f"{some(named, most=3)}; ignored.{ids.cure(strange, rows)}"
        )
        messages.add("id_unknown", len(strange), done, name)
        position = np.where((row < 0) | (numbers < 0), -1, row * responses + numbers)
        odd = no_number & (position >= 0)
        example = str(texts[odd][0]) if odd.any() else ""
        in_order = _aligned(position, values, no_number, len(rows) * responses, name, messages)
        raw[name] = (*in_order, example)
    return raw


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


def _aligned(
    position: np.ndarray,
    values: np.ndarray,
    no_number: np.ndarray,
    n: int,
    name: str,
    messages: Messages,
) -> tuple[np.ndarray, np.ndarray]:
    """Values and which of them are no numbers, each shape (n,), in their order.

    `position`, shape (k,), is where each value of a file belongs; -1 for nowhere.
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
