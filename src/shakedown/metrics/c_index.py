"""Harrell's concordance index."""

from __future__ import annotations

from typing import ClassVar

from shakedown.metrics.times import ALIKE, OfTimes


class ConcordanceIndex(OfTimes):
    """Harrell's concordance index; undefined without a pair of known order."""

    name: ClassVar[str] = "c_index"
    label: ClassVar[str] = "Concordance index"
    short: ClassVar[str] = "C"
    axis: ClassVar[str] = "concordance index (Harrell)"
    sentence: ClassVar[str] = (
        "Harrell's concordance index of censored times: of the pairs of rows in which the earlier "
        "one has an event, the share in which it has the larger risk; equal risks count half."
    )
    source: ClassVar[str] = "Harrell et al. (1982)"
    order: ClassVar[float] = 30
    pairs: ClassVar[int] = ALIKE
