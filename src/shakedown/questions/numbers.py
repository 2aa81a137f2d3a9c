"""Numbers among the arguments of a question; those of a command are texts."""

from __future__ import annotations

import math
from contextlib import suppress
from types import SimpleNamespace

from shakedown.questions.answer import ArgumentError
from shakedown.theory.searches import MANY


def whole(given: SimpleNamespace, name: str, default: int | None = None) -> int | None:
    """A whole number from 1; an ArgumentError if it is none."""
    if getattr(given, name) is None:
        return default
    value = number(given, name)
    if not (1 <= value <= MANY and value.is_integer()):
        raise ArgumentError(
            f"{_option(name)}: wanted a whole number from 1 to {MANY:,}, got "
            f"{getattr(given, name)!r}."
        )
    return int(value)


def number(given: SimpleNamespace, name: str, default: float | None = None) -> float | None:
    """A finite number; an ArgumentError if it is none."""
    value = getattr(given, name)
    if value is None:
        return default
    with suppress(ValueError, TypeError):
        if math.isfinite(result := float(value)):
            return result
    raise ArgumentError(f"{_option(name)}: wanted a number, got {value!r}.")


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
