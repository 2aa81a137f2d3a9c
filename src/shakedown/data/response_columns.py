"""Which columns are responses, and responses that stand in a table of their own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase

import numpy as np

from shakedown.data.class_names import codes_of, like_classes
from shakedown.data.draft import Draft, warn
from shakedown.interface import guess
from shakedown.tables.cells import TableCells, read_table
from shakedown.tables.header import Header, read_header, spelled
from shakedown.tables.policy import Source
from shakedown.wording import counted, some

#: Characters of a pattern, as in names of files.
_PATTERN = frozenset("*?[")
#: The names that pandas gives to row labels in a Parquet file.
PANDAS_INDEX = re.compile(r"__index_level_\d+__")


def chosen(
    header: Header,
    wanted: str | Sequence[str] | None,
    taken: Collection[str] = (),
    key: str = "response",
) -> list[str]:
    """The columns that names and patterns name, in the order of the patterns.

    Parameters
    ----------
    header : Header
    wanted : str or sequence of str
        Names; with `*`, `?` or `[`, and if no column is called so, patterns as for files.
    taken : collection of str
        Columns with another role, which a pattern does not name.
    key : str
        The key of the configuration that names them.

    Raises
    ------
    InputError
        If no response is named, a name or a pattern fits no column, or a column is named twice.
    """
    patterns = [wanted] if isinstance(wanted, str | int) else list(wanted or [])
    if not patterns:
        raise header.source.error(
            "no response is named. Wanted the column to predict, or several, or a pattern such as "
            "'att_*'."
        )
    found: list[str] = []
    for pattern in map(spelled, map(str, patterns)):
        named = [pattern]
        if pattern not in header.columns and _PATTERN & set(pattern):
            named = [c for c in unlabelled(header) if c not in taken and fnmatchcase(c, pattern)]
            if not named:
                raise header.source.error(
                    f"no column fits the pattern '{pattern}' of '{key}'. The header reads "
                    f"{some(header.columns)}.{guess(pattern.strip('*?'), header.columns)}"
                )
        header.require(named[0], key)
        if twice := [c for c in named if c in found]:
            raise header.source.error(
                f"'{key}' names {some(twice)} more than once. Name each column once."
            )
        found += named
    return found


def unlabelled(header: Header) -> list[str]:
    """The columns that have a name, without the row labels that pandas writes."""
    return [c for c in header.columns if c and not PANDAS_INDEX.fullmatch(c)]


class OtherTable:
    """A table with responses, whose rows have the ids of another one.

    Parameters
    ----------
    source : Source
    id : str
        Its column of ids.
    wanted : str, sequence of str, or None
        The responses, as for `chosen`; None: all columns but those with another role.
    others : collection of str
        Columns with another role, if the table has them.
    event : str, optional
        The column of events, if the table has it.

    Attributes
    ----------
    names : list of str
        The responses.
    event : str or None
        The column of events; None if the table has none.
    """

    def __init__(
        self,
        source: Source,
        id: str,
        wanted: str | Sequence[str] | None,
        others: Collection[str],
        event: str | None = None,
    ) -> None:
        self._header, self._id = read_header(source), spelled(id)
        self._header.require(self._id, "id")
        event = None if event is None else spelled(event)
        self.event = event if event in self._header.columns else None
        taken = {self._id, *map(spelled, others)} | ({event} if event else set())
        if wanted is None:
            self.names = [c for c in unlabelled(self._header) if c not in taken]
            if not self.names:
                raise source.error("no column is left as a response. Add the columns to predict.")
        else:
            self.names = chosen(self._header, wanted, taken)
            if also := [c for c in self.names if c in taken]:
                raise source.error(
                    f"column {some(also)} is set as 'response', and has another role; remove one "
                    "of them."
                )
        named = {*self.names, *taken}
        self._unused = [c for c in unlabelled(self._header) if c not in named]

    def join(self, draft: Draft, classes: Sequence[str] | None = None) -> None:
        """Give the draft the responses of its rows, and note what is read.

        Responses that name `classes` are read as their numbers.

        Raises
        ------
        InputError
            If a row has no counterpart in the other table, or a cell is not a number.
        """
        source = self._header.source
        events = [] if self.event is None else [self.event]
        cells = read_table(self._header, [self._id, *self.names, *events])
        texts = cells.texts(self._id).tolist()
        place = {row: i for i, row in enumerate(texts)}
        if classes is None:
            numbers = {name: self._numbers(cells, name, texts) for name in [*self.names, *events]}
        else:
            numbers = {
                name: codes_of(cells.texts(name, classes).tolist(), classes, source, name)
                for name in self.names
            }
        missing = [i for i, row in enumerate(texts) if not row]
        if any(np.isfinite(values[missing]).any() for values in numbers.values()):
            raise source.error(
                f"column '{self._id}' has no id in {counted(len(missing), 'row')}, first in row "
                f"{missing[0] + 1}. Give every row an id."
            )
        place.pop("", None)  # empty rows, which spreadsheets append
        ids = [row for row in texts if row]
        if len(place) < len(ids):
            twice = sorted(row for row, count in Counter(ids).items() if count > 1)
            raise source.error(
                f"column '{self._id}' has {counted(len(twice), 'id')} more than once: "
                f"{some(twice)}. Give every row a unique id."
            )
        rows = draft.rows.tolist()
        first, second = draft.source.shown, source.shown
        for here, there, of, name in (
            (rows, place, first, second),
            (ids, set(rows), second, first),
        ):
            if absent := [row for row in here if row not in there]:
                verb = "is" if len(absent) == 1 else "are"
                raise source.error(
                    f"{counted(len(absent), 'id')} of {of} {verb} not in {name}: "
                    f"{some(absent)}. Wanted the same rows in both tables; add them, or leave them "
                    "out of both."
                )
        order = [place[row] for row in rows]
        if self.event is not None:
            draft.events = numbers.pop(self.event)[order]
        draft.names = tuple(self.names)
        draft.responses = np.array([values[order] for values in numbers.values()])
        unused = f"; not used: {some(self._unused)}" if self._unused else ""
        draft.notes.append(
            f"Responses from {source.shown}, by '{self._id}': {some(self.names)}{unused}."
        )

    def _numbers(self, cells: TableCells, name: str, ids: Sequence[str]) -> np.ndarray:
        numbers, wrong = cells.numbers(name)
        if wrong.any():
            at = int(wrong.argmax())
            raise self._header.source.error(
                f"column '{name}', row '{ids[at]}': '{cells.texts(name)[at]}' is not a number. "
                "Correct the cell, leave it empty if missing, or name the responses."
                f"{like_classes(cells.texts(name).tolist())}"
            )
        return numbers


def note_alike(draft: Draft, response: str) -> None:
    """Note the features that are called as a single response, up to a number at the end.

    Warns
    -----
    UserWarning
        If there are any; the same sentence goes to the notes.
    """
    stem = response.rstrip("0123456789")
    if draft.responses is not None or stem == response or not stem:
        return
    alike = [c for c in draft.features.tolist() if c != response and c.rstrip("0123456789") == stem]
    if alike:
        warn(
            draft,
            f"{counted(len(alike), 'feature')} called like the response '{response}': "
            f"{some(alike)}. If participants predict them too, name all as responses "
            f"('{stem}*'); if they do not know them, add them to 'ignore'.",
        )
