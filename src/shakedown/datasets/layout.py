"""Which column of a table plays which part: all that its header tells, before any row is read."""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from shakedown.interface import InputError

SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet")
# What pandas calls the row labels that it writes into a Parquet file.
_PANDAS_INDEX = re.compile(r"__index_level_\d+__")


@dataclass(frozen=True)
class Source:
    """A table file.

    Attributes
    ----------
    name : str
        The data set's id.
    path : Path
        Where the file lies.
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
        """Return an error that says which data set and file it is about."""
        return InputError(f"Data set {self.name} ({self.shown}): {message}")

    @property
    def delimiter(self) -> str:
        """What separates the cells of a text table."""
        return "\t" if self.suffix.startswith(".tsv") else ","

    @property
    def compression(self) -> str | None:
        """How the file is packed as a whole."""
        return "gzip" if self.suffix.endswith(".gz") else None


@dataclass(frozen=True)
class Layout:
    """The parts that the columns of a table play, by 0-based position.

    Attributes
    ----------
    source : Source
    columns : tuple of str
        Names without surrounding blanks; "" where a column has none.
    id, split : int or None
    response : int
    features : tuple of int
    unnamed : tuple of int
        Columns without a name; to be empty.
    left_out : tuple of str
        Names of columns that no one asked for and that cannot be features.
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


def some(things: Iterable[object], *, most: int = 5) -> str:
    """Name the first few: 'a', 'b' and 7 more."""
    things = list(things)
    named = ", ".join(f"'{thing}'" for thing in things[:most])
    return named if len(things) <= most else f"{named} and {len(things) - most} more"


def locate(name: str, path: str, folder: Path) -> Source:
    """Find the file.

    Raises
    ------
    InputError
        If there is no such file, or its suffix is unknown.
    """
    full = folder / Path(path).expanduser()
    suffix = next((s for s in SUFFIXES if full.name.lower().endswith(s)), "")
    source = Source(name, full, str(path), suffix)
    if full.is_dir():
        raise source.error("is a folder; name the file in it.")
    if not full.is_file():
        if not full.parent.is_dir():
            raise source.error(f"no such file: the folder {full.parent} does not exist.")
        there = sorted(entry.name for entry in full.parent.iterdir())
        close = get_close_matches(full.name, there, n=3)
        guess = f" Did you mean {some(close)}?" if close else ""
        raise source.error(f"no such file in {full.parent.resolve()}.{guess}")
    if not suffix:
        raise source.error(
            f"the suffix '{''.join(full.suffixes) or 'none'}' says no format that can be read; "
            f"wanted {', '.join(SUFFIXES)}. Save the table as one of these."
        )
    return source


def read_layout(source: Source, settings: Mapping[str, Any]) -> Layout:
    """Read the header and give every column its part.

    Parameters
    ----------
    source : Source
        The file.
    settings : mapping
        ``id``, ``response``, ``split`` and ``ignore`` of the recipe.

    Raises
    ------
    InputError
        If the file is empty or cannot be read, a name stands twice in the header, a column that
        the settings name is missing or has two parts, or no feature is left.
    """
    raw, skip = parquet_header(source) if source.suffix == ".parquet" else text_header(source)
    columns = tuple(column.strip() for column in raw)
    repeated = [c for c, count in Counter(columns).items() if count > 1 and c]
    if repeated:
        raise source.error(
            f"the header has {some(repeated)} more than once; give every column its own name."
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
                    f"column '{column}' is named as '{parts[column]}' and as '{part}'; "
                    "a column has one part."
                )
            parts[column] = part
    where = {part: columns.index(c) for c, part in parts.items() if part != "ignore"}

    left_out = tuple(c for c in columns if _PANDAS_INDEX.fullmatch(c) and c not in parts)
    features = tuple(i for i, c in enumerate(columns) if c and c not in parts and c not in left_out)
    if not features:
        raise source.error(
            "no column is left to be a feature besides id, response, split and ignore; "
            f"the header reads {some(columns)}."
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
    """See that a table has a column, which the setting `part` names.

    Raises
    ------
    InputError
        With what may have been meant.
    """
    if column and column in columns:
        return
    lower = {c.lower(): c for c in columns}
    close = [lower[c] for c in get_close_matches(column.lower(), lower, n=3) if c]
    if close:
        hint = f"Did you mean {some(close)}?"
    elif all(_is_number(c) for c in columns):
        hint = "The first line looks like data; the table needs a line of column names."
    else:
        hint = f"The header reads {some(columns)}."
    raise source.error(f"has no column '{column}', which '{part}' names. {hint}")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def parquet_header(source: Source) -> tuple[list[str], int]:
    """Return the column names, and that no lines stand before the data."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        names = list(pq.read_schema(source.path).names)
    except (pa.ArrowInvalid, OSError) as e:
        raise source.error(f"is not a Parquet file that can be read ({e}).") from e
    return names, 0


def text_header(source: Source) -> tuple[list[str], int]:
    """Return the column names as they stand, and the number of lines before the data."""
    unpack = gzip.open if source.compression else open
    try:
        # "utf-8-sig" swallows the byte order mark that spreadsheets write.
        with unpack(source.path, "rt", encoding="utf-8-sig", newline="") as file:
            lines = csv.reader(file, delimiter=source.delimiter)
            header = next((line for line in lines if _filled(line)), None)
            skip = lines.line_num
            first = next((line for line in lines if _filled(line)), None)
    except UnicodeDecodeError as e:
        raise source.error(
            f"is not UTF-8 text ({e.reason}); save it as UTF-8, and give it the suffix .gz if it "
            "is gzipped."
        ) from e
    except (OSError, EOFError, zlib.error, csv.Error) as e:
        raise source.error(f"cannot be read ({e}).") from e

    if header is None:
        raise source.error("is empty; wanted a line of column names and the rows below it.")
    if len(header) == 1:
        for other, called in ((";", "semicolons"), ("\t", "tabs"), (",", "commas")):
            if other in header[0]:
                wanted = "tabs" if source.delimiter == "\t" else "commas"
                raise source.error(
                    f"seems to be separated by {called}; wanted {wanted}. Save it with {wanted}"
                    " (and decimal points), or give it the suffix that fits."
                )
    if first is None:
        raise source.error("has a header but no rows.")
    if len(first) == len(header) + 1:
        if first[-1].strip():
            raise source.error(
                f"the first row has {len(first)} cells, the header {len(header)}. If the rows "
                "begin with row names, give that column a name as well."
            )
        # Every row ends with a separator, the header does not.
        header.append("")
    return header, skip


def _filled(line: list[str]) -> bool:
    return any(cell.strip() for cell in line)
