"""Read and check the file of a submission that predicts several responses.

It is wide, with a column for each response, or long, with a line for each id and response; the
header decides.  Every prediction is asked for, also where the truth is missing: as in
`submission_file`, what a refusal says depends on the file, the ids and the responses only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from heapq import nsmallest
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

from shakedown.interface import guess
from shakedown.live.submission_text import (
    ECHOED,
    LONGEST,
    are_plain,
    blocks_of,
    cells_of,
    first_line,
    number_in,
    other_content,
    shown,
    unknown_id,
)
from shakedown.tables.opening import SEPARATORS, text_of
from shakedown.tables.policy import Policy, Refused

#: How the file of several responses is read; the limit is for each prediction.
MATRIX = Policy(most_bytes=(2**20, 2**8))

#: The columns of a long file.
LONG = "id", "target", "prediction"

#: What pandas calls a column of row labels.
_INDEX = ("", "unnamed: 0")

#: Most characters of a number in a wide line.
_NUMBER = 64


def read_matrix(
    source: str | Path | bytes, ids: Sequence[str], responses: Sequence[str]
) -> np.ndarray:
    """The predictions of a file.

    `docs/submission_file.md` describes the format.  At most 1 MB and 256 bytes for each prediction
    are read.

    Parameters
    ----------
    source : str, Path or bytes
        A path, or the content.
    ids : sequence of str, length n
        The ids, each once.
    responses : sequence of str, length q
        Their names, each once.

    Returns
    -------
    ndarray of float, shape (n, q)
        In the order of `ids` and `responses`; finite.

    Raises
    ------
    Refused
        If the file is not as described; names the line, the id and the cure.
    """
    cells = len(ids) * len(responses)
    try:
        text = text_of(source, cells, MATRIX)
    except Refused as e:
        if e.reason != "size":
            raise
        raise Refused(
            f"The file is larger than {MATRIX.limit(cells) / 2**20:.1f} MB, the limit for "
            f"{cells:,} predictions. Send these and their ids, and nothing else.",
            "size",
        ) from None
    place = {name: k for k, name in enumerate(ids)}
    layout = _layout(text, place, {name: k for k, name in enumerate(responses)})
    of_ids = 2 * max(map(len, ids), default=0)
    if layout.is_long:
        longest = LONGEST + of_ids + 2 * max(map(len, responses))
        most, each, holds = cells, "id and response", "one id, one target and one prediction"
    else:
        longest = LONGEST + of_ids + 2 * sum(map(len, responses)) + _NUMBER * len(responses)
        most, each, holds = len(ids), "id", "one id and its predictions"
    reader = (_Long if layout.is_long else _Wide)(place, responses, layout.columns)
    blocks = blocks_of(
        text, layout.separator, layout.first, longest=longest, most=most, each=each, holds=holds
    )
    for rows, first in blocks:
        if not reader.add_good(rows, first):
            for k, row in enumerate(rows):
                if any(cell.strip() for cell in row):
                    reader.add_one(row, first + k)
    return reader.all()


class _Layout(NamedTuple):
    """How a file is written.

    Attributes
    ----------
    separator : str
    first : int
        Lines before the data.
    is_long : bool
    columns : tuple of int
        Of a wide file: -1 for the ids, or the number of the response.  Of a long one: the place of
        each of `LONG` in a line.
    """

    separator: str
    first: int
    is_long: bool
    columns: tuple[int, ...]


class _Reader:
    """The predictions read so far.

    Parameters
    ----------
    place : dict of str to int
        The position of each id.
    responses : sequence of str
    columns : tuple of int
        As in `_Layout`.
    """

    def __init__(
        self, place: dict[str, int], responses: Sequence[str], columns: tuple[int, ...]
    ) -> None:
        self._place, self._responses, self._columns = place, tuple(responses), columns
        self._values = np.zeros((len(place), len(responses)))
        self._lines = np.zeros(self._values.shape, np.int64)  # where each stands; 0 for nowhere

    def add_good(self, rows: list[list[str]], first: int) -> bool:
        """Add rows without an error all at once; False, and nothing is added, if one may have."""
        raise NotImplementedError

    def add_one(self, row: list[str], line: int) -> None:
        """Add a row, or say what is wrong with it."""
        raise NotImplementedError

    def all(self) -> np.ndarray:
        """All predictions, shape (n, q)."""
        if (self._lines > 0).all():
            return self._values
        gone = self._lines == 0
        if (whole := gone.all(axis=1)).any():
            names = (name for name, k in self._place.items() if whole[k])
            number, of, what, each = int(whole.sum()), len(self._place), "id", "id"
            some = ", ".join(f"'{shown(name)}'" for name in nsmallest(3, names))
        else:
            pairs = (
                (name, self._responses[j])
                for name, k in self._place.items()
                for j in np.flatnonzero(gone[k])
            )
            number, of, what = int(gone.sum()), gone.size, "prediction"
            each = "id and response"
            some = ", ".join(
                f"'{shown(response)}' of id '{shown(name)}'"
                for name, response in nsmallest(3, pairs)
            )
        these = "such as " if number > 3 else ""
        are = f"1 {what} is missing" if number == 1 else f"{number:,} {what}s are missing"
        raise Refused(f"{are} of {of:,}: {these}{some}. Write one for each {each}.", "missing")

    def _row(self, name: str, line: int) -> tuple[str, int]:
        """An id as it is known, and its position."""
        if name not in self._place:
            name = name.strip()
        if name not in self._place:
            raise Refused(unknown_id(name, line, self._place), "unknown")
        return name, self._place[name]


class _Wide(_Reader):
    def __init__(self, place, responses, columns) -> None:
        super().__init__(place, responses, columns)
        self._id = columns.index(-1)
        self._order = np.array([column for column in columns if column >= 0])

    def add_good(self, rows: list[list[str]], first: int) -> bool:
        width = len(self._columns)
        if any(len(row) != width for row in rows):
            return False
        try:
            places = np.array([self._place[row[self._id]] for row in rows], int)
            texts = [*chain.from_iterable(row[: self._id] + row[self._id + 1 :] for row in rows)]
            values = np.array([float(text) for text in texts])
        except (KeyError, ValueError):
            return False
        if not are_plain(texts, values) or len(set(places.tolist())) < len(places):
            return False
        if self._lines[places].any():
            return False
        self._values[np.ix_(places, self._order)] = values.reshape(len(rows), -1)
        self._lines[places] = np.arange(first, first + len(rows))[:, None]
        return True

    def add_one(self, row: list[str], line: int) -> None:
        if len(row) != len(self._columns):
            got = "1 cell" if len(row) == 1 else f"{len(row):,} cells"
            raise Refused(
                f"line {line:,}: wanted {len(self._columns):,} cells, as in the header; got {got}; "
                f"the first is '{shown(row[0])}'. Write the id and one prediction for each "
                "response, with decimal points; put an id with a comma in double quotation marks.",
                "columns",
            )
        name, at = self._row(row[self._id], line)
        values = [
            (j, number_in(cell.strip(), name, line, self._responses[j]))
            for j, cell in zip(self._columns, row, strict=True)
            if j >= 0
        ]
        if before := self._lines[at].max():
            raise Refused(
                f"line {line:,} repeats id '{shown(name)}' of line {before:,}. Write each id once.",
                "twice",
            )
        for j, value in values:
            self._values[at, j], self._lines[at, j] = value, line


class _Long(_Reader):
    def __init__(self, place, responses, columns) -> None:
        super().__init__(place, responses, columns)
        self._target = {name: j for j, name in enumerate(responses)}

    def add_good(self, rows: list[list[str]], first: int) -> bool:
        if any(len(row) != len(LONG) for row in rows):
            return False
        of_id, of_target, of_number = self._columns
        try:
            places = np.array([self._place[row[of_id]] for row in rows], int)
            targets = np.array([self._target[row[of_target]] for row in rows], int)
            texts = [row[of_number] for row in rows]
            values = np.array([float(text) for text in texts])
        except (KeyError, ValueError):
            return False
        at = places * len(self._responses) + targets
        lines = self._lines.reshape(-1)
        if not are_plain(texts, values) or lines[at].any() or len(set(at.tolist())) < len(at):
            return False
        self._values.reshape(-1)[at], lines[at] = values, np.arange(first, first + len(rows))
        return True

    def add_one(self, row: list[str], line: int) -> None:
        if len(row) != len(LONG):
            got = "1 cell" if len(row) == 1 else f"{len(row):,} cells"
            raise Refused(
                f"line {line:,}: wanted 3 cells, got {got}; the first is '{shown(row[0])}'. Write "
                "id, target and prediction only, with a decimal point; put an id or a target with "
                "a comma in double quotation marks.",
                "columns",
            )
        name, target, cell = (row[k] for k in self._columns)
        name, at = self._row(name, line)
        target = target if target in self._target else target.strip()
        if target not in self._target:
            close = guess(target[:ECHOED], self._responses) or _such_as(self._responses)
            raise Refused(
                f"line {line:,} (id '{shown(name)}'): the target '{shown(target)}' is none of the "
                f"{len(self._responses):,} responses.{close}",
                "unknown",
            )
        j, value = self._target[target], number_in(cell.strip(), name, line, target)
        if before := self._lines[at, j]:
            raise Refused(
                f"line {line:,} repeats target '{shown(target)}' of id '{shown(name)}' of line "
                f"{before:,}. Write each once.",
                "twice",
            )
        self._values[at, j], self._lines[at, j] = value, line


def _layout(text: str, place: dict[str, int], responses: dict[str, int]) -> _Layout:
    """How a file is written, from its header."""
    line, at = first_line(text, "id")
    line = line[: 10 * LONGEST + 4 * sum(map(len, responses))]
    split = {separator: cells_of(line, separator) for separator in SEPARATORS}
    for separator in ",\t":
        if (columns := _long(split[separator])) is not None:
            return _Layout(separator, at + 1, True, columns)
        if (columns := _wide(split[separator], responses)) is not None:
            return _Layout(separator, at + 1, False, columns)
    if (other := other_content(line)) is not None:
        raise other
    for separator in ";| ":
        cells = split[separator]
        if _long(cells) is not None or _wide(cells, responses) is not None:
            also = " and write decimal points (0.5, not 0,5)" if separator == ";" else ""
            raise Refused(
                f"line {at + 1:,}: the columns are separated by {SEPARATORS[separator]}. Separate "
                f"them by commas or tabs{also}.",
                "separator",
            )
    cells = split["\t"] if len(split["\t"]) > len(split[","]) else split[","]
    raise Refused(f"line {at + 1:,}: {_of_header(cells, place, responses)}", "columns")


def _long(cells: list[str]) -> tuple[int, ...] | None:
    """Where `LONG` stand in the header of a long file; None for another line."""
    lower = [cell.lower() for cell in cells]
    return tuple(map(lower.index, LONG)) if sorted(lower) == sorted(LONG) else None


def _wide(cells: list[str], responses: dict[str, int]) -> tuple[int, ...] | None:
    """The response of each column in the header of a wide file, -1 for the ids; None for another.

    No response is called id.
    """
    columns = tuple(-1 if cell.lower() == "id" else responses.get(cell, -2) for cell in cells)
    return columns if sorted(columns) == list(range(-1, len(responses))) else None


def _of_header(cells: list[str], place: dict[str, int], responses: dict[str, int]) -> str:
    """What is wrong with a first line that is no header."""
    wanted = (
        f"wanted a header with id and the {len(responses):,} responses, or with id, target and "
        "prediction"
    )
    ids = [cell for cell in cells if cell.lower() == "id"]
    named = [cell for cell in cells if cell in responses]
    if not ids and not named:
        got = ", ".join(f"'{shown(cell)}'" for cell in cells[:3]) + (", ..." * (len(cells) > 3))
        first = " The first line is data: write a header before it." * (
            cells[:1] != [] and cells[0] in place
        )
        return f"{wanted}; got {got}.{first}{'' if first else _such_as(responses)}"
    if not ids:
        return f"{wanted}; the column id is missing. In pandas: to_csv(..., index=False)."
    if twice := sorted(cell for cell, count in Counter([*ids, *named]).items() if count > 1):
        return f"the column '{shown(twice[0])}' stands there more than once. Write it once."
    missing = [name for name in responses if name not in named]
    strange = [cell for cell in cells if cell.lower() != "id" and cell not in responses]
    if not missing:
        index = " In pandas: to_csv(..., index=False)." * (strange[0].lower() in _INDEX)
        return (
            f"the column '{shown(strange[0])}' is none of the {len(responses):,} responses. Leave "
            f"it out.{index}"
        )
    number = (
        f"the response '{shown(min(missing))}' has no column"
        if len(missing) == 1
        else f"{len(missing):,} responses have no column, such as '{shown(min(missing))}'"
    )
    if not strange:
        return f"{number}. Write a column for each of the {len(responses):,} responses."
    close = guess(strange[0][:ECHOED], missing)
    is_long = "prediction" in map(str.lower, strange)
    return (
        f"{number}, and '{shown(strange[0])}' is no response.{close} Write a column for each of "
        f"the {len(responses):,} responses, and id"
        f"{'; or the columns id, target and prediction.' if is_long else '.'}"
    )


def _such_as(responses: Sequence[str] | dict[str, int]) -> str:
    return f" Use their names, such as '{shown(min(responses))}'."
