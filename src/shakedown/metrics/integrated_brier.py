"""The integrated Brier score of censored times."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shakedown.metrics.brier import BrierScore
from shakedown.metrics.classes import PROBABILITIES, TWO_CLASSES
from shakedown.metrics.composite_names import Term
from shakedown.metrics.row_terms import WeightedLoss


class IntegratedBrier(WeightedLoss):
    """The Brier score of events up to each of several horizons, averaged over the horizons.

    It is the weighted Brier score of a table that is cut at horizons (`data.horizons`): a response
    for each horizon, 1 if the event was seen up to it and 0 if the row was observed beyond it, with
    weights by the inverse probability of not being censored.  Of cells without weights, such as
    simulated ones, it is the plain Brier score.

    References
    ----------
    .. [1] E. Graf, C. Schmoor, W. Sauerbrei and M. Schumacher, "Assessment and comparison of
           prognostic classification schemes for survival data", Statistics in Medicine, 1999.
    """

    name: ClassVar[str] = "integrated_brier"
    label: ClassVar[str] = "Integrated Brier score"
    short: ClassVar[str] = "IBS"
    axis: ClassVar[str] = "integrated Brier score"
    sentence: ClassVar[str] = (
        "Mean over `horizons` of the Brier score of the probability of an event up to the horizon; "
        "rows count by the inverse probability of not being censored, and horizons by the "
        "trapezoidal rule."
    )
    source: ClassVar[str] = "Graf et al. (1999)"
    order: ClassVar[float] = 33
    larger_is_better: ClassVar[bool] = False
    response: ClassVar[str] = TWO_CLASSES
    predicts: ClassVar[str] = PROBABILITIES
    needs_horizons: ClassVar[bool] = True
    is_weighted: ClassVar[bool] = True
    terms: ClassVar[tuple[Term, ...]] = (Term(BrierScore(), ""),)

    def _check(self, groups: np.ndarray | None, weights: np.ndarray | None) -> None:
        """Nothing: what is scored is checked against its horizons (`data.censored.check_kind`)."""
