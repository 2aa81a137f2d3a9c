"""Numbers with names on their axes, and their resamples beside them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np


class NotAnswered(Exception):
    """The study's tables do not answer a claim; the message says why."""


@dataclass(frozen=True, eq=False)
class Quantity:
    """A number for each point of a grid.

    Attributes
    ----------
    values : ndarray of float, shape (draws, length of axis 1, length of axis 2, ...)
        First as measured, then in each resample of the replicates; draws = 1 where nothing is
        resampled.
    axes : dict of str to tuple
        The columns that span the grid, in order, and their values.
    replicates : int or None
        Fewest replicates behind a number; None where it is exact.
    """

    values: np.ndarray
    axes: dict[str, tuple] = field(default_factory=dict)
    replicates: int | None = None

    @classmethod
    def exact(cls, value: float) -> Quantity:
        """One exact number."""
        return cls(np.array([float(value)]))

    def place(self, axis: str) -> int:
        """Which dimension of `values` an axis is."""
        return 1 + list(self.axes).index(axis)

    def without(self, axes: tuple[str, ...], reduced: np.ndarray) -> Quantity:
        """The quantity after a reduction over some axes."""
        kept = {name: labels for name, labels in self.axes.items() if name not in axes}
        return Quantity(reduced, kept, self.replicates)


def combine(function: Callable[..., np.ndarray], *quantities: Quantity) -> Quantity:
    """Apply a function point by point; axes of the same name go together.

    Raises
    ------
    NotAnswered
        If an axis has other values in one quantity than in another.
    """
    axes: dict[str, tuple] = {}
    for one in quantities:
        for name, labels in one.axes.items():
            if axes.setdefault(name, labels) != labels:
                raise NotAnswered(
                    f"the sides of a comparison have different {name}: "
                    f"{_listed(axes[name])} and {_listed(labels)}"
                )
    known = [one.replicates for one in quantities if one.replicates is not None]
    # x / 0 is infinite or NaN, which `evaluate` tells.
    with np.errstate(divide="ignore", invalid="ignore"):
        values = function(*(_spread(one, axes) for one in quantities))
    return Quantity(values, axes, min(known, default=None))


def _spread(one: Quantity, axes: dict[str, tuple]) -> np.ndarray:
    """Values with a dimension for each of `axes`, in their order."""
    order = [0, *(one.place(name) for name in axes if name in one.axes)]
    shape = [len(labels) if name in one.axes else 1 for name, labels in axes.items()]
    return one.values.transpose(order).reshape(-1, *shape)


def _listed(labels: tuple) -> str:
    return ", ".join(f"{x:g}" if isinstance(x, float) else str(x) for x in labels)
