"""A cap on improvements: after some, nothing replaces the best any more."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shakedown.component import parameter
from shakedown.leaderboard.defence import Defence

if TYPE_CHECKING:
    from shakedown.leaderboard.disclosure import Disclosure
    from shakedown.leaderboard.scorer import Scorer
    from shakedown.leaderboard.state import BoardState
    from shakedown.terms import Terms


class Cap(Defence):
    """Cap on improvements."""

    name: ClassVar[str] = "cap"
    label: ClassVar[str] = "cap"
    sentence: ClassVar[str] = (
        "After a number of submissions of an account have replaced its best, no other does."
    )
    order: ClassVar[float] = 2
    examples: ClassVar[tuple[dict, ...]] = ({"improvements": 3},)

    improvements: int = parameter(
        ge=1,
        symbol="improvements",
        description="Submissions of an account that may replace its best, the first one included.",
    )

    def limit(self, standing: np.ndarray, best: BoardState, *, chain: bool) -> np.ndarray:
        left = max(self.improvements - best.replaced, 0)
        if not chain:
            return standing if left else np.full_like(standing, -1)
        too_many = np.flatnonzero(standing == np.arange(len(standing)))[left:]
        if not len(too_many):
            return standing
        first = too_many[0]
        limited = standing.copy()
        limited[first:] = standing[first - 1] if first else -1
        return limited

    def terms(self, terms: Terms, scorer: Scorer | None) -> Terms:
        others = self.improvements if terms.improvements is None else terms.improvements
        return replace(terms, improvements=min(self.improvements, others))

    def disclosure(self, shown: Disclosure) -> Disclosure:
        others = self.improvements if shown.improvements is None else shown.improvements
        return replace(shown, improvements=min(self.improvements, others))
