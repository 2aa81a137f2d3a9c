"""Refusal of files that an account has submitted before, or nearly."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shakedown.component import parameter
from shakedown.leaderboard.defence import Defence

if TYPE_CHECKING:
    from shakedown.leaderboard.scorer import Scorer
    from shakedown.terms import Terms


class Distinct(Defence):
    """Refusal of repeated files.

    Under a correlation, a file on another scale has the same score and is not refused.
    """

    name: ClassVar[str] = "distinct"
    label: ClassVar[str] = "no repeated files"
    sentence: ClassVar[str] = (
        "Refuses files that equal an earlier one of the account, or are as near to it as a given "
        "distance; they count as submissions, and the last score is shown again. Noise can then "
        "not be averaged by one file, but by several bad ones."
    )
    order: ClassVar[float] = 5
    examples: ClassVar[tuple[dict, ...]] = ({}, {"distance": 0.1})
    compares_files: ClassVar[bool] = True

    distance: float = parameter(
        0.0,
        ge=0.0,
        description=(
            "Files are refused up to this root mean square difference, in standard deviations of "
            "the response. 0: equal files alone."
        ),
    )

    @property
    def tells_spread(self) -> bool:
        return self.distance > 0.0

    def nearest(self, scorer: Scorer) -> float:
        """The distance in units of the response."""
        return self.distance * float(scorer.response.std(ddof=1))

    def terms(self, terms: Terms, scorer: Scorer | None) -> Terms:
        nearest = self.distance if scorer is None else self.nearest(scorer)
        return replace(terms, nearest=max(nearest, terms.nearest))

    def refuse(
        self, files: np.ndarray, earlier: np.ndarray, scorer: Scorer, *, chain: bool
    ) -> np.ndarray:
        nearest = self.nearest(scorer) ** 2
        known = np.concatenate([earlier, files]) if chain else earlier
        refused = np.zeros(len(files), bool)
        count = len(earlier)  # rows of `known` that count
        for t, file in enumerate(files):
            refused[t] = ((known[:count] - file) ** 2).mean(axis=1).min(initial=np.inf) <= nearest
            if chain and not refused[t]:
                known[count] = file
                count += 1
        return refused
