"""The rows of a table: text to numbers, and the first cell that is none.

Numbers are rounded correctly (the float nearest to the decimal written); ids stay text.  The table
is read in pieces of some megabytes, so that no copy of it as text is ever held.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shakedown.datasets.layout import Layout, some

if TYPE_CHECKING:
    import pyarrow as pa

#: What stands for "no value" in a cell of numbers, in small letters.
MISSING = frozenset(
    ["", "na", "n/a", "#n/a", "#na", "<na>", "nan", "-nan", "null", "none", "1.#qnan", "-1.#ind"]
)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)
_WITH_COMMA = re.compile(r"[+-]?[\d.]*\d,\d[\d,]*(\.\d*)?(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)
#: Bytes of text, or of numbers in a Parquet file, that are worked on at a time.
_PIECE = 16 * 2**20


@dataclass
class Body:
    """The rows of a table.

    Attributes
    ----------
    values : ndarray of float, shape (p, n), C order
        Features, as they stand; NaN where a cell is missing.
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
        If a row has too few or too many cells, a cell that must be a number is none, a column
        without a name holds something, or the file is damaged.
    """
    numeric = (*layout.features, layout.response)
    pieces: list[np.ndarray] = []  # each (p + 1, rows of the piece)
    texts: dict[int, list[str]] = {i: [] for i in (layout.id, layout.split) if i is not None}
    bad: dict[int, tuple[int, str]] = {}  # column -> row and text of its first bad cell
    n = 0
    for rows, columns in read_pieces(layout):
        piece = np.empty((len(numeric), rows))
        for k, i in enumerate(numeric):
            if i not in bad:
                piece[k], wrong = to_numbers(columns[i])
                if wrong is not None:
                    bad[i] = (n + wrong[0], wrong[1])
        for i, column in texts.items():
            column += to_texts(columns[i])
        for i in layout.unnamed:
            for row, text in enumerate(to_texts(columns[i])):
                if text.lower() not in MISSING:
                    raise layout.source.error(
                        f"column {i + 1} of the header has no name, yet row {n + row + 1} holds "
                        f"'{text}' there. Give it a name (is it a column of row names?)."
                    )
        pieces.append(piece)
        n += rows
    if n == 0:
        raise layout.source.error("has a header but no rows.")
    ids = None if layout.id is None else texts[layout.id]
    if bad:
        raise _not_a_number(layout, bad, ids)

    values = np.empty((len(layout.features), n))
    y = np.empty(n)
    pieces.reverse()
    stop = 0
    while pieces:  # freed one by one: the table is not held twice for long
        piece = pieces.pop()
        start, stop = stop, stop + piece.shape[1]
        values[:, start:stop] = piece[:-1]
        y[start:stop] = piece[-1]
    return Body(values, y, ids, None if layout.split is None else texts[layout.split])


def to_numbers(column: pa.Array) -> tuple[np.ndarray, tuple[int, str] | None]:
    """Return the numbers of a column, and position and text of the first cell that is none.

    Booleans become 0 and 1, missing cells NaN.  After a bad cell the rest is not defined.
    """
    import pyarrow as pa
    from pyarrow import compute

    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if pa.types.is_null(kind):
        return np.full(len(column), np.nan), None
    if pa.types.is_boolean(kind):
        column = column.cast(pa.int8())
        kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        numbers = compute.cast(column, pa.float64(), safe=False)
        return numbers.to_numpy(zero_copy_only=False), None
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        return one_by_one(["" if cell is None else str(cell) for cell in column.to_pylist()])

    try:  # the common case: every cell is a number
        numbers = compute.cast(column, pa.float64())
    except pa.ArrowInvalid:
        # Next common: some are missing.
        trimmed = compute.utf8_trim_whitespace(column)
        empty = compute.is_in(
            compute.utf8_lower(trimmed), value_set=pa.array(sorted(MISSING), column.type)
        )
        trimmed = compute.if_else(empty, pa.scalar(None, column.type), trimmed)
        try:
            numbers = compute.cast(trimmed, pa.float64())
        except pa.ArrowInvalid:
            return one_by_one(["" if cell is None else cell for cell in trimmed.to_pylist()])
    return numbers.to_numpy(zero_copy_only=False), None


def to_texts(column: pa.Array) -> list[str]:
    """Return the cells as text without surrounding blanks; "" where a cell is missing."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return ["" if cell is None else str(cell).strip() for cell in column.to_pylist()]


