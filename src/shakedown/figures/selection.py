"""Choosing the rows that a figure shows, and checking that they make one figure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from shakedown.interface import InputError, guess
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.settings import settings_in
from shakedown.simulation.columns import FORMER

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CRITERIA", "choose", "floats", "only", "require", "rows_of", "settings_in"]

#: The columns by which the rows of a figure can be chosen; besides, "mechanism" chooses by name,
#: and any parameter of a mechanism in the table by its value.
CRITERIA = (
    *("experiment", "dataset", "design", "metric", "attack", "iteration_board", "setting", "point"),
    *("n_features", "replicate", "prediction"),
)


def require(frame: pd.DataFrame, columns: Iterable[str], *, kind: str) -> None:
    """Check that a table has rows and the columns that a figure needs.

    Raises
    ------
    InputError
        If it lacks a column, or has no row.
    """
    missing = [c for c in columns if c not in frame.columns]
    if missing:
        raise InputError(
            f"figure kind {kind!r} needs the column{'s' * (len(missing) > 1)} "
            f"{', '.join(missing)}; the table has "
            f"{', '.join(map(str, frame.columns)) or 'no column'}."
        )
    if frame.empty:
        raise InputError(
            f"figure kind {kind!r} got a table without rows; check that the experiment has "
            "results for what the figure chooses."
        )


def choose(
    frame: pd.DataFrame, criteria: Mapping[str, object], *, kind: str, own: Iterable[str] = ()
) -> pd.DataFrame:
    """Rows that agree with every criterion.

    Parameters
    ----------
    criteria : mapping
        From a column of `CRITERIA`, "mechanism" or a mechanism's parameter to the value, or the
        list of values, to keep.  Mechanisms that do not have a
        parameter are kept, whatever its value.
    kind, own
        The kind of figure and its parameters, for the messages.

    Raises
    ------
    InputError
        If a criterion is unknown or not in the table, or nothing is left.
    """
    import pandas as pd

    criteria = {FORMER.get(c, c): value for c, value in criteria.items()}
    if not criteria:
        return frame
    settings = (
        {mechanism.setting: mechanism.columns for mechanism in settings_in(frame)}
        if "setting" in frame
        else {}
    )
    # Tables of a single mechanism have columns for its parameters.
    more = [key for columns in settings.values() for key in columns] or list(frame)
    known = dict.fromkeys([*CRITERIA, "mechanism", *more])
    if unknown := [c for c in criteria if c not in known]:
        own = tuple(own)
        raise InputError(
            f"figure kind {kind!r} has no setting {', '.join(map(repr, unknown))}."
            f"{guess(unknown[0], [*own, *known])} Its own are {', '.join(own) or 'none'}; rows of "
            f"this table are chosen by {', '.join(known)}."
        )
    columns = ["setting" if c == "mechanism" else c for c in criteria]
    require(frame, [c for c in columns if c in CRITERIA], kind=kind)
    keep, present = np.ones(len(frame), dtype=bool), {}
    for criterion, wanted in criteria.items():
        values = wanted if isinstance(wanted, list | tuple) else [wanted]
        is_column = criterion in CRITERIA or not settings
        column = frame[criterion if is_column else "setting"]
        # Each value is looked at once, in the order in which `codes` counts them.
        codes, column = pd.factorize(column, use_na_sentinel=False)[0], column.drop_duplicates()
        if not is_column:
            of = {setting: columns.get(criterion) for setting, columns in settings.items()}
            column = column.astype(object).map(of)
        present[criterion] = sorted(column.dropna().unique())
        matches = column.isin([*values, *map(str, values)]).to_numpy(dtype=bool)
        # A mechanism without the parameter fits every value that another one has.
        fits = (
            matches
            if is_column or not matches.any()
            else matches | column.isna().to_numpy(dtype=bool)
        )
        keep &= fits[codes]
    if not keep.any():
        asked = "; ".join(f"{c} = {_shown(v)}" for c, v in criteria.items())
        raise InputError(
            f"figure kind {kind!r}: no row has {asked}. The table holds "
            f"{'; '.join(f'{c}: {_cut(values)}' for c, values in present.items())}. "
            "Change the figure's entry in the configuration."
        )
    return frame[keep]


def only(frame: pd.DataFrame, column: str, *, kind: str) -> None:
    """Check that a column that must not be mixed in a figure has one value, or is null.

    Raises
    ------
    InputError
        If there are several.
    """
    values = sorted(frame[column].dropna().unique())
    if len(values) > 1:
        raise InputError(
            f"figure kind {kind!r} shows one {column} at a time, got {_shown(values)}. "
            f"Choose one in the figure's entry, such as {column}: {values[0]}."
        )


def rows_of(frame: pd.DataFrame, setting: Mechanism) -> pd.DataFrame:
    """The rows of one setting."""
    return frame[(frame["setting"] == setting.setting).to_numpy(dtype=bool)]


def floats(column: pd.Series) -> np.ndarray:
    """A nullable column as floats, with nan for null."""
    return column.to_numpy(dtype=float, na_value=np.nan)


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _cut(values: Iterable, at_most: int = 12) -> str:
    texts = list(dict.fromkeys(f"{v:g}" if isinstance(v, float) else str(v) for v in values))
    more = ", ..." if len(texts) > at_most else ""
    return (", ".join(texts[:at_most]) + more) or "only null"
