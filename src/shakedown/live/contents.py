"""How a board keeps predictions: as doubles, or in single precision where it has a meter.

A metered board reads all files of a team again after a restart, so theirs take half the room.
Predictions are rounded when they come (`kept`), before anything is computed of them: scores,
prices and the meter are those of the rounded file, and a replay has the same numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shakedown.interface import LARGEST, InputError

if TYPE_CHECKING:
    from shakedown.live.rules import Rules

#: The precision is a part of the rules, so that a board made before it was one goes on in doubles.
DOUBLE, SINGLE = np.dtype("<f8"), np.dtype("<f4")
#: Largest mean of the public responses, in their standard deviations: single precision rounds
#: numbers of this size by .0006 of a standard deviation at most.
FARTHEST = 1e4


def kept(predictions: np.ndarray, rules: Rules) -> np.ndarray:
    """Round predictions, shape (n,), to the precision in which the board stores them.

    Raises
    ------
    InputError
        If they are not finite, or too large.
    """
    largest = min(LARGEST, float(np.finfo(_precision(rules)).max))
    if not (np.abs(predictions) <= largest).all():
        raise InputError(f"predictions: wanted finite numbers up to {largest:g} in all rows.")
    return predictions_of(content_of(predictions, rules), rules)


def content_of(predictions: np.ndarray, rules: Rules) -> bytes:
    """Predictions, shape (n,), as stored."""
    return np.ascontiguousarray(predictions, _precision(rules)).tobytes()


def predictions_of(content: bytes, rules: Rules) -> np.ndarray:
    """Predictions as stored, shape (n,); they are doubles, whatever the precision."""
    return np.frombuffer(content, _precision(rules)).astype(float, copy=False)


def stored_products(products: np.ndarray) -> bytes:
    """`SequentialBoard.products` as stored: doubles, because a rounded product would be another."""
    return np.ascontiguousarray(products, DOUBLE).tobytes()


def products_of(content: bytes | None) -> np.ndarray | None:
    """`SequentialBoard.products` as stored; None if they are missing, or no doubles."""
    if content is None or len(content) % DOUBLE.itemsize:
        return None
    return np.frombuffer(content, DOUBLE).astype(float)  # kernels are compiled for what is writable


def check_precision(public: np.ndarray) -> None:
    """Check that single precision tells public responses, shape (n,), apart.

    Raises
    ------
    InputError
        If it rounds them by too much.
    """
    centre, spread = float(np.mean(public)), float(np.std(public, ddof=1))
    if abs(centre) > FARTHEST * spread or np.abs(public).max() > np.finfo(SINGLE).max / FARTHEST:
        raise InputError(
            f"truth: the public responses have the mean {centre:g} and the standard deviation "
            f"{spread:g}. A metered board keeps files in single precision, which would round such "
            "predictions too much. Take a constant off the truth, or choose another unit."
        )


def _precision(rules: Rules) -> np.dtype:
    return SINGLE if rules.single else DOUBLE
