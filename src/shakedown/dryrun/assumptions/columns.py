"""Columns with repeated values, which may group the rows of a table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shakedown.interface import Challenge

#: Features that are looked at: of more, as many in equal steps; fewer of a table with many rows.
MOST, FEWEST, CELLS = 200, 20, 4_000_000
_NAMED = re.compile(
    r"(.*[\W_])?(patient|subject|person|participant|individual|donor|proband|family|household|"
    r"litter|animal|mouse|customer|user|student|pupil)s?([\W_]*(id|no|nr|num|number|code))?",
    re.IGNORECASE,
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
#: What separates the parts of an id such as "P01_V2" or "P01.2".
_PARTS = re.compile(r"(.+)[^0-9A-Za-z]([0-9A-Za-z]+)")
#: A text with at least so many values is no category with an effect of its own.
MANY = 10
#: A column of fewer numbers may be one of codes; and the degree of a curve through more of them.
FEW, CURVED = 6, 3


@dataclass(frozen=True, eq=False)
class Column:
    """A column with repeated values.

    Attributes
    ----------
    name : str
        What a sentence calls it.
    codes : ndarray of int, shape (n,)
        0, 1, ..., size - 1; a row without a value has a code of its own.
    levels : int
        Number of values; rows without one do not count.
    of_units : bool
        Whether its values are names of units that are measured several times, such as patients.
    degree : int
        Of the polynomial in its codes that honest models may miss: 3 for a column of numbers, which
        need not act along a straight line, 0 for names.
    """

    name: str
    codes: np.ndarray
    levels: int
    of_units: bool
    degree: int = 0

    @property
    def counts(self) -> np.ndarray:
        """Rows of each code."""
        return np.bincount(self.codes)


def columns(challenge: Challenge) -> Iterator[Column]:
    """All columns with a value in several rows: of ids, ignored ones, and features."""
    yield from _of_ids(challenge.rows)
    for name, codes, is_text in challenge.groupings:
        levels = len(np.unique(codes[codes >= 0]))
        units = _is_named(name) or (is_text and levels >= MANY)
        degree = 0 if is_text or units or levels < FEW else CURVED
        yield from _column(f"column '{name}'", codes, units, degree)
    most = max(FEWEST, min(MOST, CELLS // max(1, len(challenge.y))))
    for j in sampled(len(challenge.features), most):
        name = str(challenge.features[j])
        codes = np.unique(challenge.X[:, j], return_inverse=True)[1]
        yield from _column(f"feature '{name}'", codes, _is_named(name), CURVED)


def sampled(n_features: int, most: int = MOST) -> np.ndarray:
    """The features that are looked at: all, or `most` in equal steps."""
    return np.unique(np.linspace(0, n_features - 1, min(n_features, most)).astype(int))


def _of_ids(ids: np.ndarray) -> Iterator[Column]:
    """What ids such as P01_V2 begin with, if several rows share it and their ends recur."""
    parts = [_PARTS.fullmatch(str(i)) for i in ids]
    if not all(parts):
        return
    stems, ends = (np.array([match[k] for match in parts]) for k in (1, 2))
    values, codes = np.unique(stems, return_inverse=True)
    # Numbers that count all rows do not recur.
    if len(values) >= MANY and 2 * len(np.unique(ends)) <= len(ids):
        yield from _column("the ids without their last part", codes, True, 0)


def _column(name: str, codes: np.ndarray, units: bool, degree: int) -> Iterator[Column]:
    given = codes >= 0
    levels = len(np.unique(codes[given]))
    if not 1 < levels < given.sum():
        return
    alone = np.where(given, codes, codes.max() + 1 + np.arange(len(codes)))
    alone = np.unique(alone, return_inverse=True)[1]
    shared = np.bincount(alone)[alone] > 1
    yield Column(name, alone, levels, bool(units and 2 * shared.sum() >= len(codes)), degree)


def _is_named(name: str) -> bool:
    return _NAMED.fullmatch(_CAMEL.sub("_", name)) is not None
