"""Names in CSV files that a spreadsheet must not take for formulas, nor a reader for gaps."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from shakedown.tables.cells import MISSING

#: With these a spreadsheet's formula begins.
_STARTS = ("=", "+", "-", "@", "\t", "\r")
_MARK = "'"


def defused(text: str) -> str:
    """A text as a cell: with an apostrophe before it, if it is like a formula or a missing value.

    `restored` returns the text.
    """
    return _MARK + text if _is_risky(text) else text


def restored(cell: str) -> str:
    """The text of a cell that `defused` returned; other cells are as they are."""
    return cell[1:] if cell.startswith(_MARK) and _is_risky(cell[1:]) else cell


def defused_table(frame: pd.DataFrame) -> pd.DataFrame:
    """A table as it is written for people: its texts are `defused`, its numbers stay numbers."""
    return _with_texts(frame, defused)


def restored_table(frame: pd.DataFrame) -> pd.DataFrame:
    """A table whose texts are as before `defused_table`."""
    return _with_texts(frame, restored)


def _with_texts(frame: pd.DataFrame, change: Callable[[str], str]) -> pd.DataFrame:
    changed = {}
    for name, kind in frame.dtypes.items():
        if isinstance(kind, pd.CategoricalDtype) or not pd.api.types.is_numeric_dtype(kind):
            texts = {text: change(text) for text in frame[name].unique() if isinstance(text, str)}
            # Only what differs: columns keep their types, with times and numbers among texts.
            if new := {old: text for old, text in texts.items() if text != old}:
                cells = frame[name].astype(object)
                changed[name] = cells.where(~cells.isin(list(new)), cells.map(new))
    return frame.assign(**changed) if changed else frame


def _is_risky(text: str) -> bool:
    inside = text.lstrip(_MARK)  # what already has an apostrophe gets another one
    return inside.startswith(_STARTS) or (inside != "" and inside.lower() in MISSING)
