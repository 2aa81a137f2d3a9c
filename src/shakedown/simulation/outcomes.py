"""Tables of outcomes: define, check, write, join and summarise them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from shakedown.data.files import reading_table, replacing
from shakedown.data.formulas import defused_table, restored_table
from shakedown.data.splits import DESIGNS
from shakedown.interface import InputError
from shakedown.simulation.quantiles import ranks
from shakedown.wording import BOARDS


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
    "design": Column("category", "How the sets are made, see `data.splits`.", among=tuple(DESIGNS)),
    "metric": Column("category", "Name of the metric, or its import path."),
    "attack": Column("category", "Name of the attack, or its import path."),
    "board": Column(
        "category",
        "Whether each iteration opens a fresh board; null for an attack without iterations.",
        null=True,
        among=tuple(BOARDS),
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

#: Columns that identify the setting of an outcome, apart from the point of the attack.
SETTING = [
    "experiment", "dataset", "design", "metric", "attack", "board", "setting", "n_features",
]  # fmt: skip

#: Columns whose medians are in a summary, apart from Δ.
MEDIANS = ("score_public", "score_final", "score_released", "accepted", "leaderboard_error")

#: The columns of a table of traces, and their types: a row for each submission.
TRACE = {name: COLUMNS[name] for name in (*SETTING[:-1], "replicate", "n_features")} | {
    "iteration": "Int64", "submission": "Int64", "feature": "category",
    "released": "float64", "accepted": "Int64", "selected": "bool",
}  # fmt: skip


class Columns:
    """Collects blocks of rows into one frame.

    `kinds` gives the columns and their types, such as `COLUMNS` or `TRACE`.
    """

    def __init__(self, kinds: Mapping[str, str] = COLUMNS) -> None:
        self._kinds = kinds
        self._blocks: list[tuple[int, dict]] = []

    def append(self, rows: int, **values) -> None:
        """Append `rows` rows; a scalar, or None for null, is repeated."""
        self._blocks.append((rows, values))

    def frame(self) -> pd.DataFrame:
        """All rows so far."""
        rows = [n for n, _ in self._blocks]
        columns = {}
        for name, kind in self._kinds.items():
            values = [block[name] for _, block in self._blocks]
            if any(isinstance(value, np.ndarray) for value in values) and kind != "float64":
                columns[name] = pd.Series(np.concatenate(values))
            elif kind == "category":
                blocks = pd.Categorical(np.array(values, dtype=object))
                codes = np.repeat(blocks.codes, rows)
                columns[name] = pd.Categorical.from_codes(codes, blocks.categories)
            else:
                parts = [
                    value if isinstance(value, np.ndarray)
                    else np.full(n, np.nan if value is None else value, dtype=float)
                    for n, value in zip(rows, values, strict=True)
                ]  # fmt: skip
                columns[name] = pd.Series(np.concatenate(parts) if parts else [], dtype=float)
        return typed(pd.DataFrame(columns))


def typed(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with the types of all known columns."""
    known = {c: COLUMNS[c] for c in frame.columns if c in COLUMNS}
    known |= {c: "Int64" for c in ("iteration", "submission") if c in frame.columns}
    known |= {c: "category" for c in ("feature",) if c in frame.columns}
    return frame.astype(known)


def require(frame: pd.DataFrame, columns: Iterable[str], what: str) -> None:
    """Check that a table has the columns that are read.

    Raises
    ------
    InputError
        If a column is missing.
    """
    if missing := [name for name in columns if name not in frame.columns]:
        raise InputError(
            f"{what} lack the column{'s' * (len(missing) > 1)} {', '.join(missing)}; they have "
            f"{', '.join(map(str, frame.columns)) or 'no columns'}. Make them again."
        )


def check(frame: pd.DataFrame, where: str) -> None:
    """Check a table of outcomes against `TABLE`.

    Parameters
    ----------
    frame : DataFrame
    where : str
        Names the table in the error.

    Raises
    ------
    InputError
        For the first column that does not fit.
    """
    if list(frame.columns) != list(TABLE):
        raise InputError(f"{where}: wanted the columns {list(TABLE)}, got {list(frame.columns)}.")
    for name, wanted in TABLE.items():
        column = frame[name]
        if not wanted.null and column.isna().any():
            raise InputError(f"{where}: column '{name}' has {int(column.isna().sum())} nulls.")
        values = column.dropna()
        is_text = wanted.kind == "category"
        if len(values) and is_text == pd.api.types.is_numeric_dtype(column.dtype):
            kind = "text" if is_text else "numbers"
            raise InputError(f"{where}: column '{name}' should be {kind}, is {column.dtype}.")
        wrong, what = values[:0], ""
        if wanted.among:
            wrong, what = values[~values.isin(wanted.among)], f"other than {list(wanted.among)}"
        if wanted.lowest is not None:
            wrong, what = values[values < wanted.lowest], f"below {wanted.lowest:g}"
        if len(wrong):
            raise InputError(
                f"{where}: column '{name}' has {len(wrong)} values {what}, the first is "
                f"{wrong.iloc[0]}."
            )


