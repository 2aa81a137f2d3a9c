"""A cap on the improvements of a day."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shakedown.component import parameter
from shakedown.leaderboard.defence import Defence

if TYPE_CHECKING:
    from shakedown.leaderboard.scorer import Scorer
    from shakedown.leaderboard.state import BoardState
    from shakedown.terms import Terms


class CapPerDay(Defence):
    """Cap on the improvements of a day."""

    name: ClassVar[str] = "cap_per_day"
    label: ClassVar[str] = "cap per day"
    sentence: ClassVar[str] = (
        "After a number of submissions of an account have replaced its best on one day, no other "
        "does before the next. A day is a number of submissions."
    )
    order: ClassVar[float] = 3
    examples: ClassVar[tuple[dict, ...]] = ({"improvements": 1, "day": 10},)
    one_by_one: ClassVar[bool] = True

    improvements: int = parameter(
        ge=1,
        symbol="improvements",
        description="Submissions of an account that may replace its best on one day.",
    )
    day: int = parameter(
        ge=1,
        symbol="day",
        unit="submissions",
        description=(
            "Submissions of an account that make a day; those that are refused do not count."
        ),
    )

    def terms(self, terms: Terms, scorer: Scorer | None) -> Terms:
        return replace(terms, improvements_per_day=(self.improvements, self.day))

    def limit(self, standing: np.ndarray, best: BoardState, *, chain: bool) -> np.ndarray:
        today = best.judged // self.day
        used = sum(at // self.day == today for at in best.replaced_at[-self.improvements :])
        return np.full_like(standing, -1) if used >= self.improvements else standing
