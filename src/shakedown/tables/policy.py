"""What differs between the uses of tables, and a file that is read by such a policy."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from shakedown.interface import InputError


class Refused(InputError):
    """A file that is not accepted; `reason` is a word for the organiser's log."""

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True)
class Policy:
    """How the tables of one use are read.

    Attributes
    ----------
    begins : str
        How errors begin, with ``{name}`` and ``{shown}`` for the attributes of a `Source`.
    most_bytes : tuple of int, or None
        Largest file: for any file, and for each row.  With a limit a file is hostile: it is read as
        bytes that may be anything, so its content tells its type and its encoding, and quoted cells
        have no line breaks.  None for the files of an organiser: the suffix tells the type, text is
        UTF-8, and tables may be larger than memory allows twice.
    """

    begins: str = ""
    most_bytes: tuple[int, int] | None = None

    def limit(self, rows: int) -> int:
        """The largest file for so many rows, in bytes."""
        base, per_row = self.most_bytes
        return base + per_row * rows


@dataclass(frozen=True)
class Source:
    """A table file.

    Attributes
    ----------
    name : str
        The data set's id, if it is one.
    path : Path
        Path of the file.
    shown : str
        The path as the user wrote it.
    suffix : str
        One of `header.SUFFIXES`.
    policy : Policy
    """

    name: str
    path: Path
    shown: str
    suffix: str
    policy: Policy

    def error(self, message: str) -> InputError:
        """An error that names the file, as the policy says."""
        return InputError(self.policy.begins.format(name=self.name, shown=self.shown) + message)

    @property
    def delimiter(self) -> str:
        """The separator of cells in a text table."""
        return "\t" if self.suffix.startswith(".tsv") else ","

    @property
    def compression(self) -> str | None:
        """The compression of the whole file."""
        return "gzip" if self.suffix.endswith(".gz") else None
