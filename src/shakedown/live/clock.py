"""Times: whole microseconds since 1970, UTC, and days in the board's time zone."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from datetime import time as dtime
from zoneinfo import ZoneInfo

from shakedown.interface import InputError

_START = datetime(1970, 1, 1, tzinfo=UTC)
_STEP = timedelta(microseconds=1)


def now() -> int:
    """The time."""
    return time.time_ns() // 1000


def zone(name: str) -> ZoneInfo:
    """The time zone of that name.

    Raises
    ------
    InputError
        If there is none.
    """
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as e:
        raise InputError(
            f"zone: wanted a time zone such as UTC or Europe/Berlin; got {name!r}."
        ) from e


def bounds_of_day(at: int, name: str) -> tuple[int, int]:
    """The first moment of the day of a time, and of the day after, in a time zone."""
    local = moment(at).astimezone(zone(name)).date()
    days = (datetime.combine(date, dtime(), zone(name)) for date in (local, local + timedelta(1)))
    first, after = ((day.astimezone(UTC) - _START) // _STEP for day in days)
    return first, after


def moment(at: int) -> datetime:
    """A time as a datetime in UTC."""
    return _START + at * _STEP


def text(at: int | None) -> str | None:
    """A time as text, such as "2026-03-29T12:00:00Z"; None for None."""
    return None if at is None else moment(at).replace(microsecond=0).isoformat()[:-6] + "Z"


def local(at: int | str | None, name: str, *, zone_too: bool = True) -> str:
    """A time for readers, in a time zone, such as "2026-03-29 14:00:00 CEST"; "" for None.

    Parameters
    ----------
    at : int, str or None
        A time, or its `text`.
    name : str
        The zone.
    zone_too : bool
        Whether its abbreviation follows.
    """
    if at is None:
        return ""
    when = datetime.fromisoformat(at) if isinstance(at, str) else moment(at)
    return f"{when.astimezone(zone(name)):%Y-%m-%d %H:%M:%S{' %Z' if zone_too else ''}}"


def read(written: str | datetime | None, name: str, zone_name: str) -> int | None:
    """A time that an organiser wrote; without a zone it is in that of the board.

    Raises
    ------
    InputError
        If it is no time.
    """
    if written is None:
        return None
    try:
        parsed = written if isinstance(written, datetime) else datetime.fromisoformat(written)
    except ValueError as e:
        raise InputError(
            f"{name}: wanted a time such as 2026-03-29 or 2026-03-29T18:00; got {written!r}."
        ) from e
    if parsed.tzinfo is None:
        parsed = parsed.replace(tzinfo=zone(zone_name))
    return (parsed - _START) // _STEP


def evenly(opens: int, closes: int, updates: int) -> tuple[int, ...]:
    """Times of `updates` updates in equal intervals, the last when the challenge closes."""
    return tuple(opens + (closes - opens) * k // updates for k in range(1, updates + 1))


def last_update(updates: tuple[int, ...], at: int) -> int | None:
    """The last update up to a time; None if there was none."""
    return max((update for update in updates if update <= at), default=None)


def next_update(updates: tuple[int, ...], at: int) -> int | None:
    """The next update after a time; None if there is none."""
    return min((update for update in updates if update > at), default=None)
