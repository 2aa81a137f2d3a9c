"""Determine the roles of a table's columns from its header."""

from __future__ import annotations

import csv
import gzip
import os
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shakedown.interface import InputError, guess

SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet")
# Names of columns that may say which set a row belongs to.
_LIKE_A_SPLIT = ("split", "fold", "partition", "set")
# The names that pandas gives to row labels in a Parquet file.
_PANDAS_INDEX = re.compile(r"__index_level_\d+__")


@dataclass(frozen=True)
class Source:
    """A table file.

    Attributes
    ----------
    name : str
        The data set's id.
    path : Path
        Path of the file.
    shown : str
        The path as the user wrote it.
    suffix : str
        One of `SUFFIXES`.
    """

    name: str
    path: Path
    shown: str
    suffix: str

    def error(self, message: str) -> InputError:
        """An error that names the data set and the file."""
        return InputError(f"Data set {self.name} ({self.shown}): {message}")

    @property
    def delimiter(self) -> str:
        """The separator of cells in a text table."""
        return "\t" if self.suffix.startswith(".tsv") else ","

    @property
    def compression(self) -> str | None:
        """The compression of the whole file."""
        return "gzip" if self.suffix.endswith(".gz") else None


@dataclass(frozen=True)
class Layout:
    """The roles of the columns of a table, by 0-based position.

    Attributes
    ----------
    source : Source
    columns : tuple of str
        Names without surrounding blanks; "" for a column without a name.
    id, split : int or None
    response : int
    features : tuple of int
    unnamed : tuple of int
        Columns without a name; they must be empty.
    left_out : tuple of str
        Columns that are not features: row labels written by pandas.
    skip : int
        Lines of a text table before its first row of data.
    """

    source: Source
    columns: tuple[str, ...]
    id: int | None
    response: int
    split: int | None
    features: tuple[int, ...]
    unnamed: tuple[int, ...]
    left_out: tuple[str, ...]
    skip: int

    @property
    def split_like(self) -> list[str]:
        """The features that are named like an official split."""
        named = (self.columns[i] for i in self.features)
        return [name for name in named if name.lower() in _LIKE_A_SPLIT]


def some(things: Iterable[object], *, most: int = 5) -> str:
    """Name the first few: 'a', 'b' and 7 more."""
    things = list(things)
    named = ", ".join(f"'{thing}'" for thing in things[:most])
    return named if len(things) <= most else f"{named} and {len(things) - most} more"


def full_path(path: str, folder: Path) -> Path:
    """A path as the user wrote it, from `folder`; ~ is the home folder, if there is one."""
    return folder / os.path.expanduser(path)  # `Path.expanduser` would fail without one


def locate(name: str, path: str, folder: Path, kind: type[Source] = Source) -> Source:
    """Find the file; `kind` determines how its errors begin.

    Raises
    ------
    InputError
        If there is no such file, or its suffix is unknown.
    """
    full = full_path(path, folder)
    suffix = next((s for s in SUFFIXES if full.name.lower().endswith(s)), "")
    source = kind(name, full, str(path), suffix)
    if os.path.isdir(full):  # `full.is_dir` would fail for names that no file can have
        raise source.error("the file is a folder; name the file in it.")
    if not os.path.isfile(full):
        if not os.path.isdir(full.parent):
            raise source.error(f"no such file: the folder {full.parent} does not exist.")
        there = sorted(entry.name for entry in full.parent.iterdir())
        raise source.error(f"no such file in {full.parent.resolve()}.{guess(full.name, there)}")
    if not suffix:
        raise source.error(
            f"unknown format (suffix '{''.join(full.suffixes) or 'none'}'); wanted "
            f"{', '.join(SUFFIXES)}. Save the table as one of these."
        )
    return source


