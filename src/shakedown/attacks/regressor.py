"""Regressors of scikit-learn as final models."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any

import numpy as np

from shakedown.attacks.estimators import OF_CLASSIFIERS
from shakedown.attacks.refitted import Refitted
from shakedown.component import imported
from shakedown.interface import InputError, ParticipantData
from shakedown.seeding import stream


class Regressor(Refitted):
    """Any scikit-learn regressor, fitted for each number of features.

    Its `random_state`, if it has one, is derived from the study's seed unless the settings give it,
    or `seed` is None.
    """

    sends_classes = False

    def __init__(self, path: str, settings: dict, seed: int | None) -> None:
        self.path, self._settings = path, settings
        self._class, arguments = _checked(path, settings)
        if seed is not None and "random_state" in arguments and "random_state" not in settings:
            drawn = int(stream(seed, "model", path).integers(2**31))
            self._settings = {**settings, "random_state": drawn}

    @property
    def classifies(self) -> bool:
        """Whether it is a classifier, to which numbers cannot be fitted."""
        return any(hasattr(self._class, name) for name in OF_CLASSIFIERS)

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
            raise _not_accepted(self.path, self._settings, e) from e

    def of(self, view: ParticipantData, features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """As `LeastSquares.of`."""
        fitted = self.made().fit(view.X_train[:, features], view.y_train)
        return fitted.predict(view.X_public[:, features]), fitted.predict(view.X_final[:, features])


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
