"""What a kind of models has: it says which features are promising, and fits its models."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from shakedown.interface import ParticipantData

#: Models of a kind that are fitted to the same rows.
MODELS = 10

#: Largest number of features in a fit: the most promising ones.
MOST_FEATURES = 500


class Kind(ABC):
    """A kind of models; derive from it, and write `worth` and `fitted`.

    Attributes
    ----------
    files : int
        Files that each model could send; the one with the best validation score is sent.
    """

    files: ClassVar[int] = 1

    def response(self, view: ParticipantData) -> np.ndarray:
        """The training response as the models take it, shape (n_train,)."""
        return view.y_train

    @abstractmethod
    def worth(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """How promising each feature is, shape (p,); 0 if it is constant.

        Parameters
        ----------
        X : ndarray, shape (m, p)
        y : ndarray, shape (m,)
        """

    @abstractmethod
    def fitted(
        self,
        X: np.ndarray,
        y: np.ndarray,
        targets: np.ndarray,
        *,
        rng: np.random.Generator,
        weights: np.ndarray | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Predictions of all models, fitted to some training rows, and the features they use.

        Parameters
        ----------
        X : ndarray, shape (m, p)
            With at most `MOST_FEATURES` features.
        y : ndarray, shape (m,)
            One response of these rows.  There may be few rows, or none.
        targets : ndarray, shape (n, p)
            Features of the rows to predict.
        rng : numpy.random.Generator
        weights : ndarray, shape (m,), optional
            What the rows count in the score.  Models of numbers and of times do not use them.

        Returns
        -------
        predictions : ndarray, shape (files, MODELS, n)
        used : ndarray of int, shape (MODELS,)
        """

    def promising(self, X: np.ndarray, y: np.ndarray, most: int = MOST_FEATURES) -> np.ndarray:
        """Sorted columns of the most promising features; at most `most`."""
        if X.shape[1] <= most:
            return np.arange(X.shape[1])
        return np.sort(np.argsort(-self.worth(X, y), kind="stable")[:most])
