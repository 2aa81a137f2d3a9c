"""Shaky Ladder: a Ladder with noise on each comparison and each shown score (Hardt 2017)."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from shakedown.component import parameter
from shakedown.leaderboard.gates import Gate
from shakedown.leaderboard.laplace import LaplaceOnce, NoisyMargin
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.releases import Release


class ShakyLadder(Mechanism):
    """Shaky Ladder.

    Notes
    -----
    Three Laplace noises of one scale: on the margin, on each comparison and on each shown score.
    That on the margin is drawn again at each replacement, as the sparse vector technique does, and
    not for each submission.  Scores are neither rounded nor limited to [0, 1], and a shown score
    can be worse than the one before.  The first submission replaces nothing and is always accepted.

    The paper's error of the order n^-.4 is for losses in [0, 1], with a step and a noise that are
    chosen by n and the number of submissions.  Here both are parameters, and no bound is claimed.
    """

    name: ClassVar[str] = "shaky_ladder"
    label: ClassVar[str] = "Shaky Ladder"
    phrase: ClassVar[str] = "shows the best score so far, with noise on its steps and scores"
    sentence: ClassVar[str] = (
        "Like the General Ladder, with noise on the step of each comparison and on the score that "
        "is shown when a submission is accepted. The shown number changes exactly then."
    )
    source: ClassVar[str] = "after Hardt 2017 (arXiv 1706.02733)"
    order: ClassVar[float] = 15
    examples: ClassVar[tuple[dict, ...]] = ({"eta": 0.05, "scale": 0.01},)

    eta: float = parameter(
        gt=0.0,
        symbol="η",
        unit="score",
        description="Improvement that a submission must reach, in units of the score.",
    )
    scale: float = parameter(
        gt=0.0,
        symbol="scale",
        role="noise",
        unit="score",
        descending=True,
        description=(
            "Scale of the Laplace noise, in units of the score; its standard deviation is 1.4 "
            "times as large."
        ),
    )

    @cached_property
    def gate(self) -> Gate:
        return NoisyMargin(self.eta, self.scale, self.scale)

    @cached_property
    def release(self) -> Release:
        return LaplaceOnce(self.scale)
