"""Read submissions with predictions of several responses, from files of one submission each.

A file is wide, with a column for each response, or long, with a line for each prediction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from shakedown.replay.cleaning import Messages
from shakedown.replay.settings import ReplayEntry
from shakedown.replay.submission_files import Entries, read_entries
from shakedown.tables.cells import read_table
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
    read = _Reader(responses, settings, messages)
    return read_entries(files, rows, len(responses), read, messages)


@dataclass(frozen=True)
class _Reader:
    """Reads the predictions of a file."""

    responses: Sequence[str]
    settings: ReplayEntry
    messages: Messages

    def __call__(self, header: Header, name: str) -> Entries:
        header.require(self.settings.id, "id")
        is_wide = set(self.responses) & set(header.columns)
        is_long = self.settings.target in header.columns and not is_wide
        return (self._long if is_long else self._wide)(header, name)

    def _wide(self, header: Header, name: str) -> Entries:
        responses, id_column = self.responses, self.settings.id
        there = [response for response in responses if response in header.columns]
        if not there:
            raise header.source.error(
                f"wanted a column for each response ({some(responses, most=3)}), or the columns "
                f"'{self.settings.target}' and '{self._prediction}'; the header reads "
                f"{some(header.columns)}. Name the columns as the responses are called."
            )
        absent = [response for response in responses if response not in there]
        done = f"No column for {some(absent, most=3)}; its predictions are missing."
        self.messages.add("target_missing", len(absent), done, name)
        others = [c for c in header.columns if c and c != id_column and c not in there]
        self._note_targets(others, "column", name)
        table = read_table(header, [id_column, *there])
        numbers = [table.numbers(column) for column in there]
        return (
            np.repeat(table.texts(id_column), len(there)),
            np.tile([responses.index(column) for column in there], table.n),
            np.column_stack([values for values, _ in numbers]).ravel(),
            np.column_stack([odd for _, odd in numbers]).ravel(),
            np.column_stack([table.texts(column) for column in there]).ravel(),
        )

    def _long(self, header: Header, name: str) -> Entries:
        id_column, target, column = self.settings.id, self.settings.target, self._prediction
        header.require(column, "prediction")
        table = read_table(header, [id_column, target, column])
        number = {response: k for k, response in enumerate(self.responses)}
        targets = table.texts(target)
        numbers = np.array([number.get(name, -1) for name in targets], int)
        self._note_targets(np.unique(targets[numbers < 0]).tolist(), "target", name)
        return (table.texts(id_column), numbers, *table.numbers(column), table.texts(column))

    @property
    def _prediction(self) -> str:
        return self.settings.prediction or "prediction"

    def _note_targets(self, strange: Sequence[str], what: str, name: str) -> None:
        done = (
            f"{counted(len(strange), what)} that {'is' if len(strange) == 1 else 'are'} no "
            f"response: {some(strange, most=3)}; ignored."
        )
        self.messages.add("target_unknown", len(strange), done, name)
