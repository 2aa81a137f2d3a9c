"""Classifiers as final models, under metrics of classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from shakedown.attacks.regressor import Regressor
from shakedown.interface import Cells, InputError, ParticipantData
from shakedown.metrics import Metric
from shakedown.metrics.classes import CLASSES, PROBABILITIES, SCORES


class Classifier(Regressor):
    """Any scikit-learn classifier, fitted for each number of features.

    It sends what the metric takes: classes; or probabilities of all classes as the expected value,
    which of two classes is the probability on the scale of the response.  A classifier without
    `predict_proba` sends values of its decision function, if the metric takes scores, or classes.

    Parameters
    ----------
    path, settings, seed
        As of `Regressor`.
    metric : Metric
    """

    def __init__(
        self, path: str, settings: Mapping[str, Any], seed: int | None, metric: Metric
    ) -> None:
        super().__init__(path, settings, seed)
        self._metric = metric

    @property
    def sends_classes(self) -> bool:
        """Whether its predictions are values of classes, and not expected values or scores."""
        return self._metric.predicts == CLASSES

    def of(self, view: ParticipantData, features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """As `LeastSquares.of`; constant if the training rows have one class.

        Raises
        ------
        InputError
            If the metric takes probabilities, and the classifier has none.
        """
        sets = (view.X_train, view.X_public, view.X_final)
        train, public, final = (
            _responses(X, None if view.cells is None else view.cells[k]) for k, X in enumerate(sets)
        )
        codes, values = coded(view.y_train, train, 1 + max(map(np.max, (train, public, final))))
        if codes.min() == codes.max():
            return values[public, codes[0]], values[final, codes[0]]
        fitted = self.made().fit(view.X_train[:, features], codes)
        parts = ((view.X_public, public), (view.X_final, final))
        return tuple(self._file(fitted, X[:, features], values[of]) for X, of in parts)

    def _file(self, fitted: Any, X: np.ndarray, values: np.ndarray) -> np.ndarray:
        """What is sent for rows with these values of their classes, shape (n, k)."""
        predicts = self._metric.predicts
        if predicts != CLASSES and hasattr(fitted, "predict_proba"):
            return (fitted.predict_proba(X) * values[:, fitted.classes_]).sum(axis=1)
        if predicts == PROBABILITIES:
            raise InputError(
                f"model '{self.path}': metric '{self._metric.name}' takes probabilities, and this "
                "classifier has no `predict_proba`. Use another one, such as "
                "sklearn.linear_model.LogisticRegression, or another metric."
            )
        if predicts == SCORES and hasattr(fitted, "decision_function"):
            return fitted.decision_function(X)  # of two classes
        return values[np.arange(len(X)), fitted.predict(X)]


def _responses(X: np.ndarray, cells: Cells | None) -> np.ndarray:
    """The response of each row of a set, shape (n,)."""
    return np.zeros(len(X), int) if cells is None else cells.responses


def coded(y: np.ndarray, responses: np.ndarray, q: int) -> tuple[np.ndarray, np.ndarray]:
    """Classes of each of q responses as codes from 0, shape (n,), and their values, shape (q, k).

    Of a response with fewer classes than others, the last one has all further codes.  One without a
    row is predicted by 0, its mean.
    """
    own = [np.unique(y[responses == k]) for k in range(q)]
    own = [found if len(found) else np.zeros(1) for found in own]
    count = max(map(len, own))
    values = np.array([np.pad(found, (0, count - len(found)), mode="edge") for found in own])
    codes = np.empty(len(y), int)
    for k, found in enumerate(own):
        codes[responses == k] = np.searchsorted(found, y[responses == k])
    return codes, values
