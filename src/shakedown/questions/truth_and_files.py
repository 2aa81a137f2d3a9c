"""A truth and the final file of each team, as questions about final files take them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from shakedown.interface import InputError
from shakedown.live.predictions import values_of
from shakedown.live.truth import Truth
from shakedown.live.truth_file import has_column, read_truth
from shakedown.metrics.classes import NUMBERS, unfit
from shakedown.questions.frames import as_file, frame_of
from shakedown.tables.policy import Refused
from shakedown.wording import some

if TYPE_CHECKING:
    from shakedown.metrics import Metric

_WANTED = "files: wanted the file or the predictions of each team, or a list of paths"
_CURE = "Name the teams, as in {'Team Ada': predictions, 'Team Bob': 'bob.csv'}."


def truth_of(
    truth: Any, *, id: str, response: str | Sequence[str], split: str | None, group: str | None,
    event: str | None, classes: Sequence[str], seed: int, horizons: Sequence[float] | None = None,
) -> Truth:  # fmt: skip
    """The truth; its column `set` says which rows are final, if it has one.

    Raises
    ------
    InputError
        If it cannot be used.
    """
    columns = {
        "id": id, "response": response, "group": group, "event": event, "classes": classes,
        "seed": seed, "horizons": horizons,
    }  # fmt: skip
    if isinstance(truth, str | Path):
        return _read(str(truth), split, columns)
    with as_file(frame_of(truth, "truth"), "truth") as path:
        return _read(str(path), split, columns)


def _read(path: str, split: str | None, columns: Mapping[str, Any]) -> Truth:
    if split is None and has_column(path, "set"):
        split = "set"
    return read_truth(path, split=split, **columns, all_final=True)[0]


def final_files(files: Any, truth: Truth, metric: Metric) -> dict[str, np.ndarray]:
    """The predictions of each team's file, in the order of the truth.

    Raises
    ------
    InputError
        If there are fewer than two files, or one cannot be used.
    """
    given = _named(files)
    if len(given) < 2:
        raise InputError(f"files: wanted those of two teams or more; got {len(given)}.")
    return {team: _predictions(team, file, truth, metric) for team, file in given.items()}


def _named(files: Any) -> dict[str, Any]:
    """The file of each team."""
    if isinstance(files, Mapping):
        return {str(team): file for team, file in files.items()}
    listed = [files] if isinstance(files, str | Path) else files
    if not isinstance(listed, Sequence):
        raise InputError(f"{_WANTED}; got {_kind(files)}. {_CURE}")
    if wrong := [file for file in listed if not isinstance(file, str | Path)]:
        raise InputError(f"{_WANTED}; got {_kind(wrong[0])} in {_kind(files)}. {_CURE}")
    paths = [Path(file) for file in listed]
    names = [path.name.removesuffix(".gz").rsplit(".", 1)[0] for path in paths]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InputError(
            f"files: wanted a name of its own for each team; {some(twice)} is that of several. "
            "Rename the files."
        )
    return dict(zip(names, paths, strict=True))


def _sent(file: Any, truth: Truth) -> Any:
    """A file in a form in which it is submitted; rows of a frame or Series stand at their ids."""
    if isinstance(file, str | Path):
        return Path(file)
    if isinstance(file, pd.Series) and not truth.responses:
        if _is_counted(file.index):
            return _numbers(file)
        file = file.to_frame("prediction")
    if isinstance(file, pd.DataFrame):
        return _content(file)
    return file if isinstance(file, Mapping) else _numbers(file)


def _content(frame: pd.DataFrame) -> bytes:
    """A frame as the content of a file; the ids are its column `id`, or else its index."""
    if "id" not in frame.columns:
        if _is_counted(frame.index):
            raise InputError(
                "wanted a column 'id' or the ids as index; got a DataFrame with "
                f"{some(frame.columns)}. Rename the column of ids, or make it the index."
            )
        frame = frame.rename_axis("id").reset_index()
    frame = frame.astype({c: float for c, kind in frame.dtypes.items() if kind == np.float32})
    return frame.to_csv(index=False).encode()


def _is_counted(index: pd.Index) -> bool:
    """Whether an index only counts the rows from 0, as where nobody has set one."""
    return isinstance(index, pd.RangeIndex) and (index.start, index.step) == (0, 1)


def _numbers(values: Any) -> np.ndarray:
    """Predictions in the order of the truth, without ids."""
    if values is None or np.ndim(values) == 0:
        raise InputError(
            "wanted a path, a DataFrame with the columns id and prediction, predictions by id, or "
            f"an array in the order of the truth; got {_kind(values)}."
        )
    try:
        return np.asarray(values, float)
    except (TypeError, ValueError) as e:
        raise InputError(
            f"wanted numbers; {e}. Give predictions by id, or an array of numbers in the order of "
            "the truth."
        ) from e


def _kind(thing: Any) -> str:
    return type(thing).__name__


def _predictions(team: str, file: Any, truth: Truth, metric: Metric) -> np.ndarray:
    try:
        if isinstance(file, str | Path) and not Path(file).is_file():
            raise InputError(f"there is no file {file}.")
        values = values_of(_sent(file, truth), truth)
    except (InputError, Refused) as e:
        raise InputError(f"file of '{team}': {e}") from e
    own = truth.part(False)
    if metric.predicts != NUMBERS and (why := unfit(metric.predicts, values[own.at], own.y)):
        raise InputError(f"file of '{team}': {metric.label}: {why}. Correct the file.")
    return values
