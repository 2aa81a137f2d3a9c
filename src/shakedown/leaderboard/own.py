"""Gates and releases of your own that are plain classes: what they lack is that of ours."""

from __future__ import annotations

from copy import copy
from functools import cache, cached_property
from typing import TypeVar

from shakedown.interface import InputError

T = TypeVar("T")


def completed(part: object, base: type[T]) -> T:
    """A gate or release with every method and attribute of `base`; its own come first.

    One that derives from `base` is returned as it is.

    Raises
    ------
    InputError
        If nothing can be added to its class.
    """
    if isinstance(part, base):
        return part
    own = copy(part)
    try:
        object.__setattr__(own, "__class__", _derived(type(part), base))
    except TypeError as e:
        raise InputError(
            f"{type(part).__name__}: wanted a {base.__name__.lower()} that derives from "
            f"`{base.__module__}.{base.__qualname__}`, or a class without `__slots__`; got "
            f"neither. Write `class {type(part).__name__}({base.__name__})`."
        ) from e
    return own


@cache
def _derived(own: type, base: type) -> type:
    return type(own.__name__, (own, base), {"__module__": own.__module__, "__doc__": own.__doc__})


def completing(owner: type, name: str, base: type) -> None:
    """Let `name` of a class, a property or a value, be what is `completed`, if the class has it."""
    own = owner.__dict__.get(name)
    if own is None:
        return
    if isinstance(own, cached_property | property):
        get = own.func if isinstance(own, cached_property) else own.fget
        complete = cached_property(lambda self: completed(get(self), base))
        complete.__set_name__(owner, name)
        complete.__doc__ = own.__doc__
    else:
        complete = completed(own, base)
    setattr(owner, name, complete)
