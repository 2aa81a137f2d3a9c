"""Several responses: a table becomes a list of cells, each one response of one row."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from shakedown.data.checks import too_close
from shakedown.data.draft import Draft
from shakedown.data.grouped import from_zero, permuted
from shakedown.data.scaling import standardised
from shakedown.interface import Cells, Challenge, Grouping, InputError
from shakedown.wording import counted


def check_responses(draft: Draft) -> None:
    """Check that each of several responses has numbers that differ.

    Raises
    ------
    InputError
        If one has not.
    """
    for name, y in zip(draft.names, draft.responses, strict=True):
        given = y[~np.isnan(y)]
        if not len(given) or (given == given[0]).all():
            got = f"is {given[0]:g} in every row" if len(given) else "has no value"
            raise draft.source.error(
                f"the response '{name}' {got}; there is nothing to predict. Leave it out."
            )
        if why := too_close(given):
            raise draft.source.error(f"values of the response '{name}' {why}")


def settle(draft: Draft) -> None:
    """The draft's response: the one there is, or the means of several."""
    if draft.responses is None:
        return
    if len(draft.names) == 1:
        draft.y, draft.responses, draft.names = draft.responses[0], None, ()
    else:
        draft.y = row_means(draft.responses)


def row_means(responses: np.ndarray) -> np.ndarray:
    """The mean of each row's responses, which are scaled; NaN if all are missing; shape (n,)."""
    given = np.isfinite(responses)
    filled = np.where(given, responses, 0.0)
    largest = np.abs(filled).max(axis=1, keepdims=True, initial=0.0)
    filled /= np.where(largest > 0.0, largest, 1.0)
    counts = np.maximum(given.sum(axis=1, keepdims=True), 1)
    filled -= np.where(given, filled.sum(axis=1, keepdims=True) / counts, 0.0)
    spread = np.sqrt((filled**2).sum(axis=1, keepdims=True) / counts)
    filled /= np.where(spread > 0.0, spread, 1.0)
    of_row = given.sum(axis=0)
    return np.where(of_row > 0, filled.sum(axis=0) / np.maximum(of_row, 1), np.nan)


def note_cells(draft: Draft) -> None:
    """Note what the responses are, and how many cells are missing."""
    q, n = draft.responses.shape
    missing = int(np.isnan(draft.responses).sum())
    left = f"; {counted(missing, 'missing cell')} left out" if missing else ""
    draft.notes.append(
        f"{q} responses of {counted(n, 'row')}: {q * n - missing:,} cells{left}. Each response is "
        "standardised."
    )


def unfolded(draft: Draft, row_name: str) -> dict:
    """What a challenge of several responses has for each cell, row by row.

    Parameters
    ----------
    draft : Draft
    row_name : str
        What a row is called: the name of the column of ids.

    Returns
    -------
    dict
        X, y, rows, split, groupings, group, weights and cells of a `Challenge`.
    """
    given = ~np.isnan(draft.responses)
    rows, responses = np.nonzero(given.T)
    y = draft.responses[responses, rows]
    groupings = [g._replace(codes=g.codes[rows]) for g in draft.groupings]
    group = Grouping(row_name, rows, True) if draft.group is None else draft.group
    if draft.group is not None:
        group = group._replace(codes=group.codes[rows])
    return {
        "X": np.take(draft.values, rows, axis=1).T,
        "y": standardised_by(y, responses),
        "rows": draft.rows[rows],
        "split": None if draft.split is None else draft.split[rows],
        "groupings": tuple(groupings),
        "group": group._replace(codes=from_zero(group.codes)),
        "weights": None if draft.weights is None else of_cells(draft.weights, rows, responses),
        "cells": Cells(draft.names, responses, from_zero(rows)),
    }


def of_cells(weights: np.ndarray, rows: np.ndarray, responses: np.ndarray) -> np.ndarray:
    """The weights of cells, from those of rows, shape (n,), or of all cells, shape (n, q)."""
    return weights[rows] if weights.ndim == 1 else weights[rows, responses]


def part_of(cells: Cells, rows: np.ndarray) -> Cells:
    """Some of the cells, by index."""
    return Cells(cells.names, cells.responses[rows], from_zero(cells.rows[rows]))


def cells_of(challenge: Challenge, sets: Sequence[np.ndarray]) -> tuple[Cells, ...] | None:
    """The cells of each set; None if there is one response."""
    if challenge.cells is None:
        return None
    return tuple(part_of(challenge.cells, rows) for rows in sets)


def table_of(values: np.ndarray, cells: Cells, missing: float = 0.0) -> np.ndarray:
    """Values of cells, shape (n,), as a table of rows and responses, shape (rows, q)."""
    table = np.full((int(cells.rows.max()) + 1, len(cells.names)), missing)
    table[cells.rows, cells.responses] = values
    return table


def standardised_by(y: np.ndarray, responses: np.ndarray) -> np.ndarray:
    """Values of cells, shape (n,), with mean 0 and standard deviation 1 for each response."""
    scaled = np.empty(len(y))
    for k in range(int(responses.max()) + 1):
        own = responses == k
        scaled[own] = standardised(y[own][None])[0]
    return scaled


def check_varies(challenge: Challenge, name: str, rows: np.ndarray) -> None:
    """Check that every response has a spread in a set.

    Raises
    ------
    InputError
        If one has not.
    """
    names, responses, _ = challenge.cells
    y, responses = challenge.y[rows], responses[rows]
    for k, response in enumerate(names):
        own = y[responses == k]
        if len(own) < 2 or own.min() == own.max():
            got = _shown(own[0], challenge) + " in all of its rows" if len(own) else "no value"
            raise InputError(
                f"data set '{challenge.name}', {name} set: the response '{response}' has {got}, so "
                "it has no score. Leave it out, or give more rows, or another split."
            )


