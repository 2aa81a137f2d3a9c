"""Read and check the file of a submission."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from shakedown.interface import InputError


class Refused(InputError):
    """A submission that is not counted; `reason` is a word for the organiser's log."""

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


def read_submission(source: str | Path | bytes, ids: Sequence[str]) -> np.ndarray:
    """The predictions of a file, shape (n,), in the order of `ids`."""
    raw = source if isinstance(source, bytes) else Path(source).read_bytes()
    rows = list(csv.reader(io.StringIO(raw.decode())))[1:]
    held = {one: float(value) for one, value in rows}
    return np.array([held[one] for one in ids])
