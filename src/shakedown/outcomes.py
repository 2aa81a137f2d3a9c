"""Tables of outcomes: their columns, how they are checked, written, joined and summarised."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from math import comb
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from shakedown.interface import InputError

#: Column -> type, in the order of the tables; a column that does not apply to a row is null there.
COLUMNS = {
    "experiment": "category",
    "dataset": "category",
    "design": "category",
    "metric": "category",
    "attack": "category",
    "board": "category",
    "mechanism": "category",
    "gate": "category",
    "alpha": "float64",
    "posterior_odds": "float64",
    "eta": "float64",
    "release": "category",
    "b": "Int64",
    "replicate": "Int64",
    "n_features": "Int64",
    "n_selected": "Int64",
    "iterations": "Int64",
    "submissions": "Int64",
    "accepted": "Int64",
    "score_public": "float64",
    "score_final": "float64",
    "delta": "float64",
    "score_released": "float64",
    "changed": "Int64",
    "leaderboard_error": "float64",
}

#: The columns that name a mechanism with its settings.
MECHANISM = ["mechanism", "alpha", "posterior_odds", "eta", "b"]

#: The threat of a dry run that takes the best of all the others.
STRONGEST = "modeller"

#: What makes two rows outcomes of the same setting, apart from the point of the attack.
SETTING = [
    "experiment", "dataset", "design", "metric", "attack", "board",
    "mechanism", "gate", "alpha", "posterior_odds", "eta", "release", "b", "n_features",
]  # fmt: skip


class Columns:
    """Collects rows block by block, and makes one frame of them."""

    def __init__(self) -> None:
        self._blocks: list[tuple[int, dict]] = []

    def append(self, rows: int, **values) -> None:
        """Append `rows` rows; a scalar, or None for null, stands for all of them."""
        self._blocks.append((rows, values))

    def frame(self) -> pd.DataFrame:
        """All rows so far; columns as `COLUMNS`."""
        rows = [n for n, _ in self._blocks]
        columns = {}
        for name, kind in COLUMNS.items():
            values = [block[name] for _, block in self._blocks]
            if kind == "category":
                columns[name] = pd.Categorical(np.repeat(np.array(values, dtype=object), rows))
                continue
            parts = [
                value if isinstance(value, np.ndarray)
                else np.full(n, np.nan if value is None else value, dtype=float)
                for n, value in zip(rows, values, strict=True)
            ]  # fmt: skip
            columns[name] = pd.Series(np.concatenate(parts) if parts else [], dtype=float)
        return typed(pd.DataFrame(columns))


def typed(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with every known column in its type."""
    known = {c: COLUMNS[c] for c in frame.columns if c in COLUMNS}
    known |= {c: "Int64" for c in ("iteration", "submission") if c in frame.columns}
    known |= {c: "category" for c in ("feature",) if c in frame.columns}
    return frame.astype(known)


def check(frame: pd.DataFrame, schema: dict, where: str) -> None:
    """Hold a table against its schema.

    Parameters
    ----------
    frame : DataFrame
    schema : dict
        ``{"required": [...], "properties": {column: {"type", "minimum", "maximum", "enum"}}}``;
        a `type` that contains "null" allows missing values.
    where : str
        Names the table in the error.

    Raises
    ------
    InputError
        Names the first column that does not fit, what was wanted and what was got.
    """
    wanted = list(schema["properties"])
    if list(frame.columns) != wanted:
        raise InputError(f"{where}: wanted the columns {wanted}, got {list(frame.columns)}.")
    for name, rule in schema["properties"].items():
        column, kinds = frame[name], rule["type"]
        kinds = [kinds] if isinstance(kinds, str) else kinds
        if "null" not in kinds and column.isna().any():
            raise InputError(f"{where}: column '{name}' has {int(column.isna().sum())} nulls.")
        values = column.dropna()
        is_number = pd.api.types.is_numeric_dtype(column.dtype) and not isinstance(
            column.dtype, pd.CategoricalDtype
        )
        if len(values) and is_number != bool({"number", "integer"} & set(kinds)):
            raise InputError(f"{where}: column '{name}' should be {kinds}, is {column.dtype}.")
        for bound, bad in (
            ("minimum", lambda v, limit: v < limit),
            ("maximum", lambda v, limit: v > limit),
            ("enum", lambda v, limit: ~v.isin(limit)),
        ):
            if bound in rule and len(wrong := values[bad(values, rule[bound])]):
                raise InputError(
                    f"{where}: column '{name}' has {len(wrong)} values outside its {bound} "
                    f"{rule[bound]}, the first is {wrong.iloc[0]!r}."
                )


