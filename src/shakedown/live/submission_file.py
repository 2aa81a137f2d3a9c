"""Read and check the file of a submission.

A file is refused for what it holds, never for its scores: what a refusal says depends on the file
and the ids only, because refusals are free.  It does not depend on the order of the ids either: a
truth can be sorted by its sets.  Numbers above `LARGEST` are refused for the same reason: their
squares can overflow in a sum over some rows and not over others.
"""

from __future__ import annotations

import csv
import io
import math
import re
import unicodedata
from collections.abc import Callable, Sequence
from heapq import nsmallest
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from shakedown.interface import LARGEST, guess
from shakedown.tables.opening import SEPARATORS, text_of
from shakedown.tables.policy import Policy, Refused

__all__ = ["COLUMNS", "SUBMISSION", "Refused", "read_submission", "shown"]

#: How the file of a submission is read.
SUBMISSION = Policy(most_bytes=(2**20, 2**10))

#: How many characters of a file a message repeats.
ECHOED = 40

#: The columns of a file.
COLUMNS = "id", "prediction"

#: Lines that are read at a time.
_CHUNK = 256

#: How many ids are searched for one that is meant.
_SEARCHED = 20_000

#: How many empty lines a file may have.
_EMPTY_LINES = 1000

#: Longest line, apart from its id, in characters.
_LONGEST = 2000

_EMPTY = {"", "na", "n/a", "nan", "null", "none", "nil", "-", "#n/a", "#value!", "#div/0!"}
_INFINITE = re.compile(r"[+-]?(inf|infinity|1\.#inf)", re.IGNORECASE)
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
_EXPONENT = re.compile(r"\d([.,]\d+)?[eE]\+?\d+")

_EXACTLY = "Write it exactly so."

#: How programs change ids: the form in which both agree, and the cure.
_CHANGED: tuple[tuple[Callable[[str], str], str], ...] = (
    (
        lambda name: name.lstrip("0"),
        "Did you lose leading zeros (Excel)? Format the column as text.",
    ),
    (
        lambda name: re.sub(r"\.0+$", "", name).lstrip("0"),
        "Your program has read ids as numbers. Read them as text.",
    ),
    (lambda name: unicodedata.normalize("NFKC", name).casefold(), _EXACTLY),
    (lambda name: "".join(re.findall(r"\w", name)).casefold(), _EXACTLY),
)


