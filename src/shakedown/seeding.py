"""One seed, many named streams of random numbers.

A stream is named by its purpose, so outcomes do not depend on the order of jobs, the number of
cores or the size of chunks.  The names of data and attack streams do not contain the mechanism, so
all mechanisms use the same random numbers.
"""

from __future__ import annotations

import hashlib
from numbers import Integral

import numpy as np

from shakedown.interface import InputError


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
    """
    if isinstance(seed, bool) or not isinstance(seed, Integral) or seed < 0:
        raise InputError(f"`seed` must be a whole number of at least 0, got {seed!r}.")
    # Not Python's hash(), which differs between processes for a str.
    digest = hashlib.blake2b(b"".join(map(_encode, axes)), digest_size=16).digest()
    words = tuple(int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4))
    sequence = np.random.SeedSequence(int(seed), spawn_key=words)
    return np.random.Generator(np.random.SFC64(sequence))


def _encode(axis: str | int) -> bytes:
    """Type, length and content of an axis, so that different lists of axes give different bytes."""
    if isinstance(axis, str):
        kind, content = b"s", axis.encode()
    elif isinstance(axis, Integral) and not isinstance(axis, bool):
        kind, content = b"i", str(int(axis)).encode()
    else:
        raise TypeError(f"an axis of a stream must be a str or an int, got {axis!r}")
    return kind + len(content).to_bytes(8, "little") + content
