"""Predictions in each of the forms in which they are submitted."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from shakedown.live.submission_file import SUBMISSION, Refused, read_submission
from shakedown.live.submission_matrix import LONG, MATRIX, read_matrix
from shakedown.live.truth import Truth


def values_of(
    predictions: np.ndarray | Mapping[str, Any] | str | Path | bytes, truth: Truth
) -> np.ndarray:
    """Predictions in the order of the truth, shape (asked,): those of a row stand together.

    Parameters
    ----------
    predictions : ndarray, mapping, path or bytes
        As in `LiveBoard.submit`.
    truth : Truth

    Raises
    ------
    Refused
        If they are not one number for each id, or for each id and response.
    """
    if truth.responses:
        return _of_several(predictions, truth).ravel()
    ids = truth.ids
    if isinstance(predictions, Mapping):
        lines = [f"{_quoted(name)},{value}" for name, value in predictions.items()]
        return read_submission("\n".join(["id,prediction", *lines]).encode(), ids, truth.classes)
    if isinstance(predictions, str | Path | bytes):
        return read_submission(predictions, ids, truth.classes)
    values = np.asarray(predictions, float)
    if values.shape != (len(ids),):
        raise Refused(
            f"predictions: wanted one for each of the {len(ids):,} rows; got an array of shape "
            f"{values.shape}.",
            "shape",
        )
    return values


def _of_several(predictions: Any, truth: Truth) -> np.ndarray:
    """Predictions of several responses, shape (n, q)."""
    if isinstance(predictions, Mapping):
        lines = [
            f"{_quoted(name)},{_quoted(response)},{value}"
            for name, of_each in predictions.items()
            for response, value in dict(of_each).items()
        ]
        predictions = "\n".join([",".join(LONG), *lines]).encode()
    if isinstance(predictions, str | Path | bytes):
        return read_matrix(predictions, truth.ids, truth.responses)
    values = np.asarray(predictions, float)
    if values.shape != (wanted := (len(truth.ids), len(truth.responses))):
        raise Refused(
            f"predictions: wanted one for each row and response, of shape {wanted}; got an array "
            f"of shape {values.shape}.",
            "shape",
        )
    return values


def size_limit(truth: Truth) -> int:
    """The largest file of a submission, in bytes."""
    policy = MATRIX if truth.responses else SUBMISSION
    return policy.limit(truth.asked)


def _quoted(text: str) -> str:
    return '"' + str(text).replace('"', '""') + '"'
