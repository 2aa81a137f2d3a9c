"""A challenge on disk: one .npz file.

The same challenge always gives the same bytes, a reader never sees half a file, and nothing in the
file can run code (no pickle).
"""

from __future__ import annotations

import os
import zipfile
from pathlib import Path
from uuid import uuid4

import numpy as np

from shakedown.interface import Challenge, InputError

_ARRAYS = ("name", "X", "y", "rows", "features", "notes")
# The oldest time that a zip file can hold; the real one would make equal contents differ.
_NO_TIME = (1980, 1, 1, 0, 0, 0)


def save(challenge: Challenge, path: str | Path) -> None:
    """Write a challenge.

    Parameters
    ----------
    challenge : Challenge
        The data set.
    path : str or Path
        The .npz file; folders are made, an existing file is replaced in one step.
    """
    arrays = {key: np.asarray(getattr(challenge, key)) for key in _ARRAYS if key != "notes"}
    arrays["notes"] = np.array(challenge.notes, dtype=str)
    if challenge.split is not None:
        arrays["split"] = challenge.split

    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    # In the same folder, for a file can be moved in one step only within its file system.
    unfinished = path.with_name(f".{path.name}.{uuid4().hex}.tmp")
    try:
        # Not compressed: numbers hardly shrink, and zlib's bytes differ between versions.
        with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_STORED) as archive:
            for key, array in arrays.items():
                entry = zipfile.ZipInfo(f"{key}.npy", _NO_TIME)
                with archive.open(entry, "w", force_zip64=True) as file:
                    np.lib.format.write_array(file, array, allow_pickle=False)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def load(path: str | Path) -> Challenge:
    """Read a challenge that `save` wrote.

    Parameters
    ----------
    path : str or Path
        The .npz file.

    Returns
    -------
    Challenge
        Equal to the one saved, memory order included.

    Raises
    ------
    InputError
        If the file is missing or is not such a file.
    """
    try:
        # Opened here, as np.load leaves a file that it cannot read open.
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {key: archive[key] for key in archive.files}
        split = arrays.pop("split", None)
        name = str(arrays.pop("name"))
        notes = tuple(arrays.pop("notes").tolist())
        return Challenge(name=name, split=split, notes=notes, **arrays)
    except FileNotFoundError as e:
        raise InputError(f"{path} does not exist; write it with `save` first.") from e
    except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as e:
        raise InputError(
            f"{path} is not a data set as `save` writes it ({e}); delete it and make it again."
        ) from e
