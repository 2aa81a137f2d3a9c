"""Determine the roles of a data set's columns, and read them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shakedown.data.class_names import codes_of, like_classes
from shakedown.data.draft import Draft
from shakedown.data.groupings import MOST, grouping, groupings
from shakedown.data.response_columns import PANDAS_INDEX, chosen
from shakedown.tables.cells import (
    MISSING,
    decimal_comma,
    read_columns,
    rounded,
    to_numbers,
    to_texts,
)
from shakedown.tables.header import Header, read_header, spelled
from shakedown.tables.policy import Policy, Source
from shakedown.wording import counted, some

#: How data sets are read.
DATA_SET = Policy("Data set {name} ({shown}): ")
# Names of columns that may say which set a row belongs to.
_LIKE_A_SPLIT = ("split", "fold", "partition", "set")
# Cells that are converted at a time.
_TOGETHER = 100_000


@dataclass(frozen=True)
class Layout:
    """The roles of the columns of a table, by 0-based position.

    Attributes
    ----------
    header : Header
    id, split, group, weight, event : int or None
    responses : tuple of int
        Empty if another table has them.
    features : tuple of int
    ignored : tuple of int
        Columns that the configuration ignores.
    unnamed : tuple of int
        Columns without a name; they must be empty.
    left_out : tuple of str
        Columns that are not features: row labels written by pandas.
    elsewhere : tuple of str
        Columns that are not features, because another table has a response of this name.
    """

    header: Header
    id: int | None
    responses: tuple[int, ...]
    split: int | None
    group: int | None
    weight: int | None
    event: int | None
    features: tuple[int, ...]
    ignored: tuple[int, ...]
    unnamed: tuple[int, ...]
    left_out: tuple[str, ...]
    elsewhere: tuple[str, ...] = ()

    @property
    def source(self) -> Source:
        """The file."""
        return self.header.source

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns; "" for a column without a name."""
        return self.header.columns

    @property
    def response(self) -> str:
        """The responses in words."""
        return ", ".join(self.columns[i] for i in self.responses)

    @property
    def split_like(self) -> list[str]:
        """The features that are named like an official split."""
        named = (self.columns[i] for i in self.features)
        return [name for name in named if name.lower() in _LIKE_A_SPLIT]


def read_layout(
    source: Source, settings: Mapping[str, Any], elsewhere: Sequence[str] | None = None
) -> Layout:
    """Read the header and assign a role to every column.

    Parameters
    ----------
    source : Source
        The file.
    settings : mapping
        ``id``, ``response``, ``split``, ``group``, ``weight``, ``event`` and ``ignore`` of the
        recipe.
    elsewhere : sequence of str, optional
        The responses, if they are columns of another table; features with their names are left out.

    Raises
    ------
    InputError
        If the file is empty or cannot be read, a name is repeated in the header, a column in the
        settings is missing or has two roles, or no feature is left.
    """
    header = read_header(source)
    columns = header.columns
    parts: dict[str, str] = {}  # column -> part
    others = "split", "group", "weight", "event", "ignore"
    asked = {part: _names(settings.get(part)) for part in ("id", *others)}
    responses = []
    if elsewhere is None:
        responses = chosen(header, settings.get("response"), set().union(*asked.values()))
    for part in ("id", "response", *others):
        for column in asked.get(part, responses):
            header.require(column, part)
            if column in parts:
                raise source.error(
                    f"column '{column}' is set as '{parts[column]}' and as '{part}'; remove one "
                    "of them."
                )
            parts[column] = part
    several = "response", "ignore"
    where = {part: columns.index(c) for c, part in parts.items() if part not in several}

    left_out = tuple(c for c in columns if PANDAS_INDEX.fullmatch(c) and c not in parts)
    also = tuple(c for c in elsewhere or () if c in columns and c not in parts)
    aside = {*parts, *left_out, *also}
    features = tuple(i for i, c in enumerate(columns) if c and c not in aside)
    if not features:
        raise source.error(
            "no column is left as a feature after id, response, split, group, weight, event and "
            f"ignore; the header reads {some(columns)}."
        )
    return Layout(
        header=header,
        id=where.get("id"),
        responses=tuple(columns.index(c) for c, part in parts.items() if part == "response"),
        split=where.get("split"),
        group=where.get("group"),
        weight=where.get("weight"),
        event=where.get("event"),
        features=features,
        ignored=tuple(i for i, c in enumerate(columns) if parts.get(c) == "ignore"),
        unnamed=tuple(i for i, c in enumerate(columns) if not c),
        left_out=left_out,
        elsewhere=also,
    )


def _names(value: Any) -> list[str]:
    """The columns that a setting names."""
    several = value if isinstance(value, list) else [value]
    return [spelled(str(column)) for column in several if column is not None]


