"""Final models that are refitted for each number of features."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from shakedown.interface import ParticipantData


class Refitted(ABC):
    """A final model whose nested models have nothing in common."""

    @abstractmethod
    def of(self, view: ParticipantData, features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """As `LeastSquares.of`."""

    def nested(self, view: ParticipantData, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """As `LeastSquares.nested`: as many fits as there are features."""
        public = np.empty((len(order), len(view.X_public)))
        final = np.empty((len(order), len(view.X_final)))
        for k in range(len(order)):
            public[k], final[k] = self.of(view, order[: k + 1])
        return public, final
