"""A study's tables, read as they are asked for: one data set, design and column at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from shakedown import outcomes
from shakedown.claims.quantity import NotAnswered

_SHARED = (
    *("dataset", "design", "metric", "attack", "board", "mechanism"),
    *("alpha", "posterior_odds", "eta", "b", "n_features"),
)


@dataclass(frozen=True)
class Kind:
    """What a kind of table can be asked.

    Attributes
    ----------
    what : str
        Its name in messages.
    keys : tuple of str
        Columns that choose rows.
    columns : tuple of str
        Columns that hold what was measured.
    """

    what: str
    keys: tuple[str, ...]
    columns: tuple[str, ...]


#: Kinds of tables, by the keyword that names one in an expression.
KINDS = {
    "experiment": Kind(
        "outcomes of experiment",
        (*_SHARED, "n_selected", "iterations", "submissions"),
        tuple(list(outcomes.COLUMNS)[list(outcomes.COLUMNS).index("n_selected") :]),
    ),
    "trace": Kind(
        "trace of experiment",
        (*_SHARED, "iteration", "replicate"),
        ("released", "accepted", "selected"),
    ),
    "spread": Kind(
        "spread table", ("prediction", "b"), ("quality", "correlation", "released")
    ),
}  # fmt: skip

#: Columns whose values are text.
TEXTS = (*("dataset", "design", "metric", "attack", "board", "mechanism"), "prediction")


@dataclass
class Tables:
    """Where the tables of a study lie.

    Parameters
    ----------
    outcomes, traces, spreads : mapping of str to path
        Parquet files by the id of their experiment.  A study need not have them all.

    Notes
    -----
    Nothing is read before it is asked for.  Memory: the values of each column that was asked for,
    and while reading, the rows of one data set and design.
    """

    outcomes: Mapping[str, str | Path] = field(default_factory=dict)
    traces: Mapping[str, str | Path] = field(default_factory=dict)
    spreads: Mapping[str, str | Path] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._parts: dict[tuple, list[tuple[str, str]]] = {}
        self._cells: dict[tuple, Cells] = {}

    def cells(self, kind: str, id: str, wanted: Mapping[str, object]) -> list[Cells]:
        """Cells of a table, a part for each data set and design that is wanted.

        Parameters
        ----------
        kind : str
            Key of `KINDS`.
        id : str
            Of the experiment.
        wanted : mapping of str to list
            Data sets and designs (`dataset`, `design`) to read; where one is left out, all.

        Raises
        ------
        NotAnswered
            If the study has no such table, or its replicates are not complete.
        """
        files = {"experiment": self.outcomes, "trace": self.traces, "spread": self.spreads}[kind]
        if id not in files:
            raise NotAnswered(f"the study has no {KINDS[kind].what} '{id}'")
        path = Path(files[id])
        if kind == "spread":
            return [self._part(kind, path, ())]
        if (kind, id) not in self._parts:
            self._parts[kind, id] = _parts(path)
        return [
            self._part(kind, path, part)
            for part in self._parts[kind, id]
            if all(
                value in wanted.get(name, [value])
                for name, value in zip(("dataset", "design"), part, strict=True)
            )
        ]

    def _part(self, kind: str, path: Path, part: tuple) -> Cells:
        key = (kind, path, part)
        if key not in self._cells:
            self._cells[key] = Cells(kind, path, part)
        return self._cells[key]


class Cells:
    """One data set and design of a table: a cell for each setting and point.

    A cell holds the values of one column over the replicates (outcomes, in the order of their
    numbers), releases (spread) or the submissions of one replicate (trace).  The submissions that
    choose a cell of outcomes are the most that any of its replicates made.
    """

    def __init__(self, kind: str, path: Path, part: tuple[str, ...]) -> None:
        self._kind, self._path = kind, path
        self._filters = [
            (name, "==", value) for name, value in zip(("dataset", "design"), part, strict=False)
        ] or None
        self._columns: dict[str, list[np.ndarray]] = {}

    @cached_property
    def keys(self) -> dict[str, np.ndarray]:
        """What chooses a cell, shape (cells,) each: floats with nan, or objects with None."""
        return self._layout[0]

    def values(self, cell: int, column: str) -> np.ndarray:
        """Values of a column in a cell, nan for null."""
        if column not in self._columns:
            _, order, starts = self._layout
            values = _floats(self._read(column))
            self._columns[column] = np.split(values[order], starts[1:])
        return self._columns[column][cell]

    @cached_property
    def _layout(self) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
        """Keys of the cells; the rows, cell by cell; where each cell starts among these."""
        names = [name for name in KINDS[self._kind].keys if name != "submissions"]
        running = "submission" if self._kind == "trace" else "replicate"
        number = _floats(self._read(running))
        if not len(number):
            raise NotAnswered(f"{self._path.name} has no rows")
        cell = np.zeros(len(number), np.int64)
        coded = {}
        # One column in memory at a time: a study has millions of rows.
        for name in names:
            column = self._read(name)
            if name == "n_selected":
                # The point of the attack is k where there are no iterations, else the iteration.
                column = column.where(self._read("iterations").isna())
            coded[name] = codes, found = pd.factorize(column)
            cell = pd.factorize(cell * (len(found) + 1) + codes + 1)[0]
        # A spread's cells go from the worst prediction to the best.
        rank = -_floats(self._read("quality")) if self._kind == "spread" else np.zeros(len(cell))
        order = np.lexsort((number, cell, rank))
        starts = np.flatnonzero(np.diff(cell[order], prepend=-1))
        if running == "replicate":
            self._check_complete(number[order], starts)
        keys = {name: _decoded(codes[order[starts]], f) for name, (codes, f) in coded.items()}
        if "submissions" in KINDS[self._kind].keys:
            made = _floats(self._read("submissions"))
            keys["submissions"] = np.maximum.reduceat(made[order], starts)
        return keys, order, starts

    def _read(self, column: str) -> pd.Series:
        table = pq.read_table(self._path, columns=[column], filters=self._filters)
        return table.column(column).to_pandas()

    def _check_complete(self, replicate: np.ndarray, starts: np.ndarray) -> None:
        """Cells are resampled together, so they need the same replicates."""
        n = len(replicate) // len(starts)
        if not np.array_equal(replicate, np.tile(replicate[:n], len(starts))) or (
            len(np.unique(replicate[:n])) != n
        ):
            raise NotAnswered(f"its settings do not have the same replicates ({self._path.name})")


def _floats(column: pd.Series) -> np.ndarray:
    return column.to_numpy(dtype=float, na_value=np.nan)


def _decoded(codes: np.ndarray, found) -> np.ndarray:
    """What codes stand for; -1 is null, which is nan among numbers and None among texts."""
    is_number = pd.api.types.is_numeric_dtype(found.dtype)
    values = np.append(np.asarray(found, float if is_number else object), np.nan)
    return values[codes] if is_number else np.where(codes < 0, None, values[codes])


def _parts(path: Path) -> list[tuple[str, str]]:
    """Data sets and designs of a table."""
    with pq.ParquetFile(path) as file:
        found = [
            file.read_row_group(group, columns=["dataset", "design"]).to_pandas().drop_duplicates()
            for group in range(file.num_row_groups)
        ]
    rows = pd.concat(found).astype(str).drop_duplicates() if found else pd.DataFrame()
    return list(rows.itertuples(index=False, name=None))
