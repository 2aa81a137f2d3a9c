"""Dates and times of a list of submissions, all of one column by one convention.

A date that starts with its year, or names its month, says what it means.  Of 02/03/2025 another
date of the column has to say whether the day or the month comes first; where none does, it is not
guessed.  Nothing depends on the day on which a list is read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
import pandas as pd

from shakedown.datasets.checks import count
from shakedown.datasets.layout import Source
from shakedown.replay.rules import Messages

#: Seconds since 1970 that are taken for Unix times: from September 2001 to the year 2100.
UNIX_SECONDS = (1e9, 4_102_444_800)
# Years that nanoseconds since 1970 can tell.
_YEARS = (1678, 2261)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    "(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_WEEKDAY = r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,? +)?"
_CLOCK = (
    r"(?:(?:t|,? +)(?P<hour>\d{1,2}):?(?P<minute>\d{2})(?::?(?P<second>\d{2}(?:[.,]\d+)?))?"
    r" ?(?P<half>[ap]m)? ?(?P<zone>z|utc|gmt|[+-]\d{2}(?::?\d{2})?)?)?"
)


def _pattern(date: str) -> re.Pattern:
    return re.compile(date + _CLOCK, re.IGNORECASE | re.ASCII)


_YEAR_FIRST = _pattern(r"(\d{4})(?:([-/.])(\d{1,2})(?:\2(\d{1,2}))?)?")
_COMPACT = _pattern(r"(\d{4})(\d{2})(\d{2})")
_DAY_AND_NAME = _pattern(_WEEKDAY + rf"(\d{{1,2}})[ -]*{_MONTH}[ ,-]*(\d{{4}})")
_NAME_AND_DAY = _pattern(_WEEKDAY + rf"{_MONTH} *(?:(\d{{1,2}}),? +)?(\d{{4}})")
_YEAR_LAST = _pattern(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})")


@dataclass(frozen=True)
class _Cell:
    """A date as it is written: its numbers, and its clock time."""

    text: str
    date: tuple[int, int, int]  # year, month, day; or what stands first, second, and the year
    clock: re.Match
    separator: str | None = None  # of a date whose year is last

    @property
    def has_zone(self) -> bool:
        return self.clock["zone"] is not None


def read_times(texts: np.ndarray, column: str, source: Source, messages: Messages) -> np.ndarray:
    """The moments of a column of dates or times.

    Parameters
    ----------
    texts : ndarray of str, shape (n,)
        "" where there is none.
    column : str
        For errors.
    source : Source
        The list, for errors.
    messages : Messages

    Returns
    -------
    ndarray of datetime64[ns], shape (n,)
        In UTC; NaT for what is no date.

    Raises
    ------
    InputError
        If day and month of a date cannot be told apart, or its year has two digits.
    """
    cells = [_cell(text) for text in texts.tolist()]
    day_first = _day_first([c for c in cells if c is not None and c.separator], column, source)
    times = np.full(len(texts), np.datetime64("NaT", "ns"))
    there = [i for i, cell in enumerate(cells) if cell is not None]
    if there:
        written = [_iso(cells[i], day_first=day_first) for i in there]
        found = pd.to_datetime(written, errors="coerce", format="ISO8601", utc=True)
        times[there] = found.tz_localize(None).to_numpy("datetime64[ns]")
    zoned = sum(cells[i].has_zone for i in there)
    bare = [cells[i].text for i in there if not cells[i].has_zone]
    if zoned and bare:
        messages.add(
            "zone_missing", len(bare),
            f"{count(len(bare), 'time')} without a zone, such as '{bare[0]}', beside {zoned:,} "
            "with one; taken as UTC.",
        )  # fmt: skip
    return times


def unix_times(numbers: np.ndarray, messages: Messages) -> np.ndarray:
    """The moments of a column of numbers, if all of them can be Unix times.

    Parameters
    ----------
    numbers : ndarray, shape (n,)
        NaN where there is none.
    messages : Messages

    Returns
    -------
    ndarray of datetime64[ns], shape (n,)
        NaT everywhere where the numbers are something else, such as days of some calendar.
    """
    known = numbers[np.isfinite(numbers)]
    times = np.full(len(numbers), np.datetime64("NaT", "ns"))
    for unit, scale in (("seconds", 1), ("milliseconds", 1_000)):
        least, most = UNIX_SECONDS
        if len(known) and least * scale <= known.min() and known.max() <= most * scale:
            whole = np.floor(known)
            unit_in_ns = 10**9 // scale
            moments = whole.astype("int64") * unit_in_ns
            moments += np.round((known - whole) * unit_in_ns).astype("int64")
            times[np.isfinite(numbers)] = moments.view("datetime64[ns]")
            done = f"{count(len(known), 'time')} taken as Unix times, {unit} since 1970 (UTC)."
            messages.add("unix_times", len(known), done)
    return times


def _cell(text: str) -> _Cell | None:
    """What a cell says; None where it says no date."""
    if match := _COMPACT.fullmatch(text):
        return _Cell(text, (int(match[1]), int(match[2]), int(match[3])), match)
    if match := _YEAR_FIRST.fullmatch(text):
        return _Cell(text, (int(match[1]), int(match[3] or 1), int(match[4] or 1)), match)
    if match := _DAY_AND_NAME.fullmatch(text):
        return _Cell(text, (int(match[3]), _month(match[2]), int(match[1])), match)
    if match := _NAME_AND_DAY.fullmatch(text):
        return _Cell(text, (int(match[3]), _month(match[1]), int(match[2] or 1)), match)
    if match := _YEAR_LAST.fullmatch(text):
        # A year of two digits stays below 100, and is refused.
        return _Cell(text, (int(match[1]), int(match[3]), int(match[4])), match, match[2])
    return None


def _month(name: str) -> int:
    return _MONTHS.index(name[:3].lower()) + 1


def _day_first(cells: list[_Cell], column: str, source: Source) -> bool:
    """Whether the day comes before the month in the dates whose year is last."""

    def refuse(why: str) -> NoReturn:
        raise source.error(f"column '{column}': {why}. Write dates as YYYY-MM-DD.")

    for cell in cells:
        if cell.date[2] < 100:
            refuse(f"the year of '{cell.text}' has two digits, and could be its first number")
    # A date with two numbers above 12 is none, and proves nothing.
    days = [c.text for c in cells if c.date[0] > 12 >= c.date[1]]
    months = [c.text for c in cells if c.date[1] > 12 >= c.date[0]]
    dotted = [c.text for c in cells if c.separator == "."]
    if not days and len(dotted) == len(cells):
        days = dotted[:1]
    if days and months:
        refuse(f"the day comes first in '{days[0]}', and the month in '{months[0]}'")
    open_ = [c.text for c in cells if c.date[0] != c.date[1] and max(c.date[:2]) <= 12]
    if open_ and not days and not months:
        refuse(f"'{open_[0]}' can be read with day or month first, and no other date tells which")
    return bool(days)


def _iso(cell: _Cell, *, day_first: bool) -> str:
    """A date as ISO 8601 writes it; no date stays none."""
    year, month, day = cell.date
    if cell.separator:
        year, month, day = (day, month, year) if day_first else (day, year, month)
    if not _YEARS[0] <= year <= _YEARS[1]:
        return ""
    clock, zone = cell.clock, (cell.clock["zone"] or "").upper()
    hour = int(clock["hour"] or 0)
    if clock["half"]:
        if not 1 <= hour <= 12:
            return ""
        hour = hour % 12 + 12 * (clock["half"].lower() == "pm")
    whole, _, rest = (clock["second"] or "00").replace(",", ".").partition(".")
    if zone in ("", "Z", "UTC", "GMT"):
        zone = "Z"
    else:
        digits = zone[1:].replace(":", "").ljust(4, "0")
        zone = f"{zone[0]}{digits[:2]}:{digits[2:]}"
    return (
        f"{year:04d}-{month:02d}-{day:02d}T{hour:02d}:{clock['minute'] or '00'}:{whole}"
        f".{rest[:9] or '0'}{zone}"
    )
