"""Frames and arrays as the tables that the package reads, with the checks and messages of files."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

from shakedown.data.layout import some
from shakedown.interface import InputError
from shakedown.wording import counted

#: What messages call a frame that has no file.
SHOWN = "a data frame"


def frame_of(data: Any, what: str) -> pd.DataFrame:
    """A copy of a DataFrame, or the columns x1, x2, ... of an array of shape (n, p).

    Raises
    ------
    InputError
        If it is neither; `what` names the argument.
    """
    if isinstance(data, pd.DataFrame):
        frame = data.copy(deep=False)
        frame.columns = [str(column).strip() for column in data.columns]
        if repeated := [name for name, count in Counter(frame.columns).items() if count > 1]:
            raise InputError(
                f"{what}: the header has {some(repeated)} more than once; give each column a "
                "unique name."
            )
        return frame
    try:
        array = np.asarray(data)
    except ValueError:  # rows of different lengths
        array = np.empty(())
    if array.ndim != 2:
        raise InputError(
            f"{what}: wanted a path, a DataFrame or an array of shape (rows, features); got "
            f"{type(data).__name__}{f' of shape {array.shape}' if array.ndim else ''}."
        )
    return pd.DataFrame(array, columns=[f"x{k + 1}" for k in range(array.shape[1])])


def with_column(
    frame: pd.DataFrame, given: Any, argument: str, name: str
) -> tuple[pd.DataFrame, str | None]:
    """The frame with a column that is given by its name or by its values, and the column's name.

    Parameters
    ----------
    frame : DataFrame
    given : str, array-like of shape (n,), or None
    argument : str
        Names it in the error.
    name : str
        Of a new column; a Series has one.  Underscores follow if the frame has it already.

    Raises
    ------
    InputError
        If there are not as many values as rows.
    """
    if given is None or isinstance(given, str):
        return frame, given
    values = np.asarray(given)
    if values.shape == (len(frame), 1):  # a column, as scikit-learn takes it
        values = values[:, 0]
    if values.shape != (len(frame),):
        raise InputError(
            f"{argument}: wanted {counted(len(frame), 'value')}, one for each row; got an array of "
            f"shape {values.shape}."
        )
    name = str(getattr(given, "name", None) or name)
    while name in frame.columns:
        name += "_"
    return frame.assign(**{name: values}), name


@contextmanager
def as_file(frame: pd.DataFrame, name: str) -> Iterator[Path]:
    """A frame in a file, as long as the block lasts; errors in it name no file but a data frame."""
    texts = [c for c in frame.columns if not pd.api.types.is_numeric_dtype(frame[c].dtype)]
    frame = frame.assign(**{c: frame[c].astype(object).map(str, na_action="ignore") for c in texts})
    with TemporaryDirectory() as folder:
        path = Path(folder, f"{name}.parquet")
        frame.to_parquet(path, index=False)
        try:
            yield path
        except InputError as e:
            raise InputError(unnamed(str(e), path)) from None


def unnamed(text: str, path: Path) -> str:
    """A text about a frame in a file, without the file."""
    return text.replace(str(path), SHOWN)


@contextmanager
def table_file(
    data: Any, y: Any, response: str | list[str] | None, response_table: str | None,
    aside: Mapping[str, Any], name: str | None,
) -> Iterator[tuple[str | os.PathLike, dict[str, Any]]]:  # fmt: skip
    """The file of a table, and its columns: responses, and those that are no features."""
    given = {"response": response if y is None else y, **aside}
    if y is not None and response is not None:
        raise InputError("y and response are both given; wanted one of them.")
    if response_table is not None and not isinstance(data, str | os.PathLike):
        raise InputError(
            "response_table: wanted with the file of a table; got a frame. Join the frames, and "
            "name the columns as `response`."
        )
    if given["response"] is None and response_table is None:
        raise InputError(
            "Which response? Give `response`, the name of its column, or `y`, its values."
        )
    if isinstance(data, str | os.PathLike):
        for argument, value in given.items():
            is_named = isinstance(value, str) or (argument == "response" and y is None)
            if value is not None and not is_named:
                raise InputError(
                    f"{'y' if argument == 'response' else argument}: wanted the name of a column "
                    f"of {data}, got {type(value).__name__}."
                )
        yield data, given
        return
    frame, columns = frame_of(data, "data"), {}
    for argument, value in given.items():
        called = "y" if argument == "response" and y is not None else argument
        if argument == "response" and (several := _several(value, given=y is not None)):
            columns[argument] = []
            for own, values in several:
                frame, own = with_column(frame, own if values is None else values, called, own)
                columns[argument].append(own)
            continue
        frame, columns[argument] = with_column(frame, value, called, called)
    with as_file(frame, name or "table") as path:
        yield path, columns


def _several(value: Any, *, given: bool) -> list[tuple[str, np.ndarray | None]]:
    """The names of several responses, with their values if they are given; empty for one."""
    if not given:
        return [(name, None) for name in value] if isinstance(value, list) else []
    values = np.asarray(value)
    if values.ndim != 2 or values.shape[1] < 2:
        return []
    names = getattr(value, "columns", [f"y{k + 1}" for k in range(values.shape[1])])
    return [(str(name), column) for name, column in zip(names, values.T, strict=True)]
