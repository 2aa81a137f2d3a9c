"""One seed, many named streams of random numbers.

A stream is named by its purpose, so outcomes do not depend on the order of jobs, the number of
cores or the size of chunks.  The names of data and attack streams do not contain the mechanism, so
all mechanisms use the same random numbers.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from numbers import Integral

import numpy as np
from numpy.random.bit_generator import ISeedSequence

from shakedown.interface import MOST_DIGITS, InputError


def stream(seed: int, *axes: str | int) -> np.random.Generator:
    """The random numbers for one purpose, such as ``stream(seed, "attack", dataset, replicate)``.

    Parameters
    ----------
    seed : int
        The study's seed, not negative.
    *axes : str or int
        Ids that name the stream.  Order and type matter: 1 is not "1".

    Returns
    -------
    numpy.random.Generator
        The same numbers for the same arguments, on every machine and in every process;
        independent of the streams with other arguments.

    Raises
    ------
    InputError
        If `seed` is not a whole number of at least 0.
    TypeError
        If an axis is neither a str nor an int.

    Examples
    --------
    >>> import shakedown
    >>> shakedown.stream(1607, "attack", "mine", 3).integers(10, size=5)
    array([0, 5, 5, 2, 8])
    >>> shakedown.stream(1607, "attack", "mine", 3).integers(10, size=5)  # the same again
    array([0, 5, 5, 2, 8])
    >>> shakedown.stream(1607, "board", "mine", 3).integers(10, size=5)  # another stream
    array([1, 1, 8, 6, 9])
    """
    _check(seed)
    # Not Python's hash(), which differs between processes for a str.
    digest = hashlib.blake2b(b"".join(map(_encode, axes)), digest_size=16).digest()
    words = tuple(int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4))
    sequence = np.random.SeedSequence(int(seed), spawn_key=words)
    return np.random.Generator(np.random.SFC64(sequence))


class Streams:
    """Streams whose names begin alike, such as those of the boards of a replicate.

    They are others than those of `stream`, and take a sixth of its time: a hash of the names is the
    state of the generator.

    Parameters
    ----------
    seed, *axes
        As for `stream`.

    Examples
    --------
    >>> boards = Streams(1607, "ad_like", 3)
    >>> int(boards("release", 1).integers(10)), int(boards("release", 2).integers(10))
    (0, 2)
    """

    def __init__(self, seed: int, *axes: str | int) -> None:
        _check(seed)
        self._begun = hashlib.blake2b(digest_size=24)  # SFC64 has a state of three words
        self._begun.update(b"".join(map(_encode, (seed, *axes))))

    def __call__(self, *axes: str | int) -> np.random.Generator:
        """The stream with these names after the ones in common."""
        named = self._begun.copy()
        named.update(b"".join(map(_encode, axes)))
        return np.random.Generator(np.random.SFC64(_Key(named.digest())))


_WORD = np.dtype("<u8")


class _Key(ISeedSequence):
    """Gives a bit generator a hash in the place of a seed."""

    def __init__(self, digest: bytes) -> None:
        self._digest = digest

    def generate_state(self, n_words: int, dtype=np.uint64) -> np.ndarray:
        return np.frombuffer(self._digest, _WORD, n_words).astype(dtype, copy=False)


def _check(seed: int) -> None:
    if isinstance(seed, bool) or not isinstance(seed, Integral) or seed < 0:
        raise InputError(f"`seed` must be a whole number of at least 0, got {seed!r}.")
    if seed >= 10**MOST_DIGITS:
        raise InputError(f"`seed` must have at most {MOST_DIGITS} digits.")


@lru_cache(maxsize=4096, typed=True)
def _encode(axis: str | int) -> bytes:
    """Type, length and content of an axis, so that different lists of axes give different bytes."""
    if isinstance(axis, str):
        kind, content = b"s", axis.encode()
    elif isinstance(axis, Integral) and not isinstance(axis, bool):
        kind, content = b"i", str(int(axis)).encode()
    else:
        raise TypeError(f"an axis of a stream must be a str or an int, got {axis!r}")
    return kind + len(content).to_bytes(8, "little") + content
