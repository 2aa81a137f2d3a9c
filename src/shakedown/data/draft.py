"""A table of numbers while it is checked and corrected."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import numpy as np

from shakedown.interface import Grouping
from shakedown.tables.policy import Source


@dataclass
class Draft:
    """A table that is being checked.

    Attributes
    ----------
    source : Source
    values : ndarray of float, shape (p, n), C order
        One row per feature, so that a feature is contiguous.
    y : ndarray of float, shape (n,)
        The response; of several, their means (`several.row_means`).
    rows : ndarray of str, shape (n,)
        Ids; numbers from 1 if the table has none.
    features : ndarray of str, shape (p,)
    split : ndarray of str, shape (n,), or None
    notes : list of str
    leaks : dict of str to str
        Features that give the response away, and how; see `leaks.revealing`.
    groupings : tuple of Grouping
        Ignored columns with repeated values.
    group : Grouping or None
        The column of groups.
    weights : ndarray of float, shape (n,), or None
        Of the rows; None if all count the same.
    events : ndarray of float, shape (n,), or None
        1 where an event was seen at the time `y`, 0 where the row was censored then, NaN where it
        is missing; None for a response of numbers.
    names : tuple of str
        Of the responses, if there are several.
    responses : ndarray of float, shape (q, n), or None
        Several responses, NaN where one is missing; None for a single one.
    """

    source: Source
    values: np.ndarray
    y: np.ndarray
    rows: np.ndarray
    features: np.ndarray
    split: np.ndarray | None
    notes: list[str] = field(default_factory=list)
    leaks: dict[str, str] = field(default_factory=dict)
    groupings: tuple[Grouping, ...] = ()
    group: Grouping | None = None
    weights: np.ndarray | None = None
    events: np.ndarray | None = None
    names: tuple[str, ...] = ()
    responses: np.ndarray | None = None

    def keep_rows(self, keep: np.ndarray) -> None:
        """Keep the rows where `keep`, shape (n,), is true."""
        self.values = np.ascontiguousarray(self.values[:, keep])
        self.y, self.rows = self.y[keep], self.rows[keep]
        if self.responses is not None:
            self.responses = self.responses[:, keep]
        if self.split is not None:
            self.split = self.split[keep]
        if self.weights is not None:
            self.weights = self.weights[keep]
        if self.events is not None:
            self.events = self.events[keep]
        self.groupings = tuple(g._replace(codes=g.codes[keep]) for g in self.groupings)
        if self.group is not None:
            self.group = self.group._replace(codes=self.group.codes[keep])

    def keep_features(self, keep: np.ndarray) -> None:
        """Keep the features where `keep`, shape (p,), is true."""
        positions = np.flatnonzero(keep)
        # In place, because the table may be large; features move only towards the front.
        for to, at in enumerate(positions):
            if to != at:
                self.values[to] = self.values[at]
        self.values = self.values[: len(positions)]
        self.features = self.features[keep]


def warn(draft: Draft, sentence: str) -> None:
    """Add a sentence to the notes, and warn with it."""
    draft.notes.append(sentence)
    warnings.warn(f"Data set {draft.source.name}: {sentence}", UserWarning, stacklevel=2)
