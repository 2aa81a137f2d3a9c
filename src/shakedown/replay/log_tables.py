"""Read the tables of a submission log; `rules` settles problems in their cells."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from shakedown.data import cells, layout
from shakedown.data.layout import Source
from shakedown.interface import InputError

if TYPE_CHECKING:
    import pyarrow as pa

#: Suffixes of files that hold packed files.
ARCHIVES = (".zip", ".7z", ".rar", ".tar", ".tgz", ".tar.gz", ".bz2", ".xz")
_ZIPPED = b"PK\x03\x04"


class LogFile(Source):
    """A file of a submission log."""

    def error(self, message: str) -> InputError:
        """An error that names the file."""
        return InputError(f"Submission log ({self.shown}): {message}")


@dataclass(frozen=True)
class Header:
    """The first line of a table.

    Attributes
    ----------
    source : Source
    columns : tuple of str
        Names without surrounding blanks; "" for a column without a name.
    skip : int
        Lines of a text table before its first row of data.
    """

    source: Source
    columns: tuple[str, ...]
    skip: int

    def require(self, column: str, key: str) -> None:
        """Check that a column exists.

        Raises
        ------
        InputError
            If it does not; with the key of the configuration that names it, and a guess.
        """
        layout.require(self.source, self.columns, column, key)


@dataclass(frozen=True, eq=False)
class LogTable:
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

    def texts(self, column: str) -> np.ndarray:
        """Cells as text without surrounding blanks, "" if missing; shape (n,)."""
        texts = [
            "" if text.lower() in cells.MISSING else text
            for text in cells.to_texts(self.cells[column])
        ]
        return np.array(texts, dtype=str)

    def numbers(self, column: str) -> tuple[np.ndarray, np.ndarray]:
        """Cells as numbers, NaN if missing, and which cells are not numbers; each shape (n,)."""
        return cells.to_numbers(self.cells[column])


def read_header(path: str, folder: Path, kind: type[Source] = LogFile) -> Header:
    """Find a table and read its first line.

    Parameters
    ----------
    path : str
        A .csv or .tsv (either may be gzipped) or .parquet file.
    folder : Path
        Folder for relative paths.
    kind : type of Source
        Determines how errors begin.

    Raises
    ------
    InputError
        If the file does not exist or cannot be read, its suffix is unknown, or a name is repeated
        in its first line.
    """
    full = layout.full_path(str(path), folder)
    if os.path.isfile(full) and _is_archive(full):
        raise kind("", full, str(path), "").error(
            "the file is a packed archive. Unpack it, and name the table in it."
        )
    source = layout.locate("", str(path), folder, kind)
    is_parquet = source.suffix == ".parquet"
    raw, skip = (layout.parquet_header if is_parquet else layout.text_header)(source)
    columns = tuple(column.strip() for column in raw)
    if repeated := sorted({c for c in columns if c and columns.count(c) > 1}):
        raise source.error(
            f"the header has {layout.some(repeated)} more than once; give each column a unique "
            "name."
        )
    return Header(source, columns, skip)


def _is_archive(path: Path) -> bool:
    name = path.name.lower()
    if name.endswith(ARCHIVES):
        return not name.endswith(layout.SUFFIXES)
    with open(path, "rb") as file:  # a table that was packed but kept its name
        return name.endswith(layout.SUFFIXES) and file.read(len(_ZIPPED)) == _ZIPPED


def read_table(header: Header, wanted: Sequence[str] | None = None) -> LogTable:
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
    texts = cells.read_columns(header.source, len(header.columns), header.skip, at.values())
    rows = len(next(iter(texts.values()))) if texts else 0
    return LogTable(header, {column: texts[i] for column, i in at.items()}, rows)
