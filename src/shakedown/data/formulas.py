"""Names in CSV files that a spreadsheet must not take for formulas, nor a reader for gaps."""

from __future__ import annotations

from shakedown.data.cells import MISSING

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


def _is_risky(text: str) -> bool:
    inside = text.lstrip(_MARK)  # what already has an apostrophe gets another one
    return inside.startswith(_STARTS) or (inside != "" and inside.lower() in MISSING)
