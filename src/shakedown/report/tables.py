"""Data frames as tables for people: names and units in the heads, sensible digits."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field

import pandas as pd

from shakedown.figures.selection import PARAMETERS
from shakedown.figures.style import MECHANISMS, label
from shakedown.outcomes import MECHANISM
from shakedown.wording import design_name, metric_name, signed

_MISSING = "–"

# Pairs of columns that are read as one interval, and its head.
_INTERVALS = {
    ("delta_low", "delta_high"): "95 % interval of the median Δ",
    ("q1_delta", "q3_delta"): "Middle half of Δ",
    ("ci_low", "ci_high"): "95 % interval",
}

# Columns that describe a row; one that says the same in all rows is told above the table.
_DESCRIBING = (
    *("experiment", "dataset", "design", "metric", "attack", "board", "threat", "threshold"),
    *("n_features", "submissions", "replicates"),
)

_HEADS = {
    "dataset": "Data",
    "experiment": "Experiment",
    "design": "Design",
    "metric": "Metric",
    "attack": "Attack",
    "board": "Board",
    "mechanism": "Mechanism",
    "alpha": "α",
    "posterior_odds": "Posterior odds",
    "eta": "η",
    "b": "b",
    "n_features": "Features tried",
    "n_selected": "Features in the model (k)",
    "iterations": "Iterations",
    "submissions": "Submissions",
    "safe_submissions": "Safe submissions",
    "replicates": "Replicates",
    "median_delta": "Median Δ",
    "mean_delta": "Mean Δ",
    "median_score_public": "Median public score",
    "median_score_final": "Median final score",
    "median_score_released": "Median released score",
    "median_accepted": "Median number accepted",
    "median_leaderboard_error": "Median leaderboard error",
    "censored": "Safe at the largest budget tried",
}

# A number in text, with its interval.
_WITH_INTERVAL = re.compile(r"-?\d+\.\d+( \[-?\d+\.\d+, -?\d+\.\d+\])?")

# In a cell there is no room for a phrase; the glossary explains the words.
_SHORT = {"freedman": "Freedman", "step_forward": "step-forward"}


def short_attack(attack: str) -> str:
    """Name of an attack where there is no room for a phrase."""
    return _SHORT.get(attack, attack.replace("_", " "))


_WORDS: dict[str, Callable[[str], str]] = {
    "design": design_name,
    "metric": metric_name,
    "attack": short_attack,
    "threat": short_attack,
    "board": lambda board: board.replace("_", " "),
}


@dataclass(frozen=True)
class Cell:
    """One cell: its text, and the length of its bar in % of the longest (0: none)."""

    text: str
    bar: float = 0.0
    kind: str = ""


@dataclass(frozen=True)
class Table:
    """A table ready for the page.

    Attributes
    ----------
    heads : list of (str, bool)
        Head of each column, and whether it holds numbers.
    rows : list of list of Cell
    shared : list of (str, str)
        Columns that say the same in every row, told once: head and value.
    """

    heads: list[tuple[str, bool]]
    rows: list[list[Cell]]
    shared: list[tuple[str, str]] = field(default_factory=list)


def table(frame: pd.DataFrame, *, bar: str | None = None) -> Table:
    """Lay out a data frame.

    Columns without any value are left out, columns with one value throughout are told once above
    the table, a mechanism and its parameters become one name, and two ends become an interval.

    Parameters
    ----------
    frame : DataFrame
        Known columns get printable heads; others keep their names.
    bar : str, optional
        A column whose cells get a bar, as long as the value is far from zero.
    """
    if frame.empty:
        return Table(heads=[(_head(c), False) for c in frame.columns], rows=[])
    columns = _columns(frame)
    shared = []
    if len(frame) > 1:
        for name in _DESCRIBING:
            if name in columns and len(set(columns[name][1])) == 1:
                shared.append((columns[name][0], columns[name][1][0]))
                del columns[name]
    lengths = _lengths(frame[bar]) if bar in columns else []
    heads = [(head, numeric) for head, _, numeric in columns.values()]
    rows = []
    for i in range(len(frame)):
        row = []
        for name, (_, texts, numeric) in columns.items():
            length = lengths[i] if name == bar else 0.0
            kind = _kind(str(name), texts[i], numeric=numeric)
            if name == bar and float(frame[bar].iloc[i]) < 0:
                kind += " below"
            row.append(Cell(texts[i], length, kind))
        rows.append(row)
    return Table(heads, rows, shared)


def _kind(name: str, text: str, *, numeric: bool) -> str:
    """Classes of a cell, which the style sheet knows."""
    if name == "mechanism":
        return "name"
    if text == _MISSING:
        return "number missing" if numeric else "missing"
    if numeric:
        return "number"
    if name == "holds":
        return text  # "yes" or "no", the one answer that is good or bad
    return "short" * (len(text) <= 18)


def _columns(frame: pd.DataFrame) -> dict[str, tuple[str, list[str], bool]]:
    """Name -> head, texts, whether numeric."""
    found = {}
    # Any of the parameters may have been left out because no mechanism of the table has it.
    whole = "mechanism" in frame and set(frame["mechanism"]) <= set(MECHANISMS)
    ends = {low: (low, high) for low, high in _INTERVALS if {low, high} <= set(frame.columns)}
    # The name of a mechanism says its gate and its release, too.
    named = {*PARAMETERS, "gate", "release"} if whole else set()
    skip = {high for _, high in ends.values()} | named
    for name in frame.columns:
        column = frame[name]
        if name in skip or column.isna().all():
            continue
        if name == "mechanism" and whole:
            found[name] = _HEADS[name], _mechanisms(frame), False
        elif name in ends:
            low, high = (_texts(frame[end], end) for end in ends[name])
            texts = [
                a if a == _MISSING == z else f"{a} to {z}" for a, z in zip(low, high, strict=True)
            ]
            found[name] = _INTERVALS[ends[name]], texts, True
        else:
            found[name] = _head(name), *_cells(column, name)
    return found


def _mechanisms(frame: pd.DataFrame) -> list[str]:
    # "α = 0.5" stays in one line.
    return [
        label(
            str(row.mechanism),
            *(None if pd.isna(v) else v for v in (row.alpha, row.posterior_odds, row.eta)),
            None if pd.isna(row.b) else int(row.b),
        ).replace(" = ", "\u00a0=\u00a0")
        for row in frame.reindex(columns=MECHANISM).itertuples()
    ]


def _cells(column: pd.Series, name: str) -> tuple[list[str], bool]:
    """Texts, and whether they are numbers; "-0.1 [-0.2, 0.1]" is one, too."""
    texts = _texts(column, name)
    written = [text for text in texts if text != _MISSING]
    if not _numeric(column) and written and all(map(_WITH_INTERVAL.fullmatch, written)):
        return [text.replace("-", "−") for text in texts], True
    return texts, _numeric(column)


def _texts(column: pd.Series, name: str) -> list[str]:
    if pd.api.types.is_bool_dtype(column.dtype):
        return [_MISSING if pd.isna(v) else "yes" if v else "no" for v in column]
    if not _numeric(column):
        words = _WORDS.get(str(name), str)
        return [_MISSING if pd.isna(v) else words(str(v)) for v in column]
    values = [math.nan if pd.isna(v) else float(v) for v in column]
    known = [v for v in values if math.isfinite(v)]
    whole = all(v == int(v) for v in known) and not _is_score(str(name))
    return [_number(v, whole=whole, score=_is_score(str(name))) for v in values]


def _number(value: float, *, whole: bool, score: bool) -> str:
    if math.isnan(value):
        return _MISSING
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if whole:
        return f"{value:,.0f}".replace("-", "−")
    return signed(value, 3) if score else f"{value:.4g}".replace("-", "−")


def _numeric(column: pd.Series) -> bool:
    kind = column.dtype
    return pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_bool_dtype(kind)


def _is_score(name: str) -> bool:
    return "delta" in name or "score" in name or name.endswith("leaderboard_error")


def _head(name: object) -> str:
    text = str(name).replace("_", " ")
    return _HEADS.get(str(name), text[:1].upper() + text[1:])  # "AR(1)" stays as it is


def _lengths(column: pd.Series) -> list[float]:
    sizes = [0.0 if pd.isna(v) or math.isinf(v) else abs(float(v)) for v in column]
    longest = max(sizes)
    return [round(100 * s / longest, 1) if longest else 0.0 for s in sizes]
