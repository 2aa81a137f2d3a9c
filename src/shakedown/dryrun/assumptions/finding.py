"""What a check of an assumption finds."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Finding:
    """An assumption that visibly fails.

    Attributes
    ----------
    sentence : str
        What was found, with the number that it changes.
    cure : str
        What to do about it, in a sentence.
    quantity : str
        What the number is called, such as "independent rows".
    assumed, found : float
        The number as a dry run takes it, and as the data show it.
    statistic : str
        What was computed, in words.
    value : float
        The statistic.
    p_value : float or None
        Its chance if the assumption holds; None if nothing is left to chance.
    withholds : bool
        Whether nothing may be called proved.
    """

    sentence: str
    cure: str
    quantity: str
    assumed: float
    found: float
    statistic: str
    value: float
    p_value: float | None
    withholds: bool

    def described(self, name: str, label: str) -> dict[str, Any]:
        """The finding of a check as JSON types."""
        return {"check": name, "label": label, **asdict(self)}
