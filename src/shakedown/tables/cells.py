"""Read the rows of a table: convert text to numbers, and report cells that are not numbers.

Ids stay text.  We use pyarrow because, unlike pandas, it returns the float nearest to the written
decimal and reports rows with too few cells.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shakedown.tables.header import Header, spelled
from shakedown.tables.opening import DAMAGED, not_utf8, opened, physical_lines
from shakedown.tables.quoting import Unbalanced, count_records
from shakedown.wording import counted

if TYPE_CHECKING:
    import pyarrow as pa

#: Cells that mean "no value", in lower case.
MISSING = frozenset(
    ["", "na", "n/a", "#n/a", "#na", "<na>", "nan", "-nan", "null", "none", "1.#qnan", "-1.#ind"]
)
# As usually written.  A copy of a wide table in lower case would take longer than all the rest.
_USUAL = sorted({spelling for word in MISSING for spelling in (word, word.upper())} | {"NaN"})
_NUMBER = r"^[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf|infinity)$"
_WHOLE = re.compile(r"[+-]?\d{1,400}", re.ASCII)
_WITH_COMMA = re.compile(r"[+-]?[\d.]*\d,\d[\d,]*(\.\d*)?(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)
#: Largest size of a line, and of a block of text to parse, in bytes.
_BLOCK = 16 * 2**20


@dataclass(frozen=True, eq=False)
class TableCells:
    """The cells of a table.

    Attributes
    ----------
    header : Header
    cells : dict of str to pyarrow.ChunkedArray
        The n cells of each column that has a name.
    n : int
    """

    header: Header
    cells: dict[str, pa.ChunkedArray]
    n: int

    def texts(self, column: str, names: Sequence[str] = ()) -> np.ndarray:
        """Cells as `to_texts` returns them, "" if they mean "no value"; shape (n,).

        Texts among `names`, such as a class none, mean themselves.
        """
        kept = [
            "" if text.lower() in MISSING and text not in names else text
            for text in to_texts(self.cells[column])
        ]
        return np.array(kept, dtype=str)

    def numbers(self, column: str) -> tuple[np.ndarray, np.ndarray]:
        """Cells as numbers, NaN if missing, and which cells are not numbers; each shape (n,).

        Raises
        ------
        InputError
            If whole numbers are equal only if rounded.
        """
        numbers, wrong = to_numbers(self.cells[column])
        if why := rounded(self.cells[column], numbers):
            raise self.header.source.error(f"column '{column}', {why}")
        return numbers, wrong


def read_table(header: Header, wanted: Sequence[str] | None = None) -> TableCells:
    """Read all rows.

    Parameters
    ----------
    header : Header
    wanted : sequence of str, optional
        The columns to read; by default all that have a name.

    Raises
    ------
    InputError
        If a row has too few or too many cells, or the file is damaged or not UTF-8 text.
    """
    wanted = [c for c in header.columns if c] if wanted is None else list(dict.fromkeys(wanted))
    at = {column: header.columns.index(column) for column in wanted}
    texts = read_columns(header, at.values())
    rows = len(next(iter(texts.values()))) if texts else 0
    return TableCells(header, {column: texts[i] for column, i in at.items()}, rows)


def to_numbers(column: pa.ChunkedArray) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of a column, and which of its cells are not numbers.

    Returns
    -------
    numbers : ndarray of float, shape (n,)
        Booleans are 0 and 1; NaN where a cell is missing or not a number.
    wrong : ndarray of bool, shape (n,)
        Whether the cell is not empty and not a number.
    """
    import pyarrow as pa
    from pyarrow import compute

    column = _plain(column)
    kind, whole = column.type, np.zeros(len(column), bool)
    if pa.types.is_boolean(kind):
        column, kind = column.cast(pa.int8()), pa.int8()
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return compute.cast(column, pa.float64(), safe=False).to_numpy(), whole
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        wrong = column.is_valid().to_numpy()
        return np.full(len(column), np.nan), wrong
    with suppress(pa.ArrowInvalid):  # the common case: every cell is a number
        return compute.cast(column, pa.float64()).to_numpy(), whole
    with suppress(pa.ArrowInvalid):  # the next: or empty, or one of the usual words for it
        empty = compute.is_in(column, value_set=pa.array(_USUAL, column.type))
        given = compute.if_else(empty, pa.scalar(None, column.type), column)
        return compute.cast(given, pa.float64()).to_numpy(), whole
    low = compute.utf8_lower(compute.utf8_trim_whitespace(column)).fill_null("")
    for word, number in (("true", "1"), ("false", "0")):
        low = compute.if_else(compute.equal(low, word), number, low)
    is_number = compute.match_substring_regex(low, _NUMBER)
    empty = compute.is_in(low, value_set=pa.array(sorted(MISSING), low.type))
    wrong = ~compute.or_(is_number, empty).to_numpy()
    # Python also reads numbers beyond the largest float, with or without a sign.
    cells = compute.if_else(is_number, low, "nan").to_pylist()
    return np.array([float(cell) for cell in cells]), wrong


