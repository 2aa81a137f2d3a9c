"""A study's tables, split into one cell per setting and point; columns are read when needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from shakedown.data.files import reading_table
from shakedown.interface import InputError, guess
from shakedown.leaderboard.settings import with_parameters
from shakedown.simulation.columns import FORMER


class NotAnswered(Exception):
    """The study's tables do not answer a claim; the message says why."""


_SHARED = ["dataset", "design", "metric", "attack", "iteration_board", "setting", "n_features"]
#: For each kind of table: its name in messages, the columns that identify a cell, and the column
#: that numbers the values within a cell.
TABLE_KINDS = {
    "outcomes": ("outcomes of experiment", [*_SHARED, "point"], "replicate"),
    "traces": ("trace of experiment", [*_SHARED, "iteration", "replicate"], "submission"),
    "release_variability": ("released scores", ["prediction", "b", "draw"], "replicate"),
}


@dataclass
class Tables:
    """Paths of a study's Parquet files, by the id of their experiment; some may be missing."""

    outcomes: Mapping[str, str | Path] = field(default_factory=dict)
    traces: Mapping[str, str | Path] = field(default_factory=dict)
    release_variability: Mapping[str, str | Path] = field(default_factory=dict)
    _read: dict[tuple[str, str], StudyTable] = field(default_factory=dict, init=False, repr=False)

    def table(self, kind: str, id: str) -> StudyTable:
        """A table, read once; NotAnswered if the study has none of that id."""
        if (kind, id) not in self._read:
            if id not in (paths := getattr(self, kind)):
                raise NotAnswered(f"the study has no {TABLE_KINDS[kind][0]} '{id}'")
            self._read[kind, id] = StudyTable(kind, id, Path(paths[id]))
        return self._read[kind, id]


