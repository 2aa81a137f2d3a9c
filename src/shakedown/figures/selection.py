"""Choosing the rows that a figure shows, and checking that they make one figure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from shakedown.figures.style import Setting, look
from shakedown.interface import InputError
from shakedown.outcomes import MECHANISM

#: What a mechanism may have beside its name.
PARAMETERS = tuple(MECHANISM[1:])

#: The columns by which the rows of a figure can be chosen.
CRITERIA = (
    *("experiment", "dataset", "design", "metric", "attack", "board", *MECHANISM),
    *("n_features", "n_selected", "iterations", "submissions", "replicate", "prediction"),
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
            f"{', '.join(missing)}; the table has {', '.join(map(str, frame.columns)) or 'none'}."
        )
    if frame.empty:
        raise InputError(
            f"figure kind {kind!r} got a table without rows; check that the experiment has "
            "results for what the figure chooses."
        )


def choose(frame: pd.DataFrame, criteria: Mapping[str, object], *, kind: str) -> pd.DataFrame:
    """Rows that agree with every criterion.

    Parameters
    ----------
    frame : DataFrame
    criteria : mapping
        From a column's name to the value, or the list of values, to keep.  A parameter (alpha,
        posterior_odds, eta, b) says nothing on mechanisms that do not have it: those stay.
    kind : str
        Kind of figure, for the messages.

    Raises
    ------
    InputError
        If a criterion is not a column of the table or not of its type, or nothing is left.
    """
    require(frame, criteria, kind=kind)
    keep = np.ones(len(frame), dtype=bool)
    for column, wanted in criteria.items():
        values = wanted if isinstance(wanted, (list, tuple)) else [wanted]
        try:
            keep = keep & _matches(frame[column], values, null=column in PARAMETERS)
        except ValueError:
            raise InputError(
                f"figure kind {kind!r}: {column} must be a number or a list of numbers, "
                f"got {_shown(wanted)}. Change the figure's entry in the configuration."
            ) from None
    if not keep.any():
        asked = "; ".join(f"{c} = {_shown(v)}" for c, v in criteria.items())
        held = "; ".join(f"{c}: {_held(frame[c])}" for c in criteria)
        raise InputError(
            f"figure kind {kind!r}: no row has {asked}. The table holds {held}. "
            "Change the figure's entry in the configuration."
        )
    return frame[keep]


def only(frame: pd.DataFrame, column: str, *, kind: str) -> str | None:
    """The one value of a column that must not be mixed in a figure; None if it is null.

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
    return values[0] if values else None


def settings_of(frame: pd.DataFrame) -> list[Setting]:
    """The mechanisms with their parameters in a table, in the order in which they are shown.

    Raises
    ------
    InputError
        If a mechanism has no name and colour.
    """
    rows = frame[MECHANISM].drop_duplicates()
    settings = [
        Setting(
            mechanism=str(row.mechanism),
            alpha=_number(row.alpha, float),
            posterior_odds=_number(row.posterior_odds, float),
            eta=_number(row.eta, float),
            b=_number(row.b, int),
        )
        for row in rows.itertuples()
    ]
    for setting in settings:
        look(setting.mechanism)
    return sorted(settings, key=lambda setting: setting.sort_key)


def rows_of(frame: pd.DataFrame, setting: Setting) -> pd.DataFrame:
    """The rows of one mechanism with its parameters."""
    keep = (frame["mechanism"] == setting.mechanism).to_numpy(dtype=bool)
    for column in PARAMETERS:
        value = getattr(setting, column)
        if value is None:
            keep = keep & frame[column].isna().to_numpy()
        else:
            keep = keep & _matches(frame[column], [value], null=False)
    return frame[keep]


def floats(column: pd.Series) -> np.ndarray:
    """A nullable column as floats, with nan for null."""
    return column.to_numpy(dtype=float, na_value=np.nan)


def _matches(column: pd.Series, values: Sequence[object], *, null: bool) -> np.ndarray:
    if pd.api.types.is_numeric_dtype(column.dtype):
        held = floats(column)
        wanted = np.array([float(v) for v in values])
        # Parameters pass through files: 5.67 must find 5.67 whatever the last bit.
        found = np.isclose(held[:, None], wanted[None, :], rtol=1e-9, atol=0).any(axis=1)
    else:
        found = column.isin([str(v) for v in values]).to_numpy(dtype=bool)
    return found | column.isna().to_numpy() if null else found


def _number(value, kind):
    return None if pd.isna(value) else kind(value)


def _shown(value) -> str:
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _held(column: pd.Series, at_most: int = 12) -> str:
    values = [
        f"{v:g}" if isinstance(v, float) else str(v) for v in sorted(column.dropna().unique())
    ]
    more = ", ..." if len(values) > at_most else ""
    return (", ".join(values[:at_most]) + more) or "only null"
