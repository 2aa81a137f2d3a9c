"""The columns of the tables of outcomes and traces, and how a job that plays fills and writes them.

Without pandas, which takes a job longer to import than many experiments take to play.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from shakedown.data.designs import DESIGNS
from shakedown.data.files import replacing
from shakedown.wording import ITERATION_BOARDS

if TYPE_CHECKING:
    import pandas as pd

#: The type of a column in a Parquet file, by its type in a frame.
PARQUET_TYPES = {
    "category": pa.dictionary(pa.int32(), pa.string()),
    "float64": pa.float64(),
    "Int64": pa.int64(),
    "bool": pa.bool_(),
}


@dataclass(frozen=True)
class Column:
    """A column of the outcomes.

    Attributes
    ----------
    kind : {"category", "Int64", "float64"}
        Its type in a frame; "category" holds text.
    meaning : str
        Its meaning, with the unit.
    lowest : float, optional
        Smallest value allowed.
    null : bool
        Whether it can be null.
    among : tuple of str
        The allowed values; empty for any.
    """

    kind: str
    meaning: str
    lowest: float | None = None
    null: bool = False
    among: tuple[str, ...] = ()


#: The columns of a table of outcomes, in order: one row for each replicate, setting and point.
#: Responses are standardised within each set, so scores have no unit.
TABLE = {
    "experiment": Column("category", "Id of the experiment."),
    "dataset": Column("category", "Id of the data set."),
    "design": Column("category", "How the sets are made: `data.designs`.", among=tuple(DESIGNS)),
    "metric": Column("category", "Name of the metric, or its import path."),
    "attack": Column("category", "Name of the attack, or its import path."),
    "iteration_board": Column(
        "category",
        "Whether each iteration opens a fresh board; null for an attack without iterations.",
        null=True,
        among=tuple(ITERATION_BOARDS),
    ),
    "setting": Column(
        "category", "Id of the mechanism with its parameters; a row of settings.csv."
    ),
    "replicate": Column("Int64", "Number of the replicate, from 0.", 0),
    "n_features": Column(
        "Int64", "Features that were attacked; 0 for an attack that uses none.", 0
    ),
    "n_selected": Column(
        "Int64",
        "Features in the final model; for an attack that uses none, submissions that it kept.",
        0,
    ),
    "point": Column(
        "Int64", "Point of the attack, from 1; its `point_name` says what it counts.", 1
    ),
    "submissions": Column("Int64", "Submissions so far.", 1),
    "accepted": Column("Int64", "Submissions so far that replaced the best of their board.", 0),
    "score_public": Column("float64", "The final model's score on the public set."),
    "score_final": Column("float64", "The final model's score on the final set."),
    "delta": Column(
        "float64",
        "Overfit: public - final score for a loss, final - public if larger scores are better; "
        "below 0 if the public score is too good.",
    ),
    "score_released": Column(
        "float64",
        "The released score of the final model if it were submitted next; null if unknown.",
        null=True,
    ),
    "changed": Column("Int64", "Submissions so far that changed the released score.", 0),
    "leaderboard_error": Column(
        "float64",
        "Leaderboard error so far ([B] Definition 2.1), with the final model as the last "
        "submission; the largest over the boards if there are several.  Null if the board shows no "
        "score.",
        0,
        null=True,
    ),
    "score_honest": Column(
        "float64",
        "The public score of the honest file that an attack with arbitrary numbers builds on; null "
        "for other attacks.",
        null=True,
    ),
}

#: Types of the columns in a frame, in the order of the tables.
COLUMNS = {name: column.kind for name, column in TABLE.items()}

#: Columns by their names in older versions, by which rows are still chosen.
FORMER = {"board": "iteration_board"}

#: Columns that identify the setting of an outcome, apart from the point of the attack.
SETTING = [
    "experiment", "dataset", "design", "metric", "attack", "iteration_board", "setting",
    "n_features",
]  # fmt: skip

#: Columns whose medians are in a summary, apart from Δ.
MEDIANS = ("score_public", "score_final", "score_released", "accepted", "leaderboard_error")

#: The columns of a table of traces, and their types: a row for each submission.
TRACE = {name: COLUMNS[name] for name in (*SETTING[:-1], "replicate", "n_features")} | {
    "iteration": "Int64", "submission": "Int64", "feature": "category",
    "released": "float64", "accepted": "Int64", "selected": "bool",
}  # fmt: skip


class Named(NamedTuple):
    """Texts as indices of their names: text i is ``names[index[i]]``."""

    names: np.ndarray
    index: np.ndarray


class Columns:
    """Collects blocks of rows into one table.

    `kinds` gives the columns and their types, such as `COLUMNS` or `TRACE`.
    """

    def __init__(self, kinds: Mapping[str, str] = COLUMNS) -> None:
        self._kinds = kinds
        self._rows: list[int] = []
        self._blocks: list[dict] = []

    def append(self, rows: int, **values) -> None:
        """Append `rows` rows; a scalar, or None for null, is repeated.  Texts may be `Named`."""
        self._rows.append(rows)
        self._blocks.append(values)

    def extend(self, other: Columns) -> None:
        """Append the rows of another collection of the same columns."""
        self._rows += other._rows
        self._blocks += other._blocks

    def blocks(self) -> Iterator[dict[str, Any]]:
        """The values of each block, by column: an array, or a scalar for all its rows."""
        return iter(self._blocks)

    def table(self) -> pa.Table:
        """All rows so far, column by column."""
        arrays = []
        for name, kind in self._kinds.items():
            values = [block[name] for block in self._blocks]
            if kind == "category":
                arrays.append(_texts(values, self._rows))
            else:
                arrays.append(_numbers(values, self._rows, kind))
        schema = pa.schema([(name, PARQUET_TYPES[kind]) for name, kind in self._kinds.items()])
        return pa.Table.from_arrays(arrays, schema=schema)

    def frame(self) -> pd.DataFrame:
        """All rows so far, as `outcomes.typed`."""
        from shakedown.simulation.outcomes import typed  # imports pandas

        return typed(self.table().to_pandas())


# Arrays are made from buffers: `pyarrow.array` imports pandas.


def _numbers(values: list, rows: list[int], kind: str) -> pa.Array:
    """A column of numbers from its blocks; None and NaN are null."""
    parts = [
        value if isinstance(value, np.ndarray)
        else np.full(n, np.nan if value is None else value, dtype=float)
        for n, value in zip(rows, values, strict=True)
    ]  # fmt: skip
    whole = np.concatenate(parts) if parts else np.empty(0)
    valid = ~np.isnan(whole)
    if kind == "bool":
        content = np.packbits(whole.astype(bool), bitorder="little")
    elif kind == "Int64":
        content = np.where(valid, whole, 0).astype(np.int64)
    else:
        content = whole.astype(float)
    return pa.Array.from_buffers(
        PARQUET_TYPES[kind], len(whole), [_validity(valid), pa.py_buffer(content)]
    )


def _texts(values: list, rows: list[int]) -> pa.DictionaryArray:
    """A column of texts from its blocks; the texts that occur are in order."""
    # Codes of the texts, and of None, in the order of their first appearance.
    known: dict[str | None, int] = {}
    parts = []
    for n, value in zip(rows, values, strict=True):
        if isinstance(value, Named):
            used = np.unique(value.index)
            codes = np.empty(len(value.names), dtype=np.int32)
            codes[used] = [known.setdefault(str(text), len(known)) for text in value.names[used]]
            parts.append(codes[value.index])
        else:
            parts.append(np.full(n, known.setdefault(value, len(known)), dtype=np.int32))
    texts = sorted(text for text in known if text is not None)
    place = np.zeros(len(known), dtype=np.int32)
    place[[known[text] for text in texts]] = np.arange(len(texts))
    codes = np.concatenate(parts) if parts else np.empty(0, dtype=np.int32)
    valid = codes != known.get(None, -1)
    buffers = [_validity(valid), pa.py_buffer(place[codes])]
    indices = pa.Array.from_buffers(pa.int32(), len(codes), buffers)
    encoded = [text.encode() for text in texts]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    names = pa.Array.from_buffers(pa.string(), len(texts), buffers)
    return pa.DictionaryArray.from_arrays(indices, names)


def _validity(valid: np.ndarray) -> pa.Buffer | None:
    """The bits that say which values are not null; None if all are not."""
    return None if valid.all() else pa.py_buffer(np.packbits(valid, bitorder="little"))


def write_tables(tables: Iterable[pa.Table], path: str | Path) -> None:
    """Write tables with the same columns as one Parquet table, one in memory at a time."""
    with replacing(path) as temporary, ExitStack() as stack:
        writer = None
        for table in tables:
            if writer is None:
                schema = table.schema.remove_metadata()  # pandas' own would make files differ
                writer = stack.enter_context(pq.ParquetWriter(temporary, schema))
            writer.write_table(table)
