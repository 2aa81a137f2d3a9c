"""The integrated time-dependent area under the ROC curve."""

from __future__ import annotations

from typing import ClassVar

from shakedown.metrics.times import BY_AREA, OfTimes


class IntegratedAUC(OfTimes):
    """The mean over time of the cumulative/dynamic area under the ROC curve.

    At the time t, the cases are the rows with an event up to t, and the controls are those observed
    for longer.  A case counts 1 / G, for Kaplan and Meier's estimate G of the probability that it
    was not censored up to its event (as in `uno_c_index`).  The grid of times has every time of an
    event after which somebody is still observed; the area at t counts as much as the Kaplan-Meier
    curve of all rows falls there.  `sksurv.metrics.cumulative_dynamic_auc` has the same mean for
    these times.
    """

    name: ClassVar[str] = "iauc"
    label: ClassVar[str] = "Integrated AUC"
    short: ClassVar[str] = "iAUC"
    axis: ClassVar[str] = "integrated time-dependent AUC"
    sentence: ClassVar[str] = (
        "Mean over the times of events of the area under the ROC curve that separates rows with "
        "an event so far from those observed for longer; cases count by the inverse probability "
        "of not being censored, and times by the fall of the Kaplan-Meier curve."
    )
    source: ClassVar[str] = "Uno et al. (2007)"
    order: ClassVar[float] = 32
    pairs: ClassVar[int] = BY_AREA
