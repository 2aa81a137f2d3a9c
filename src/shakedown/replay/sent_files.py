"""Read files of predictions without a truth: what is needed to measure what they could tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from shakedown.interface import InputError
from shakedown.replay import cleaning
from shakedown.replay.cleaning import Messages
from shakedown.replay.listing import listed
from shakedown.replay.log import Log
from shakedown.replay.log_tables import read_header
from shakedown.replay.settings import ReplayEntry
from shakedown.replay.submission_files import find_files, read_files
from shakedown.tables.cells import read_table
from shakedown.tables.header import spelled
from shakedown.wording import counted

#: Fewer rows have no files that differ by more than a constant.
LEAST_ROWS = 3


@dataclass(frozen=True, eq=False)
class SentFiles:
    """The predictions of files for the public rows, in their order.

    Attributes
    ----------
    names, teams : ndarray of str, shape (m,)
    predictions : ndarray of float, shape (m, n)
    left_out : int
        Files that could not be read or used.
    why : str
        The main reason; "" if none was left out.
    truth : ndarray of float, shape (n,), or None
        The public response, where it is known.
    """

    names: np.ndarray
    teams: np.ndarray
    predictions: np.ndarray
    left_out: int = 0
    why: str = ""
    truth: np.ndarray | None = None


def of_log(log: Log) -> SentFiles:
    """The public rows of a submission log."""
    gone = log.messages[~log.messages["played"].astype("boolean").fillna(True).to_numpy(bool)]
    return SentFiles(
        log.submissions["submission"].to_numpy(str),
        log.submissions["team"].to_numpy(str),
        log.predictions[:, log.public],
        int(gone["submission"].nunique()),
        "" if gone.empty else str(gone["done"].iloc[0]),
        log.truth[log.public],
    )


def read_sent(settings: ReplayEntry, *, folder: Path = Path(".")) -> SentFiles:
    """Read a table with a row for each public row and a column for each file, or a folder of files.

    Parameters
    ----------
    settings : ReplayEntry
        Of it, `table` or `folder`, `submissions`, `columns`, `id`, `truth`, `prediction` and
        `ignore`.  A table need not have ids; its columns of ids and of the truth are no files.
    folder : Path
        Folder for relative paths.

    Raises
    ------
    InputError
        If a file or a column is missing, there are fewer than 3 rows, or no file can be used.
        `cleaning.RULES` handle everything else.
    """
    messages = Messages()
    if settings.folder is None:
        raw, where = _columns(settings, folder), settings.table
    else:
        raw, where = _files(settings, folder, messages), settings.folder
    lines, _ = listed(list(raw), settings, folder=folder, messages=messages)
    names = lines["submission"].to_numpy(str)
    settled = [cleaning.settle_cells(*raw[name], name, messages) for name in names]
    predictions = np.array(settled).reshape(len(names), -1)
    if len(names) and predictions.shape[1] < LEAST_ROWS:
        raise InputError(
            f"{where}: wanted at least {LEAST_ROWS} rows; got {predictions.shape[1]}. Give a row "
            "for each public row, and a column for each file."
        )
    used = cleaning.settle_missing(predictions, names, "leave_out", messages)
    lost = messages.frame({}, set(names[used].tolist()))
    lost = lost[lost["rule"].isin(cleaning.NOT_PLAYED) & ~lost["played"].fillna(True).astype(bool)]
    if not used.any():
        raise InputError(
            f"{where}: none of {counted(len(raw), 'file')} can be used. Wanted a column of numbers "
            f"for each file, without gaps.{messages.above_all(cleaning.OF_SUBMISSIONS)}"
        )
    return SentFiles(
        names[used],
        lines["team"].to_numpy(str)[used],
        np.ascontiguousarray(predictions[used]),
        int(lost["submission"].nunique()),
        messages.above_all(cleaning.OF_SUBMISSIONS).removeprefix(" Main reason: "),
    )


Raw = dict[str, tuple[np.ndarray, np.ndarray, str]]


def _columns(settings: ReplayEntry, folder: Path) -> Raw:
    """Each file's numbers, which of its cells are no numbers, and the first of those."""
    header = read_header(settings.table, folder)
    ignored = [spelled(column) for column in settings.ignore]
    for column in ignored:
        header.require(column, "ignore")
    if settings.id != ReplayEntry.model_fields["id"].default:
        header.require(spelled(settings.id), "id")
    others = {spelled(settings.id), spelled(settings.truth), *ignored}
    columns = [column for column in header.columns if column and column not in others]
    if not columns:
        raise header.source.error(
            "wanted a column for each file, besides ids and the truth; got none."
        )
    table = read_table(header, columns)
    raw = {}
    for column in columns:
        values, odd = table.numbers(column)
        raw[column] = (values, odd, str(table.texts(column)[odd][0]) if odd.any() else "")
    return raw


def _files(settings: ReplayEntry, folder: Path, messages: Messages) -> Raw:
    """As `_columns`, of a folder with a file for each submission; the first names the rows."""
    files = find_files(settings.folder, folder)
    return read_files(files, _rows_of(list(files.values()), settings), settings, None, messages)


def _rows_of(paths: Sequence[Path], settings: ReplayEntry) -> np.ndarray:
    """The ids of the first file that has any."""
    for path in paths:
        header = read_header(str(path), Path("."))
        header.require(spelled(settings.id), "id")
        rows = read_table(header, [settings.id]).texts(settings.id)
        if (rows := np.unique(rows[rows != ""])).size:
            return rows
    raise InputError(f"'folder': no file of {settings.folder} has ids in column '{settings.id}'.")
