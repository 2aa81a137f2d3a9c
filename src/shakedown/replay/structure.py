"""Which response each value of a log is of, and which values belong together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shakedown.data.grouped import from_zero
from shakedown.data.several import part_of
from shakedown.interface import Cells
from shakedown.metrics import Metric
from shakedown.wording import counted


@dataclass(frozen=True, eq=False)
class Structure:
    """What is known of n values besides the values.

    Attributes
    ----------
    cells : Cells or None
        Which row and which response each value is of; None if there is one response.
    groups : ndarray of int, shape (n,), or None
        Values that belong together, from 0 without gaps: those of a group, or of a row with several
        responses.  None: all are independent.
    weights : ndarray, shape (n,), or None
        Weights of the values, 0 or more, for weighted scores; None without a column of them.
    group : str
        The column of groups; "" without one.
    """

    cells: Cells | None = None
    groups: np.ndarray | None = None
    weights: np.ndarray | None = None
    group: str = ""

    def part(self, which: np.ndarray) -> Structure:
        """What is known of some of the values, given by index or as True."""
        return Structure(
            None if self.cells is None else part_of(self.cells, which),
            self.groups_of(which),
            None if self.weights is None else self.weights[which],
            self.group,
        )

    def on(self, metric: Metric, which: np.ndarray) -> Metric:
        """The metric on some of the values, given by index or as True.

        Raises
        ------
        InputError
            If the metric needs several responses, or one that is not there; groups; or weights.
        """
        part = self.part(which)
        return metric.on(part.cells, part.groups, part.weights)

    def groups_of(self, which: np.ndarray) -> np.ndarray | None:
        """The groups of some of the values, from 0 without gaps."""
        return None if self.groups is None else from_zero(self.groups[which])

    def units(self, which: np.ndarray) -> int:
        """How many of some values, given as True, are independent: rows or groups."""
        groups = self.groups_of(which)
        return int(which.sum()) if groups is None else int(groups.max(initial=-1)) + 1

    def shuffled(self, which: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
        """Some values, given by index, in two halves by random rows or groups; sorted indices."""
        groups = self.groups_of(which)
        if groups is None:
            order = rng.permutation(which)
            return np.sort(order[: len(order) // 2]), np.sort(order[len(order) // 2 :])
        count = int(groups.max()) + 1
        is_first = np.isin(groups, rng.permutation(count)[: count // 2])
        return which[is_first], which[~is_first]

    @property
    def unit(self) -> str:
        """What is independent: a row, or a group."""
        return "group" if self.group else "row"

    def said(self, which: np.ndarray, kind: str) -> str:
        """Some values, given as True, in words, such as "69 public rows (1,380 cells)"."""
        text, more = counted(self.units(which), f"{kind} {self.unit}"), []
        if self.group:
            rows = int(which.sum()) if self.cells is None else len(set(self.cells.rows[which]))
            more.append(counted(rows, "row"))
        if self.cells is not None:
            more.append(counted(int(which.sum()), "cell"))
        return f"{text} ({', '.join(more)})" if more else text
