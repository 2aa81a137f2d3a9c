"""Read the dates and times of a list of submissions; ambiguous ones are refused."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pandas as pd

from shakedown.replay.cleaning import Messages
from shakedown.tables.policy import Source
from shakedown.wording import counted

#: Range of Unix times, in seconds since 1970: September 2001 to the year 2100.
UNIX_SECONDS = (1e9, 4_102_444_800)
# Years that nanoseconds since 1970 can represent.
_YEARS = (1678, 2261)
_HAS_YEAR = re.compile(r"\d{4}", re.ASCII)
_UTC = re.compile(r" ?(UTC|GMT)$", re.IGNORECASE)


def read_times(texts: np.ndarray, column: str, source: Source, messages: Messages) -> np.ndarray:
    """The times in a column of dates or times.

    Accepts ISO 8601, and dates with only one possible reading, such as 1 May 2025 or 28/02/2025.

    Parameters
    ----------
    texts : ndarray of str, shape (n,)
        "" if missing.
    column : str
        For errors.
    source : Source
        The list, for errors.
    messages : Messages

    Returns
    -------
    ndarray of datetime64[ns], shape (n,)
        In UTC; NaT if missing.

    Raises
    ------
    InputError
        If a cell is not a date, or its day and month are ambiguous.
    """
    times = np.full(len(texts), np.datetime64("NaT", "ns"))
    there = np.flatnonzero(texts != "")
    cells = [_UTC.sub("Z", text) for text in texts[there].tolist()]
    moments = _moments(cells, format="ISO8601")
    if moments.isna().any():
        month_first, day_first, year_first = (
            _moments(cells, format="mixed", **way) for way in _WAYS
        )
        moments = moments.fillna(
            month_first.where((month_first == day_first) & (month_first == year_first))
        )
    if moments.isna().any():
        bad = there[np.flatnonzero(moments.isna())[0]]
        raise source.error(
            f"column '{column}': '{texts[bad]}' in line {bad + 2} is not a date, or its day and "
            "month are ambiguous. Write 2024-03-01 or 2024-03-01 09:30."
        )
    times[there] = moments.to_numpy("datetime64[ns]")
    zoned = np.array([pd.Timestamp(cell).tzinfo is not None for cell in cells], bool)
    if zoned.any() and not zoned.all():
        bare = texts[there][~zoned]
        messages.add(
            "zone_missing", len(bare),
            f"{counted(len(bare), 'time')} without a zone, such as '{bare[0]}', and "
            f"{zoned.sum():,} with one; taken as UTC.",
        )  # fmt: skip
    return times


# Orders of day, month and year; a date that all of them read alike is not ambiguous.
_WAYS = ({}, {"dayfirst": True}, {"yearfirst": True})


def _moments(cells: list[str], **how: object) -> pd.Series:
    """Times in UTC; NaT if pandas cannot read one, or would add a part of today's date."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        moments = pd.Series(pd.to_datetime(cells, errors="coerce", utc=True, **how)).dt.tz_localize(
            None
        )
    whole = np.array([_HAS_YEAR.search(cell) is not None for cell in cells], bool)
    return moments.where(whole & moments.dt.year.between(*_YEARS)).astype("datetime64[ns]")


def unix_times(numbers: np.ndarray, messages: Messages) -> np.ndarray:
    """The times in a column of numbers, if all of them are Unix times.

    Parameters
    ----------
    numbers : ndarray, shape (n,)
        NaN if missing.
    messages : Messages

    Returns
    -------
    ndarray of datetime64[ns], shape (n,)
        All NaT if the numbers are not Unix times but, for example, days of the challenge.
    """
    known = numbers[np.isfinite(numbers)]
    times = np.full(len(numbers), np.datetime64("NaT", "ns"))
    for unit, name, scale in (("s", "seconds", 1), ("ms", "milliseconds", 1_000)):
        least, most = UNIX_SECONDS
        if len(known) and least * scale <= known.min() and known.max() <= most * scale:
            times[np.isfinite(numbers)] = pd.to_datetime(known, unit=unit).to_numpy(
                "datetime64[ns]"
            )
            done = f"{counted(len(known), 'time')} taken as Unix times, {name} since 1970 (UTC)."
            messages.add("unix_times", len(known), done)
    return times