@contextmanager
def replacing(path: str | Path):
    """A temporary path beside `path` that takes its place at the end, or vanishes on an error."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write(frame: pd.DataFrame, path: str | Path) -> None:
    """Write a table as Parquet or CSV, by its suffix, atomically."""
    with replacing(path) as temporary:
        if Path(path).suffix == ".parquet":
            frame.to_parquet(temporary, index=False)
        else:
            frame.to_csv(temporary, index=False)


def join(paths: Iterable[str | Path], path: str | Path, schema: dict) -> None:
    """Join chunks into one table, checked, one chunk in memory at a time.

    Raises
    ------
    InputError
        If a chunk does not fit the schema.
    """

    def checked() -> Iterator[pd.DataFrame]:
        for chunk in paths:
            frame = typed(pd.read_parquet(chunk))
            check(frame, schema, str(chunk))
            yield frame

    write_parts(checked(), path)


def write_parts(frames: Iterable[pd.DataFrame], path: str | Path) -> None:
    """Write frames of the same columns as one Parquet table, one of them in memory at a time."""
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


@cache
def _lower_rank(n: int) -> int:
    """Largest r for which the r-th smallest of n values exceeds the median in at most 2.5 %.

    That is, P(Bin(n, 1/2) < r) <= .025, in whole numbers; 0 for none.
    """
    rank, below = 0, 0
    while 40 * (below := below + comb(n, rank)) <= 2**n:
        rank += 1
    return rank


def summarise(frame: pd.DataFrame) -> pd.DataFrame:
    """Per setting and point of the attack: Δ over the replicates, and the scores.

    Returns
    -------
    DataFrame
        The columns of a setting, then n_selected (where it says the point), iterations,
        submissions (most that a replicate made), replicates, median_delta, delta_low, delta_high
        (an interval of the median at 95 % or more, from order statistics; null for fewer than
        6 replicates, where there is none), q1_delta, q3_delta,
        mean_delta, median_score_public, median_score_final, median_score_released,
        median_accepted, median_leaderboard_error.
    """
    # The point of the attack is k where there are no iterations, else the iteration.
    point = frame["n_selected"].where(frame["iterations"].isna())
    keys = [*SETTING, "n_selected", "iterations"]
    groups = frame.assign(n_selected=point).groupby(keys, observed=True, dropna=False, sort=False)
    rows = []
    for key, group in groups:
        delta = np.sort(group["delta"].to_numpy())
        n = len(delta)
        low = _lower_rank(n)
        q1, median, q3 = np.quantile(delta, [0.25, 0.5, 0.75])
        rows.append(
            dict(
                zip(keys, key, strict=True),
                submissions=group["submissions"].max(),
                replicates=n,
                median_delta=median,
                delta_low=delta[low - 1] if low else np.nan,
                delta_high=delta[n - low] if low else np.nan,
                q1_delta=q1,
                q3_delta=q3,
                mean_delta=delta.mean(),
                median_score_public=group["score_public"].median(),
                median_score_final=group["score_final"].median(),
                median_score_released=group["score_released"].median(),
                median_accepted=group["accepted"].median(),
                median_leaderboard_error=group["leaderboard_error"].median(),
            )
        )
    return typed(pd.DataFrame(rows))
