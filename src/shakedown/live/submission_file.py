"""Read and check the file of a submission.

A file is refused for what it holds, never for its scores: what a refusal says depends on the file
and the ids only, because refusals are free.  It does not depend on the order of the ids either: a
truth can be sorted by its sets.  Numbers above `LARGEST` are refused for the same reason: their
squares can overflow in a sum over some rows and not over others.

`submission_matrix` reads the files of several responses.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nsmallest
from pathlib import Path
from typing import NamedTuple

import numpy as np

from shakedown.interface import guess
from shakedown.live.submission_text import (
    DECIMAL_COMMA,
    ECHOED,
    LONGEST,
    are_plain,
    blocks_of,
    cells_of,
    first_line,
    is_number,
    number_in,
    other_content,
    shown,
    unknown_id,
)
from shakedown.tables.opening import SEPARATORS, text_of
from shakedown.tables.policy import Policy, Refused

__all__ = ["COLUMNS", "SUBMISSION", "Refused", "read_submission", "shown"]

#: How the file of a submission is read.
SUBMISSION = Policy(most_bytes=(2**20, 2**10))

#: The columns of a file.
COLUMNS = "id", "prediction"


def read_submission(
    source: str | Path | bytes, ids: Sequence[str], classes: Sequence[str] = ()
) -> np.ndarray:
    """The predictions of a file.

    `docs/submission_file.md` describes the format.  At most 1 MB and 1 KB for each row is read.

    Parameters
    ----------
    source : str, Path or bytes
        A path, or the content.
    ids : sequence of str, length n
        The ids, each once.
    classes : sequence of str
        Names of classes, which count as 0, 1, ...

    Returns
    -------
    ndarray of float, shape (n,)
        In the order of `ids`; finite.

    Raises
    ------
    Refused
        If the file is not as described; names the line, the id and the cure.
    """
    text = text_of(source, len(ids), SUBMISSION)
    place = {name: k for k, name in enumerate(ids)}
    numbers = {name: str(k) for k, name in enumerate(classes)}
    layout = _layout(text, place, numbers)
    longest = LONGEST + 2 * max(map(len, ids), default=0)
    predictions = _Predictions(place, layout.swapped, numbers)
    blocks = blocks_of(
        text, layout.separator, layout.first, longest=longest, most=len(ids), each="id",
        holds="one id and one prediction",
    )  # fmt: skip
    for rows, first in blocks:
        predictions.add(rows, first)
    return predictions.all()


class _Layout(NamedTuple):
    """How a file is written: the separator, the lines before the data, and the order of columns."""

    separator: str
    first: int
    swapped: bool


class _Predictions:
    """The predictions read so far; `numbers` has that of each class, as text."""

    def __init__(self, place: dict[str, int], swapped: bool, numbers: dict[str, str]) -> None:
        self._place, self._swapped, self._numbers = place, swapped, numbers
        self._values = np.zeros(len(place))
        self._lines = np.zeros(len(place), np.int64)  # where each id stands; 0 for nowhere

    def add(self, rows: list[list[str]], first: int) -> None:
        """Add rows of the file; `first` is the number of their first line."""
        if not self._add_good(rows, first):
            for k, row in enumerate(rows):
                self._add_one(row, first + k)

    def all(self) -> np.ndarray:
        """All predictions, shape (n,)."""
        missing = np.flatnonzero(self._lines == 0)
        if len(missing):
            gone = set(missing.tolist())
            names = nsmallest(3, (name for name, k in self._place.items() if k in gone))
            some = ", ".join(f"'{shown(name)}'" for name in names)
            number, these = len(missing), "such as " if len(missing) > 3 else ""
            what = "1 id is missing" if number == 1 else f"{number:,} ids are missing"
            raise Refused(
                f"{what} of {len(self._place):,}: {these}{some}. Write one line for each id.",
                "missing",
            )
        return self._values

    def _add_good(self, rows: list[list[str]], first: int) -> bool:
        """Add rows without an error all at once; False, and nothing is added, if one may have."""
        try:
            names, cells = [a for a, _ in rows], [b for _, b in rows]
            places = np.array(
                [self._place[name] for name in (cells if self._swapped else names)], int
            )
            texts = [self._numbers.get(cell, cell) for cell in (names if self._swapped else cells)]
            values = np.array([float(text) for text in texts])
        except (KeyError, ValueError):
            return False
        if not are_plain(texts, values):
            return False
        lines = np.arange(first, first + len(rows))
        if self._lines[places].any() or len(set(places.tolist())) < len(places):
            return False
        self._values[places], self._lines[places] = values, lines
        return True

    def _add_one(self, row: list[str], line: int) -> None:
        """Add a row, or say what is wrong with it."""
        if not any(cell.strip() for cell in row):
            return
        if len(row) != 2:
            raise Refused(_of_columns(row, line), "columns")
        name, cell = row[::-1] if self._swapped else row
        if name not in self._place:
            name = name.strip()
        if name not in self._place:
            raise Refused(unknown_id(name, line, self._place), "unknown")
        cell = cell.strip()
        value = number_in(self._numbers.get(cell, cell), name, line)
        k = self._place[name]
        if self._lines[k]:
            raise Refused(
                f"line {line:,} repeats id '{shown(name)}' of line {self._lines[k]:,}. Write each "
                "id once.",
                "twice",
            )
        self._values[k], self._lines[k] = value, line


def _layout(text: str, place: dict[str, int], numbers: dict[str, str]) -> _Layout:
    """How a file is written, from its first line that is not empty."""
    line, at = first_line(text, "id")
    line = line[: 10 * LONGEST]
    split = {separator: cells_of(line, separator) for separator in SEPARATORS}
    for separator in ",\t":
        cells = split[separator]
        if sorted(cell.lower() for cell in cells) == sorted(COLUMNS):
            return _Layout(separator, at + 1, cells[0].lower() == COLUMNS[1])
    # An id may contain a comma: in "a,b" and a number after a tab, the tab separates.
    for least in (_is_row, _begins_with_id):
        for separator in ",\t":
            if least(split[separator], place, numbers):
                return _Layout(separator, at, False)
    _check_separator(split, place, at + 1)
    # From here on the first line has an error.
    cells = split["\t"] if len(split["\t"]) > len(split[","]) else split[","]
    if (other := other_content(line)) is not None:
        raise other
    if len(cells) == 2 and cells[1] in place:
        raise Refused(
            f"line {at + 1:,}: the columns are swapped. Write the id first, or a header line "
            "'prediction,id'.",
            "columns",
        )
    if len(cells) == 2 and is_number(cells[1]):
        raise Refused(unknown_id(cells[0], at + 1, place), "unknown")
    raise Refused(_of_header(cells, at + 1), "columns")


def _is_row(cells: list[str], place: dict[str, int], numbers: dict[str, str]) -> bool:
    return len(cells) == 2 and cells[0] in place and (is_number(cells[1]) or cells[1] in numbers)


def _begins_with_id(cells: list[str], place: dict[str, int], _: dict[str, str]) -> bool:
    return len(cells) > 1 and cells[0] in place


def _check_separator(split: dict[str, list[str]], place: dict[str, int], line: int) -> None:
    """Refuse columns that are separated by something else."""
    for separator in ";| ":
        cells = split[separator]
        named = sorted(cell.lower() for cell in cells) == sorted(COLUMNS)
        if named or (len(cells) == 2 and (cells[0] in place or separator == ";")):
            also = " and write decimal points (0.5, not 0,5)" if separator == ";" else ""
            raise Refused(
                f"line {line:,}: the columns are separated by {SEPARATORS[separator]}. Separate "
                f"them by commas or tabs{also}.",
                "separator",
            )


def _of_columns(row: list[str], line: int) -> str:
    if len(row) == 3 and DECIMAL_COMMA.fullmatch(",".join(row[1:]).strip()):
        cure = "Is that a decimal comma? Write a decimal point (0.5, not 0,5)."
    elif len(row) == 1:
        cure = "Separate id and prediction by a comma."
    else:
        cure = "Write id and prediction only; put an id with a comma in double quotation marks."
    got = "1 cell" if len(row) == 1 else f"{len(row):,} cells"
    return f"line {line:,}: wanted 2 cells, got {got}; the first is '{shown(row[0])}'. {cure}"


def _of_header(cells: list[str], line: int) -> str:
    """What is wrong with the first line, which is neither a header nor data."""
    got = ", ".join(f"'{shown(cell)}'" for cell in cells[:3]) + (", ..." if len(cells) > 3 else "")
    start = f"line {line:,}: wanted the columns id and prediction; got {got}."
    lower = [cell.lower() for cell in cells]
    if set(COLUMNS) <= set(lower):
        first = " In pandas: to_csv(..., index=False)." if lower[0] in ("", "unnamed: 0") else ""
        return f"{start} Leave out all other columns.{first}"
    if len(cells) != 2:
        return f"{start} Write two columns, separated by a comma."
    other = [column for column in COLUMNS if column not in lower]
    if len(other) == 1:
        wrong = next(cell for cell in cells if cell.lower() not in COLUMNS)
        return f"{start} Did you mean '{other[0]}' by '{shown(wrong)}'? Rename it."
    close = next((near for cell in cells if (near := guess(cell[:ECHOED], other))), "")
    return f"{start}{close} Rename them."
