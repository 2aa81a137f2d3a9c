"""Open the file of a submission: bounded reading, its type and its encoding."""

from __future__ import annotations

import os
import stat
import zlib
from pathlib import Path

from shakedown.interface import InputError

#: Largest file, in bytes: for any file, and for each row.
BASE, PER_ROW = 2**20, 2**10

#: How many characters of a file a message repeats.
ECHOED = 40

_CSV = "Send a CSV file (.csv, .tsv or .csv.gz)."
_BY_PANDAS = "Write it with pandas' to_csv(..., index=False)."

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
    (b"BZh", "compressed with bzip2", _CSV),
    (b"\xfd7zXZ", "compressed with xz", _CSV),
    (b"(\xb5/\xfd", "compressed with zstd", _CSV),
    (b"7z\xbc\xaf", "a 7-Zip archive", _CSV),
    (b"Rar!", "a RAR archive", _CSV),
    (b"{\\rtf", "a text document (RTF)", _CSV),
    (b"\xff\xfe\x00\x00", "text in UTF-32", "Save it as UTF-8."),
    (b"\x00\x00\xfe\xff", "text in UTF-32", "Save it as UTF-8."),
    *((bytes((0x80, k)), "a Python pickle", _BY_PANDAS) for k in range(2, 6)),
)


class Refused(InputError):
    """A submission that is not counted; `reason` is a word for the organiser's log."""

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


def shown(text: str) -> str:
    """A cell as messages show it: `ECHOED` characters, none of which a terminal or HTML obeys."""
    safe = "".join(
        "?" if character in "<>&\"'`\\" or not character.isprintable() else character
        for character in text[:ECHOED]
    )
    return safe if len(text) <= ECHOED else f"{safe[:-3]}..."


def largest(rows: int) -> int:
    """The largest file for so many ids, in bytes."""
    return BASE + PER_ROW * rows


def text_of(source: str | Path | bytes, rows: int) -> str:
    """The text of a file.

    Parameters
    ----------
    source : str, Path or bytes
        A path, or the content.
    rows : int
        Number of ids; the limit of the size depends on it.

    Raises
    ------
    Refused
        If it cannot be read, is too large, is of another type or in another encoding.
    """
    limit = largest(rows)
    raw = source if isinstance(source, bytes) else _content(source, limit)
    _check_size(len(raw), limit, rows)
    if raw.startswith(b"\x1f\x8b"):
        raw = _unpacked(raw, limit)
        _check_size(len(raw), limit, rows)
        if raw.startswith(b"\x1f\x8b"):
            raise Refused("The file is compressed twice. Compress it once, or not.", "type")
    _check_type(raw)
    return _decoded(raw)


def _content(path: str | Path, limit: int) -> bytes:
    """At most `limit` + 1 bytes of a file."""
    try:
        # A named pipe would wait for its writer.
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        try:
            if stat.S_ISREG(os.fstat(number).st_mode):
                with open(number, "rb", closefd=False) as file:
                    return file.read(limit + 1)
        finally:
            os.close(number)
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


def _check_type(raw: bytes) -> None:
    kind = None
    for start, name, cure in _TYPES:
        if raw.startswith(start):
            kind = name, cure
            break
    if raw.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        head = raw[:4096]
        kind = "a zip archive", f"Unpack it. {_CSV}"
        if b"[Content_Types].xml" in head or b"xl/" in head:
            kind = "an Excel workbook (.xlsx)", "Save it as 'CSV UTF-8'."
        elif b"opendocument" in head:
            kind = "an OpenDocument file", "Save it as CSV."
        elif b".npy" in head:
            kind = "a NumPy archive (.npz)", _BY_PANDAS
    if kind is not None:
        raise Refused(f"The file is {kind[0]}. {kind[1]}", "type")


def _decoded(raw: bytes) -> str:
    """The text, from UTF-8, or UTF-16 with its mark."""
    wide = raw.startswith((b"\xff\xfe", b"\xfe\xff"))
    if not wide and b"\0" in raw:
        if len(raw) > 3 and (not raw[0] or not raw[1]) and raw[:200].count(0) * 3 > len(raw[:200]):
            raise Refused("The text is UTF-16 without its mark. Save it as UTF-8.", "encoding")
        raise Refused(f"The file is binary, not text. {_CSV}", "type")
    try:
        text = raw.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as e:
        if wide:
            raise Refused("The text is damaged UTF-16. Save it as UTF-8.", "encoding") from None
        start = raw[: e.start]
        line = 1 + start.count(b"\n")
        if not start.count(b"\n"):  # lines that end with CR
            line += start.count(b"\r")
        raise Refused(
            f"line {line:,} is not in UTF-8 (byte 0x{raw[e.start]:02X}). Save the file as UTF-8 "
            "(Excel: 'CSV UTF-8').",
            "encoding",
        ) from None
    if "\0" in text:
        raise Refused(f"The file is binary, not text. {_CSV}", "type")
    return text
