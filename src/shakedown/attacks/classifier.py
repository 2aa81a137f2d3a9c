"""Models of labels: the nearer label to a regression on the labels less their mean."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shakedown.attacks.models import half_of, of_best_features
from shakedown.interface import ParticipantData


def classified(
    participant: ParticipantData, model, size: int
) -> tuple[np.ndarray, np.ndarray, float]:
    """Predicted labels, and the share of them that is right.

    Parameters
    ----------
    participant : ParticipantData
        With training labels 0 and 1, and features of mean 0 in each set.
    model
        See `models`.
    size : int
        Features of the model: those with the largest correlation with the training labels.

    Returns
    -------
    public, final : ndarray of 0 and 1, shape (n_public,) and (n_final,)
    share : float
        Of right labels, by a model of half of the training rows on the other half; from above 1/2
        to below 1.
    """
    half, rest = half_of(participant)
    right, n = float(np.sum(_nearer(half, model, size)[0] == rest)), len(rest)
    # One more row of each kind: no model is never wrong, and none is worse than a coin.
    share = max((right + 1.0) / (n + 2.0), (0.5 * n + 1.0) / (n + 1.0))
    return *_nearer(participant, model, size), min(share, (n + 1.0) / (n + 2.0))


def centred(view: ParticipantData) -> tuple[ParticipantData, float]:
    """The view with training labels less their mean, and the mean."""
    mean = float(np.mean(view.y_train))
    return replace(view, y_train=view.y_train - mean), mean


def nearer(predictions: np.ndarray, mean: float) -> np.ndarray:
    """The label nearer to each prediction of a label less the mean; 0 in the middle."""
    return (predictions + mean > 0.5).astype(float)


def _nearer(view: ParticipantData, model, size: int) -> tuple[np.ndarray, np.ndarray]:
    """The label that is nearer to the model's prediction, of public and final rows."""
    view, mean = centred(view)
    public, final = of_best_features(view, model, size)
    return nearer(public, mean), nearer(final, mean)
