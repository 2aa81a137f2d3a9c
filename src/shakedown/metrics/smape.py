"""Symmetric mean absolute percentage error."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shakedown.metrics.moments_of_draws import OfMoments
from shakedown.metrics.weights import total


class SymmetricPercentageError(OfMoments):
    """Mean of 2 |y - p| / (|y| + |p|), from 0 to 2; a row with y = p = 0 counts as 0.

    It depends on the origin of the response: it is made for numbers above 0, for which an error
    of 10 % is the same anywhere.  The designs of a study or a dry run standardise the response,
    so that its values lie around 0.  There the mean, 0, scores 2, as does every file with the
    wrong signs, and what is found says little of the same metric on the numbers themselves.
    """

    name: ClassVar[str] = "smape"
    label: ClassVar[str] = "SMAPE"
    axis: ClassVar[str] = "SMAPE\n(0 to 2)"
    sentence: ClassVar[str] = (
        "Symmetric mean absolute percentage error, from 0 to 2: the mean of the absolute errors, "
        "each divided by the mean size of response and prediction. It depends on the origin of the "
        "response, which the designs move to its mean."
    )
    order: ClassVar[float] = 11
    larger_is_better: ClassVar[bool] = False

    def function(
        self, y: np.ndarray, prediction: np.ndarray, sample_weight: np.ndarray | None = None
    ) -> float:
        errors = _errors(y, prediction)
        count = len(y) if sample_weight is None else sample_weight.sum()
        return 2.0 * total(errors, sample_weight) / float(count)

    def of_draws(self, y: np.ndarray, predictions: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return 2.0 * (weights @ _errors(y, predictions).T) / weights.sum(axis=1)[:, None]


def _errors(y: np.ndarray, predictions: np.ndarray) -> np.ndarray:
    """Half of what each row counts; predictions have shape (n,) or (m, n)."""
    sizes = abs(y) + abs(predictions)
    errors = np.zeros(sizes.shape)
    np.divide(abs(y - predictions), sizes, out=errors, where=sizes > 0.0)
    return errors
