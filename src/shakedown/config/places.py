"""Messages that name a place in a configuration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from shakedown.interface import InputError, guess


def key_of(path: Iterable[str | int]) -> str:
    """A place in a configuration, such as "experiments.freedman.mechanisms[0].alpha"."""
    key = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return key.removeprefix(".")


def unknown(key: str, what: str, wanted: Iterable[str]) -> str:
    """A message that a name at a key is not known, with a guess and the known names."""
    known = sorted(wanted)
    if not known:
        return f"{key}: '{what}' is not known: the study defines none. Define it first."
    return f"{key}: '{what}' is not known.{guess(what, known)} Known here: {', '.join(known)}."


def known(key: str, what: str, among: Iterable[str]) -> None:
    """Check that the name at a key is one of `among`.

    Raises
    ------
    InputError
        If it is not.
    """
    if what not in among:
        raise InputError(unknown(key, what, among))


@contextmanager
def placed(key: str) -> Iterator[None]:
    """Put the key before the message of an error raised within."""
    try:
        yield
    except InputError as e:
        raise InputError(f"Configuration key {key}: {e}") from e
