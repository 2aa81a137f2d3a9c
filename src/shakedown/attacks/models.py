"""The final model, which an attacker fits to the selected features."""

from __future__ import annotations

from inspect import signature

import numpy as np

from shakedown.attacks.estimators import is_regressor
from shakedown.attacks.least_squares import nested_predictions
from shakedown.component import imported
from shakedown.interface import InputError, ParticipantData
from shakedown.seeding import stream


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
            view.X_train.T[order], view.y_train, view.X_public.T[order], view.X_final.T[order]
        )


class Regressor:
    """Any scikit-learn regressor, fitted for each number of features.

    Its `random_state`, if it has one, is derived from the study's seed unless the settings give it.
    """

    def __init__(self, path: str, settings: dict, seed: int) -> None:
        self._class = imported(path, f"model '{path}'", "'ols' or the import path of a regressor")
        self._settings = settings
        try:
            self._class(**settings)
        except TypeError as e:
            raise InputError(f"model '{path}' does not accept the settings {settings}: {e}.") from e
        if not hasattr(self._class, "fit") or not hasattr(self._class, "predict"):
            raise InputError(f"model '{path}' has no `fit` and `predict`; name a regressor.")
        if "random_state" in signature(self._class).parameters and "random_state" not in settings:
            drawn = int(stream(seed, "model", path).integers(2**31))
            self._settings = {**settings, "random_state": drawn}

    def nested(self, view: ParticipantData, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """As `LeastSquares.nested`."""
        public = np.empty((len(order), len(view.X_public)))
        final = np.empty((len(order), len(view.X_final)))
        for k in range(1, len(order) + 1):
            columns = order[:k]
            fitted = self._class(**self._settings).fit(view.X_train[:, columns], view.y_train)
            public[k - 1] = fitted.predict(view.X_public[:, columns])
            final[k - 1] = fitted.predict(view.X_final[:, columns])
        return public, final


def final_model(entry: str | dict, seed: int = 0) -> LeastSquares | Regressor:
    """The model of a configuration: "ols", an import path, or {class, settings}.

    Parameters
    ----------
    entry : str or dict
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


def check_model(entry: str | dict) -> None:
    """Check the model of a configuration, without importing it if it is one of scikit-learn's.

    Raises
    ------
    InputError
        As `final_model`.
    """
    if entry != "ols" and not is_regressor(*_class_and_settings(entry)):
        final_model(entry)


def _class_and_settings(entry: str | dict) -> tuple[str, dict]:
    if isinstance(entry, str):
        return entry, {}
    return entry["class"], dict(entry.get("settings") or {})
