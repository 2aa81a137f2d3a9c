"""Baseline start: a new board starts with a submission of the organiser."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shakedown.leaderboard.defence import Defence
from shakedown.metrics import ZERO_ONE

if TYPE_CHECKING:
    from shakedown.leaderboard.disclosure import Disclosure
    from shakedown.leaderboard.scorer import Scorer
    from shakedown.leaderboard.state import BoardState


class Baseline(Defence):
    """Baseline start."""

    name: ClassVar[str] = "baseline"
    label: ClassVar[str] = "baseline start"
    sentence: ClassVar[str] = (
        "The best so far starts with the intercept-only prediction, as if the organiser had "
        "submitted it first."
    )
    order: ClassVar[float] = 1

    def start(self, best: BoardState, scorer: Scorer) -> BoardState:
        return intercept_only(best, scorer)

    def disclosure(self, shown: Disclosure) -> Disclosure:
        return replace(shown, starts=True)


def intercept_only(best: BoardState, scorer: Scorer) -> BoardState:
    """`best` with the intercept-only prediction in force.

    The prediction is the mean of the public response (0 on standardised data) or, for the 0/1 loss,
    the most frequent label.  The correlation of a constant counts as 0.

    Raises
    ------
    InputError
        If a metric given as a function has no score for a constant prediction.
    """
    metric, y = scorer.metric, scorer.y
    if metric.loss == ZERO_ONE:
        values, counts = np.unique(y, return_counts=True)
        constant = values[np.argmax(counts)]
    else:
        constant = y.mean()
    prediction = np.full((1, len(y)), constant)
    if metric.has_losses or metric.formula is None:
        batch = scorer.judge(prediction)
        return replace(best, row=batch.rows[0].copy(), risk=float(batch.risks[0]))
    return replace(best, row=prediction[0], risk=0.0)
