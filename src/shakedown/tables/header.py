"""Find a table and read its column names."""

from __future__ import annotations

import csv
import io
import os
import unicodedata
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from shakedown.interface import guess
from shakedown.tables.opening import (
    ARCHIVES,
    DAMAGED,
    SEPARATORS,
    not_utf8,
    opened,
    other_type,
    physical_lines,
)
from shakedown.tables.policy import Policy, Source
from shakedown.tables.quoting import Unbalanced, count_records
from shakedown.wording import some

SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet")


@dataclass(frozen=True)
class Header:
    """The column names of a table.

    Attributes
    ----------
    source : Source
    columns : tuple of str
        Names as `spelled`; "" for a column without a name.
    skip : int
        Lines of a text table before its first row of data.
    """

    source: Source
    columns: tuple[str, ...]
    skip: int

    def require(self, column: str, key: str) -> None:
        """Check that a table has the column that the setting `key` names.

        Raises
        ------
        InputError
            If it does not; with a guess.
        """
        if column and column in self.columns:
            return
        hint = guess(column, filter(None, self.columns))
        if not hint and all(_is_number(c) for c in self.columns):
            hint = " The first line looks like data; the table needs a line of column names."
        hint = hint or f" The header reads {some(self.columns)}."
        raise self.source.error(f"no column '{column}', which '{key}' names.{hint}")


def spelled(text: str) -> str:
    """A name or an id without surrounding blanks, and with letters and their accents as one.

    Programs write é as one character (Unicode's NFC) or as two (NFD).
    """
    return unicodedata.normalize("NFC", text.strip())


def full_path(path: str, folder: Path) -> Path:
    """A path as the user wrote it, from `folder`; ~ is the home folder, if there is one."""
    return folder / os.path.expanduser(path)  # `Path.expanduser` would fail without one


def check_braces(source: Source) -> None:
    """Check that Snakemake can take the file as it is named.

    Raises
    ------
    InputError
        If its path has braces.
    """
    if set("{}") & set(source.shown):
        raise source.error(
            "braces in a path are wildcards to Snakemake. Rename the file or its folder."
        )


def locate(name: str, path: str, folder: Path, policy: Policy) -> Source:
    """Find the file.

    Raises
    ------
    InputError
        If there is no such file, or its suffix or its type is unknown.
    """
    full = full_path(path, folder)
    lower = full.name.lower()
    suffix = next((s for s in SUFFIXES if lower.endswith(s)), "")
    source = Source(name, full, str(path), suffix, policy)
    if os.path.isdir(full):  # `full.is_dir` would fail for names that no file can have
        raise source.error("the file is a folder; name the file in it.")
    if not os.path.isfile(full):
        if os.path.exists(full):
            raise source.error("a pipe or a device; wanted a file.")
        if not os.path.isdir(full.parent):
            raise source.error(f"no such file: the folder {full.parent} does not exist.")
        there = sorted(entry.name for entry in full.parent.iterdir())
        raise source.error(f"no such file in {full.parent.resolve()}.{guess(full.name, there)}")
    if not suffix:
        is_packed = lower.endswith(ARCHIVES)
        cure = "Unpack it, and name the table" if is_packed else "Save the table as one of these"
        raise source.error(
            f"unknown format (suffix '{''.join(full.suffixes) or 'none'}'); wanted "
            f"{', '.join(SUFFIXES)}. {cure}."
        )
    return source


def read_header(source: Source) -> Header:
    """Read the column names.

    Raises
    ------
    InputError
        If the file is empty or cannot be read, or a name is repeated.
    """
    raw, skip = _of_parquet(source) if source.suffix == ".parquet" else _of_text(source)
    columns = tuple(map(spelled, raw))
    if repeated := [c for c, count in Counter(columns).items() if count > 1 and c]:
        raise source.error(
            f"the header has {some(repeated)} more than once; give each column a unique name."
        )
    return Header(source, columns, skip)


def count_rows(header: Header) -> int:
    """Rows of a Parquet file; for text its lines, which is nearly the same."""
    source = header.source
    if source.suffix == ".parquet":
        import pyarrow.parquet as pq

        return pq.read_metadata(source.path).num_rows
    try:
        with opened(source) as file:
            lines = sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
    except DAMAGED as e:
        raise source.error(f"the file cannot be read ({e}).") from e
    return max(lines - header.skip, 0)


def _of_parquet(source: Source) -> tuple[list[str], int]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return list(pq.read_schema(source.path).names), 0
    except (pa.ArrowInvalid, OSError) as e:
        raise source.error(f"the file is not a readable Parquet file ({e}).") from e


def _of_text(source: Source) -> tuple[list[str], int]:
    """The column names, and the number of lines before the data."""
    try:
        with opened(source) as file:
            head = file.peek(4096)
            if b"\0" in head and (what := other_type(head)):  # a column may be called PAR1
                raise source.error(f"the file is {what}")
            # "utf-8-sig" skips the byte order mark that spreadsheets write.
            text = io.TextIOWrapper(file, "utf-8-sig", newline="")
            lines = csv.reader(text, delimiter=source.delimiter)
            header = next((line for line in lines if _filled(line)), None)
            skip = lines.line_num
            first = next((line for line in lines if _filled(line)), None)
        if header is not None and skip > 1:
            with opened(source) as file:
                own = islice(physical_lines(file), skip)
                count_records(own, source.delimiter, len(header))
    except UnicodeDecodeError as e:
        raise not_utf8(source) from e
    except Unbalanced as e:
        raise source.error(str(e)) from e
    except csv.Error as e:
        cure = ""
        if "field larger" in str(e):
            cure = (
                f" A cell of more than {csv.field_size_limit():,} characters in the header. Is a "
                "quotation mark not closed? Or give the column a shorter name."
            )
        raise source.error(f"the file cannot be read ({e}).{cure}") from e
    except DAMAGED as e:
        raise source.error(f"the file cannot be read ({e}).") from e

    if header is None:
        raise source.error(
            "the file is empty; wanted a line of column names and the rows below it."
        )
    if len(header) == 1:
        for other in ";\t,":
            if other in header[0]:
                wanted = SEPARATORS[source.delimiter]
                raise source.error(
                    f"the file seems to be separated by {SEPARATORS[other]}; wanted {wanted}. Save "
                    f"it with {wanted} (and decimal points), or correct its suffix."
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


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _filled(line: list[str]) -> bool:
    return any(cell.strip() for cell in line)
