"""The smallest difference that final rows tell apart, and the rows that the first two need."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import count
from math import ceil, inf, sqrt

import numpy as np

from shakedown.final_rows.chances import MOST_ROWS
from shakedown.final_rows.teams import Teams
from shakedown.replay.resolution import noncentrality

#: Level of the one-sided paired test, and its power.
LEVEL, POWER = 0.05, 0.9
#: Teams at the top whose neighbours are compared.
TOP = 10
#: From so many rows on the t distribution is taken to be normal.
MANY = 1_000


def smallest_difference(worlds: Sequence[Teams], rows: int) -> float:
    """The difference of two top teams that so many rows tell apart, in the metric's unit.

    That of the median pair of neighbours among the first ten.
    """
    spreads = []
    for teams in worlds:
        order = np.argsort(teams.risks, kind="stable")[:TOP]
        spreads.extend(teams.differences[order[:-1], order[1:]])
    return detected(rows) * float(np.median(spreads))


def rows_for_first_two(worlds: Sequence[Teams]) -> int | None:
    """The fewest rows that tell the best team from the second; None if nobody has as many."""
    needed = [rows_to_tell(*teams.first_two) for teams in worlds]
    middle = float(np.median([inf if rows is None else rows for rows in needed]))
    return ceil(middle) if middle <= MOST_ROWS else None


def rows_to_tell(gap: float, spread: float) -> int | None:
    """The fewest rows on which a paired test finds a gap; None for next to no gap.

    Parameters
    ----------
    gap : float
        True difference of the scores.
    spread : float
        Standard deviation of one row's difference.
    """
    if gap <= 1e-5 * spread:  # more than `MOST_ROWS`
        return None
    about = (detected(MANY) * sqrt(MANY) * spread / gap) ** 2  # a little too few: normal quantiles
    if about >= MANY:
        return ceil(about)
    return next(n for n in count(max(2, int(about))) if detected(n) * spread <= gap)


@lru_cache(maxsize=4096)
def detected(rows: int) -> float:
    """The smallest difference that so many rows tell apart, in units of one row's spread."""
    return noncentrality(max(2, min(rows, MANY)), LEVEL, POWER) / sqrt(rows)
