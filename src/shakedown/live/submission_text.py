"""The text of a submission's file: its lines, cells and numbers, and what is wrong with them.

What is said depends on the file and the ids only; see `submission_file`.
"""

from __future__ import annotations

import csv
import io
import math
import re
import unicodedata
from collections.abc import Callable, Iterator
from heapq import nsmallest
from itertools import islice

import numpy as np

from shakedown.interface import LARGEST
from shakedown.tables.policy import Refused

#: How many characters of a file a message repeats.
ECHOED = 40

#: Lines that are read at a time.
CHUNK = 256

#: How many ids are searched for one that is meant.
_SEARCHED = 20_000

#: How many empty lines a file may have.
EMPTY_LINES = 1000

#: Longest line, apart from its id, in characters.
LONGEST = 2000

_EMPTY = {"", "na", "n/a", "nan", "null", "none", "nil", "-", "#n/a", "#value!", "#div/0!"}
_INFINITE = re.compile(r"[+-]?(inf|infinity|1\.#inf)", re.IGNORECASE)
DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
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


def shown(text: str) -> str:
    """A cell as messages show it: `ECHOED` characters, none of which a terminal or HTML obeys."""
    safe = "".join(
        "?" if character in "<>&\"'`\\" or not character.isprintable() else character
        for character in text[:ECHOED]
    )
    return safe if len(text) <= ECHOED else f"{safe[:-3]}..."


def first_line(text: str, each: str) -> tuple[str, int]:
    """The first line that is not empty, and its index.

    Raises
    ------
    Refused
        If there is none; `each` says for what a file has a line.
    """
    for at, line in enumerate(islice(io.StringIO(text, newline=""), EMPTY_LINES)):
        if line.strip().strip(", \t\"'"):
            return line, at
    raise Refused(
        f"The file is empty, or begins with empty lines. Write one line for each {each}.", "empty"
    )


def blocks_of(
    text: str, separator: str, first: int, *, longest: int, most: int, each: str, holds: str
) -> Iterator[tuple[list[list[str]], int]]:
    """The rows of a file, `CHUNK` lines at a time, and the number of the first line of each block.

    Parameters
    ----------
    text, separator : str
    first : int
        Lines before the data.
    longest : int
        Most characters of a line.
    most : int
        Lines that a file has, apart from empty ones.
    each, holds : str
        For what a file has a line, and what a line holds.

    Raises
    ------
    Refused
        If a line is too long, too many are empty, or a quotation mark is not closed.
    """
    stream, before = io.StringIO(text, newline=""), 0
    while lines := list(islice(stream, CHUNK)):
        if len(max(lines, key=len)) > longest:
            k = next(k for k, line in enumerate(lines) if len(line) > longest)
            raise Refused(
                f"line {before + k + 1:,} is longer than {longest:,} characters. Write {holds} in "
                "each line.",
                "columns",
            )
        skipped = max(0, min(len(lines), first - before))
        yield rows_of(lines[skipped:], separator, before + skipped), before + skipped + 1
        before += len(lines)
        if before > most + CHUNK + EMPTY_LINES:
            raise Refused(
                f"More than {EMPTY_LINES:,} lines are empty. Write one line for each {each}.",
                "size",
            )


def other_content(line: str) -> Refused | None:
    """The refusal of a file that begins as a web page or JSON; None for others."""
    if not line.lstrip().startswith(("<", "{", "[")):
        return None
    kind = "a web page or XML" if line.lstrip().startswith("<") else "JSON"
    return Refused(f"The file looks like {kind}. Send a CSV file (.csv).", "type")


def are_plain(texts: list[str], values: np.ndarray) -> bool:
    """Whether numbers that Python has read are numbers as programs write them, and not too large.

    Python also reads 1_000 and digits of other scripts.
    """
    together = "".join(texts)
    return "_" not in together and together.isascii() and bool((np.abs(values) <= LARGEST).all())


def cells_of(line: str, separator: str) -> list[str]:
    """The cells of a line, without blanks around them."""
    try:
        rows = list(csv.reader([line], delimiter=separator, strict=True))
    except csv.Error:
        rows = [line.split(separator)]
    return [cell.strip() for cell in rows[0]] if rows else []


def rows_of(lines: list[str], separator: str, before: int) -> list[list[str]]:
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


def number_in(cell: str, name: str, line: int, response: str | None = None) -> float:
    """The prediction in a cell, of one of several responses if it is named."""
    of = "" if response is None else f", response '{shown(response)}'"
    where = f"line {line:,} (id '{shown(name)}'{of})"
    if cell.lower() in _EMPTY:
        got = f" ('{shown(cell)}')" if cell else ""
        each = "id" if response is None else "id and response"
        raise Refused(
            f"{where} has no prediction{got}. Write a finite number for each {each}.", "no_number"
        )
    value = float(cell) if is_number(cell) else math.nan
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
    elif DECIMAL_COMMA.fullmatch(cell):
        cure = "Write a decimal point instead of the comma."
    elif cell.endswith("%"):
        cure = "Write a number without the percent sign."
    raise Refused(f"{where}: '{shown(cell)}' is not a number. {cure}", "no_number")


def is_number(cell: str) -> bool:
    """Whether a cell is a number as programs write them; NaN and infinities are."""
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell and cell.isascii()


def unknown_id(name: str, line: int, place: dict[str, int]) -> str:
    """What is said of an id that is not known, with the one that is meant."""
    start = f"line {line:,}: id '{shown(name)}' is not known."
    if not name:
        return f"line {line:,} has no id. Write the id before the prediction."
    if len(name) <= LONGEST:
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
