"""Tables of outcomes: define, check, write, join and summarise them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from shakedown.data.files import reading_table, replacing
from shakedown.data.formulas import defused_table, restored_table
from shakedown.interface import InputError
from shakedown.simulation.columns import (
    COLUMNS,
    MEDIANS,
    PARQUET_TYPES,
    SETTING,
    TABLE,
    TRACE,
    Column,
    Columns,
    write_tables,
)
from shakedown.simulation.quantiles import ranks

__all__ = [
    "COLUMNS",
    "MEDIANS",
    "SETTING",
    "TABLE",
    "TRACE",
    "Column",
    "Columns",
    "check",
    "join",
    "read",
    "require",
    "summarise",
    "typed",
    "write",
    "write_parts",
]


def typed(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with the types of all known columns."""
    known = {c: COLUMNS[c] for c in frame.columns if c in COLUMNS}
    # A limit that is not attacked is no number, and others stay whole all the same.
    whole = "iteration", "submission", "safe_submissions", "ci_low", "ci_high"
    known |= {c: "Int64" for c in whole if c in frame.columns}
    known |= {c: "category" for c in ("feature",) if c in frame.columns}
    # To cast a column to the type that it has takes as long as to another one.
    return frame.astype({c: kind for c, kind in known.items() if frame.dtypes[c] != kind})


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

    def tables() -> Iterator[pa.Table]:
        schema = None
        for frame in map(typed, frames):
            if schema is None:
                schema = pa.schema(
                    [(c, PARQUET_TYPES[str(kind)]) for c, kind in frame.dtypes.items()]
                )
            yield pa.Table.from_pandas(frame, schema=schema, preserve_index=False)

    write_tables(tables(), path)


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
    summary = frame.iloc[order[::n]][[*SETTING, "point"]].reset_index(drop=True)
    return typed(
        summary.assign(
            submissions=values("submissions").max(axis=1).astype(int),
            replicates=n,
            median_delta=median,
            delta_low=delta[:, low - 1] if low else np.nan,
            delta_high=delta[:, n - low] if low else np.nan,
            q1_delta=q1,
            q3_delta=q3,
            mean_delta=delta.mean(axis=1),
            **{f"median_{c}": _medians(values(c)) for c in MEDIANS},
        )
    )


def _medians(rows: np.ndarray) -> np.ndarray:
    """Median of each row without its nan; nan for a row of nan alone."""
    if np.isnan(rows).any():
        return pd.DataFrame(rows).median(axis=1).to_numpy()
    return np.median(rows, axis=1)
