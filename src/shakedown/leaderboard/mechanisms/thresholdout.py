"""Thresholdout: the reusable holdout of Dwork et al. (2015) as a leaderboard."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from shakedown.component import parameter
from shakedown.leaderboard.defence import Defence
from shakedown.leaderboard.defences.baseline import Baseline
from shakedown.leaderboard.gates import Gate
from shakedown.leaderboard.laplace import LaplaceOnce, NoisyMargin
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.releases import Release


class Thresholdout(Mechanism):
    """Thresholdout.

    Notes
    -----
    In the paper, each question comes with the score on the training set, the claim; the board says
    something new only if the public score is far from it.  Here the claim is the score shown last,
    at first the score of a constant prediction: participants send files alone.  An adversary loses
    nothing by that, because it chooses the file, and so how far its score lies from the claim.

    With sigma: Laplace noise of scale 2 sigma on the threshold, drawn again at each answer, of 4
    sigma on each comparison, and of sigma on each answer.
    """

    name: ClassVar[str] = "thresholdout"
    label: ClassVar[str] = "Thresholdout"
    phrase: ClassVar[str] = (
        "shows a new score, with noise, only if it clearly differs from the shown one"
    )
    sentence: ClassVar[str] = (
        "Shows a new score, with noise, only if it differs from the shown one by more than a noisy "
        "threshold, better or worse, and only so many times."
    )
    source: ClassVar[str] = "after Dwork et al. 2015 (arXiv 1506.02629)"
    order: ClassVar[float] = 16
    built_in: ClassVar[tuple[Defence, ...]] = (Baseline(),)
    examples: ClassVar[tuple[dict, ...]] = ({"budget": 5},)

    threshold: float = parameter(
        0.1,
        gt=0.0,
        symbol="T",
        unit="score",
        description="Difference beyond which a score is shown, in units of the score.",
    )
    sigma: float = parameter(
        0.02,
        gt=0.0,
        symbol="σ",
        role="noise",
        unit="score",
        descending=True,
        description="Scale of the Laplace noise of a shown score, in units of the score.",
    )
    budget: int = parameter(
        ge=1, symbol="budget", description="Scores that an account is shown in all."
    )

    @cached_property
    def gate(self) -> Gate:
        return NoisyMargin(
            self.threshold, 2 * self.sigma, 4 * self.sigma, both_ways=True, budget=self.budget
        )

    @cached_property
    def release(self) -> Release:
        return LaplaceOnce(self.sigma)
