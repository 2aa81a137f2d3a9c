"""Searches for the number at which something that holds for small or large numbers ends."""

from __future__ import annotations

from collections.abc import Callable

#: Searches for whole numbers end here.
MANY = 10**9


def largest(holds: Callable[[int], bool]) -> int | None:
    """The largest whole number above 0 up to which something holds; 0 for none, None for no end."""
    if not holds(1):
        return 0
    if holds(MANY):
        return None
    low, high = 1, 2
    while holds(high):
        low, high = high, min(2 * high, MANY)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def largest_up_to(holds: Callable[[int], bool], most: int) -> int:
    """The largest whole number up to `most` for which something holds; 0 for none."""
    return most if holds(most) else largest(lambda number: number <= most and holds(number))


def smallest(holds: Callable[[int], bool]) -> int | None:
    """The smallest whole number above 0 from which something holds; None for none up to `MANY`."""
    before = largest(lambda number: not holds(number))
    return None if before is None else before + 1


def boundary(holds: Callable[[float], bool], low: float, high: float, share: float) -> float:
    """The number from which something holds, to a share of it from above.

    Parameters
    ----------
    holds : callable
        True for `high` and above, false for `low`; it is called for neither.
    low, high : float
        At least 0.
    share : float
        The result is larger than the number by at most this share of `high`.
    """
    while high - low > share * high:
        middle = (low + high) / 2.0
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def most_nats(keeps: Callable[[float], bool], low: float) -> float:
    """The most nats up to which something holds, to nine digits from below; it holds at `low`."""
    high = max(2.0 * low, 1.0)
    while keeps(high):
        low, high = high, 2.0 * high
    for _ in range(30):
        middle = (low + high) / 2.0
        low, high = (middle, high) if keeps(middle) else (low, middle)
    return low
