"""One seed, many named streams of random numbers.

A stream is named by what it is for, not by when it is drawn from, so outcomes depend on no order,
number of cores or chunk of work.  Data and attack streams are not named after a mechanism: all
mechanisms meet the same luck.
"""

from __future__ import annotations

import hashlib
from numbers import Integral

import numpy as np

from shakedown.interface import InputError


def stream(seed: int, *axes: str | int) -> np.random.Generator:
    """Random numbers of one purpose, for instance ``stream(seed, "attack", dataset, replicate)``.

    Parameters
    ----------
    seed : int
        The study's seed, not negative.
    *axes : str or int
        Ids that name the stream.  Their order and type count: 1 is not "1".

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
    """
    if isinstance(seed, bool) or not isinstance(seed, Integral) or seed < 0:
        raise InputError(f"`seed` must be a whole number of at least 0, got {seed!r}.")
    # Python's own hash() of a str differs from process to process; this one never does.
    digest = hashlib.blake2b(b"".join(map(_encode, axes)), digest_size=16).digest()
    words = tuple(int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4))
    sequence = np.random.SeedSequence(int(seed), spawn_key=words)
    return np.random.Generator(np.random.SFC64(sequence))


def _encode(axis: str | int) -> bytes:
    """Type, length, content: no two lists of axes give the same bytes."""
    if isinstance(axis, str):
        kind, content = b"s", axis.encode()
    elif isinstance(axis, Integral) and not isinstance(axis, bool):
        kind, content = b"i", str(int(axis)).encode()
    else:
        raise TypeError(f"an axis of a stream must be a str or an int, got {axis!r}")
    return kind + len(content).to_bytes(8, "little") + content
