"""The largest value of a function of one number, from above, by intervals."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

#: Intervals at first, parts of an interval that is divided, and how often one is.
_CELLS, _PARTS, _ROUNDS = 24, 4, 9

#: An upper bound of the function on intervals, from their lower and upper ends, each (m,), to (m,).
Upper = Callable[[np.ndarray, np.ndarray], np.ndarray]


def supremum(
    upper: Upper,
    low: float,
    high: float,
    *,
    enough: float | None = None,
    tolerance: float = 1e-3,
) -> float:
    """An upper bound of a function's supremum on (0, high].

    Parameters
    ----------
    upper : callable
        Upper bounds on intervals; of a single point, the value of the function.
    low, high : float
        Above 0.  (0, low] is one interval, which may be wide.
    enough : float, optional
        Stop as soon as the supremum is known to be larger, or not to be.
    tolerance : float
        Share by which the result may exceed the supremum.

    Returns
    -------
    float
        At least the supremum.  With `enough`, above it only if the supremum is, within floating
        point and the number of rounds.
    """
    if low >= high:
        return float(upper(np.zeros(1), np.full(1, high))[0])
    ends = np.geomspace(low, high, _CELLS + 1)
    first, last = np.append(0.0, ends[:-1]), ends
    reached = -np.inf
    done = -np.inf
    for _ in range(_ROUNDS):
        bounds = upper(first, last)
        reached = max(reached, float(upper(last, last).max()))
        if enough is not None and reached > enough:
            return reached
        limit = reached + tolerance * abs(reached) if enough is None else enough
        open_ = bounds > limit
        if not open_.all():
            done = max(done, float(bounds[~open_].max()))
        if not open_.any():
            return max(done, reached)
        cut = np.linspace(first[open_], last[open_], _PARTS + 1)  # (parts + 1, open)
        first, last = cut[:-1].ravel(), cut[1:].ravel()
    return max(done, float(bounds.max()))
