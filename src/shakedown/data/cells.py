"""Read the rows of a table: convert text to numbers, and report cells that are not numbers.

Ids stay text.  We use pyarrow because, unlike pandas, it returns the float nearest to the written
decimal and reports rows with too few cells.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shakedown.data.layout import Layout, Source, not_utf8, some
from shakedown.wording import counted

if TYPE_CHECKING:
    import pyarrow as pa

#: Cells that mean "no value", in lower case.
MISSING = frozenset(
    ["", "na", "n/a", "#n/a", "#na", "<na>", "nan", "-nan", "null", "none", "1.#qnan", "-1.#ind"]
)
_NUMBER = r"^[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf|infinity)$"
_WITH_COMMA = re.compile(r"[+-]?[\d.]*\d,\d[\d,]*(\.\d*)?(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)
#: Largest size of a line, and of a block of text to parse, in bytes.
_BLOCK = 16 * 2**20


@dataclass
class Body:
    """The rows of a table.

    Attributes
    ----------
    values : ndarray of float, shape (p, n), C order
        Features; NaN where a cell is missing.
    y : ndarray of float, shape (n,)
        Response; NaN where it is missing.
    ids, labels : list of str, or None
        Cells of the id and of the split column; "" where a cell is missing.
    """

    values: np.ndarray
    y: np.ndarray
    ids: list[str] | None
    labels: list[str] | None


def read_body(layout: Layout) -> Body:
    """Read all rows.

    Raises
    ------
    InputError
        If a row has too few or too many cells, a cell is not a number, a column without a name is
        not empty, or the file is damaged.
    """
    numeric = (*layout.features, layout.response)
    needed = {*numeric, *layout.unnamed, layout.id, layout.split} - {None}
    columns = read_columns(layout.source, len(layout.columns), layout.skip, needed)
    n = len(columns[layout.response])
    if n == 0:
        raise layout.source.error("the file has a header but no rows.")
    for i in layout.unnamed:
        for row, text in enumerate(to_texts(columns[i])):
            if text.lower() not in MISSING:
                raise layout.source.error(
                    f"column {i + 1} has no name in the header, but row {row + 1} contains "
                    f"'{text}' there. Give it a name (is it a column of ids?)."
                )
    ids, labels = (None if i is None else to_texts(columns[i]) for i in (layout.id, layout.split))
    values = np.empty((len(numeric), n))
    bad: dict[int, tuple[int, str]] = {}  # column -> row and text of its first bad cell
    for k, i in enumerate(numeric):
        column = columns.pop(i)  # freed one by one, to save memory
        values[k], wrong = to_numbers(column)
        if wrong.any():
            row = int(wrong.argmax())
            bad[i] = row, to_texts(column.slice(row, 1))[0]
    if bad:
        raise _not_a_number(layout, bad, ids)
    return Body(values[:-1], values[-1], ids, labels)


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
    try:  # the common case: every cell is a number
        return compute.cast(column, pa.float64()).to_numpy(), whole
    except pa.ArrowInvalid:
        pass
    low = compute.utf8_lower(compute.utf8_trim_whitespace(column)).fill_null("")
    for word, number in (("true", "1"), ("false", "0")):
        low = compute.if_else(compute.equal(low, word), number, low)
    is_number = compute.match_substring_regex(low, _NUMBER)
    empty = compute.is_in(low, value_set=pa.array(sorted(MISSING), low.type))
    wrong = ~compute.or_(is_number, empty).to_numpy()
    # Python also reads numbers beyond the largest float, with or without a sign.
    cells = compute.if_else(is_number, low, "nan").to_pylist()
    return np.array([float(cell) for cell in cells]), wrong


def to_texts(column: pa.ChunkedArray) -> list[str]:
    """Return the cells as text without surrounding blanks; "" where a cell is missing."""
    return ["" if cell is None else str(cell).strip() for cell in _plain(column).to_pylist()]


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column of categories as a column of their values."""
    import pyarrow as pa

    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def read_columns(
    source: Source, width: int, skip: int, needed: Iterable[int]
) -> dict[int, pa.ChunkedArray]:
    """Columns of a table by position; columns of a text table as text.

    Parameters
    ----------
    source : Source
    width : int
        Columns of the header.
    skip : int
        Lines of a text table before its first row of data.
    needed : iterable of int
        The columns to read.

    Raises
    ------
    InputError
        If a row has too few or too many cells, or the file is damaged or not UTF-8 text.
    """
    import pyarrow as pa

    odd_rows: list[str] = []

    def on_odd_row(row):
        # pyarrow counts the skipped lines too, but no empty ones.
        odd_rows.append(
            f"row {row.number - skip} has {counted(row.actual_columns, 'cell')}, but the header "
            f"has {row.expected_columns}. Give each row as many cells as the header; quote cells "
            "with a comma or a line break."
        )
        return "error"

    try:
        if source.suffix == ".parquet":
            return _parquet_columns(source, needed)
        return _text_columns(source, width, skip, sorted(needed), on_odd_row)
    except (pa.ArrowInvalid, OSError) as e:
        if odd_rows:
            raise source.error(odd_rows[0]) from e
        if "UTF8" in str(e):
            raise not_utf8(source) from e
        why = str(e).partition("\n")[0].rstrip(".")
        raise source.error(f"the file cannot be read: {why}. Save or copy it again.") from e


