"""Cosine similarity."""

from __future__ import annotations

from math import inf, sqrt
from typing import ClassVar

import numpy as np

from shakedown.metrics.kernels import LEAST_SQUARES
from shakedown.metrics.moments_of_draws import OfMoments
from shakedown.metrics.weights import total, undefined


class CosineSimilarity(OfMoments):
    """Cosine of the angle between prediction and response; undefined for zeros.

    Pearson's correlation is that of the two less their means.  So this one depends on the origin
    of the response, which the designs of a study or a dry run move to its mean.
    """

    name: ClassVar[str] = "cosine"
    label: ClassVar[str] = "Cosine similarity"
    short: ClassVar[str] = "Cosine"
    sentence: ClassVar[str] = (
        "Cosine of the angle between prediction and response, from -1 to 1. It depends on the "
        "origin of the response, which the designs move to its mean."
    )
    order: ClassVar[float] = 7.5
    larger_is_better: ClassVar[bool] = True

    def function(
        self, y: np.ndarray, prediction: np.ndarray, sample_weight: np.ndarray | None = None
    ) -> float:
        pairs = ((y, y), (prediction, prediction), (y, prediction))
        yy, pp, yp = (total(a * b, sample_weight) for a, b in pairs)
        # As under a correlation: too small to be exact, or too large to be squared.
        if not (min(yy, pp) >= LEAST_SQUARES and max(yy, pp) < inf):
            return undefined(sample_weight, 0.0)
        # The root of each, because the product of the two could overflow.
        return yp / (sqrt(yy) * sqrt(pp))

    def of_draws(self, y: np.ndarray, predictions: np.ndarray, weights: np.ndarray) -> np.ndarray:
        yy = (weights @ y**2)[:, None]
        pp, yp = weights @ (predictions**2).T, weights @ (y * predictions).T
        exact = (np.minimum(yy, pp) >= LEAST_SQUARES) & (np.maximum(yy, pp) < inf)
        return np.where(exact, yp / (np.sqrt(yy) * np.sqrt(pp)), np.nan)
