"""Sticky noise: the noise of a score is drawn once, and shown until another file replaces it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shakedown.leaderboard.defence import Defence

if TYPE_CHECKING:
    from shakedown.leaderboard.scorer import Scorer
    from shakedown.leaderboard.state import BoardState
    from shakedown.terms import Terms


class Sticky(Defence):
    """Sticky noise, as a warning."""

    name: ClassVar[str] = "sticky"
    label: ClassVar[str] = "sticky noise"
    sentence: ClassVar[str] = (
        "Draws the noise of a released score once, when the best is replaced, and shows the same "
        "number until then. It is a trap: the number changes exactly when a submission is "
        "accepted, and that is what an attack needs to know. Do not use it."
    )
    order: ClassVar[float] = 8

    def terms(self, terms: Terms, scorer: Scorer | None) -> Terms:
        return replace(terms, tells_replacement=terms.is_noisy)

    def reuse(self, shown: np.ndarray, standing: np.ndarray, best: BoardState) -> np.ndarray:
        # A board that has shown nothing yet draws the score that it begins with.
        before = shown if np.isnan(best.shown) else best.shown
        return np.where(standing >= 0, shown[standing], before)
