"""The final model, which an attacker fits to the selected features."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shakedown.attacks.class_model import Classifier
from shakedown.attacks.cox import Cox
from shakedown.attacks.estimators import classifies, is_regressor
from shakedown.attacks.least_squares import nested_predictions
from shakedown.attacks.regressor import Regressor
from shakedown.interface import Cells, InputError, ParticipantData
from shakedown.metrics import Metric
from shakedown.metrics.classes import CLASSED, CLASSES, TIMES

if TYPE_CHECKING:  # a job that plays makes no models of a configuration
    from shakedown.attacks.settings import Model


def of_best_features(view: ParticipantData, model, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Public and final predictions of a model of the features most correlated in training."""
    best = np.argsort(-np.abs(view.X_train.T @ view.y_train), kind="stable")[:size]
    return model.of(view, best)


def half_of(view: ParticipantData) -> tuple[ParticipantData, np.ndarray]:
    """Every other training row, with the rest of them as public rows, and the response of these.

    Of rows that belong together, every other group.
    """
    first, rest = slice(None, None, 2), slice(1, None, 2)
    if view.groups is not None:
        first = view.groups[0] % 2 == 0
        rest = ~first
    X, y, cells, times = view.X_train, view.y_train, view.cells, view.times
    if cells is not None:
        cells = _some(cells[0], first), _some(cells[0], rest), cells[2]
    times = None if times is None else times[first]
    half = ParticipantData(X[first], y[first], X[rest], view.X_final, cells=cells, times=times)
    return half, y[rest]


def _some(cells: Cells, rows: np.ndarray | slice) -> Cells:
    return cells._replace(responses=cells.responses[rows], rows=cells.rows[rows])


class LeastSquares:
    """Ordinary least squares; all nested models come from one orthogonalisation."""

    sends_classes = False

    def of(self, view: ParticipantData, features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Predictions of the model on all of some features.

        Parameters
        ----------
        view : ParticipantData
        features : ndarray of int, shape (k,)

        Returns
        -------
        public : ndarray, shape (n_public,)
        final : ndarray, shape (n_final,)
        """
        public, final = self.nested(view, features)
        return public[-1], final[-1]

    def nested(self, view: ParticipantData, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Predictions of the models on the first 1, 2, ..., k features of `order`.

        Parameters
        ----------
        view : ParticipantData
        order : ndarray of int, shape (k,)

        Returns
        -------
        public : ndarray, shape (k, n_public)
        final : ndarray, shape (k, n_final)
        """
        return nested_predictions(
            view.X_train.T, view.y_train, view.X_public.T, view.X_final.T, order
        )


def final_model(
    entry: Model, seed: int = 0, metric: Metric | None = None
) -> LeastSquares | Cox | Regressor:
    """The model of a configuration: "ols", "cox", an import path, or one with its settings.

    Parameters
    ----------
    entry : str or RegressorEntry
    seed : int
        The study's.
    metric : Metric or None
        It says what a classifier sends; None for one of numbers.

    Raises
    ------
    InputError
        If the class cannot be imported, does not accept its settings, is neither a regressor nor a
        classifier, or does not fit the metric.
    """
    if entry == "ols":
        return LeastSquares()
    if entry == "cox":
        _check_kind(entry, metric, (TIMES,))
        return Cox()
    model = Regressor(*_class_and_settings(entry), seed)
    if not model.classifies:
        return model
    _check_kind(model.path, metric, CLASSED)
    return Classifier(*_class_and_settings(entry), seed, metric)


def suited(metric: Metric) -> str:
    """The entry of a model for holders that suits the response of a metric.

    Where classes are predicted it is least squares: a file of classes does not say which rows are
    uncertain.  With 133 public rows of three classes and macro F1 a random search from it took more
    than 100 files to overfit by .05, from one of least squares two.
    """
    if metric.response in CLASSED and metric.predicts != CLASSES:
        return "sklearn.linear_model.LogisticRegression"
    return "cox" if metric.response == TIMES else "ols"


def check_model(entry: Model, metric: Metric | None = None) -> None:
    """Check the model of a configuration, without importing it if it is one of scikit-learn's.

    Nothing is called: an import path can name any code.

    Raises
    ------
    InputError
        As `final_model`.
    """
    if entry in ("ols", "cox") or not is_regressor(*_class_and_settings(entry)):
        final_model(entry, metric=metric)
    elif classifies(path := _class_and_settings(entry)[0]):
        _check_kind(path, metric, CLASSED)


def _check_kind(path: str, metric: Metric | None, wanted: tuple[str, ...]) -> None:
    """Check that a model of classes or of times has a metric of these."""
    if metric is not None and metric.response in wanted:
        return
    what, other = ("censored times", "c_index") if TIMES in wanted else ("classes", "auroc")
    got = "numbers" if metric is None else f"metric '{metric.name}'"
    raise InputError(
        f"model '{path}' is fitted to {what}: wanted a metric of these, such as {other}; got "
        f"{got}. Use 'ols' or a regressor, such as sklearn.linear_model.Ridge, or another metric."
    )


def _class_and_settings(entry: Model) -> tuple[str, dict]:
    return (entry, {}) if isinstance(entry, str) else (entry.path, entry.settings)
