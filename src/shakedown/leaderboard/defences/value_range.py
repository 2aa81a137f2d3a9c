"""Range refusal: a file that varies too much is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shakedown.component import parameter
from shakedown.leaderboard.defence import Defence

if TYPE_CHECKING:
    from shakedown.leaderboard.scorer import Scorer
    from shakedown.terms import Terms

#: Share of the limit by which rounding of floats may exceed it.
_TIE = 1e-9


class ValueRange(Defence):
    """Range refusal.

    The limit must be known before anybody submits: otherwise what is refused tells the variance of
    the public response.  Simulations standardise the response, so its variance is 1.
    """

    name: ClassVar[str] = "value_range"
    label: ClassVar[str] = "range refusal"
    sentence: ClassVar[str] = (
        "Refuses files whose predictions vary more than the response does; they count as "
        "submissions, and the last score is shown again. This stops the staircase, but neither "
        "the linear probe nor the reserve attack."
    )
    order: ClassVar[float] = 4

    variance: float = parameter(
        1.0,
        gt=0.0,
        symbol="variance",
        description=(
            "Largest variance of a file's predictions, as a multiple of the response's variance."
        ),
    )

    def largest(self, scorer: Scorer) -> float:
        """The largest variance (``ddof=1``) of predictions, in squared units of the response."""
        return self.variance * float(scorer.response.var(ddof=1))

    def terms(self, terms: Terms, scorer: Scorer | None) -> Terms:
        largest = self.variance if scorer is None else self.largest(scorer)
        others = largest if terms.largest_variance is None else terms.largest_variance
        return replace(terms, largest_variance=min(largest, others))

    def refuse(
        self, files: np.ndarray, earlier: np.ndarray, scorer: Scorer, *, chain: bool
    ) -> np.ndarray:
        return files.var(axis=1, ddof=1) > self.largest(scorer) * (1.0 + _TIE)
