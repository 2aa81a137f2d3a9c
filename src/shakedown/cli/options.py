"""Texts of options that several commands read alike."""

from __future__ import annotations

from types import SimpleNamespace

from shakedown.questions.answer import ArgumentError
from shakedown.questions.numbers import number

#: The seed unless it is given.
SEED = 1607


def names(text: str | None) -> list[str]:
    """The names in a list with commas; empty without one."""
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def numbers(given: SimpleNamespace, name: str) -> list[float] | None:
    """The numbers in an option's list with commas; None without one."""
    parts = names(getattr(given, name))
    return [number(SimpleNamespace(**{name: part}), name) for part in parts] or None


def names_or_one(text: str | None) -> str | list[str] | None:
    """A name, or those of a list with commas."""
    return names(text) if text and "," in text else text


def seed_of(given: SimpleNamespace) -> int:
    """The seed; an ArgumentError if it is none."""
    seed = number(given, "seed", SEED)
    if seed < 0 or seed != int(seed):
        raise ArgumentError(f"--seed: wanted a whole number of at least 0, got {given.seed!r}.")
    return int(seed)
