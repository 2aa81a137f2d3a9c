"""How large the comparisons of a replay are."""

from __future__ import annotations

from pydantic import Field

from shakedown.component.keys import MOST, Settings


class Analyses(Settings):
    """Sizes of the comparisons."""

    top: int = Field(10, ge=2)
    """Number of places that count as the top of a board."""
    best: int = Field(50, ge=1)
    """Number of best submissions, by private score, to score on random halves."""
    splits: int = Field(20, ge=2, le=MOST)
    """Number of random splits of the private rows into halves."""
    draws: int = Field(1000, ge=100, le=MOST)
    """Bootstrap samples of the private rows, for the smallest gaps (at most 200 if the metric is a
    Python function) and for tests, if the metric is not a mean of losses."""
