"""Store a challenge in one .npz file.

Equal challenges give equal bytes, no process reads an incomplete file, and reading runs no code (no
pickle).
"""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np

from shakedown.data.files import archive, replacing
from shakedown.interface import Challenge

_ARRAYS = ("name", "X", "y", "rows", "features")
_TEXTS = ("notes", "leaks")
# The earliest time in a zip file; with the real time, equal challenges would differ.
_NO_TIME = (1980, 1, 1, 0, 0, 0)


def save(challenge: Challenge, path: str | Path) -> None:
    """Write a challenge; create missing folders, and replace an existing file in one step."""
    arrays = {key: np.asarray(getattr(challenge, key)) for key in _ARRAYS}
    for key in _TEXTS:
        arrays[key] = np.array(getattr(challenge, key), dtype=str)
    if challenge.split is not None:
        arrays["split"] = challenge.split

    # Not compressed: numbers hardly shrink, and zlib's output differs between versions.
    with replacing(path) as unfinished, zipfile.ZipFile(unfinished, "w") as packed:
        for key, array in arrays.items():
            entry = zipfile.ZipInfo(f"{key}.npy", _NO_TIME)
            with packed.open(entry, "w", force_zip64=True) as file:
                np.lib.format.write_array(file, array, allow_pickle=False)


def load(path: str | Path) -> Challenge:
    """Read a challenge that `save` wrote, with the same memory order.

    Raises
    ------
    InputError
        If the file is missing or was not written by `save`.
    """
    with archive(path, "data set") as found:
        arrays = dict(found)
        split = arrays.pop("split", None)
        name = str(arrays.pop("name"))
        texts = {key: tuple(arrays.pop(key).tolist()) for key in _TEXTS}
        return Challenge(name=name, split=split, **texts, **arrays)
