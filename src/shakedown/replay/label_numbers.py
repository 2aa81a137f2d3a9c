"""Labels for a metric that only tests them for equality, and columns that name classes."""

from __future__ import annotations

import numpy as np

from shakedown.replay.class_numbers import ClassNumbers
from shakedown.replay.cleaning import Messages
from shakedown.tables.cells import TableCells

#: Up to this many different values always count as labels.
MANY_LABELS = 20


class LabelNumbers:
    """Maps labels to numbers; numeric labels map to themselves.

    Parameters
    ----------
    table : TableCells
    truth : str
        The column of true labels.

    Raises
    ------
    InputError
        If the values are not labels: most are not whole numbers, or there are more than
        `MANY_LABELS` different values and more than half as many as rows.
    """

    names = ()

    def __init__(self, table: TableCells, truth: str) -> None:
        values, no_number = table.numbers(truth)
        self.are_text = bool(no_number.any())
        self._numbers: dict[str, float] = {}
        if self.are_text:
            texts = table.texts(truth)
            known = texts[texts != ""]
        else:
            known = values[np.isfinite(values)]
        different = len(np.unique(known))
        broken = known[:0] if self.are_text else known[known != np.round(known)]
        why = ""
        if 2 * len(broken) > len(known):
            why = f"holds numbers that are not whole, such as {broken[0]:g}"
        elif different > MANY_LABELS and 2 * different > len(known):
            why = f"has {different:,} different values in {len(known):,} rows"
        if why:
            raise table.header.source.error(
                f"metric 'zero_one' wanted labels: text or whole numbers, at most {MANY_LABELS} "
                f"different ones or half as many as rows; column '{truth}' {why}. For numbers "
                "set 'metric' to rmse, mae or pearson."
            )

    def number(self, text: str) -> float:
        """The number of a label; NaN for an empty one."""
        if text == "":
            return np.nan
        return self._numbers.setdefault(text, float(len(self._numbers)))

    def note_unknown(
        self, truth: np.ndarray, predictions: np.ndarray, names: np.ndarray, messages: Messages
    ) -> None:
        """Report predicted labels that never occur in the truth; they count as wrong.

        Parameters
        ----------
        truth : ndarray, shape (n,)
        predictions : ndarray, shape (m, n)
        names : ndarray of str, shape (m,)
            Ids of the submissions.
        messages : Messages
        """
        text_of = {number: text for text, number in self._numbers.items()}
        for t, name in enumerate(names):
            strange = predictions[t][~np.isin(predictions[t], truth)]
            if len(strange):
                shown = f"'{text_of[strange[0]]}'" if strange[0] in text_of else f"{strange[0]:g}"
                verb, each = ("is", "it") if len(strange) == 1 else ("are", "each")
                messages.add(
                    "label_unknown", len(strange),
                    f"{len(strange):,} of {truth.size:,} predictions {verb} not a label of the "
                    f"truth, such as {shown}; {each} counts as wrong.", name,
                )  # fmt: skip


Labels = LabelNumbers | ClassNumbers


def values_of(
    table: TableCells, column: str, labels: Labels | None
) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of a column, NaN if missing, and which cells are not numbers."""
    if labels is None or not labels.are_text:
        return table.numbers(column)
    texts = table.texts(column, labels.names)
    numbers = np.array([labels.number(text) for text in texts])
    return numbers, np.isnan(numbers) & (texts != "")
