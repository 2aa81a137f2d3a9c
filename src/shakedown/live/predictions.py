"""Predictions in each of the forms in which they are submitted."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from shakedown.live.submission_file import Refused, read_submission


def values_of(
    predictions: np.ndarray | Mapping[str, float] | str | Path | bytes, ids: tuple[str, ...]
) -> np.ndarray:
    """Predictions in the order of the truth, shape (n,).

    Parameters
    ----------
    predictions : ndarray, mapping, path or bytes
        As in `LiveBoard.submit`.
    ids : tuple of str, length n

    Raises
    ------
    Refused
        If they are not one number for each id.
    """
    if isinstance(predictions, Mapping):
        lines = [f"{_quoted(name)},{value}" for name, value in predictions.items()]
        return read_submission("\n".join(["id,prediction", *lines]).encode(), ids)
    if isinstance(predictions, str | Path | bytes):
        return read_submission(predictions, ids)
    values = np.asarray(predictions, float)
    if values.shape != (len(ids),):
        raise Refused(
            f"predictions: wanted one for each of the {len(ids):,} rows; got an array of shape "
            f"{values.shape}.",
            "shape",
        )
    return values


def _quoted(text: str) -> str:
    return '"' + str(text).replace('"', '""') + '"'
