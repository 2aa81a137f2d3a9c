"""A digest: a few coarse updates of the best score so far."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from shakedown.compiled import kernel
from shakedown.component import parameter
from shakedown.leaderboard.defence import Defence
from shakedown.leaderboard.defences.baseline import Baseline
from shakedown.leaderboard.disclosure import Disclosure
from shakedown.leaderboard.gates import Gate, Margin
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.releases import Release
from shakedown.metrics import Metric
from shakedown.terms import Schedule, Terms
from shakedown.wording import amount, count, counted


class Digest(Mechanism):
    """Digest."""

    name: ClassVar[str] = "digest"
    label: ClassVar[str] = "Digest"
    phrase: ClassVar[str] = "shows the best score so far only a few times, in coarse steps"
    sentence: ClassVar[str] = (
        "Begins with the score of a constant prediction. After every so many submissions, at most "
        "W times, it shows the best score so far, rounded to a multiple of η that is not better."
    )
    order: ClassVar[float] = 13
    built_in: ClassVar[tuple[Defence, ...]] = (Baseline(),)
    examples: ClassVar[tuple[dict, ...]] = ({"eta": 0.1, "floor": 0.5, "every": 2, "updates": 3},)

    eta: float = parameter(
        gt=0.0,
        symbol="η",
        unit="score",
        description="Step of the released score, in units of the score.",
    )
    floor: float = parameter(
        symbol="floor",
        unit="score",
        description="The best score that it ever shows, in units of the score.",
    )
    every: int = parameter(
        ge=1,
        symbol="every",
        unit="submissions",
        description="Submissions from one update to the next.",
    )
    updates: int = parameter(
        ge=1, symbol="W", description="Number of updates; after the last nothing changes."
    )

    def explained(self, score: Callable[[float], str] = amount, by_clock: bool = False) -> str:
        """What it does with its numbers."""
        after = f"After {counted(self.every, 'submission')}, once"
        if self.updates > 1:
            times = f"{count(self.updates)} times in all"
            after = f"After every {counted(self.every, 'submission')}, {times}"
        around = "".join(f" {type(defence).sentence}" for defence in self.defences)
        return (
            "Begins with the score of a constant prediction. "
            f"{'At the times below' if by_clock else after}, it shows the best score so "
            f"far, rounded in steps of {score(self.eta)} to the worse side, and nothing better "
            f"than {score(self.floor)}.{around}"
        )

    def scores_within(self, submissions: int) -> int:
        return min(submissions // self.every, self.updates)

    @cached_property
    def gate(self) -> Gate:
        return Margin(0.0, 0.0)

    @cached_property
    def release(self) -> Release:
        return Digested(self.eta, self.floor, self.every, self.updates)


@dataclass(frozen=True)
class Digested(Release):
    """The best score so far at few updates, on a coarse grid; monotone.

    It begins with the score in force on a new board.  After `every`, 2 `every`, ... submissions, at
    most `updates` times, it shows the score in force, moved to the next worse multiple of `step`
    and never better than `floor`, if that is better than what it shows.
    """

    step: float
    floor: float
    every: int
    updates: int
    name = "digest"
    by_scores = True

    @property
    def schedule(self) -> Schedule:
        """When it shows what, as participants are told."""
        return Schedule(self.every, self.updates, self.floor)

    def step_for(self, n: int) -> float:
        return self.step

    def terms(self, terms: Terms, n: int) -> Terms:
        return replace(self.stated(terms, n), schedule=self.schedule)

    def disclosure(self, gate: Gate, n: int, sign: int) -> Disclosure:
        return Disclosure(
            self.step, falls=True, updates=self.updates, every=self.every, floor=sign * self.floor,
            slack=0.0,  # rounded to the worse side
        )  # fmt: skip

    def show(self, batch, best, standing, metric: Metric, y, rng) -> np.ndarray:
        # A single number for all of them says that each of them is the next one.
        chained = np.ndim(batch.before) > 0
        shown = best.risk if np.isnan(best.shown) else best.shown
        return _digested(
            batch.risks, best.risk, shown, standing, np.atleast_1d(batch.before), chained,
            self.every, self.updates, self.step, metric.sign * self.floor,
        )  # fmt: skip


@kernel
def _digested(
    risks, best_risk, before, standing, judged, chained, every, updates, step, floor
):  # fmt: skip
    """What a digest shows after each round, shape (m,); `before` is what it showed before.

    `judged` are the numbers of submissions before each, shape (m,) or, unless `chained`, (1,).
    """
    shown = np.empty(len(standing))
    last = before
    for t in range(len(standing)):
        last = last if chained else before
        made = judged[t if chained else 0] + 1
        if made % every == 0 and made <= every * updates:
            risk = risks[standing[t]] if standing[t] >= 0 else best_risk
            # The next multiple at or above; an equality to nine digits is one, as in `rounded`.
            level = np.ceil(np.rint(risk / step * 1e9) / 1e9) * step
            last = min(last, max(level, floor))
        shown[t] = last
    return shown
