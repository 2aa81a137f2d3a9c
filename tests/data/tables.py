"""Small tables to write into a file and spoil."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np

from shakedown import data

HEADER = ["id", "y", "a", "b", "c"]
SETS = ["train"] * 20 + ["public"] * 10 + ["final"] * 10


def rows(n: int = 40, width: int = 4, *, seed: int = 1) -> list[list[str]]:
    """Cells: ids r1 ..., then `width` columns of random numbers."""
    numbers = np.random.default_rng(seed).standard_normal((n, width))
    return [[f"r{i + 1}", *(repr(float(x)) for x in line)] for i, line in enumerate(numbers)]


def text(header: list[str], body: list[list[str]], *, sep: str = ",", end: str = "\n") -> str:
    """The table as text."""
    return "".join(sep.join(line) + end for line in [header, *body])


def write(path: Path, content: str | bytes) -> Path:
    """Write a file, gzipped if its name says so."""
    content = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(content) if path.suffix.lower() == ".gz" else content)
    return path


def recipe(path: Path, **settings) -> dict:
    """A recipe for the tables of this module."""
    return {"recipe": "table", "path": str(path), "id": "id", "response": "y", **settings}


def read(path: Path, **settings):
    """Read a table of this module."""
    return data.read("mine", recipe(path, **settings), seed=1)


def numbers(body: list[list[str]]) -> np.ndarray:
    """The cells right of the id as Python reads them."""
    return np.array([[float(cell) for cell in line[1:]] for line in body])
