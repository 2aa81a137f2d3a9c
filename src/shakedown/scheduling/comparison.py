"""The jobs of a comparison of boards."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any

from shakedown.scheduling.resources import LEAST

#: The figure of its page.
FIGURE = "lag_by_rows"
#: Bytes of a process that has imported what it needs, and how many arrays of all files it holds.
IMPORTED, HELD = 300e6, 8
#: CPU seconds of a cell: so many for each replicate, row and square of the submissions, with these
#: rows more.  Right within a factor of two.
SECONDS, MORE = 7.5e-9, 500


def cell_files(config: Mapping[str, Any]) -> list[str]:
    """The table of each cell, a number of rows and one of submissions."""
    boards = config["boards"]
    return [
        f"cells/{rows}_{submissions}.parquet"
        for rows in boards["rows"]
        for submissions in boards["submissions"]
    ]


def cell_memory(rows: int, submissions: int) -> int:
    """MiB that the job of a cell may take."""
    return max(LEAST, ceil((IMPORTED + 8 * HELD * rows * submissions) / 2**20))


def cell_seconds(rows: int, submissions: int, replicates: int) -> float:
    """About how many CPU seconds a cell takes beside what every job does."""
    return SECONDS * replicates * submissions**2 * (rows + MORE)
