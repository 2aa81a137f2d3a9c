"""Uno's concordance index."""

from __future__ import annotations

from typing import ClassVar

from shakedown.metrics.times import BY_CENSORING, OfTimes


class UnoConcordanceIndex(OfTimes):
    """Uno's concordance index, without a largest time (tau); undefined where Harrell's is.

    A pair counts 1 / G(t)^2 for the time t of its event, where G is Kaplan and Meier's estimate of
    the probability of no censoring up to t, from the rows that are scored.  As in scikit-survival,
    G(t) includes the censorings at t itself.  Pairs of an event with G(t) = 0, possible at the last
    time only, do not count; scikit-survival refuses them.
    """

    name: ClassVar[str] = "uno_c_index"
    label: ClassVar[str] = "Uno's concordance index"
    short: ClassVar[str] = "Uno's C"
    axis: ClassVar[str] = "concordance index (Uno)"
    sentence: ClassVar[str] = (
        "Uno's concordance index of censored times: like Harrell's, with the weight 1/G² for a "
        "pair, where G is the probability of not being censored before its event, estimated from "
        "the same rows."
    )
    source: ClassVar[str] = "Uno et al. (2011)"
    order: ClassVar[float] = 31
    pairs: ClassVar[int] = BY_CENSORING