def _parquet_columns(source, needed):
    import pyarrow.parquet as pq

    # Small buffers, so that the file is not in memory in addition to the numbers.
    with pq.ParquetFile(source.path, pre_buffer=False, buffer_size=4096) as file:
        table = file.read()
    return {i: table.column(i) for i in needed}


def _text_columns(source, width, skip, needed, on_odd_row):
    import pyarrow as pa
    from pyarrow import csv

    every = [str(i) for i in range(width)]  # by position, because names may repeat
    with pa.input_stream(str(source.path), compression=source.compression) as file:
        table = csv.read_csv(
            file,
            read_options=csv.ReadOptions(
                # One thread: fast enough, and row numbers are known.
                use_threads=False, block_size=_BLOCK, column_names=every, skip_rows=skip,
            ),
            parse_options=csv.ParseOptions(
                delimiter=source.delimiter, newlines_in_values=True, invalid_row_handler=on_odd_row,
            ),
            # All as text: ids may look like numbers, and messages quote bad cells.
            convert_options=csv.ConvertOptions(
                include_columns=[every[i] for i in needed],
                column_types={every[i]: pa.string() for i in needed},
                strings_can_be_null=False,
            ),
        )  # fmt: skip
    return dict(zip(needed, table.columns, strict=True))


def decimal_comma(text: str) -> str:
    """A sentence, starting with a blank, about a number with a comma; "" for other cells."""
    if not _WITH_COMMA.fullmatch(text):
        return ""
    return " Write numbers with a decimal point and without thousands separators."


def _not_a_number(layout, bad, ids):
    column, (row, text) = min(bad.items(), key=lambda item: (item[1][0], item[0]))
    where = f"row {row + 1}" if ids is None else f"row '{ids[row]}' (row {row + 1})"
    cure = decimal_comma(text)
    if not cure and column == layout.response:
        cure = " The response must be numeric: correct the cell, or leave it empty if missing."
    elif not cure and layout.columns[column] in layout.split_like:
        cure = (
            " If the column is the official split, name it as 'split' (shakedown dryrun: --split "
            f"{shlex.quote(layout.columns[column])}), with the labels train, public and final; if "
            "not, add it to 'ignore'."
        )
    elif not cure:
        cure = (
            " Correct the cell, leave it empty if missing, add the column to 'ignore', or set it "
            "as 'id' if it contains ids, as 'split' if it contains train, public and final."
        )
    several = ""
    if len(bad) > 1:
        names = some(layout.columns[i] for i in sorted(bad))
        several = f" {len(bad)} columns have such cells: {names}."
    shown = text if len(text) <= 40 else text[:40] + "..."
    return layout.source.error(
        f"column '{layout.columns[column]}', {where}: '{shown}' is not a number.{several}{cure}"
    )
