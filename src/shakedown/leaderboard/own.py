"""Components of your own: what a plain class lacks is that of ours, and what it says is its own.

A class that derives from one of ours and does something else would inherit what ours says of
itself: its terms, the numbers of compiled loops, what a proof counts on.  It says nothing instead,
unless it says it itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from functools import cache, cached_property
from math import inf
from typing import TypeVar

from shakedown.interface import InputError
from shakedown.terms import Terms

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


def completing(owner: type, kind: type, name: str, base: type) -> None:
    """Let `name` of a class, a property or a value, be what is `completed`.

    It may come from a mixin.  Nothing is done where it comes from another class of the `kind`,
    which has completed it.
    """
    speaker = next(part for part in owner.__mro__ if name in part.__dict__)
    if speaker is not owner and issubclass(speaker, kind):
        return
    own = speaker.__dict__[name]
    if isinstance(own, cached_property | property):
        get = own.func if isinstance(own, cached_property) else own.fget
        complete = cached_property(lambda self: completed(get(self), base))
        complete.__set_name__(owner, name)
        complete.__doc__ = own.__doc__
    else:
        complete = completed(own, base)
    setattr(owner, name, complete)


def unsaid(own: type, base: type, does: Iterable[str], says: Iterable[str]) -> None:
    """Let a class say no more than `base` where it does something else than the class that says it.

    Parameters
    ----------
    own : type
        Derives from `base`.
    does, says : iterable of str
        Names of methods and attributes: of what a class does, and of what it says of that.
    """
    does = tuple(does)
    for name in says:
        speaker = next(kind for kind in own.__mro__ if name in kind.__dict__)
        if speaker is base:
            continue
        theirs = [(getattr(speaker, act, None), getattr(own, act)) for act in does]
        # A mixin that only says something does not do anything else.
        if any(of_theirs not in (None, of_own) for of_theirs, of_own in theirs):
            setattr(own, name, base.__dict__[name])


def stated_by(part, terms: Terms, n: int) -> Terms:
    """What a gate or a release adds to `terms` on n rows.

    Raises
    ------
    InputError
        If its method returns something else, or a step that is none.
    """
    stated = part.terms(terms, n)
    if isinstance(stated, Terms) and 0.0 <= stated.step < inf:
        return stated
    got = f"a step of {stated.step}" if isinstance(stated, Terms) else repr(stated)
    raise InputError(
        f"{type(part).__name__}: wanted its method `terms` to return `Terms` with a finite step "
        f"from 0; got {got}. Return `replace(terms, ...)`."
    )