def _shown(value: float, challenge: Challenge) -> str:
    """A value of a response in a message; labels at horizons are less their mean."""
    if challenge.horizons:
        return "an event" if value > 0.0 else "no event"
    return f"{value:g}"


def check_single(challenge: Challenge) -> None:
    """Check that there is one response, as labels must have.

    Raises
    ------
    InputError
        If there are several.
    """
    if challenge.cells is not None:
        raise InputError(
            f"data set '{challenge.name}': labels of several responses are not played yet; wanted "
            f"one response, got {len(challenge.cells.names)}. Name one of them."
        )


def shuffled(
    y: np.ndarray,
    cells: Cells,
    groups: np.ndarray,
    rng: np.random.Generator,
    move: Callable[..., np.ndarray] = permuted,
) -> np.ndarray:
    """Responses of a set with their rows in random order, so that responses stay correlated.

    A cell takes the value of the same response in another row.  If that is missing, it takes one
    that no other cell has taken.  Each response keeps its values.  Rows of groups stay mostly
    together; if cells are missing there, values must move whole, as those of classes do.

    Parameters
    ----------
    y : ndarray, shape (n,)
    cells : Cells
    groups : ndarray of int, shape (n,)
        Which rows belong together, from 0 without gaps.
    rng : numpy.random.Generator
    move : callable
        Moves a response of rows in groups, as `grouped.permuted` does.
    """
    count = int(cells.rows.max()) + 1
    moved, is_grouped = np.empty(len(y)), int(groups.max()) + 1 < count
    if is_grouped and (move is permuted or len(y) == len(cells.names) * count):
        return _shuffled_in_groups(y, cells, groups, rng, move)
    if is_grouped:
        of_rows = groups[np.unique(cells.rows, return_index=True)[1]]
        donors = move(np.arange(count, dtype=float), of_rows, rng).astype(int)
    else:
        donors = rng.permutation(count)
    for k in range(len(cells.names)):
        own = np.flatnonzero(cells.responses == k)
        at = np.full(count, -1)
        at[cells.rows[own]] = own
        taken = at[donors[cells.rows[own]]]
        left = rng.permutation(np.setdiff1d(own, taken))
        taken[taken < 0] = left
        moved[own] = y[taken]
    return moved


def _shuffled_in_groups(
    y: np.ndarray, cells: Cells, groups: np.ndarray, rng: np.random.Generator, move: Callable
) -> np.ndarray:
    """As `shuffled`, as `move` moves each response: all in the same way."""
    q, count = len(cells.names), int(cells.rows.max()) + 1
    if len(y) < q * count:
        raise InputError(
            "several responses with missing cells, and rows in groups: not played yet. Wanted all "
            "cells, or independent rows: leave out rows or responses with missing cells."
        )
    seed, moved = int(rng.integers(2**31)), np.empty(len(y))
    for k in range(q):
        own = np.flatnonzero(cells.responses == k)
        moved[own] = move(y[own], groups[own], np.random.default_rng(seed))
    return moved


def signs_in_training(X: np.ndarray, y: np.ndarray, responses: np.ndarray) -> np.ndarray:
    """The sign of each feature's correlation with each response in the training set.

    Parameters
    ----------
    X : ndarray, shape (p, n)
        Features, scaled.
    y, responses : ndarray, shape (n,)

    Returns
    -------
    ndarray, shape (p, q)
        1 or -1.
    """
    q = int(responses.max()) + 1
    of_each = np.zeros((len(y), q))
    of_each[np.arange(len(y)), responses] = y
    return np.where(X @ of_each < 0.0, -1.0, 1.0)


def with_signs(
    sets: Sequence[np.ndarray], y_train: np.ndarray, cells: Sequence[Cells]
) -> list[np.ndarray]:
    """The features of cells, shape (p, n_set): each with the sign that it has for the response.

    So a model has one coefficient for a feature, and that helps to predict all responses.
    """
    signs = signs_in_training(sets[0], y_train, cells[0].responses)
    return [scaled * signs[:, own.responses] for scaled, own in zip(sets, cells, strict=True)]


def grouping_column(challenge: Challenge) -> str:
    """The column of rows that belong together; "" where each row of several responses is alone."""
    group, cells = challenge.group, challenge.cells
    if group is None or (cells is not None and np.array_equal(group.codes, cells.rows)):
        return ""
    return group.name


def correlations(challenge: Challenge) -> np.ndarray:
    """Correlations between the responses, over the rows where both are given; shape (q, q)."""
    table = table_of(challenge.y, challenge.cells, missing=np.nan)
    given = ~np.isnan(table)
    filled = np.where(given, table, 0.0)
    pairs = np.maximum(given.T.astype(float) @ given, 1.0)
    products = filled.T @ filled / pairs
    scale = np.sqrt((filled**2).T @ given / pairs)  # of the first, where the second is given
    found = products / np.maximum(scale * scale.T, 1e-300)
    return np.clip(found, -1.0, 1.0)


def cells_in_one(challenge: Challenge) -> float:
    """How many cells of a row count as one: the largest eigenvalue of `correlations`; 1 for one.

    The noise about any prediction varies in no direction more than the responses do, on average.
    """
    if challenge.cells is None:
        return 1.0
    found = float(np.linalg.eigvalsh(correlations(challenge))[-1])
    return min(max(found, 1.0), float(len(challenge.cells.names)))
