"""Store a challenge in one .npz file.

Equal challenges give equal bytes, no process reads an incomplete file, and reading runs no code (no
pickle).
"""

from __future__ import annotations

import mmap
import zipfile
from collections.abc import Iterable
from itertools import starmap
from pathlib import Path
from typing import IO

import numpy as np

from shakedown.data.files import archive, replacing
from shakedown.interface import Cells, Challenge, Grouping

_ARRAYS = ("name", "X", "y", "rows", "features")
_TEXTS = ("notes", "leaks")
_GROUPINGS = ("grouping_names", "grouping_codes", "grouping_is_text")
_GROUP = ("group_name", "group_codes", "group_is_text")
_CELLS = ("cells_names", "cells_responses", "cells_rows")
# The earliest time in a zip file; with the real time, equal challenges would differ.
_NO_TIME = (1980, 1, 1, 0, 0, 0)
#: The numbers of X begin at a multiple of this in the file, so that they can be mapped.  The id of
#: the extra field that fills the gap belongs to nobody; Android's tools use it likewise.
_ALIGNED, _FILLER = 64, 0xD935


def save(challenge: Challenge, path: str | Path) -> None:
    """Write a challenge; create missing folders, and replace an existing file in one step."""
    arrays = {key: np.asarray(getattr(challenge, key)) for key in _ARRAYS}
    for key in _TEXTS:
        arrays[key] = np.array(getattr(challenge, key), dtype=str)
    if challenge.split is not None:
        arrays["split"] = challenge.split
    if challenge.groupings:
        columns = map(np.array, zip(*challenge.groupings, strict=True))
        arrays |= dict(zip(_GROUPINGS, columns, strict=True))
    if challenge.group is not None:
        arrays |= dict(zip(_GROUP, map(np.asarray, challenge.group), strict=True))
    if challenge.weights is not None:
        arrays["weights"] = challenge.weights
    if challenge.horizons:
        arrays["horizons"] = np.array(challenge.horizons)
    if challenge.censored:
        arrays["censored"] = np.array(True)
    if challenge.cells is not None:
        arrays |= dict(zip(_CELLS, map(np.asarray, challenge.cells), strict=True))

    # Not compressed: numbers hardly shrink, and zlib's output differs between versions.
    with replacing(path) as unfinished, zipfile.ZipFile(unfinished, "w") as packed:
        for key, array in arrays.items():
            entry = zipfile.ZipInfo(f"{key}.npy", _NO_TIME)
            if key == "X":
                entry.extra = _filler(packed, entry)
            with packed.open(entry, "w", force_zip64=True) as file:
                np.lib.format.write_array(file, array, allow_pickle=False)


def load(path: str | Path) -> Challenge:
    """Read a challenge that `save` wrote, with the same memory order.

    X is mapped: it cannot be written to, and `let_go` frees its memory until it is read again.

    Raises
    ------
    InputError
        If the file is missing or was not written by `save`.
    """
    with archive(path, "data set") as npz:
        arrays = {key: npz[key] for key in npz if key != "X"}
        arrays["X"] = _mapped(path, npz)
        split = arrays.pop("split", None)
        name = str(arrays.pop("name"))
        texts = {key: tuple(arrays.pop(key).tolist()) for key in _TEXTS}
        groupings = _groupings(*(arrays.pop(key, ()) for key in _GROUPINGS))
        named = _GROUP[0] in arrays
        group = _grouping(*(arrays.pop(key) for key in _GROUP)) if named else None
        aside = {"groupings": groupings, "group": group, "cells": None}
        aside["weights"] = arrays.pop("weights", None)
        aside["censored"] = bool(arrays.pop("censored", False))
        aside["horizons"] = tuple(float(h) for h in arrays.pop("horizons", ()))
        if _CELLS[0] in arrays:
            names, responses, rows = (arrays.pop(key) for key in _CELLS)
            aside["cells"] = Cells(tuple(names.tolist()), responses, rows)
        return Challenge(name=name, split=split, **aside, **texts, **arrays)


def _groupings(names: Iterable, codes: Iterable, is_text: Iterable) -> tuple[Grouping, ...]:
    return tuple(starmap(_grouping, zip(names, codes, is_text, strict=True)))


def _grouping(name: object, codes: np.ndarray, is_text: object) -> Grouping:
    return Grouping(str(name), codes, bool(is_text))


def let_go(array: np.ndarray) -> None:
    """Free the memory of an array whose file is mapped; it is read again when it is used."""
    base = array
    while isinstance(base, np.ndarray):
        base = base.base
    if isinstance(base, mmap.mmap) and hasattr(base, "madvise"):
        base.madvise(mmap.MADV_DONTNEED)


def _filler(packed: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """An extra field after which the entry's content begins at a multiple of `_ALIGNED`."""
    # Before it come the local header, the name, sizes for large files, and the field's own header.
    begins = packed.fp.tell() + 30 + len(entry.filename) + 20 + 4
    size = -begins % _ALIGNED
    return _FILLER.to_bytes(2, "little") + size.to_bytes(2, "little") + bytes(size)


def _mapped(path: str | Path, npz: np.lib.npyio.NpzFile) -> np.ndarray:
    """X of a file, mapped if it can be."""
    with npz.zip.open("X.npy") as file:
        version = np.lib.format.read_magic(file)
        if version != (1, 0):
            return npz["X"]
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(file)
        begins = file.tell()
        while file.read(1 << 20):  # tells if the content is damaged
            pass
    entry = npz.zip.getinfo("X.npy")
    with open(path, "rb") as raw:
        raw.seek(entry.header_offset)
        begins += entry.header_offset + _header_size(raw)
    stored = entry.compress_type == zipfile.ZIP_STORED
    if not stored or dtype.hasobject or begins % _ALIGNED or 0 in shape:
        return npz["X"]
    order = "F" if fortran else "C"
    return np.asarray(np.memmap(path, dtype, "r", offset=begins, shape=shape, order=order))


def _header_size(file: IO[bytes]) -> int:
    """Bytes of the local header, which the file is at, with the name and extra fields."""
    header = file.read(30)
    return 30 + int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
