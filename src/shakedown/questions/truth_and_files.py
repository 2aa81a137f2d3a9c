"""A truth and the final file of each team, as questions about final files take them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

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
    paths = [Path(file) for file in ([files] if isinstance(files, str | Path) else files)]
    names = [path.name.removesuffix(".gz").rsplit(".", 1)[0] for path in paths]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InputError(
            f"files: wanted a name of its own for each team; {some(twice)} is that of several. "
            "Rename the files."
        )
    return dict(zip(names, paths, strict=True))


def _predictions(team: str, file: Any, truth: Truth, metric: Metric) -> np.ndarray:
    try:
        if isinstance(file, str | Path) and not Path(file).is_file():
            raise InputError(f"there is no file {file}.")
        values = values_of(Path(file) if isinstance(file, str) else file, truth)
    except (InputError, Refused) as e:
        raise InputError(f"file of '{team}': {e}") from e
    own = truth.part(False)
    if metric.predicts != NUMBERS and (why := unfit(metric.predicts, values[own.at], own.y)):
        raise InputError(f"file of '{team}': {metric.label}: {why}. Correct the file.")
    return values
