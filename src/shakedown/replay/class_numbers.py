"""Named classes of a log, as numbers in their order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shakedown.replay.cleaning import Messages


class ClassNumbers:
    """Maps the names of classes to 0, 1, ...; other cells are numbers, such as probabilities.

    Parameters
    ----------
    classes : sequence of str
        In their order.
    """

    are_text = True

    def __init__(self, classes: Sequence[str]) -> None:
        self._place = {name: float(k) for k, name in enumerate(classes)}

    def number(self, text: str) -> float:
        """The number of a cell; NaN for an empty one, and for one that is neither."""
        try:
            return self._place[text] if text in self._place else float(text)
        except ValueError:
            return np.nan

    def note_unknown(
        self, truth: np.ndarray, predictions: np.ndarray, names: np.ndarray, messages: Messages
    ) -> None:
        """Nothing: a cell that is no class and no number is a missing prediction."""
