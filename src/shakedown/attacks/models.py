"""The final model, which an attacker fits to the selected features."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np

from shakedown.attacks.estimators import is_regressor
from shakedown.attacks.least_squares import nested_predictions
from shakedown.component import imported
from shakedown.interface import InputError, ParticipantData
from shakedown.seeding import stream

if TYPE_CHECKING:  # a job that plays makes no models of a configuration
    from shakedown.attacks.settings import Model


def of_best_features(view: ParticipantData, model, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Public and final predictions of a model of the features most correlated in training."""
    best = np.argsort(-np.abs(view.X_train.T @ view.y_train), kind="stable")[:size]
    public, final = model.nested(view, best)
    return public[-1], final[-1]


def half_of(view: ParticipantData) -> tuple[ParticipantData, np.ndarray]:
    """Every other training row, with the rest of them as public rows, and the response of these.

    Of rows that belong together, every other group.
    """
    X, y = view.X_train, view.y_train
    if view.groups is not None:
        first = view.groups[0] % 2 == 0
        return ParticipantData(X[first], y[first], X[~first], view.X_final), y[~first]
    return ParticipantData(X[::2], y[::2], X[1::2], view.X_final), y[1::2]


class LeastSquares:
    """Ordinary least squares; all nested models come from one orthogonalisation."""

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


class Regressor:
    """Any scikit-learn regressor, fitted for each number of features.

    Its `random_state`, if it has one, is derived from the study's seed unless the settings give it,
    or `seed` is None.
    """

    def __init__(self, path: str, settings: dict, seed: int | None) -> None:
        self._path, self._settings = path, settings
        self._class, arguments = _checked(path, settings)
        if seed is not None and "random_state" in arguments and "random_state" not in settings:
            drawn = int(stream(seed, "model", path).integers(2**31))
            self._settings = {**settings, "random_state": drawn}

    def made(self) -> Any:
        """The regressor, not fitted.

        Raises
        ------
        InputError
            If it refuses its settings.
        """
        try:
            return self._class(**self._settings)
        except (TypeError, ValueError) as e:
            raise _not_accepted(self._path, self._settings, e) from e

    def nested(self, view: ParticipantData, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """As `LeastSquares.nested`."""
        public = np.empty((len(order), len(view.X_public)))
        final = np.empty((len(order), len(view.X_final)))
        for k in range(1, len(order) + 1):
            columns = order[:k]
            fitted = self.made().fit(view.X_train[:, columns], view.y_train)
            public[k - 1] = fitted.predict(view.X_public[:, columns])
            final[k - 1] = fitted.predict(view.X_final[:, columns])
        return public, final


def final_model(entry: Model, seed: int = 0) -> LeastSquares | Regressor:
    """The model of a configuration: "ols", an import path, or one with its settings.

    Parameters
    ----------
    entry : str or RegressorEntry
    seed : int
        The study's.

    Raises
    ------
    InputError
        If the class cannot be imported, does not accept its settings, or is not a regressor.
    """
    if entry == "ols":
        return LeastSquares()
    return Regressor(*_class_and_settings(entry), seed)


def check_model(entry: Model) -> None:
    """Check the model of a configuration, without importing it if it is one of scikit-learn's.

    Nothing is called: an import path can name any code.

    Raises
    ------
    InputError
        As `final_model`.
    """
    if entry != "ols" and not is_regressor(*_class_and_settings(entry)):
        final_model(entry)


def _checked(path: str, settings: Mapping[str, Any]) -> tuple[type, Mapping[str, Any]]:
    """The class at an import path, which is not called, and its arguments by name."""
    estimator = imported(path, f"model '{path}'", "'ols' or the import path of a regressor")
    methods = (getattr(estimator, name, None) for name in ("fit", "predict"))
    if not isinstance(estimator, type) or not all(map(callable, methods)):
        is_class = isinstance(estimator, type)
        got = (
            f"the class {estimator.__name__}"
            if is_class
            else f"an object of type {type(estimator).__name__}"
        )
        raise InputError(
            f"model '{path}': wanted the import path of a class with `fit` and `predict`, such as "
            f"sklearn.linear_model.Ridge; got {got}."
        )
    try:
        takes = signature(estimator)
        takes.bind(**settings)
    except (TypeError, ValueError) as e:
        raise _not_accepted(path, settings, e) from e
    return estimator, takes.parameters


def _not_accepted(path: str, settings: Mapping[str, Any], why: Exception) -> InputError:
    return InputError(f"model '{path}' does not accept the settings {dict(settings)}: {why}.")


def _class_and_settings(entry: Model) -> tuple[str, dict]:
    return (entry, {}) if isinstance(entry, str) else (entry.path, entry.settings)
