"""Likely reasons why ids match no row."""

from __future__ import annotations

import numpy as np


def cure(strange: np.ndarray, rows: np.ndarray) -> str:
    """Sentences about ids that match no row, starting with a blank; "" if all match.

    Parameters
    ----------
    strange : ndarray of str, shape (s,)
        Ids that match no row.
    rows : ndarray of str, shape (n,)
        Ids of the rows, "" if missing.
    """
    there = rows[rows != ""]
    if not len(strange) or not len(there):
        return ""
    bare = {_bare(text): text for text in there[::-1].tolist()}
    for text in strange.tolist():
        if _bare(text) in bare:
            return (
                f" Ids in the table look like '{bare[_bare(text)]}': leading zeros matter. Quote "
                "ids with leading zeros in a configuration, and store them as text."
            )
    return f" Ids in the table look like '{there[0]}'."


def _bare(text: str) -> str:
    """An id without leading zeros if it consists of digits."""
    return text.lstrip("0") or "0" if text.isdecimal() else text