def write(frame: pd.DataFrame, path: str | Path) -> None:
    """Write a table as Parquet or CSV, depending on the suffix, in one step.

    Texts in a CSV file that a spreadsheet would take for a formula begin with an apostrophe.
    """
    with replacing(path) as temporary:
        if Path(path).suffix == ".parquet":
            frame.to_parquet(temporary, index=False)
        else:
            defused_table(frame).to_csv(temporary, index=False)


def read(path: str | Path, **options) -> pd.DataFrame:
    """Read a table that `write` or `write_parts` wrote; `options` are those of `pandas.read_csv`.

    Raises
    ------
    InputError
        If the file is missing or cannot be read.
    """
    with reading_table(path):
        if Path(path).suffix == ".parquet":
            return pd.read_parquet(path)
        return restored_table(pd.read_csv(path, **options))


def join(paths: Iterable[str | Path], path: str | Path) -> None:
    """Check chunks and join them into one table, with one chunk in memory at a time.

    Raises
    ------
    InputError
        If a chunk cannot be read or does not fit `TABLE`.
    """

    def checked() -> Iterator[pd.DataFrame]:
        for chunk in paths:
            frame = typed(read(chunk))
            check(frame, str(chunk))
            yield frame

    write_parts(checked(), path)


def write_parts(frames: Iterable[pd.DataFrame], path: str | Path) -> None:
    """Write frames with the same columns as one Parquet table, one in memory at a time."""
    kinds = {
        "category": pa.dictionary(pa.int32(), pa.string()),
        "float64": pa.float64(),
        "Int64": pa.int64(),
        "bool": pa.bool_(),
    }
    with replacing(path) as temporary, ExitStack() as stack:
        writer = None
        for frame in map(typed, frames):
            if writer is None:
                arrow = pa.schema([(c, kinds[str(kind)]) for c, kind in frame.dtypes.items()])
                writer = stack.enter_context(pq.ParquetWriter(temporary, arrow))
            writer.write_table(pa.Table.from_pandas(frame, schema=arrow, preserve_index=False))


def summarise(frame: pd.DataFrame) -> pd.DataFrame:
    """Summarise Δ and the scores over the replicates of each setting and point of the attack.

    Returns
    -------
    DataFrame
        The columns of `SETTING`, then point, submissions (the largest number over the replicates),
        replicates, median_delta, delta_low and delta_high (the interval of the median from order
        statistics, with a confidence of at least 95 %; null for fewer than 6 replicates), q1_delta,
        q3_delta, mean_delta, median_score_public, median_score_final, median_score_released,
        median_accepted, median_leaderboard_error.

    Raises
    ------
    InputError
        If the groups have different numbers of rows.
    """
    groups = frame.groupby([*SETTING, "point"], observed=True, dropna=False, sort=False)
    number = groups.ngroup().to_numpy()
    order = np.argsort(number, kind="stable")
    sizes = np.bincount(number)
    if (sizes != (n := sizes[0])).any():
        raise InputError(
            f"outcomes: wanted the same number of replicates in every group, got {sizes.min()} to "
            f"{sizes.max()}. Make the outcomes again."
        )

    def values(column: str) -> np.ndarray:
        """The values of a column, shape (groups, replicates)."""
        return frame[column].to_numpy(dtype=float, na_value=np.nan)[order].reshape(-1, n)

    delta = np.sort(values("delta"))
    low = ranks(n, 0.5)[0]
    q1, median, q3 = np.quantile(delta, [0.25, 0.5, 0.75], axis=1)
    found = frame.iloc[order[::n]][[*SETTING, "point"]].reset_index(drop=True)
    return typed(
        found.assign(
            submissions=values("submissions").max(axis=1).astype(int),
            replicates=n,
            median_delta=median,
            delta_low=delta[:, low - 1] if low else np.nan,
            delta_high=delta[:, n - low] if low else np.nan,
            q1_delta=q1,
            q3_delta=q3,
            mean_delta=delta.mean(axis=1),
            **{f"median_{c}": pd.DataFrame(values(c)).median(axis=1) for c in MEDIANS},
        )
    )