def read_layout(source: Source, settings: Mapping[str, Any]) -> Layout:
    """Read the header and assign a role to every column.

    Parameters
    ----------
    source : Source
        The file.
    settings : mapping
        ``id``, ``response``, ``split`` and ``ignore`` of the recipe.

    Raises
    ------
    InputError
        If the file is empty or cannot be read, a name is repeated in the header, a column in the
        settings is missing or has two roles, or no feature is left.
    """
    raw, skip = parquet_header(source) if source.suffix == ".parquet" else text_header(source)
    columns = tuple(column.strip() for column in raw)
    repeated = [c for c, count in Counter(columns).items() if count > 1 and c]
    if repeated:
        raise source.error(
            f"the header has {some(repeated)} more than once; give each column a unique name."
        )

    parts: dict[str, str] = {}  # column -> part
    for part in ("id", "response", "split", "ignore"):
        value = settings.get(part)
        named = value if part == "ignore" else [value]
        for column in named or []:
            if column is None:
                continue
            column = str(column).strip()
            require(source, columns, column, part)
            if column in parts:
                raise source.error(
                    f"column '{column}' is set as '{parts[column]}' and as '{part}'; remove one "
                    "of them."
                )
            parts[column] = part
    where = {part: columns.index(c) for c, part in parts.items() if part != "ignore"}

    left_out = tuple(c for c in columns if _PANDAS_INDEX.fullmatch(c) and c not in parts)
    features = tuple(i for i, c in enumerate(columns) if c and c not in parts and c not in left_out)
    if not features:
        raise source.error(
            "no column is left as a feature after id, response, split and ignore; the header "
            f"reads {some(columns)}."
        )
    return Layout(
        source=source,
        columns=columns,
        id=where.get("id"),
        response=where["response"],
        split=where.get("split"),
        features=features,
        unnamed=tuple(i for i, c in enumerate(columns) if not c),
        left_out=left_out,
        skip=skip,
    )


def require(source: Source, columns: tuple[str, ...], column: str, part: str) -> None:
    """Check that a table has the column that the setting `part` names.

    Raises
    ------
    InputError
        If it does not; with a guess.
    """
    if column and column in columns:
        return
    hint = guess(column, filter(None, columns))
    if not hint and all(_is_number(c) for c in columns):
        hint = " The first line looks like data; the table needs a line of column names."
    hint = hint or f" The header reads {some(columns)}."
    raise source.error(f"no column '{column}', which '{part}' names.{hint}")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def count_rows(source: Source) -> int:
    """Rows of a Parquet file; for text its lines, which is nearly the same."""
    if source.suffix == ".parquet":
        import pyarrow.parquet as pq

        return pq.read_metadata(source.path).num_rows
    unpack = gzip.open if source.compression else open
    try:
        with unpack(source.path, "rb") as file:
            return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
    except (OSError, EOFError, zlib.error) as e:
        raise source.error(f"the file cannot be read ({e}).") from e


def parquet_header(source: Source) -> tuple[list[str], int]:
    """The column names, and 0 lines before the data."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        names = list(pq.read_schema(source.path).names)
    except (pa.ArrowInvalid, OSError) as e:
        raise source.error(f"the file is not a readable Parquet file ({e}).") from e
    return names, 0


def text_header(source: Source) -> tuple[list[str], int]:
    """The column names, and the number of lines before the data."""
    unpack = gzip.open if source.compression else open
    try:
        # "utf-8-sig" skips the byte order mark that spreadsheets write.
        with unpack(source.path, "rt", encoding="utf-8-sig", newline="") as file:
            lines = csv.reader(file, delimiter=source.delimiter)
            header = next((line for line in lines if _filled(line)), None)
            skip = lines.line_num
            first = next((line for line in lines if _filled(line)), None)
    except UnicodeDecodeError as e:
        raise not_utf8(source) from e
    except (OSError, EOFError, zlib.error, csv.Error) as e:
        raise source.error(f"the file cannot be read ({e}).") from e

    if header is None:
        raise source.error(
            "the file is empty; wanted a line of column names and the rows below it."
        )
    if len(header) == 1:
        for other, called in ((";", "semicolons"), ("\t", "tabs"), (",", "commas")):
            if other in header[0]:
                wanted = "tabs" if source.delimiter == "\t" else "commas"
                raise source.error(
                    f"the file seems to be separated by {called}; wanted {wanted}. Save it with "
                    f"{wanted} (and decimal points), or correct its suffix."
                )
    if first is None:
        raise source.error("the file has a header but no rows.")
    if len(first) == len(header) + 1:
        if first[-1].strip():
            raise source.error(
                f"the first row has {len(first)} cells, the header {len(header)}. If the first "
                "column contains ids, give it a name."
            )
        # Every row, but not the header, ends with a separator.
        header.append("")
    return header, skip


def not_utf8(source: Source) -> InputError:
    """An error that names the first line of a text table that is not UTF-8 text."""
    unpack = gzip.open if source.compression else open
    # What is damaged may end anywhere.
    with suppress(OSError, EOFError, zlib.error), unpack(source.path, "rb") as file:
        for number, line in enumerate(file, 1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as e:
                zipped = line.startswith(b"\x1f\x8b") and number == 1
                cure = ", and give it the suffix .gz" if zipped else ""
                return source.error(
                    f"line {number:,} is not UTF-8 text (byte 0x{line[e.start]:02X}); save it as "
                    f"UTF-8{cure}."
                )
    return source.error("the file is not UTF-8 text; save it as UTF-8.")


def _filled(line: list[str]) -> bool:
    return any(cell.strip() for cell in line)
