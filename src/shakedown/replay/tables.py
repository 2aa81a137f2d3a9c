"""Files of a submission log, cell by cell: nothing in them is an error that a rule can handle."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from shakedown.datasets import cells, layout
from shakedown.datasets.layout import Layout, Source
from shakedown.interface import InputError

if TYPE_CHECKING:
    import pyarrow as pa

#: Suffixes of files that hold packed files.
ARCHIVES = (".zip", ".7z", ".rar", ".tar", ".tgz", ".tar.gz", ".bz2", ".xz")
_ZIPPED = b"PK\x03\x04"
_WITH_COMMA = re.compile(r"[+-]?[\d.]*\d,\d[\d,]*(\.\d*)?(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)


def decimal_comma(text: str) -> str:
    """What to do about a cell that is a number but for a comma, after a blank; else ""."""
    if not _WITH_COMMA.fullmatch(text):
        return ""
    return " Write numbers with a decimal point and without thousands separators."


class LogFile(Source):
    """A file of a submission log."""

    def error(self, message: str) -> InputError:
        """Return an error that says which file it is about."""
        return InputError(f"Submission log ({self.shown}): {message}")


@dataclass(frozen=True)
class Header:
    """What the first line of a table tells.

    Attributes
    ----------
    source : Source
    columns : tuple of str
        Names without surrounding blanks; "" where a column has none.
    skip : int
        Lines of a text table before its first row of data.
    """

    source: Source
    columns: tuple[str, ...]
    skip: int

    def require(self, column: str, key: str) -> None:
        """See that there is a column.

        Raises
        ------
        InputError
            With the key of the configuration that names it, and what may have been meant.
        """
        layout.require(self.source, self.columns, column, key)


@dataclass(frozen=True, eq=False)
class Table:
    """A table as it stands.

    Attributes
    ----------
    header : Header
    cells : dict of str to pyarrow.Array
        By column, each of n cells; columns without a name are not among them.
    n : int
    """

    header: Header
    cells: dict[str, pa.Array]
    n: int

    def texts(self, column: str) -> np.ndarray:
        """Cells as text without surrounding blanks, "" where there is nothing; shape (n,)."""
        found = [
            "" if text.lower() in cells.MISSING else text
            for text in cells.to_texts(self.cells[column])
        ]
        return np.array(found, dtype=str)

    def numbers(self, column: str) -> tuple[np.ndarray, np.ndarray]:
        """Cells as numbers, shape (n,), NaN where there is none; and where the cell holds
        something else, bool of shape (n,)."""
        values, wrong = cells.to_numbers(self.cells[column])
        if wrong is None:
            return values, np.zeros(self.n, bool)
        texts = self.texts(column)
        values, no_number = np.full(self.n, np.nan), np.zeros(self.n, bool)
        for text in np.unique(texts[texts != ""]):
            (value,), wrong = cells.one_by_one([str(text)])
            values[texts == text] = value
            no_number[texts == text] = wrong is not None
        return values, no_number


def read_header(path: str, folder: Path) -> Header:
    """Find a table and read its first line.

    Parameters
    ----------
    path : str
        A .csv or .tsv (either may be gzipped) or .parquet file.
    folder : Path
        Where a relative path starts.

    Raises
    ------
    InputError
        If there is no such file, its suffix is unknown, it cannot be read, or a name stands twice
        in its first line.
    """
    full = folder / Path(path).expanduser()
    if full.is_file() and _is_archive(full):
        raise LogFile("", full, str(path), "").error(
            "is a packed archive. Unpack it, and name the table in it."
        )
    try:
        found = layout.locate("", str(path), folder)
    except InputError as e:  # it speaks of a data set, which has a name
        raise InputError(str(e).replace("Data set  (", "Submission log (", 1)) from e
    source = LogFile(found.name, found.path, found.shown, found.suffix)
    is_parquet = source.suffix == ".parquet"
    raw, skip = (layout.parquet_header if is_parquet else layout.text_header)(source)
    columns = tuple(column.strip() for column in raw)
    if repeated := sorted({c for c in columns if c and columns.count(c) > 1}):
        raise source.error(
            f"the header has {layout.some(repeated)} more than once; give every column its own "
            "name."
        )
    return Header(source, columns, skip)


def _is_archive(path: Path) -> bool:
    name = path.name.lower()
    if name.endswith(ARCHIVES):
        return not name.endswith(layout.SUFFIXES)
    with open(path, "rb") as file:  # a table that was packed but kept its name
        return name.endswith(layout.SUFFIXES) and file.read(len(_ZIPPED)) == _ZIPPED


def read_table(header: Header, wanted: Sequence[str] | None = None) -> Table:
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
    import pyarrow as pa

    wanted = [c for c in header.columns if c] if wanted is None else list(dict.fromkeys(wanted))
    at = [header.columns.index(column) for column in wanted]
    parts = Layout(
        source=header.source, columns=header.columns, id=None, response=at[0], split=None,
        features=tuple(at[1:]), unnamed=(), left_out=(), skip=header.skip,
    )  # fmt: skip
    pieces: dict[str, list[pa.Array]] = {column: [] for column in wanted}
    n = 0
    for rows, columns in cells.read_pieces(parts):
        for column, i in zip(wanted, at, strict=True):
            pieces[column].append(columns[i])
        n += rows
    found = {
        column: pa.chunked_array(arrays).combine_chunks() if arrays else pa.array([], pa.string())
        for column, arrays in pieces.items()
    }
    return Table(header, found, n)
