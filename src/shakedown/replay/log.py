"""A submission log that is ready to be played, and its file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd


@dataclass(frozen=True, eq=False)
class Log:
    """A real submission log, ready to be played.

    Attributes
    ----------
    name : str
        The study's name.
    rows : ndarray of str, shape (n,)
        Ids of the rows.
    truth : ndarray of float, shape (n,)
        What was to be predicted, in its own unit.
    public : ndarray of bool, shape (n,)
        Which rows the board scores; the others are private.
    predictions : ndarray of float, shape (m, n)
        Finite; a row for each submission, in playing order.
    submissions : DataFrame
        m rows in playing order: `submission` (its id), `team`, `order` (1 to m), `order_in_team`
        (from 1) and `time` (missing where the log tells none).
    messages : DataFrame
        What the rules did, one row each: `submission` and `team` (missing where it is about the
        log as a whole), `rule` (its name), `count` (how many cells, rows or submissions), `done`
        (one plain sentence), `played` (whether that submission was played; missing where it is
        about none).
    """

    name: str
    rows: np.ndarray
    truth: np.ndarray
    public: np.ndarray
    predictions: np.ndarray
    submissions: pd.DataFrame
    messages: pd.DataFrame
