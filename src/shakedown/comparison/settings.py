"""The keys of a comparison of boards."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from shakedown.component.keys import DISTINCT, MOST, SOME, Settings
from shakedown.leaderboard.entries import MechanismEntry

#: Most public rows: a metered board keeps every file.
MOST_ROWS = 100_000

Rows = Annotated[int, Field(ge=10, le=MOST_ROWS)]
Submissions = Annotated[int, Field(ge=1, le=20_000)]


class ComparisonEntry(Settings):
    """A comparison of boards: metered ones and digests, made for what is tolerated, and others."""

    rows: Annotated[list[Rows], SOME, DISTINCT] = [50, 69, 209, 1000, 5000]
    """Numbers of public rows."""
    submissions: Annotated[list[Submissions], SOME, DISTINCT] = [50, 300, 1000]
    """Numbers of submissions of a participant. Every number of rows is played with every number of
    submissions, each pair in a job of its own; no pair depends on the others."""
    tolerated: float = Field(0.05, gt=0, lt=1)
    """The gain of an attacker that is tolerated, as a share of the response's variance, above 0 and
    below 1. For each pair there are two metered boards and two digests that are proved to keep it,
    one on average and one at the quantile, wherever there are such boards."""
    quantile: float = Field(0.25, gt=0, le=0.5)
    """The share of attackers that may gain more, for the boards at the quantile. Above 0 and at
    most .5."""
    replicates: int = Field(10, ge=2, le=MOST)
    """Responses on which each attack plays. Replicate r has the random numbers of the seed plus
    r."""
    honest_replicates: int = Field(4, ge=2, le=MOST)
    """Responses on which honest teams play."""
    mechanisms: Annotated[list[MechanismEntry], SOME]
    """Boards that do not depend on what is tolerated, as in an experiment; steps in units of the
    response's variance."""
