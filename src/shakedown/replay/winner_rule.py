"""The keys of the winner's rule in a replay."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from shakedown.component.keys import MOST, Settings
from shakedown.ranking.bayes_factor import COUNTS, TIED


class WinnerRule(Settings):
    """How the winner is found among the submissions in force."""

    second_metric: str | None = None
    """The metric that decides between teams that are tied with the first; null for none."""
    tied: float = Field(TIED, ge=1.0)
    """The largest Bayes factor K of a tie with the first, from a bootstrap of the private rows."""
    variant: Literal["counts", "smoothed"] = COUNTS
    """Of K: the ratio of the counts of samples, or the same with one sample more on each side."""
    stratified: bool = False
    """Whether each bootstrap sample has as many rows, or groups, of each class as there are."""
    by_time: bool = False
    """Whether the submission that came first wins where nothing else decides."""
    draws: int | None = Field(None, ge=100, le=MOST)
    """Bootstrap samples for K and for the confidence sets of ranks; null for 10,000, or 200 if the
    metric is a Python function."""
