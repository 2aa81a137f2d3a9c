"""The General Ladder: [B] Algorithm 1, [C] Algorithm 1."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import ClassVar

from shakedown.component import parameter
from shakedown.leaderboard.disclosure import Disclosure
from shakedown.leaderboard.gates import Gate, Margin
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.releases import Release, Rounded
from shakedown.metrics import Metric


class GeneralLadder(Mechanism):
    """General Ladder."""

    name: ClassVar[str] = "general_ladder"
    label: ClassVar[str] = "General Ladder"
    phrase: ClassVar[str] = (
        "shows the best score so far, and counts only gains of at least a set step"
    )
    sentence: ClassVar[str] = (
        "Shows the best score so far, rounded to a multiple of η; a submission counts as better if "
        "it beats the shown best by η."
    )
    source: ClassVar[str] = "[B] Algorithm 1, [C] Algorithm 1"
    order: ClassVar[float] = 3
    colour: ClassVar[str] = "#F6E965"
    guarantee: ClassVar[str] = "ladder"
    examples: ClassVar[tuple[dict, ...]] = ({"eta": 0.01},)

    eta: float = parameter(
        gt=0.0,
        symbol="η",
        unit="score",
        description=(
            "Step of the shown score, and by how much a file must beat it; in units of the score."
        ),
    )

    @cached_property
    def gate(self) -> Gate:
        return Margin(self.eta, self.eta)

    @cached_property
    def release(self) -> Release:
        return Rounded(self.eta)

    def disclosure(self, rows: int, sign: int = 1) -> Disclosure:
        # What is accepted beats the shown best by a step, and so it does when it is rounded.
        return replace(super().disclosure(rows, sign), shows_acceptance=True)

    @classmethod
    def for_dry_run(cls, metric: Metric, threshold: float, n_public: int) -> list[dict]:
        def steps(*shares: float) -> list[float]:
            return [float(f"{share * -threshold:.3g}") for share in shares]

        if metric.formula is None:
            # There is no other Ladder for such a metric: a Bayesian bootstrap would call it
            # hundreds of times for each submission.
            boards = [{"eta": steps(0.2, 0.5, 1.0)}]
            if not metric.scores_constants:
                return boards
            return [*boards, {"eta": steps(1.0, 2.0), "defences": [{"name": "baseline"}]}]
        # Of the Ladders, it gives away least to arbitrary numbers with large steps and a start at
        # the baseline; holders get further than those who begin with nothing.
        return [{"eta": steps(1.0, 2.0), "defences": [{"name": "baseline"}]}]

    @classmethod
    def for_replay(cls, metric: Metric, step: float | None) -> list[dict]:
        return [] if step is None else [{"eta": step}]
