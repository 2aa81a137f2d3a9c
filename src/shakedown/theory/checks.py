"""Checks of the arguments of `shakedown.theory`; each kind of argument has one message."""

from __future__ import annotations

from math import inf
from numbers import Integral, Real

from shakedown.interface import InputError

_WANTED = {
    "step": (lambda v: 0.0 < v <= 1.0, "a step above 0 and at most 1, in units of the loss"),
    "chance": (lambda v: 0.0 < v < 1.0, "a probability between 0 and 1"),
    "error": (lambda v: 0.0 < v < inf, "an error above 0, in units of the loss"),
    "possible_error": (lambda v: 0.0 < v <= 1.0, "an error above 0 and at most 1"),
    "constant": (lambda v: 0.0 < v < inf, "a number above 0"),
    "amount": (lambda v: 0.0 <= v < inf, "a number of 0 or more"),
    "count": (lambda v: v >= 1, "a whole number of 1 or more"),
    "count_or_0": (lambda v: v >= 0, "a whole number of 0 or more"),
}


def checked(kind: str, **values: object) -> None:
    """Check that numbers are of a kind.

    Parameters
    ----------
    kind : str
        A key of `_WANTED`.
    **values
        The numbers by name.

    Raises
    ------
    InputError
        For the first number that is not of this kind.
    """
    holds, wanted = _WANTED[kind]
    number = Integral if kind.startswith("count") else Real
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, number) or not holds(value):
            raise InputError(f"`{name}` must be {wanted}; got {value!r}.")
