"""A mutant: one place of one file, written differently."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

#: The package in the tree; mutants are made of a copy of it.
ROOT = Path(__file__).parents[2]
PACKAGE = "src/shakedown"


@dataclass(frozen=True)
class Mutant:
    """A change of one place.

    Attributes
    ----------
    file : str
        Path within the package.
    where : str
        The function that is changed, such as ``Board.submit``; "" outside functions.
    old, new : str
        The text that is replaced, and what replaces it.
    number : int
        Counts the same replacements in one function, from 0.
    start, stop : int
        Where `old` stands in the file, in characters.
    """

    file: str
    where: str
    old: str
    new: str
    number: int
    start: int
    stop: int

    @property
    def name(self) -> str:
        """What identifies the mutant; it does not change when other lines of the file do."""
        old, new = (" ".join(text.split()) for text in (self.old, self.new))
        again = f" #{self.number + 1}" if self.number else ""
        return f"{self.file} {self.where or '(module)'}: {old} -> {new}{again}"

    def applied(self, source: str) -> str:
        """The file with the change."""
        assert source[self.start : self.stop] == self.old
        return source[: self.start] + self.new + source[self.stop :]


def source_of(file: str) -> str:
    """The text of a file of the package."""
    return (ROOT / PACKAGE / file).read_text()
