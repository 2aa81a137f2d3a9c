"""The list of a log's submissions: whose each one is, and when it came in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from shakedown.datasets.checks import count
from shakedown.replay.rules import Messages
from shakedown.replay.tables import Header, Table, read_header, read_table
from shakedown.replay.times import read_times, unix_times

#: The team that has all submissions where there is no list.
ONE_TEAM = "team"


def check_list(
    settings: Mapping[str, Any], *, folder: Path
) -> tuple[Header, dict[str, str]] | None:
    """The header of the list and its columns by their part; None where there is no list.

    Raises
    ------
    InputError
        If the file or a column that the configuration names is not there.
    """
    if settings["submissions"] is None:
        return None
    header = read_header(settings["submissions"], folder)
    columns = {}
    for part, column in settings["columns"].items():
        if column is not None:
            header.require(column, f"columns.{part}")
            columns[part] = column
        elif part in header.columns:
            columns[part] = part  # a column that is called what it is
    header.require(columns.get("submission", "submission"), "columns.submission")
    return header, columns


def listed(
    found: Sequence[str], settings: Mapping[str, Any], *, folder: Path, messages: Messages
) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[str, str]]:
    """The submissions that can be played, in playing order.

    Parameters
    ----------
    found : sequence of str
        Ids of the submissions that have predictions, in the order of the table.
    settings : mapping
        The configuration's `replay`.
    folder : Path
        Where relative paths start.
    messages : Messages

    Returns
    -------
    names, teams : ndarray of str, shape (m,)
    times : ndarray of datetime64[ns], shape (m,)
        NaT where the list tells none.
    team_of : dict of str to str
        The team of every submission that is listed, playable or not.

    Raises
    ------
    InputError
        As `check_list`, or if the list cannot be read.
    """
    there = check_list(settings, folder=folder)
    if there is None:
        done = f"{count(len(found), 'submission')} taken as one team's, in the order of the table."
        messages.add("no_list", len(found), done)
        names = np.array(found, dtype=str)
        times = np.full(len(names), np.datetime64("NaT", "ns"))
        return names, np.full(len(names), ONE_TEAM), times, dict.fromkeys(names.tolist(), ONE_TEAM)

    header, columns = there
    table = read_table(header, list(columns.values()))
    names = table.texts(columns["submission"])
    keep = _once(table, columns, names, set(found), messages)
    teams = _teams(table, columns, names, keep, messages)
    times, moments = _times(table, columns, messages)
    order = _order(table, columns, moments, names, keep, messages)
    for name in found:
        if name not in set(names):
            done = "Not in the list of submissions, so its team is not known; not played."
            messages.add("not_listed", 1, done, name)
    # Of several lines for a submission the first one counts.
    team_of = dict(zip(names[::-1].tolist(), teams[::-1].tolist(), strict=True))
    return names[order], teams[order], times[order], team_of


def _once(
    table: Table,
    columns: Mapping[str, str],
    names: np.ndarray,
    found: set[str],
    messages: Messages,
) -> np.ndarray:
    """Which lines of the list count; bool."""
    keep = np.full(len(names), True)
    first: dict[str, int] = {}  # submission -> its first line
    cells = {
        part: table.texts(columns[part]) for part in ("team", "order", "time") if part in columns
    }

    def line(i: int) -> str:
        parts = [
            f"{part} '{texts[i]}'" if texts[i] else f"no {part}" for part, texts in cells.items()
        ]
        return f"line {i + 2} ({', '.join(parts)})" if parts else f"line {i + 2}"

    for i, name in enumerate(names):
        if not name:
            messages.add("no_predictions", 1, f"Line {i + 2} of the list names no submission.")
        elif name in first:
            done = f"Twice in the list: {line(first[name])} counts, {line(i)} does not."
            messages.add("listed_twice", 1, done, name)
        elif name not in found and not messages.tell_of(name):
            done = "In the list, but there are no predictions; not played."
            messages.add("no_predictions", 1, done, name)
        keep[i] = bool(name) and name in found and name not in first
        first.setdefault(name, i)
    return keep


def _teams(
    table: Table,
    columns: Mapping[str, str],
    names: np.ndarray,
    keep: np.ndarray,
    messages: Messages,
) -> np.ndarray:
    if "team" not in columns:
        done = "The list has no column of teams; all submissions taken as one team's."
        messages.add("no_list", int(keep.sum()), done)
        return np.full(len(names), ONE_TEAM)
    teams = table.texts(columns["team"])
    for i in np.flatnonzero((teams == "") & keep):
        done = f"No team in the list; plays as the team '{names[i]}'."
        messages.add("no_team", 1, done, names[i])
    return np.where(teams == "", names, teams)


def _times(
    table: Table, columns: Mapping[str, str], messages: Messages
) -> tuple[np.ndarray, np.ndarray]:
    """Times, NaT where there is none, and what they are put in order by, NaN where there is none.

    Plain numbers that are no Unix times, such as days of some calendar, only give the order.
    """
    if "time" not in columns:
        return np.full(table.n, np.datetime64("NaT", "ns")), np.full(table.n, np.nan)
    numbers, no_number = table.numbers(columns["time"])
    if not no_number.any() and not np.isnan(numbers).all():
        return unix_times(numbers, messages), numbers
    texts = table.texts(columns["time"])
    times = read_times(texts, columns["time"], table.header.source, messages)
    return times, np.where(np.isnat(times), np.nan, times.astype("int64"))


def _order(
    table: Table,
    columns: Mapping[str, str],
    moments: np.ndarray,
    names: np.ndarray,
    keep: np.ndarray,
    messages: Messages,
) -> np.ndarray:
    """Positions of the lines that count, in playing order: by order, then time, then line."""
    keys = []
    if "order" in columns:
        orders = table.numbers(columns["order"])[0]
        keys.append(np.where(np.isfinite(orders), orders, np.nan))
    if "time" in columns:
        keys.append(moments)
    lines = np.flatnonzero(keep)
    if not keys:
        done = "The list has neither an order nor times; played line by line."
        messages.add("order_tied", len(lines), done)
        return lines
    for i in lines:
        if np.isnan(keys[0][i]):
            what = "order" if "order" in columns else "time"
            done = f"No {what} in the list that can be read; played after all that have one."
            messages.add("no_order", 1, done, names[i])
    # NaN sorts last; lexsort is stable, and its last key is the first one.
    ranked = lines[np.lexsort([key[lines] for key in reversed(keys)])]
    known = ~np.isnan(keys[0][ranked])
    same = np.full(max(len(ranked) - 1, 0), True)
    for key in keys:
        one, other = key[ranked[1:]], key[ranked[:-1]]
        same &= (one == other) | (np.isnan(one) & np.isnan(other))
    same &= known[1:]
    tied = np.zeros(len(ranked), bool)
    tied[1:] |= same
    tied[:-1] |= same
    done = f"{count(int(tied.sum()), 'submission')} with an order or time that another one has too"
    messages.add("order_tied", int(tied.sum()), f"{done}; played in the order of the list.")
    return ranked
