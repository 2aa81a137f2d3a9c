"""Clipped loss: no row counts for more than a given loss."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shakedown.component import parameter
from shakedown.interface import InputError
from shakedown.leaderboard.defence import Defence
from shakedown.leaderboard.disclosure import Disclosure, uncounted
from shakedown.metrics import Metric

if TYPE_CHECKING:
    from shakedown.leaderboard.scorer import ScoredSubmissions, Scorer
    from shakedown.terms import Terms


class Clip(Defence):
    """Clipped loss.

    The board scores and compares clipped losses; the final score of a study is that of the metric.
    """

    name: ClassVar[str] = "clip"
    label: ClassVar[str] = "clipped loss"
    sentence: ClassVar[str] = (
        "Caps the loss of each row at a multiple of the mean loss of a constant prediction, so "
        "files of large numbers all have the same score. This stops the staircase, but not the "
        "reserve attack."
    )
    order: ClassVar[float] = 6

    times: float = parameter(
        9.0,
        gt=0.0,
        symbol="c",
        description=(
            "Largest loss of a row, as a multiple of the mean public loss of a constant "
            "prediction. 9 is three standard deviations of the response, for squared errors."
        ),
    )

    def check(self, metric: Metric) -> None:
        if not metric.has_losses:
            raise InputError(
                f"defence '{self.name}' caps the loss of each row, and metric '{metric.name}' is "
                "not a mean of losses. Remove it."
            )

    def disclosure(self, shown: Disclosure) -> Disclosure:
        return uncounted(
            "The clipped score of the constant prediction, with which a board begins, "
            "depends on the responses."
        )

    def terms(self, terms: Terms, scorer: Scorer | None) -> Terms:
        others = self.times if terms.largest_loss is None else terms.largest_loss
        return replace(terms, largest_loss=min(self.times, others))

    def rescore(self, batch: ScoredSubmissions, scorer: Scorer) -> ScoredSubmissions:
        metric, y = scorer.metric, scorer.y
        intercept, _ = metric.judge(y, np.full((1, len(y)), y.mean()))
        rows = np.minimum(batch.rows, self.times * intercept.mean())
        means = rows.mean(axis=1)
        return replace(batch, rows=rows, risks=np.sqrt(means) if metric.root else means)
