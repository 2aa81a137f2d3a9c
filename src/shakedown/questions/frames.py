"""Frames and arrays as the tables that the package reads, with the checks and messages of files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
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
