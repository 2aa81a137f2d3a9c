"""Open a table: its type, its bounds, its compression and its encoding."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from io import BufferedIOBase
from itertools import chain
from pathlib import Path

from shakedown.interface import InputError
from shakedown.reading import regular_file
from shakedown.tables.policy import Policy, Refused, Source

#: What reading a damaged file raises.
DAMAGED = (OSError, EOFError, zlib.error)

#: Separators of cells, and what messages call them.
SEPARATORS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars", " ": "blanks"}

#: Suffixes of files that hold packed files.
ARCHIVES = (".zip", ".7z", ".rar", ".tar", ".tgz", ".tar.gz", ".bz2", ".xz")

_CSV = "Use a CSV file (.csv, .tsv or .csv.gz)."
_BY_PANDAS = "Write it with pandas' to_csv(..., index=False)."
_UNPACK = "Unpack it, and save the table as .csv, .tsv or .csv.gz."
_GZIP = b"\x1f\x8b"

#: First bytes of other types, their name, and the cure.
_TYPES = (
    (b"PAR1", "a Parquet file", _BY_PANDAS),
    (b"ARROW1", "a Feather file", _BY_PANDAS),
    (b"\x93NUMPY", "a NumPy array", _BY_PANDAS),
    (b"\x89HDF", "an HDF5 file", _BY_PANDAS),
    (b"\xd0\xcf\x11\xe0", "an Excel workbook (.xls)", "Save it as 'CSV UTF-8'."),
    (b"%PDF", "a PDF", _CSV),
    (b"\x89PNG", "a picture", _CSV),
    (b"\xff\xd8\xff", "a picture", _CSV),
    (b"SQLite format 3", "a database", _CSV),
    *((b"BZh%d1AY&SY" % k, "compressed with bzip2", _UNPACK) for k in range(1, 10)),
    (b"\xfd7zXZ", "compressed with xz", _UNPACK),
    (b"(\xb5/\xfd", "compressed with zstd", _UNPACK),
    (b"7z\xbc\xaf", "a 7-Zip archive", _UNPACK),
    (b"Rar!", "a RAR archive", _UNPACK),
    (b"{\\rtf", "a text document (RTF)", _CSV),
    (b"\xff\xfe\x00\x00", "text in UTF-32", "Save it as UTF-8."),
    (b"\x00\x00\xfe\xff", "text in UTF-32", "Save it as UTF-8."),
    *((bytes((0x80, k)), "a Python pickle", _BY_PANDAS) for k in range(2, 6)),
)


def other_type(head: bytes) -> str:
    """What a file is, and the cure, by its first bytes; "" for text and gzip files."""
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        head = head[:4096]
        if b"[Content_Types].xml" in head or b"xl/" in head:
            return "an Excel workbook (.xlsx). Save it as 'CSV UTF-8'."
        if b"opendocument" in head:
            return "an OpenDocument file. Save it as CSV."
        if b".npy" in head:
            return f"a NumPy archive (.npz). {_BY_PANDAS}"
        return f"a zip archive. {_UNPACK}"
    return next((f"{name}. {cure}" for start, name, cure in _TYPES if head.startswith(start)), "")


@contextmanager
def opened(source: Source) -> Iterator[BufferedIOBase]:
    """The bytes of a text table, unpacked."""
    with (gzip.open if source.compression else open)(source.path, "rb") as file:
        yield file


def physical_lines(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Lines that are ended by line feeds, carriage returns or both, from those by line feeds."""
    return chain.from_iterable(
        line.splitlines(keepends=True) if line.count(b"\r") > line.endswith(b"\r\n") else (line,)
        for line in lines
    )


def bad_line(lines: Iterable[bytes]) -> tuple[int, bytes, int]:
    """The number of the first line that is not UTF-8, the line, and its first such byte.

    Raises
    ------
    LookupError
        If there is none.
    """
    for number, line in enumerate(physical_lines(lines), 1):
        try:
            line.decode("utf-8")
        except UnicodeDecodeError as e:
            return number, line, line[e.start]
    raise LookupError


