"""Read the list of submissions: their teams and their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from shakedown.data.formulas import restored
from shakedown.replay.cleaning import Messages
from shakedown.replay.log_tables import read_header
from shakedown.replay.settings import ReplayEntry
from shakedown.replay.times import read_times, unix_times
from shakedown.tables.cells import TableCells, read_table
from shakedown.tables.header import Header
from shakedown.wording import counted

#: The team of all submissions if there is no list.
ONE_TEAM = "team"


def check_list(settings: ReplayEntry, *, folder: Path) -> tuple[Header, dict[str, str]] | None:
    """The header of the list and its columns by role; None without a list.

    Raises
    ------
    InputError
        If the file or a column in the configuration does not exist.
    """
    if settings.submissions is None:
        return None
    header = read_header(settings.submissions, folder)
    columns = {}
    for part, column in settings.columns:
        if column is not None:
            header.require(column, f"columns.{part}")
            columns[part] = column
        elif part in header.columns:
            columns[part] = part  # a column with the default name
    header.require(columns.get("submission", "submission"), "columns.submission")
    return header, columns


def listed(
    predicted: Sequence[str], settings: ReplayEntry, *, folder: Path, messages: Messages
) -> tuple[pd.DataFrame, dict[str, str]]:
    """The submissions that can be played, in playing order.

    Parameters
    ----------
    predicted : sequence of str
        Ids of the submissions with predictions, in the order of the table.
    settings : ReplayEntry
    folder : Path
        Folder for relative paths.
    messages : Messages

    Returns
    -------
    lines : DataFrame
        m rows with the columns `submission`, `team` and `time` (NaT if unknown).
    team_of : dict of str to str
        The team of every listed submission, playable or not.

    Raises
    ------
    InputError
        As `check_list`; or if the list cannot be read.
    """
    there = check_list(settings, folder=folder)
    if there is None:
        done = (
            f"{counted(len(predicted), 'submission')} assigned to one team, in the table's order."
        )
        messages.add("no_list", len(predicted), done)
        lines = pd.DataFrame({"submission": list(predicted)}, dtype=object)
        lines = lines.assign(team=ONE_TEAM, time=np.datetime64("NaT", "ns"))
        return lines, dict.fromkeys(predicted, ONE_TEAM)

    header, columns = there
    table = read_table(header, list(columns.values()))
    lines = pd.DataFrame({part: table.texts(c) for part, c in columns.items()}, dtype=object)
    counts = _counting(lines, set(predicted), messages)
    lines["team"] = _teams(lines, counts, messages)
    keys = []
    if "order" in columns:
        orders = table.numbers(columns["order"])[0]
        lines["order"] = np.where(np.isfinite(orders), orders, np.nan)
        keys.append("order")
    lines["time"], lines["moment"] = _times(table, columns, messages)
    if "time" in columns:
        keys.append("moment")
    for name in [name for name in predicted if name not in set(lines["submission"])]:
        done = "Not in the list of submissions, so its team is unknown; not played."
        messages.add("not_listed", 1, done, name)
    # If a submission has several lines, the first counts.
    team_of = dict(zip(lines["submission"][::-1], lines["team"][::-1], strict=True))
    ranked = _ranked(lines[counts], keys, messages)
    return ranked[["submission", "team", "time"]].reset_index(drop=True), team_of


def _counting(lines: pd.DataFrame, predicted: set[str], messages: Messages) -> np.ndarray:
    """Which lines of the list count; bool, one per line."""
    names = lines["submission"]
    parts = [part for part in ("team", "order", "time") if part in lines]

    def line(i: int) -> str:
        cells = [f"{p} '{lines[p][i]}'" if lines[p][i] else f"no {p}" for p in parts]
        return f"line {i + 2} ({', '.join(cells)})" if cells else f"line {i + 2}"

    first: dict[str, int] = {}  # submission -> its first line
    for i, name in enumerate(names):
        if not name:
            messages.add("no_predictions", 1, f"Line {i + 2} of the list has no submission id.")
        elif name in first:
            done = f"Twice in the list: {line(first[name])} counts, {line(i)} does not."
            messages.add("listed_twice", 1, done, name)
        elif name not in predicted and not messages.mentions(name):
            done = "In the list, but without predictions; not played."
            messages.add("no_predictions", 1, done, name)
        first.setdefault(name, i)
    return (names.isin(predicted - {""}) & ~names.duplicated()).to_numpy()


def _teams(lines: pd.DataFrame, counts: np.ndarray, messages: Messages) -> pd.Series | str:
    if "team" not in lines:
        done = "The list has no column of teams; all submissions assigned to one team."
        messages.add("no_list", int(counts.sum()), done)
        return ONE_TEAM
    without = lines["team"] == ""
    for name in lines.loc[without & counts, "submission"]:
        messages.add("no_team", 1, f"No team in the list; plays as team '{name}'.", name)
    return lines["team"].map(restored).mask(without, lines["submission"])


def _times(
    table: TableCells, columns: Mapping[str, str], messages: Messages
) -> tuple[np.ndarray, np.ndarray]:
    """Times (NaT if missing), and the numbers by which lines are sorted (NaN if missing).

    Numbers that are not Unix times, such as days of the challenge, are used only for the order.
    """
    if "time" not in columns:
        return np.full(table.n, np.datetime64("NaT", "ns")), np.full(table.n, np.nan)
    numbers, no_number = table.numbers(columns["time"])
    if not no_number.any() and not np.isnan(numbers).all():
        return unix_times(numbers, messages), numbers
    texts = table.texts(columns["time"])
    times = read_times(texts, columns["time"], table.header.source, messages)
    return times, np.where(np.isnat(times), np.nan, times.astype("int64"))


def _ranked(lines: pd.DataFrame, keys: list[str], messages: Messages) -> pd.DataFrame:
    """The lines that count, in playing order: by order, then time, then line."""
    if not keys:
        done = "The list has neither an order nor times; played line by line."
        messages.add("order_tied", len(lines), done)
        return lines
    known = lines[keys[0]].notna()
    what = "order" if keys[0] == "order" else "time"
    for name in lines.loc[~known, "submission"]:
        done = f"No readable {what} in the list; played after all others."
        messages.add("no_order", 1, done, name)
    tied = int(lines[known].duplicated(keys, keep=False).sum())
    done = f"{counted(tied, 'submission')} with the same order or time as another one"
    messages.add("order_tied", tied, f"{done}; played in the order of the list.")
    return lines.sort_values(keys, kind="stable", na_position="last")
