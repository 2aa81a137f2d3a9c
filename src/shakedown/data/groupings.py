"""Columns of a table that are no features, and may tell which rows belong together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from shakedown.interface import Grouping
from shakedown.tables.cells import MISSING

if TYPE_CHECKING:
    import pyarrow as pa

#: Columns that are kept at most; the first of the table.
MOST = 50


def groupings(named: Iterable[tuple[str, pa.ChunkedArray]]) -> Iterator[Grouping]:
    """The columns with a value in several rows, and with several values."""
    for name, column in named:
        found = grouping(name, column)
        given = np.count_nonzero(found.codes >= 0)
        if 1 < found.codes.max(initial=-1) + 1 < given:
            yield found


def grouping(name: str, column: pa.ChunkedArray) -> Grouping:
    """A column as codes."""
    cells = [_text(cell) for cell in column.to_pylist()]
    given = [i for i, cell in enumerate(cells) if cell.lower() not in MISSING]
    texts = [cells[i] for i in given]
    numbers = _numbers(texts)
    codes = np.full(len(cells), -1)
    codes[given] = np.unique(texts if numbers is None else numbers, return_inverse=True)[1]
    return Grouping(name, codes, numbers is None)


def _text(cell: object) -> str:
    if cell is None:
        return ""
    return (cell.decode("utf-8", "replace") if isinstance(cell, bytes) else str(cell)).strip()


def _numbers(cells: list[str]) -> np.ndarray | None:
    with suppress(ValueError):
        numbers = np.array([float(cell) for cell in cells])
        return numbers if np.isfinite(numbers).all() else None
    return None