def rounded(column: pa.ChunkedArray, numbers: np.ndarray) -> str:
    """What is wrong with whole numbers that differ and are equal as floats; "" if none are.

    Parameters
    ----------
    column : pyarrow.ChunkedArray
    numbers : ndarray of float, shape (n,)
        The numbers of the column.
    """
    import pyarrow as pa

    if not len(numbers) or max(np.fmax.reduce(numbers), -np.fmin.reduce(numbers)) <= 2.0**53:
        return ""
    rows = np.flatnonzero((np.abs(numbers) > 2.0**53) & np.isfinite(numbers))
    first: dict[float, tuple[int, int]] = {}  # number -> its first row and what is written there
    for row, text in zip(rows.tolist(), to_texts(column.take(pa.array(rows))), strict=True):
        if not _WHOLE.fullmatch(text):
            continue
        before, whole = first.setdefault(numbers[row], (row, int(text)))
        if whole != int(text):
            return (
                f"rows {before + 1} and {row + 1}: {whole} and {int(text)} are the same number if "
                "rounded to 53 bits. Subtract a number from the column, set it as 'id' if it "
                "contains ids, or leave it out."
            )
    return ""


def to_texts(column: pa.ChunkedArray) -> list[str]:
    """Return the cells as text, `spelled`; "" where a cell is missing."""
    cells = _plain(column).to_pylist()
    return ["" if cell is None or cell != cell else spelled(str(cell)) for cell in cells]


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column of categories as a column of their values, and text as such."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column.cast(pa.large_string()) if pa.types.is_string_view(column.type) else column


def read_columns(
    header: Header, needed: Iterable[int], unchecked: Iterable[int] = ()
) -> dict[int, pa.ChunkedArray]:
    """Columns of a table by position; columns of a text table as text.

    Parameters
    ----------
    header : Header
    needed : iterable of int
        The columns to read.
    unchecked : iterable of int
        Further columns; in a text table they may hold any bytes, and are read as such.

    Raises
    ------
    InputError
        If a row has too few or too many cells, a quotation mark swallows rows, or the file is
        damaged or not UTF-8 text.
    """
    import pyarrow as pa

    source, odd_rows = header.source, []

    def on_odd_row(row):
        # pyarrow counts the skipped lines too, but no empty ones.
        odd_rows.append(
            f"row {row.number - header.skip} has {counted(row.actual_columns, 'cell')}, but the "
            f"header has {row.expected_columns}. Give each row as many cells as the header; quote "
            "cells with a comma or a line break."
        )
        return "error"

    try:
        if source.suffix == ".parquet":
            return _parquet_columns(source, [*needed, *unchecked])
        lines = _checked_lines(header)
        kinds = dict.fromkeys(unchecked, pa.binary()) | dict.fromkeys(needed, pa.string())
        columns = _text_columns(header, kinds, on_odd_row)
    except (pa.ArrowInvalid, OSError) as e:
        if odd_rows:
            raise source.error(odd_rows[0]) from e
        if "UTF8" in str(e):
            raise not_utf8(source) from e
        why = str(e).partition("\n")[0].rstrip(".")
        raise source.error(f"the file cannot be read: {why}. Save or copy it again.") from e
    rows = len(next(iter(columns.values()))) if columns else lines
    if lines is not None and rows != lines:
        raise source.error(
            f"{lines:,} lines hold rows, but {counted(rows, 'row')} could be read. Save it again."
        )
    return columns


def _checked_lines(header):
    """Lines with rows of a text table, or None if it is damaged, which the reader then tells."""
    source = header.source
    with suppress(*DAMAGED), opened(source) as file:
        try:
            return count_records(
                physical_lines(file), source.delimiter, len(header.columns), header.skip
            )
        except Unbalanced as e:
            raise source.error(str(e)) from e
    return None


def _parquet_columns(source, needed):
    import pyarrow.parquet as pq

    # Small buffers, so that the file is not in memory in addition to the numbers.
    with pq.ParquetFile(source.path, pre_buffer=False, buffer_size=4096) as file:
        table = file.read()
    return {i: table.column(i) for i in needed}


def _text_columns(header, kinds, on_odd_row):
    import pyarrow as pa
    from pyarrow import csv

    source, needed = header.source, sorted(kinds)
    every = [str(i) for i in range(len(header.columns))]  # by position, because names may repeat
    with pa.input_stream(str(source.path), compression=source.compression) as file:
        table = csv.read_csv(
            file,
            read_options=csv.ReadOptions(
                # One thread: fast enough, and row numbers are known.
                use_threads=False, block_size=_BLOCK, column_names=every, skip_rows=header.skip,
            ),
            parse_options=csv.ParseOptions(
                delimiter=source.delimiter, newlines_in_values=True, invalid_row_handler=on_odd_row,
            ),
            # All as text: ids may look like numbers, and messages quote bad cells.
            convert_options=csv.ConvertOptions(
                include_columns=[every[i] for i in needed],
                column_types={every[i]: kinds[i] for i in needed},
                strings_can_be_null=False,
            ),
        )  # fmt: skip
    return dict(zip(needed, table.columns, strict=True))


def number_in(text: str) -> float | None:
    """The number that a text is, however it is written; None if it is none."""
    try:
        value = float(text)
    except ValueError:
        return None
    return None if np.isnan(value) else value


def decimal_comma(text: str) -> str:
    """A sentence, starting with a blank, about a number with a comma; "" for other cells."""
    if not _WITH_COMMA.fullmatch(text):
        return ""
    return " Write numbers with a decimal point and without thousands separators."
