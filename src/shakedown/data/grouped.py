"""Rows that belong together, such as several visits of a patient: sets and permutations of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from shakedown.data.checks import MIN_ROWS_PER_SET
from shakedown.data.draft import Draft
from shakedown.interface import Challenge, Grouping, InputError
from shakedown.wording import counted, some


def check_groups(draft: Draft) -> None:
    """Check the column of groups of a table, if there is one, and note what it says.

    Raises
    ------
    InputError
        If a cell is missing, or the official split cuts a group.
    """
    if draft.group is None:
        return
    name, codes = draft.group.name, draft.group.codes
    missing = np.flatnonzero(codes < 0)
    if len(missing):
        raise draft.source.error(
            f"column '{name}' is set as 'group', and {counted(len(missing), 'row')} "
            f"{'has' if len(missing) == 1 else 'have'} no value there, first row "
            f"'{draft.rows[missing[0]]}'. Wanted a group for each row: fill the cells, or remove "
            "the rows."
        )
    cut = np.empty(0) if draft.split is None else _cut(codes, draft.split)
    if len(cut):
        together = codes == cut[0]
        raise draft.source.error(
            f"the official split cuts {counted(len(cut), 'group')} of column '{name}': rows "
            f"{some(draft.rows[together].tolist())} belong together, and are in the sets "
            f"{some(sorted(set(draft.split[together].tolist())))}. Move the rows of a group to one "
            "set, because some of its responses tell much about the others."
        )
    sizes = np.bincount(codes)
    sizes = sizes[sizes > 0]
    draft.notes.append(
        f"By '{name}', the rows are {counted(len(sizes), 'group')} of {_range(sizes)}; no set cuts "
        "one."
    )


def _range(sizes: np.ndarray) -> str:
    if sizes.min() == sizes.max():
        return counted(int(sizes[0]), "row")
    return f"{sizes.min():,} to {sizes.max():,} rows"


def _cut(codes: np.ndarray, split: np.ndarray) -> np.ndarray:
    """The groups with rows in several sets."""
    pairs = np.unique(np.column_stack([codes, from_zero(split)]), axis=0)
    groups, sets = np.unique(pairs[:, 0], return_counts=True)
    return groups[sets > 1]


def numbered(draft: Draft) -> Grouping | None:
    """The groups of the rows that are left, with codes from 0 without gaps."""
    return None if draft.group is None else draft.group._replace(codes=from_zero(draft.group.codes))


def from_zero(values: np.ndarray) -> np.ndarray:
    """Codes of values, from 0 without gaps, in their order; shape (n,)."""
    return np.unique(values, return_inverse=True)[1]


def rows_in_one(rows: float, correlation: float) -> float:
    """How many rows of a group count as one independent row, if so many have this correlation.

    It is the largest eigenvalue of their correlations.
    """
    return 1.0 + (rows - 1.0) * correlation


def largest_group(challenge: Challenge) -> int:
    """Rows of the largest group, whatever their responses; 1 if all rows are independent."""
    if challenge.group is None:
        return 1
    codes = challenge.group.codes
    if challenge.cells is not None:  # the cells of a row count once
        codes = codes[np.unique(challenge.cells.rows, return_index=True)[1]]
    return int(np.bincount(codes).max())


def drawn_sets(
    codes: np.ndarray, rng: np.random.Generator, sizes: Sequence[int]
) -> list[np.ndarray]:
    """Sets of whole groups in random order, whose sizes are as near to `sizes` as groups allow.

    Rows beyond the sum of the sizes are left out, up to whole groups.
    """
    rows, ends = in_groups(codes, rng)
    ends = np.append(0, ends)
    cuts = [0, *(int(ends[np.argmin(np.abs(ends - wanted))]) for wanted in np.cumsum(sizes))]
    return [np.sort(rows[first:last]) for first, last in zip(cuts, cuts[1:], strict=False)]


def permuted(y: np.ndarray, codes: np.ndarray | None, rng: np.random.Generator) -> np.ndarray:
    """Responses of a set in random order; rows that belong together stay alike.

    Means of groups change places, and so do the differences of rows from them, which are then
    centred in their new groups.

    Parameters
    ----------
    y : ndarray, shape (n,)
    codes : ndarray of int, shape (n,), or None
        Groups, from 0 without gaps; None if all rows are independent.
    rng : numpy.random.Generator
    """
    if codes is None:
        return rng.permutation(y)
    of_each = means(y, codes)
    rest = y - of_each[codes]
    moved = rng.permutation(rest)
    moved = moved - means(moved, codes)[codes]
    if moved.any():  # as large as before
        moved *= np.sqrt(rest @ rest / (moved @ moved))
    return rng.permutation(of_each)[codes] + moved


def means(values: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The mean of each group, shape (groups,), of values of the rows, shape (n,)."""
    return np.bincount(codes, values) / np.bincount(codes)


def of_groups(challenge: Challenge) -> Challenge:
    """A row for each group: means of its features and responses, and what its rows share."""
    codes = challenge.group.codes
    first = np.unique(codes, return_index=True)[1]
    order, starts = np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1]
    sums = np.add.reduceat(challenge.X[order], np.append(0, starts), axis=0)
    return replace(
        challenge,
        X=sums / np.bincount(codes)[:, None],
        y=means(challenge.y, codes),
        rows=challenge.rows[first],
        split=None if challenge.split is None else challenge.split[first],
        groupings=tuple(
            column._replace(codes=column.codes[first])
            for column in challenge.groupings
            if (column.codes[first][codes] == column.codes).all()
        ),
        group=None,
        cells=None,
        weights=None,
    )


def in_groups(codes: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Rows in random order of their groups, and how many there are up to the end of each group."""
    order = rng.permutation(int(codes.max()) + 1)
    rows = np.argsort(np.argsort(order)[codes], kind="stable")
    return rows, np.cumsum(np.bincount(codes)[order])


def groups_of(challenge: Challenge, sets: Sequence[np.ndarray]) -> tuple[np.ndarray, ...] | None:
    """Each set's groups as codes from 0, shape (n_set,); None if rows are independent."""
    if challenge.group is None:
        return None
    return tuple(from_zero(challenge.group.codes[rows]) for rows in sets)


def check_set(challenge: Challenge, name: str, codes: np.ndarray | None) -> None:
    """Check that a set has enough groups.

    Raises
    ------
    InputError
        If there are fewer than 10.
    """
    if codes is None or (count := int(codes.max()) + 1) >= MIN_ROWS_PER_SET:
        return
    raise InputError(
        f"data set '{challenge.name}', {name} set: wanted at least {MIN_ROWS_PER_SET} groups of "
        f"'{challenge.group.name}', got {count}. Give more groups, or another split."
    )