class StudyTable:
    """One table.

    A cell of outcomes or of released scores holds a number for each replicate, a cell of a trace
    one for each submission.  `cells[name][cell]` is a key of a cell, its mechanism or a parameter
    of the mechanism; None if the cell has none.  For outcomes, `submissions` is the largest number
    of any replicate.
    """

    def __init__(self, kind: str, id: str, path: Path) -> None:
        what, keys, running = TABLE_KINDS[kind]
        self._name, self._columns = f"the table of {what} '{id}'", {}
        self._path = path
        with reading_table(path):
            self._file = pq.ParquetFile(path)
            if missing := {*keys, running} - {*self._file.schema_arrow.names}:
                raise InputError(
                    f"{path} has no column {', '.join(sorted(missing))}, so another version of the "
                    "package made it; delete it and run the study again."
                )
            rows = self._file.read([*keys, running], use_threads=False).to_pandas(use_threads=False)
        if rows.empty:
            raise NotAnswered(f"{self._name} has no rows")
        cell = np.zeros(len(rows), np.int64)
        for name in keys:  # far faster than a groupby of them all
            codes, values = pd.factorize(rows[name])
            cell = cell * (len(values) + 1) + codes + 1
        cell = pd.factorize(cell)[0]
        self._order = np.lexsort((rows[running], cell))
        self._starts = np.flatnonzero(np.diff(cell[self._order], prepend=-1))
        cells = rows.iloc[self._order[self._starts]][keys].reset_index(drop=True)
        if running == "replicate":  # cells are resampled together, so all need the same replicates
            number, n = self._column("replicate"), len(rows) // len(cells)
            if not np.array_equal(number, np.tile(np.unique(number[:n]), len(cells))):
                raise NotAnswered(f"the settings of {self._name} do not have the same replicates")
        if "point" in cells:
            cells["submissions"] = np.maximum.reduceat(self._column("submissions"), self._starts)
        if "prediction" in cells:  # from the worst to the best
            cells = cells.iloc[np.argsort(-self._column("quality")[self._starts], kind="stable")]
        cells = with_parameters(cells) if "setting" in cells else cells
        is_number = pd.api.types.is_numeric_dtype
        cells = cells.astype({c: float if is_number(cells[c]) else object for c in cells})
        self.cells = cells.astype(object).where(cells.notna(), None).to_dict()

    def grid(
        self, where: Mapping[str, object], over: str | tuple[str, ...], *further: str
    ) -> tuple[dict, list[int]]:
        """The axes that a claim asks for, with their values, and the cell at each point of them.

        `where` selects cells by keys, mechanism and parameters: by a value, a list of values (which
        becomes an axis), "last" (the largest value) or None (cells without a value).  `over` and
        `further` name axes with all their values.  NotAnswered if a point of the grid has no
        cell, or more than one; InputError if a key is unknown.
        """
        where = {FORMER.get(name, name): value for name, value in where.items()}
        over = tuple(FORMER.get(n, n) for n in ([over] if isinstance(over, str) else over))
        over = (*over, *(FORMER.get(name, name) for name in further))
        cells, rows = self.cells, list(next(iter(self.cells.values())))
        axes = {name: list(v) for name, v in where.items() if isinstance(v, list | tuple)}
        for name in (*where, *over):
            if name not in cells:
                raise InputError(
                    f"{self._name}: rows are chosen by '{name}', which is unknown."
                    f"{guess(name, cells)} Known: {', '.join(sorted(cells))}."
                )
        for name, value in where.items():
            if value != "last":
                asked = axes.get(name, [value])
                rows = [i for i in rows if cells[name][i] in asked]
        if not rows:
            raise NotAnswered(f"{self._name} has no rows with {_words(where)}")
        for name in (name for name in over if name not in axes):
            values = dict.fromkeys(cells[name][i] for i in rows if cells[name][i] is not None)
            if not values:
                raise NotAnswered(f"{self._name} has no {name} with {_words(where)}")
            axes[name] = sorted(values) if isinstance(next(iter(values)), float) else list(values)
        by_point: dict[tuple, list[int]] = {}
        for i in rows:
            by_point.setdefault(tuple(cells[name][i] for name in axes), []).append(i)
        points = list(product(*axes.values()))
        for point in points:
            here = by_point.get(point, [])
            for name in (name for name, value in where.items() if value == "last"):
                largest = max((cells[name][i] for i in here), default=None)
                here = [i for i in here if cells[name][i] == largest]
            if len(here) != 1:
                differ = [name for name in cells if len({cells[name][i] for i in here}) > 1]
                differ = ", ".join(name for name in differ if name != "setting")
                what = f"{len(here)} settings (they differ in {differ})" if here else "no rows"
                asked = _words({**where, **dict(zip(axes, point, strict=True))})
                raise NotAnswered(f"{self._name} has {what} with {asked}")
            by_point[point] = here
        return axes, [by_point[point][0] for point in points]

    def values(self, column: str) -> np.ndarray:
        """A column, shape (cells, replicates); nan for null."""
        return self._column(column).reshape(len(self._starts), -1)

    def submissions(self, column: str) -> list[np.ndarray]:
        """A column of a trace, cell by cell in the order of submission."""
        return np.split(self._column(column), self._starts[1:])

    def _column(self, name: str) -> np.ndarray:
        """A column, cell by cell; nan for null."""
        if name not in self._columns:
            if name not in (known := self._file.schema_arrow.names):
                raise InputError(
                    f"{self._name} has no column '{name}'.{guess(name, known)} It has "
                    f"{', '.join(known)}."
                )
            with reading_table(self._path):
                read = self._file.read([name], use_threads=False).column(name).to_pandas()
            self._columns[name] = read.to_numpy(dtype=float, na_value=np.nan)[self._order]
        return self._columns[name]


def _words(asked: Mapping[str, object]) -> str:
    """What was asked for, in words."""
    return ", ".join(
        f"{name} = {' or '.join(map(str, v)) if isinstance(v, list | tuple) else v}"
        for name, v in asked.items()
    )
