"""Named classes of a log, as numbers in their order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shakedown.data.class_names import check_names
from shakedown.replay.cleaning import Messages
from shakedown.tables.cells import number_in


class ClassNumbers:
    """Maps the names of classes to 0, 1, ...; other cells are numbers, such as probabilities.

    Parameters
    ----------
    classes : sequence of str
        In their order.

    Raises
    ------
    InputError
        As `check_names`.
    """

    are_text = True

    def __init__(self, classes: Sequence[str]) -> None:
        self.names = tuple(classes)
        self._place = {name: float(k) for k, name in enumerate(classes)}
        check_names(classes, "replay.classes")

    def number(self, text: str) -> float:
        """The number of a cell; NaN for one that is no class and no number."""
        value = self._place.get(text, number_in(text))
        return np.nan if value is None else value

    def note_unknown(
        self, truth: np.ndarray, predictions: np.ndarray, names: np.ndarray, messages: Messages
    ) -> None:
        """Note nothing: a cell that is no class and no number is a missing prediction."""