def one_by_one(cells: list[str]) -> tuple[np.ndarray, tuple[int, str] | None]:
    """Numbers of cells, shape (n,), NaN for an empty one; and the first that is no number, if any,
    with its position."""
    numbers = np.full(len(cells), np.nan)
    truth = {"true": 1.0, "false": 0.0}
    infinite = {"inf", "infinity", "+inf", "+infinity", "-inf", "-infinity"}
    for i, cell in enumerate(cells):
        low = cell.strip().lower()
        if low in truth:
            numbers[i] = truth[low]
        elif low in infinite or _NUMBER.fullmatch(low):
            numbers[i] = float(low)
        elif low not in MISSING:
            return numbers, (i, cell)
    return numbers, None


def read_pieces(layout: Layout) -> Iterator[tuple[int, dict[int, pa.Array]]]:
    """Yield the table piece by piece: number of rows, and the columns by position."""
    import pyarrow as pa

    source = layout.source
    odd_rows: list[tuple[int, int, int]] = []
    batches = (
        _parquet_pieces(layout)
        if source.suffix == ".parquet"
        else _text_pieces(layout, odd_rows.append)
    )
    try:
        yield from batches
    except (pa.ArrowInvalid, OSError) as e:
        if odd_rows:
            row, wanted, got = odd_rows[0]
            raise source.error(
                f"row {row} has {got} cell{'' if got == 1 else 's'} where the header has {wanted}; "
                "every row needs as many cells as the header, and a cell with a comma or a line "
                "break needs quotes."
            ) from e
        if "UTF8" in str(e):
            raise source.error("is not UTF-8 text; save it as UTF-8.") from e
        raise source.error(f"cannot be read: {e}") from e


def _parquet_pieces(layout):
    import pyarrow.parquet as pq

    rows = max(1, _PIECE // (8 * len(layout.columns)))
    # Small buffers: else all of the file is held beside the numbers.
    with pq.ParquetFile(layout.source.path, pre_buffer=False, buffer_size=4096) as file:
        for batch in file.iter_batches(batch_size=rows):
            yield batch.num_rows, dict(enumerate(batch.columns))


def _text_pieces(layout, note_odd_row):
    import pyarrow as pa
    from pyarrow import csv

    def on_odd_row(row):
        # The number counts the skipped lines as well, but no empty ones.
        note_odd_row((row.number - layout.skip, row.expected_columns, row.actual_columns))
        return "error"

    # By position, as names may be of any kind.
    every = [str(i) for i in range(len(layout.columns))]
    needed = {layout.id, layout.response, layout.split, *layout.features, *layout.unnamed}
    needed = sorted(needed - {None})
    with (
        pa.input_stream(str(layout.source.path), compression=layout.source.compression) as file,
        csv.open_csv(
            file,
            read_options=csv.ReadOptions(
                # One thread: it is fast enough, and only so are row numbers known.
                use_threads=False,
                block_size=_PIECE,
                column_names=every,
                skip_rows=layout.skip,
            ),
            parse_options=csv.ParseOptions(
                delimiter=layout.source.delimiter,
                newlines_in_values=True,
                invalid_row_handler=on_odd_row,
            ),
            # As text, every one: what looks like a number in an id is none, and a bad cell
            # can be told by its own words.
            convert_options=csv.ConvertOptions(
                include_columns=[every[i] for i in needed],
                column_types={every[i]: pa.string() for i in needed},
                strings_can_be_null=False,
            ),
        ) as reader,
    ):
        for batch in reader:
            if batch.num_rows:
                yield batch.num_rows, dict(zip(needed, batch.columns, strict=True))


def _not_a_number(layout, bad, ids):
    column, (row, text) = min(bad.items(), key=lambda item: (item[1][0], item[0]))
    where = f"row {row + 1}" if ids is None else f"row '{ids[row]}' (row {row + 1})"
    if _WITH_COMMA.fullmatch(text.strip()):
        cure = "Write numbers with a decimal point and without thousands separators."
    elif column == layout.response:
        cure = "The response must be numbers: correct the cell, or leave it empty if missing."
    else:
        cure = (
            "Correct the cell, leave it empty if missing, put the column into 'ignore', or name it "
            "as 'id' if it names the rows."
        )
    several = ""
    if len(bad) > 1:
        names = some(layout.columns[i] for i in sorted(bad))
        several = f" {len(bad)} columns have such cells: {names}."
    shown = text if len(text) <= 40 else text[:40] + "..."
    return layout.source.error(
        f"column '{layout.columns[column]}', {where}: '{shown}' is not a number.{several} {cure}"
    )