def read_submission(source: str | Path | bytes, ids: Sequence[str]) -> np.ndarray:
    """The predictions of a file.

    `docs/submission_file.md` describes the format.  At most 1 MB and 1 KB for each row is read.

    Parameters
    ----------
    source : str, Path or bytes
        A path, or the content.
    ids : sequence of str, length n
        The ids, each once.

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
    layout = _layout(text, place)
    longest = _LONGEST + 2 * max(map(len, ids), default=0)
    predictions = _Predictions(place, layout.swapped)
    stream, before = io.StringIO(text, newline=""), 0
    while lines := list(islice(stream, _CHUNK)):
        if len(max(lines, key=len)) > longest:
            k = next(k for k, line in enumerate(lines) if len(line) > longest)
            raise Refused(
                f"line {before + k + 1:,} is longer than {longest:,} characters. Write one id and "
                "one prediction in each line.",
                "columns",
            )
        skipped = max(0, min(len(lines), layout.first - before))
        rows = _rows(lines[skipped:], layout.separator, before + skipped)
        predictions.add(rows, before + skipped + 1)
        before += len(lines)
        if before > len(ids) + _CHUNK + _EMPTY_LINES:
            raise Refused(
                f"More than {_EMPTY_LINES:,} lines are empty. Write one line for each id.", "size"
            )
    return predictions.all()


def shown(text: str) -> str:
    """A cell as messages show it: `ECHOED` characters, none of which a terminal or HTML obeys."""
    safe = "".join(
        "?" if character in "<>&\"'`\\" or not character.isprintable() else character
        for character in text[:ECHOED]
    )
    return safe if len(text) <= ECHOED else f"{safe[:-3]}..."


class _Layout(NamedTuple):
    """How a file is written: the separator, the lines before the data, and the order of columns."""

    separator: str
    first: int
    swapped: bool


class _Predictions:
    """The predictions read so far."""

    def __init__(self, place: dict[str, int], swapped: bool) -> None:
        self._place, self._swapped = place, swapped
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
            texts = names if self._swapped else cells
            values = np.array([float(text) for text in texts])
        except (KeyError, ValueError):
            return False
        # Python also reads 1_000 and digits of other scripts.
        together = "".join(texts)
        if "_" in together or not together.isascii() or not (np.abs(values) <= LARGEST).all():
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
            raise Refused(_of_unknown(name, line, self._place), "unknown")
        value = _number(cell.strip(), name, line)
        k = self._place[name]
        if self._lines[k]:
            raise Refused(
                f"line {line:,} repeats id '{shown(name)}' of line {self._lines[k]:,}. Write each "
                "id once.",
                "twice",
            )
        self._values[k], self._lines[k] = value, line


def _layout(text: str, place: dict[str, int]) -> _Layout:
    """How a file is written, from its first line that is not empty."""
    at = -1
    for at, line in enumerate(islice(io.StringIO(text, newline=""), _EMPTY_LINES)):  # noqa: B007
        if line.strip().strip(", \t\"'"):
            break
    else:
        raise Refused(
            "The file is empty, or begins with empty lines. Write one line for each id.", "empty"
        )
    line = line[: 10 * _LONGEST]
    split = {separator: _cells(line, separator) for separator in SEPARATORS}
    for separator in ",\t":
        cells = split[separator]
        if sorted(cell.lower() for cell in cells) == sorted(COLUMNS):
            return _Layout(separator, at + 1, cells[0].lower() == COLUMNS[1])
    # An id may contain a comma: in "a,b" and a number after a tab, the tab separates.
    for least in (_is_row, _begins_with_id):
        for separator in ",\t":
            if least(split[separator], place):
                return _Layout(separator, at, False)
    _check_separator(split, place, at + 1)
    # From here on the first line has an error.
    cells = split["\t"] if len(split["\t"]) > len(split[","]) else split[","]
    if line.lstrip().startswith(("<", "{", "[")):
        kind = "a web page or XML" if line.lstrip().startswith("<") else "JSON"
        raise Refused(f"The file looks like {kind}. Send a CSV file (.csv).", "type")
    if len(cells) == 2 and cells[1] in place:
        raise Refused(
            f"line {at + 1:,}: the columns are swapped. Write the id first, or a header line "
            "'prediction,id'.",
            "columns",
        )
    if len(cells) == 2 and _is_number(cells[1]):
        raise Refused(_of_unknown(cells[0], at + 1, place), "unknown")
    raise Refused(_of_header(cells, at + 1), "columns")


def _is_row(cells: list[str], place: dict[str, int]) -> bool:
    return len(cells) == 2 and cells[0] in place and _is_number(cells[1])


def _begins_with_id(cells: list[str], place: dict[str, int]) -> bool:
    return len(cells) > 1 and cells[0] in place


def _cells(line: str, separator: str) -> list[str]:
    try:
        rows = list(csv.reader([line], delimiter=separator, strict=True))
    except csv.Error:
        rows = [line.split(separator)]
    return [cell.strip() for cell in rows[0]] if rows else []


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


def _rows(lines: list[str], separator: str, before: int) -> list[list[str]]:
    """The cells of each line."""
    try:
        rows = list(csv.reader(lines, delimiter=separator, strict=True))
        if len(rows) == len(lines):
            return rows
    except csv.Error:
        pass
    rows = []
    for k, line in enumerate(lines):
        try:
            rows += csv.reader([line], delimiter=separator, strict=True)
        except csv.Error:
            raise Refused(
                f"line {before + k + 1:,}: a quotation mark is not closed in its line, or text "
                "follows it. Write ids and numbers without quotation marks.",
                "quotes",
            ) from None
    return rows


def _number(cell: str, name: str, line: int) -> float:
    """The prediction in a cell."""
    where = f"line {line:,} (id '{shown(name)}')"
    if cell.lower() in _EMPTY:
        got = f" ('{shown(cell)}')" if cell else ""
        raise Refused(
            f"{where} has no prediction{got}. Write a finite number for each id.", "no_number"
        )
    value = float(cell) if _is_number(cell) else math.nan
    if abs(value) <= LARGEST:
        return value
    if _INFINITE.fullmatch(cell) or not math.isnan(value):
        raise Refused(
            f"{where}: the prediction '{shown(cell)}' is infinite or above {LARGEST:g}. Write a "
            "finite number of the size of the response.",
            "infinite",
        )
    cure = "Write a number with a decimal point, such as 0.5."
    if cell[0] == "=":
        cure = "Formulas are not computed: write its value."
    elif _DECIMAL_COMMA.fullmatch(cell):
        cure = "Write a decimal point instead of the comma."
    elif cell.endswith("%"):
        cure = "Write a number without the percent sign."
    raise Refused(f"{where}: '{shown(cell)}' is not a number. {cure}", "no_number")


def _is_number(cell: str) -> bool:
    """Whether a cell is a number as programs write them; NaN and infinities are."""
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell and cell.isascii()


def _of_columns(row: list[str], line: int) -> str:
    if len(row) == 3 and _DECIMAL_COMMA.fullmatch(",".join(row[1:]).strip()):
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


def _of_unknown(name: str, line: int, place: dict[str, int]) -> str:
    start = f"line {line:,}: id '{shown(name)}' is not known."
    if not name:
        return f"line {line:,} has no id. Write the id before the prediction."
    if len(name) <= _LONGEST:
        searched = nsmallest(_SEARCHED, place)
        for form, lost in _CHANGED:
            wanted = form(name)
            close = next((known for known in searched if form(known) == wanted), None)
            if wanted and close is not None:
                cure = lost if len(close) > len(name) or "." in name else _EXACTLY
                return f"{start} Did you mean '{shown(close)}'? {cure}"
        if _EXPONENT.fullmatch(name):
            return f"{start} Did a spreadsheet shorten it? Format the column as text."
    return f"{start} Use the ids of the challenge's rows, such as '{shown(min(place))}'."