def read_body(layout: Layout, classes: Sequence[str] | None = None) -> Draft:
    """Read all rows, and note what was read; responses that name `classes` as their numbers.

    Raises
    ------
    InputError
        If a row has too few or too many cells, a cell is not a number or not a class, whole numbers
        are equal only if rounded, a column without a name is not empty, or the file is damaged.
    """
    import pyarrow as pa  # slow to import, and simulated data need no table

    weights = () if layout.weight is None else (layout.weight,)
    events = () if layout.event is None else (layout.event,)
    more = len(weights) + len(events)
    responses = layout.responses if classes is None else ()
    numeric = (*layout.features, *weights, *events, *responses)
    needed = {*numeric, *layout.responses, *layout.unnamed, layout.id, layout.split} - {None}
    aside = layout.ignored[:MOST]
    as_texts = aside if layout.group is None else (*aside, layout.group)
    columns = read_columns(layout.header, needed, as_texts)
    n = len(columns[numeric[0]])
    if n == 0:
        raise layout.source.error("the file has a header but no rows.")
    for i in layout.unnamed:
        for row, text in enumerate(to_texts(columns[i])):
            if text.lower() not in MISSING:
                raise layout.source.error(
                    f"column {i + 1} has no name in the header, but row {row + 1} contains "
                    f"'{text}' there. Give it a name (is it a column of ids?)."
                )
    kept = tuple(groupings((layout.columns[i], columns.pop(i)) for i in aside))
    group = None
    if layout.group is not None:
        group = grouping(layout.columns[layout.group], columns.pop(layout.group))
    ids, labels = (None if i is None else to_texts(columns[i]) for i in (layout.id, layout.split))
    p, q = len(layout.features), len(layout.responses)
    values = np.empty((p + more + q, n))
    if classes is not None:
        for k, i in enumerate(layout.responses):
            texts, named = to_texts(columns.pop(i)), layout.columns[i]
            values[p + more + k] = codes_of(texts, classes, layout.source, named)
    bad: dict[int, tuple[int, str]] = {}  # column -> row and text of its first bad cell
    of_classes = ""  # what to do about a response that names classes
    # Columns of text are converted several at a time, which is faster if they are short.
    step = 1 if layout.source.suffix == ".parquet" else max(1, _TOGETHER // n)
    for start in range(0, len(numeric), step):
        block = [columns.pop(i) for i in numeric[start : start + step]]  # freed, to save memory
        chunks = [chunk for column in block for chunk in column.chunks]
        numbers, wrong = to_numbers(pa.chunked_array(chunks, block[0].type))
        values[start : start + len(block)] = numbers.reshape(-1, n)
        for k, column in enumerate(block):
            i, odd = numeric[start + k], wrong[k * n : (k + 1) * n]
            if odd.any():
                row = int(odd.argmax())
                bad[i] = row, to_texts(column.slice(row, 1))[0]
                if i in layout.responses:
                    of_classes = like_classes(to_texts(column))
            elif why := rounded(column, values[start + k]):
                raise layout.source.error(f"column '{layout.columns[i]}', {why}")
    if bad:
        raise _not_a_number(layout, bad, ids, of_classes)
    own = ""
    if q:
        named = some([layout.columns[i] for i in layout.responses])
        own = f", response{'s' if q > 1 else ''} {named}"
    notes = [
        f"Read from {layout.source.shown}: {counted(n, 'row')}, "
        f"{counted(p, 'feature column')}{own}."
    ]
    if layout.left_out:
        notes.append(f"Row labels written by pandas left out: {', '.join(layout.left_out)}.")
    if layout.elsewhere:
        notes.append(
            f"{counted(len(layout.elsewhere), 'column')} left out, because the other table has "
            f"responses of the same name: {some(layout.elsewhere)}."
        )
    if layout.unnamed:
        notes.append(f"{counted(len(layout.unnamed), 'empty column')} left out.")
    return Draft(
        source=layout.source,
        values=values[:p],
        y=values[-1] if q == 1 else np.full(n, np.nan),
        rows=np.array(ids or [str(i + 1) for i in range(n)]),
        features=np.array([layout.columns[i] for i in layout.features]),
        split=None if labels is None else np.array(labels),
        notes=notes,
        groupings=kept,
        group=group,
        weights=values[p] if weights else None,
        events=values[p + more - 1] if events else None,
        names=tuple(layout.columns[i] for i in layout.responses) if q > 1 else (),
        responses=values[-q:] if q > 1 else None,
    )


def _not_a_number(layout, bad, ids, of_classes):
    column, (row, text) = min(bad.items(), key=lambda item: (item[1][0], item[0]))
    where = f"row {row + 1}" if ids is None else f"row '{ids[row]}' (row {row + 1})"
    cure = decimal_comma(text)
    if not cure and column in layout.responses:
        cure = " The response must be numeric: correct the cell, or leave it empty if missing."
        cure += of_classes
    elif not cure and column == layout.weight:
        cure = " A weight must be a number of 0 or more: correct the cell."
    elif not cure and column == layout.event:
        cure = " An event must be 1 or true, or 0 or false for a censored row: correct the cell."
    elif not cure and layout.columns[column] in layout.split_like:
        cure = (
            " If the column is the official split, name it as 'split' (shakedown dryrun: --split "
            f"{shlex.quote(layout.columns[column])}), with the labels train, public and final; if "
            "not, add it to 'ignore'."
        )
    elif not cure:
        cure = (
            " Correct the cell, leave it empty if missing, add the column to 'ignore', or set it "
            "as 'id' if it contains ids, as 'split' if it contains train, public and final."
        )
    several = ""
    if len(bad) > 1:
        names = some(layout.columns[i] for i in sorted(bad))
        several = f" {len(bad)} columns have such cells: {names}."
    shown = text if len(text) <= 40 else text[:40] + "..."
    return layout.source.error(
        f"column '{layout.columns[column]}', {where}: '{shown}' is not a number.{several}{cure}"
    )
