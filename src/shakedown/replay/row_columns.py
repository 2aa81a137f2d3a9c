"""Read what a log's table knows of its rows: true values, groups, weights."""

from __future__ import annotations

import numpy as np

from shakedown.data.censored import check_times, signed
from shakedown.data.grouped import from_zero
from shakedown.data.groupings import grouping
from shakedown.data.horizons import check_labels, cut, names_of
from shakedown.data.response_columns import chosen
from shakedown.data.several import of_cells
from shakedown.interface import LARGEST, Cells
from shakedown.replay.label_numbers import Labels, values_of
from shakedown.replay.settings import ReplayEntry
from shakedown.replay.structure import Structure
from shakedown.tables.cells import TableCells
from shakedown.tables.header import Header
from shakedown.wording import counted


def responses_of(header: Header, settings: ReplayEntry) -> list[str]:
    """The columns of true values.

    Raises
    ------
    InputError
        If a name or a pattern fits no column.
    """
    if settings.truth in header.columns:
        return [settings.truth]
    others = [
        settings.id, settings.event, settings.group, settings.weight, settings.public,
        *settings.ignore,
    ]  # fmt: skip
    return chosen(header, settings.truth, [c for c in others if isinstance(c, str)], key="truth")


def truths_of(
    table: TableCells, responses: list[str], labels: Labels | None
) -> tuple[np.ndarray, np.ndarray]:
    """The true values, shape (q, n), NaN where none can be used; and texts of wrong ones, (n,)."""
    truths, wrong = np.empty((len(responses), table.n)), np.full(table.n, "", dtype=object)
    for k, response in enumerate(responses):
        values, no_number = values_of(table, response, labels)
        truths[k] = np.where(np.abs(values) <= LARGEST, values, np.nan)
        wrong[no_number] = table.texts(response)[no_number]
    return truths, wrong.astype(str)


def with_events(
    table: TableCells, truths: np.ndarray, response: str, settings: ReplayEntry
) -> np.ndarray:
    """True times with the signs of their events, shape (1, n); NaN where an event is missing."""
    rows, source = table.texts(settings.id), table.header.source
    events, wrong = table.numbers(settings.event)
    if wrong.any():
        at = int(wrong.argmax())
        raise source.error(
            f"column '{settings.event}' is set as 'event', and holds "
            f"'{table.texts(settings.event)[at]}' in row '{rows[at]}'. Wanted 1 or true where the "
            "event was seen, and 0 or false where the row was censored."
        )
    check_times(truths[0], events, rows, (response, settings.event), source)
    return signed(truths, events)


def at_horizons(
    table: TableCells, times: np.ndarray, public: np.ndarray, settings: ReplayEntry
) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Signed times, shape (n,), cut at the horizons.

    Returns
    -------
    responses : list of str
        What the columns of files are called.
    truths : ndarray, shape (q, n)
        1 for an event up to the horizon, 0 for a row observed beyond it, NaN if it is not known.
    weights : ndarray, shape (n, q)

    Raises
    ------
    InputError
        If both outcomes are not known in the public and in the private rows.
    """
    made = cut(times, settings.horizons)
    for which, kind in ((public, "public "), (~public, "private ")):
        check_labels(made.labels[:, which], settings.horizons, table.header.source, kind)
    return list(names_of(settings.horizons)), made.labels, made.weights.T


def groups_of(table: TableCells, column: str, rows: np.ndarray) -> np.ndarray:
    """The group of each row, shape (n,)."""
    codes = grouping(column, table.cells[column]).codes
    missing = np.flatnonzero((codes < 0) & (rows != ""))
    if len(missing):
        raise table.header.source.error(
            f"column '{column}' is set as 'group', and has no value in "
            f"{counted(len(missing), 'row')}, first in row '{rows[missing[0]]}'. Wanted a group "
            "for each row: fill the cells, or remove the rows."
        )
    return codes


def weights_of(
    table: TableCells, settings: ReplayEntry, rows: np.ndarray, keep: np.ndarray
) -> np.ndarray:
    """The weights of the rows that are kept."""
    column, source = settings.weight, table.header.source
    weights, _ = table.numbers(column)
    wrong = np.flatnonzero(keep & ~((weights >= 0.0) & (weights <= LARGEST)))
    if len(wrong):
        raise source.error(
            f"column '{column}' is set as 'weight', and {counted(len(wrong), 'row')} "
            f"{'has' if len(wrong) == 1 else 'have'} none there that can be used, first row "
            f"'{rows[wrong[0]]}' with '{table.texts(column)[wrong[0]]}'. Wanted a number of 0 or "
            "more for each row: correct the cells, or remove the rows."
        )
    return weights[keep]


def structure_of(
    responses: list[str],
    row_of: np.ndarray,
    response_of: np.ndarray,
    groups: np.ndarray | None,
    weights: np.ndarray | None,
    settings: ReplayEntry,
) -> Structure:
    """What is known of the values, which are of these rows and responses, besides the values."""
    is_several = len(responses) > 1 or settings.horizons is not None
    cells = Cells(tuple(responses), response_of, from_zero(row_of)) if is_several else None
    together = groups[row_of] if groups is not None else None if cells is None else row_of
    return Structure(
        cells,
        None if together is None else from_zero(together),
        None if weights is None else of_cells(weights, row_of, response_of),
        settings.group or "",
    )
