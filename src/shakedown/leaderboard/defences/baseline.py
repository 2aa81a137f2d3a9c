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
    from shakedown.metrics import Metric


class Baseline(Defence):
    """Baseline start."""

    name: ClassVar[str] = "baseline"
    label: ClassVar[str] = "baseline start"
    sentence: ClassVar[str] = (
        "The best so far starts with a constant prediction, as if the organiser had submitted it "
        "first."
    )
    order: ClassVar[float] = 1

    def start(self, best: BoardState, scorer: Scorer) -> BoardState:
        return intercept_only(best, scorer)

    def disclosure(self, shown: Disclosure) -> Disclosure:
        return replace(shown, starts=True)


def intercept_only(best: BoardState, scorer: Scorer) -> BoardState:
    """`best` with a constant prediction in force.

    The prediction is the mean of the public response (0 on standardised data) or, for the 0/1 loss,
    the most frequent label.  The correlation of a constant counts as 0.

    Raises
    ------
    InputError
        If a metric given as a function refuses a constant prediction, or it is a loss and has no
        score for one.
    """
    metric, y = scorer.metric, scorer.y
    if metric.loss == ZERO_ONE:
        values, counts = np.unique(y, return_counts=True)
        constant = values[np.argmax(counts)]
    else:
        constant = y.mean()
    prediction = np.full((1, len(y)), constant)
    if metric.has_losses or (metric.formula is None and not _is_undefined(metric, y, prediction)):
        batch = scorer.judge(prediction)
        return replace(best, row=batch.rows[0].copy(), risk=float(batch.risks[0]))
    return replace(best, row=prediction[0], risk=0.0)


def _is_undefined(metric: Metric, y: np.ndarray, prediction: np.ndarray) -> bool:
    """Whether a function, such as Kendall's tau-b, is as undefined as a correlation is."""
    return metric.larger_is_better and bool(np.isnan(metric.judge(y, prediction)[1][0]))
