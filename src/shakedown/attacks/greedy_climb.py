"""The greedy climb: random small steps around the best file so far, kept if the score falls."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from shakedown.attacks.adversary import Holder, PreparedAdversary, Run
from shakedown.attacks.attack import Scope
from shakedown.component import parameter
from shakedown.interface import ParticipantData


class GreedyClimb(Holder):
    """The greedy climb."""

    name: ClassVar[str] = "greedy_climb"
    label: ClassVar[str] = "Greedy climb"
    phrase: ClassVar[str] = "the greedy climb"
    sentence: ClassVar[str] = (
        "Adds random signs times a small step to its best file, and keeps them whenever the "
        "released score falls."
    )
    order: ClassVar[float] = 10

    size: float = parameter(
        1.0,
        gt=0.0,
        description=(
            "Length of a step, over all rows together, in standard deviations of the residual "
            "that the released score shows."
        ),
    )

    @classmethod
    def for_dry_run(cls, scope: Scope) -> dict[str, dict[str, Any]]:
        return {}  # the reserve attack gets further on every board that it can climb

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedGreedyClimb:
        return PreparedGreedyClimb(self, participant, model, rng)


class PreparedGreedyClimb(PreparedAdversary):
    """The attack in one replicate."""

    def _play(self, run: Run) -> None:
        best, kept = self.honest, 0
        lowest = run.submit(best[None])[0]
        run.would_end(best, 1, kept)
        for t in range(1, self.submissions):
            sd = lowest if run.root else np.sqrt(max(lowest, 0.0))
            file = best + self.attack.size * sd / np.sqrt(self.n) * self.signs(t, t + 1)[0]
            shown = run.submit(file[None])[0]
            if shown < lowest:
                best, lowest, kept = file, shown, kept + 1
            run.would_end(best, t + 1, kept)
