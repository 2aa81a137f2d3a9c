"""Checks of a recipe's settings, for all recipes alike."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from math import isfinite
from numbers import Integral, Real
from typing import Any

from shakedown.interface import InputError


def check_keys(
    name: str, settings: Mapping[str, Any], *, required: Collection[str], optional: Collection[str]
) -> None:
    """See that the required keys are there, and no unknown one.

    Parameters
    ----------
    name : str
        The data set's id, for the message; with a dot and a key for nested settings.
    settings : mapping
        What the user wrote.
    required, optional : collection of str
        The keys that are known.

    Raises
    ------
    InputError
        If `settings` is no mapping, lacks a required key or has an unknown one.
    """
    if not isinstance(settings, Mapping):
        raise InputError(f"Data set {name}: wanted settings (key: value), got {settings!r}.")
    known = sorted({*required, *optional})
    for key in settings:
        if key not in known:
            close = get_close_matches(str(key), known, n=1)
            guess = f" Did you mean '{close[0]}'?" if close else ""
            raise InputError(
                f"Data set {name}: unknown setting '{key}'; known are {', '.join(known)}.{guess}"
            )
    for key in required:
        if settings.get(key) is None:
            raise InputError(f"Data set {name}: the setting '{key}' is missing; please add it.")


def choice(name: str, key: str, value: Any, among: Collection[str]) -> str:
    """Return `value`, one of a few words.

    Raises
    ------
    InputError
        If it is none of `among`.
    """
    if value not in tuple(among):
        raise InputError(
            f"Data set {name}: '{key}' must be one of {', '.join(sorted(among))}; got {value!r}."
        )
    return value


def whole(name: str, key: str, value: Any, *, low: int, high: int | None = None) -> int:
    """Return `value` as an int between `low` and `high`, both included.

    Raises
    ------
    InputError
        If it is not a whole number or lies outside.
    """
    fits = isinstance(value, Integral) and not isinstance(value, bool)
    if not (fits and low <= value and (high is None or value <= high)):
        wanted = f"of at least {low}" if high is None else f"between {low} and {high}"
        raise InputError(
            f"Data set {name}: '{key}' must be a whole number {wanted}, got {value!r}."
        )
    return int(value)


def number(name: str, key: str, value: Any, *, low: float, high: float, include: str = "") -> float:
    """Return `value` as a float between `low` and `high`.

    Parameters
    ----------
    name, key : str
        Data set and setting, for the message.
    value : float
        What the user wrote.
    low, high : float
        The bounds; `low` may be -inf.
    include : str
        Which bounds are allowed themselves: "", "low" or "low high".

    Raises
    ------
    InputError
        If it is not a number or lies outside.
    """
    fits = isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)
    if fits:
        above = value >= low if "low" in include else value > low
        below = value <= high if "high" in include else value < high
        fits = above and below
    if not fits:
        at_least = "at least" if "low" in include else "above"
        at_most = "at most" if "high" in include else "below"
        raise InputError(
            f"Data set {name}: '{key}' must be a number {at_least} {low:.6g} and "
            f"{at_most} {high:.6g}, got {value!r}."
        )
    return float(value)