def not_utf8(source: Source) -> InputError:
    """An error that names the first line of a text table that is not UTF-8 text."""
    # What is damaged may end anywhere.
    with suppress(*DAMAGED, LookupError), opened(source) as file:
        if what := other_type(file.peek(4096)):
            return source.error(f"the file is {what}")
        number, line, byte = bad_line(file)
        zipped = line.startswith(_GZIP) and number == 1
        cure = ", and give it the suffix .gz" if zipped else ""
        return source.error(
            f"line {number:,} is not UTF-8 text (byte 0x{byte:02X}); save it as UTF-8{cure}."
        )
    return source.error("the file is not UTF-8 text; save it as UTF-8.")


def text_of(content: str | Path | bytes, rows: int, policy: Policy) -> str:
    """The text of a hostile file.

    Parameters
    ----------
    content : str, Path or bytes
        A path, or the content.
    rows : int
        Number of rows; the limit of the size depends on it.
    policy : Policy
        With a limit.

    Raises
    ------
    Refused
        If it cannot be read, is too large, is of another type or in another encoding.
    """
    limit = policy.limit(rows)
    raw = content if isinstance(content, bytes) else _content(content, limit)
    _check_size(len(raw), limit, rows)
    if raw.startswith(_GZIP):
        raw = _unpacked(raw, limit)
        _check_size(len(raw), limit, rows)
        if raw.startswith(_GZIP):
            raise Refused("The file is compressed twice. Compress it once, or not.", "type")
    if what := other_type(raw):
        raise Refused(f"The file is {what}", "type")
    return _decoded(raw)


def _content(path: str | Path, limit: int) -> bytes:
    """At most `limit` + 1 bytes of a file."""
    try:
        with regular_file(path) as file:
            if file is not None:
                return file.read(limit + 1)
    except (OSError, ValueError) as e:
        why = getattr(e, "strerror", None) or "its name is not valid"
        raise Refused(f"The file cannot be read: {why}. Check the path.", "unreadable") from None
    raise Refused("It is a directory or a device. Send one file (.csv).", "type")


def _check_size(size: int, limit: int, rows: int) -> None:
    if size > limit:
        raise Refused(
            f"The file is larger than {limit / 2**20:.1f} MB, the limit for {rows:,} rows. Send "
            "one line with id and prediction for each id, and nothing else.",
            "size",
        )


def _unpacked(raw: bytes, limit: int) -> bytes:
    """At most `limit` + 1 bytes of a gzip file."""
    worker = zlib.decompressobj(wbits=31)
    try:
        content = worker.decompress(raw, limit + 1)
    except zlib.error:
        worker = None
    if worker is None or (len(content) <= limit and not worker.eof):
        raise Refused("The gzip file is damaged or cut off. Compress it again.", "type")
    if worker.unused_data.strip(b"\0"):
        raise Refused("The gzip file has several parts. Compress one file at once.", "type")
    return content


def _decoded(raw: bytes) -> str:
    """The text, from UTF-8, or UTF-16 with its mark."""
    wide = raw.startswith((b"\xff\xfe", b"\xfe\xff"))
    if not wide and b"\0" in raw:
        if len(raw) > 3 and (not raw[0] or not raw[1]) and raw[:200].count(0) * 3 > len(raw[:200]):
            raise Refused("The text is UTF-16 without its mark. Save it as UTF-8.", "encoding")
        raise Refused(f"The file is binary, not text. {_CSV}", "type")
    try:
        text = raw.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError:
        if wide:
            raise Refused("The text is damaged UTF-16. Save it as UTF-8.", "encoding") from None
        number, _, byte = bad_line(io.BytesIO(raw))
        raise Refused(
            f"line {number:,} is not in UTF-8 (byte 0x{byte:02X}). Save the file as UTF-8 "
            "(Excel: 'CSV UTF-8').",
            "encoding",
        ) from None
    if "\0" in text:
        raise Refused(f"The file is binary, not text. {_CSV}", "type")
    return text
