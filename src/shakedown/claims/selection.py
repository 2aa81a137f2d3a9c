"""Which cells of a table an expression means."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

import numpy as np
import pandas as pd

from shakedown.claims.quantity import NotAnswered
from shakedown.claims.tables import KINDS, Cells, Tables


class Range(Enum):
    """What a column may be asked for, instead of its values."""

    each = "each"  #: every value there is, as an axis
    last = "last"  #: the largest value there is: the end of an attack
    none = "none"  #: no value: a mechanism without this setting


@dataclass(frozen=True)
class Grid:
    """Cells, one for each point of a grid.

    Attributes
    ----------
    axes : dict of str to tuple
        The columns that span the grid, and their values.
    cells : list of (Cells, int)
        Part of the table and number of the cell, the last axis running fastest.
    """

    axes: dict[str, tuple]
    cells: list[tuple[Cells, int]]


def select(tables: Tables, kind: str, id: str, where: Mapping[str, object]) -> Grid:
    """The cells that a table holds for a choice.

    Parameters
    ----------
    tables : Tables
    kind, id : str
        As in `Tables.cells`.
    where : mapping
        Column -> value, tuple of values (an axis), `Range.each` (an axis), `Range.last` or
        `Range.none`.

    Returns
    -------
    Grid

    Raises
    ------
    NotAnswered
        If a point of the grid has no cell, or more than one.
    """
    fixed = {
        name: list(value) if isinstance(value, tuple) else [value]
        for name, value in where.items()
        if not isinstance(value, Range)
    }
    parts = tables.cells(kind, id, fixed)
    if not parts:
        raise NotAnswered(f"{kind} '{id}' has no rows with {_told(fixed)}")
    cells = [(part, i) for part in parts for i in range(len(part.keys[next(iter(part.keys))]))]
    keys = {name: _joined(parts, name) for name in KINDS[kind].keys}
    among = np.ones(len(cells), bool)
    for name, values in fixed.items():
        among &= _places(keys[name], values) >= 0
    for name in (name for name, value in where.items() if value is Range.none):
        among &= pd.isna(keys[name])
    rows = np.flatnonzero(among)
    if not len(rows):
        raise NotAnswered(f"{kind} '{id}' has no rows with {_told(fixed)}")
    keys = {name: column[rows] for name, column in keys.items()}
    axes = {
        name: value if isinstance(value, tuple) else _labels(keys[name], f"{kind} '{id}'", name)
        for name, value in where.items()
        if isinstance(value, tuple) or value is Range.each
    }
    shape = [len(labels) for labels in axes.values()]
    # Which point of the grid each row belongs to; -1 for none, such as a null on an axis.
    point = np.zeros(len(rows), np.int64)
    for (name, labels), length in zip(axes.items(), shape, strict=True):
        place = _places(keys[name], list(labels))
        point = np.where((point < 0) | (place < 0), -1, point * length + place)
    for name in (name for name, value in where.items() if value is Range.last):
        point = np.where(_is_last(keys[name], point), point, -1)
    found = []
    for number in range(math.prod(shape)):
        here = np.flatnonzero(point == number)
        if len(here) != 1:
            at = np.unravel_index(number, shape) if shape else ()
            asked = fixed | {name: axes[name][i] for name, i in zip(axes, at, strict=True)}
            raise NotAnswered(f"{kind} '{id}' {_wrong_number(keys, here)} with {_told(asked)}")
        found.append(cells[rows[here[0]]])
    return Grid(axes, found)


def _joined(parts: list[Cells], name: str) -> np.ndarray:
    return np.concatenate([part.keys[name] for part in parts])


def _places(column: np.ndarray, values: list) -> np.ndarray:
    """Which of the values each entry is; -1 for none."""
    if column.dtype == object:
        same = column[:, None] == np.array(values, object)[None, :]
    else:
        # Settings pass through files: 5.67 must find 5.67 whatever the last bit.
        same = np.isclose(column[:, None], np.array(values, float)[None, :], rtol=1e-9, atol=0)
    return np.where(same.any(axis=1), same.argmax(axis=1), -1)


def _labels(column: np.ndarray, table: str, name: str) -> tuple:
    """Values of an axis: numbers from small to large, text in the table's order."""
    held = pd.unique(column[~pd.isna(column)])
    if not len(held):
        raise NotAnswered(f"{table} has no {name} there")
    return tuple(held) if column.dtype == object else tuple(np.sort(held).tolist())


def _is_last(column: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Whether each row has the largest value among those of its point."""
    return column == pd.Series(column).groupby(point).transform("max").to_numpy()


def _wrong_number(keys: Mapping[str, np.ndarray], rows: np.ndarray) -> str:
    """Says that there is no row, or that there are several and how they differ."""
    if not len(rows):
        return "has no rows"
    differ = [name for name, held in keys.items() if len(pd.unique(held[rows])) > 1]
    return f"has {len(rows)} settings (they differ in {', '.join(differ)})"


def _told(asked: Mapping[str, object]) -> str:
    """What was asked for, in words."""
    return ", ".join(
        f"{name} = {' or '.join(map(str, v)) if isinstance(v, list) else v}"
        for name, v in asked.items()
    )
