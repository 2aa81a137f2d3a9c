"""Parts of an expression: what each knows about itself, and how it is worked out."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from shakedown.claims.functions import PLACES, PLAIN, REDUCTIONS, STATISTICS
from shakedown.claims.quantity import NotAnswered, Quantity, combine
from shakedown.claims.resampling import draw_counts
from shakedown.claims.selection import Range, select
from shakedown.claims.tables import Tables

_OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}


class Bench:
    """Where expressions are worked out: tables, resamples, and what is known already.

    Parameters
    ----------
    tables : Tables
    resamples : int
    seed : int
    """

    def __init__(self, tables: Tables, *, resamples: int, seed: int) -> None:
        self.tables = tables
        self.known: dict[tuple, np.ndarray] = {}  # statistics of cells, shape (draws,) each
        self._resamples, self._seed = resamples, seed
        self._counts: dict[int, np.ndarray] = {}

    def counts(self, n: int) -> np.ndarray:
        """How often each of n replicates is drawn, see `resampling.draw_counts`."""
        if n not in self._counts:
            self._counts[n] = draw_counts(n, self._resamples, self._seed)
        return self._counts[n]


class Node(Protocol):
    """A part of an expression.

    Attributes
    ----------
    axes : tuple of str
        The axes of its value, known before there is any table.
    leaps : bool
        Whether its value moves in leaps, as a count does.
    """

    axes: tuple[str, ...]
    leaps: bool

    def work_out(self, bench: Bench) -> Quantity:
        """Its value; NotAnswered if the tables do not give it."""
        ...


@dataclass(frozen=True)
class Number:
    """A number that is written out."""

    number: float
    axes = ()
    leaps = False

    def work_out(self, bench: Bench) -> Quantity:
        return Quantity.exact(self.number)


@dataclass(frozen=True)
class Plain:
    """An operator or a plain function of numbers, point by point."""

    name: str
    parts: tuple[Node, ...]

    @property
    def axes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(axis for part in self.parts for axis in part.axes))

    @property
    def leaps(self) -> bool:
        return any(part.leaps for part in self.parts)

    def work_out(self, bench: Bench) -> Quantity:
        function = _OPERATORS.get(self.name) or PLAIN[self.name][0]
        return combine(function, *(part.work_out(bench) for part in self.parts))


@dataclass(frozen=True)
class Statistic:
    """A statistic of a column over the replicates; of a trace, a number for each replicate."""

    name: str
    column: str | None
    options: Mapping[str, float]
    kind: str
    id: str
    where: Mapping[str, object]

    @property
    def leaps(self) -> bool:
        return self.name in PLACES and self.name != "jump_size"

    @property
    def axes(self) -> tuple[str, ...]:
        return tuple(k for k, v in self.where.items() if isinstance(v, tuple) or v is Range.each)

    def work_out(self, bench: Bench) -> Quantity:
        grid = select(bench.tables, self.kind, self.id, self.where)
        found = [self._of_cell(bench, cells, cell) for cells, cell in grid.cells]
        shape = [len(labels) for labels in grid.axes.values()]
        values = np.stack(found, axis=-1).reshape(-1, *shape)
        if self.name == "value":
            return Quantity(values, grid.axes)
        if self.kind == "trace":  # `OverReplicates` resamples them
            return Quantity(values, grid.axes, len(grid.axes.get("replicate", (0,))))
        fewest = min(len(cells.values(cell, self.column)) for cells, cell in grid.cells)
        return Quantity(values, grid.axes, fewest)

    def _of_cell(self, bench: Bench, cells, cell: int) -> np.ndarray:
        """The statistic of one cell, shape (draws,)."""
        key = (id(cells), cell, self.name, self.column, *self.options.items())
        if key not in bench.known:
            bench.known[key] = self._computed(bench, cells, cell)
        return bench.known[key]

    def _computed(self, bench: Bench, cells, cell: int) -> np.ndarray:
        if self.name in PLACES:
            columns = (cells.values(cell, c) for c in ("released", "accepted", "selected"))
            return np.array([PLACES[self.name](*columns)])
        x = cells.values(cell, self.column)
        counts = np.ones((1, len(x)), np.int32) if self.kind == "trace" else bench.counts(len(x))
        return STATISTICS[self.name][0](x, counts, **_filled(self.name, self.options))


@dataclass(frozen=True)
class OverReplicates:
    """A statistic, over the replicates, of numbers that were read off the trace of each."""

    name: str
    options: Mapping[str, float]
    of: Node

    @property
    def axes(self) -> tuple[str, ...]:
        return tuple(axis for axis in self.of.axes if axis != "replicate")

    @property
    def leaps(self) -> bool:
        return self.of.leaps

    def work_out(self, bench: Bench) -> Quantity:
        each = self.of.work_out(bench)
        if len(each.values) > 1:
            raise NotAnswered("a number of all replicates stands beside those of single ones")
        x = np.moveaxis(each.values[0], each.place("replicate") - 1, -1)  # (..., replicates)
        n = x.shape[-1]
        counts = bench.counts(n)[: 1 if n == 1 else None]  # nothing to resample in one
        options = _filled(self.name, self.options)
        found = [STATISTICS[self.name][0](one, counts, **options) for one in x.reshape(-1, n)]
        reduced = np.stack(found, axis=-1).reshape(-1, *x.shape[:-1])
        return each.without(("replicate",), reduced)


@dataclass(frozen=True)
class Reduction:
    """A grid made smaller along some of its axes."""

    name: str
    of: Node
    over: tuple[str, ...]
    options: Mapping[str, float]
    read: Node | None = None

    @property
    def axes(self) -> tuple[str, ...]:
        all_axes = dict.fromkeys([*self.of.axes, *(self.read.axes if self.read else ())])
        # `steps` keeps its axis, one point shorter.
        return tuple(a for a in all_axes if a not in self.over or self.name == "steps")

    @property
    def leaps(self) -> bool:
        return self.name in ("count", "crossing") or self.of.leaps

    def work_out(self, bench: Bench) -> Quantity:
        options = dict(self.options)
        if self.read is not None:
            options["read"] = self.read.work_out(bench)
        return REDUCTIONS[self.name][0](self.of.work_out(bench), self.over, **options)


def _filled(name: str, options: Mapping[str, float]) -> dict[str, float | None]:
    """Options with None for those that were not given."""
    return {option: options.get(option) for option in STATISTICS[name][1]}
