"""Draw the official split of a table that has none, with sets of wanted sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from shakedown.data.checks import MIN_ROWS_PER_SET, SETS
from shakedown.data.drawing import sets_of
from shakedown.data.grouped import from_zero
from shakedown.interface import Challenge, InputError
from shakedown.metrics.classes import MOST_CLASSES


def with_split(
    challenge: Challenge, sizes: Sequence[int], *, rng: np.random.Generator
) -> Challenge:
    """The challenge with a random split.

    Parameters
    ----------
    challenge : Challenge
    sizes : sequence of int, shape (3,)
        Rows of the train, public and final sets; groups, where rows belong together, which stay
        so.  Each class has about its share of each set, and so have censored rows.
    rng : numpy.random.Generator

    Raises
    ------
    InputError
        If the sizes are not those of all rows, or a set would be too small.
    """
    units, what = units_of(challenge), "row" if challenge.group is None else "group"
    number = int(units.max()) + 1
    if len(sizes) != len(SETS) or min(sizes) < 1 or sum(sizes) != number:
        raise InputError(
            f"sizes of data set '{challenge.name}': wanted {what}s for {', '.join(SETS)}, "
            f"{number:,} in all; got {', '.join(f'{size:,}' for size in sizes)}, which are "
            f"{sum(sizes):,}. Change them, or leave them out for thirds."
        )
    split = labels_of(challenge, sizes, rng=rng)
    for name in SETS:
        if (rows := int(np.sum(split == name))) < MIN_ROWS_PER_SET:
            raise InputError(
                f"sizes of data set '{challenge.name}': wanted at least {MIN_ROWS_PER_SET} rows in "
                f"each set; got {rows} in the set '{name}'. Make it larger."
            )
    drawn = (
        f"Sets drawn at random: {', '.join(f'{k:,} {s}' for k, s in zip(sizes, SETS, strict=True))}"
    )
    return replace(challenge, split=split, notes=(*challenge.notes, f"{drawn} {what}s."))


def labels_of(
    challenge: Challenge, sizes: Sequence[int], *, rng: np.random.Generator
) -> np.ndarray:
    """The set of each row under random sets of such sizes, shape (n,)."""
    units, split = units_of(challenge), np.empty(len(challenge.y), object)
    if int(units.max()) + 1 == len(split):
        for name, rows in zip(
            SETS, sets_of(challenge, rng, sizes, _strata(challenge)), strict=True
        ):
            split[rows] = name
        return split.astype(str)
    order = rng.permutation(int(units.max()) + 1)
    for name, own in zip(SETS, np.split(order, np.cumsum(sizes)[:-1]), strict=True):
        split[np.isin(units, own)] = name
    return split.astype(str)


def units_of(challenge: Challenge) -> np.ndarray:
    """The row of the table, or the group, of each value of the response, shape (n,).

    Codes from 0 without gaps.
    """
    if challenge.group is not None:
        return from_zero(challenge.group.codes)
    if challenge.cells is not None:
        return from_zero(challenge.cells.rows)
    return np.arange(len(challenge.y))


def _strata(challenge: Challenge) -> np.ndarray | None:
    """Classes, or whether an event was seen; None for numbers."""
    if challenge.group is not None or challenge.cells is not None:
        return None
    if challenge.censored:
        return (challenge.y > 0.0).astype(int)
    values, codes = np.unique(challenge.y, return_inverse=True)
    return codes if len(values) <= MOST_CLASSES else None
