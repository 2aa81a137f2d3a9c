"""Read submissions with predictions of several responses, from files of one submission each.

A file is wide, with a column for each response, or long, with a line for each prediction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from shakedown.interface import InputError
from shakedown.replay.cleaning import Messages
from shakedown.replay.log_tables import read_header
from shakedown.replay.settings import ReplayEntry
from shakedown.replay.submission_files import aligned, note_strange
from shakedown.tables.cells import TableCells, read_table
from shakedown.tables.header import Header
from shakedown.wording import counted, some


def read_matrices(
    files: Mapping[str, Path],
    rows: np.ndarray,
    responses: Sequence[str],
    settings: ReplayEntry,
    messages: Messages,
) -> dict[str, tuple[np.ndarray, np.ndarray, str]]:
    """As `submission_files.read_files`; the numbers have shape (n q,), row by row."""
    at = {name: i for i, name in enumerate(rows)}
    raw = {}
    for name, path in files.items():
        try:
            header = read_header(str(path), Path("."))
            header.require(settings.id, "id")
            is_long = settings.target in header.columns and not set(responses) & set(header.columns)
            read = _long if is_long else _wide
            lines, columns, values, odd, texts = read(header, responses, settings, name, messages)
        except InputError as e:
            messages.add("unreadable", 1, f"Not played: {e}", name)
            continue
        position = np.array([at.get(row, -1) for row in lines], int)
        note_strange(np.unique(lines[position < 0]), rows, name, messages)
        place = np.where((position < 0) | (columns < 0), -1, position * len(responses) + columns)
        strange = odd & (place >= 0)
        example = str(texts[strange][0]) if strange.any() else ""
        size = len(rows) * len(responses)
        raw[name] = (*aligned(place, values, odd, size, name, messages), example)
    return raw


#: Ids, numbers of responses (-1 for a column that is none), values, which of them are no numbers,
#: and their texts; each of shape (k,).
Entries = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def _wide(
    header: Header,
    responses: Sequence[str],
    settings: ReplayEntry,
    name: str,
    messages: Messages,
) -> Entries:
    there = [response for response in responses if response in header.columns]
    if not there:
        raise header.source.error(
            f"wanted a column for each response ({some(responses, most=3)}), or the columns "
            f"'{settings.target}' and '{_prediction(settings)}'; the header reads "
            f"{some(header.columns)}. Name the columns as the responses are called."
        )
    absent = [response for response in responses if response not in there]
    done = f"No column for {some(absent, most=3)}; its predictions are missing."
    messages.add("target_missing", len(absent), done, name)
    others = [c for c in header.columns if c and c != settings.id and c not in there]
    _note_targets(others, "column", name, messages)
    table = read_table(header, [settings.id, *there])
    numbers = [table.numbers(column) for column in there]
    codes = np.array([responses.index(column) for column in there])
    return (
        np.repeat(table.texts(settings.id), len(there)),
        np.tile(codes, table.n),
        np.column_stack([values for values, _ in numbers]).ravel(),
        np.column_stack([odd for _, odd in numbers]).ravel(),
        np.column_stack([table.texts(column) for column in there]).ravel(),
    )


def _long(
    header: Header,
    responses: Sequence[str],
    settings: ReplayEntry,
    name: str,
    messages: Messages,
) -> Entries:
    column = _prediction(settings)
    header.require(column, "prediction")
    table: TableCells = read_table(header, [settings.id, settings.target, column])
    number = {response: k for k, response in enumerate(responses)}
    targets = table.texts(settings.target)
    codes = np.array([number.get(target, -1) for target in targets], int)
    _note_targets(np.unique(targets[codes < 0]).tolist(), "target", name, messages)
    values, odd = table.numbers(column)
    return table.texts(settings.id), codes, values, odd, table.texts(column)


def _prediction(settings: ReplayEntry) -> str:
    return settings.prediction or "prediction"


def _note_targets(strange: Sequence[str], what: str, name: str, messages: Messages) -> None:
    done = (
        f"{counted(len(strange), what)} that {'is' if len(strange) == 1 else 'are'} no response: "
        f"{some(strange, most=3)}; ignored."
    )
    messages.add("target_unknown", len(strange), done, name)
