"""The greedy climb: random small steps around the best file so far, kept if the score improves.

The length of a step follows the residual variance v that the shown score s tells of a file that is
not too long or too short:

===================  =====================
MSE, its root        s, s^2
MAE                  s^2 pi / 2 (normal)
R^2                  1 - s
Pearson, Spearman    1 - s^2
Lin's CCC            1 - s / (2 - s)
===================  =====================

A step of length L along a random direction, on top of a file b, has the best chance of a score that
lowers v by at least h if L = sqrt(n h).  So under metrics other than the MSE and its root, which
the reserve attack can read, the steps are at least as long as the margin of the board demands.
Under a correlation, files that are kept get the length that fits the shown score, sqrt(n - 1) s.
Without an honest file, Lin's coefficient is read as a correlation: of a file that is submitted with
the response's own spread it is one, and with any other less.

A digest shows the best score at its updates: one step is tried for each, so that it is known which
file has moved the score.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from shakedown.attacks.adversary import Holder, PreparedAdversary, Run
from shakedown.attacks.areas import AREAS
from shakedown.attacks.attack import Scope
from shakedown.attacks.linear_probe import R2
from shakedown.attacks.reserve import FURTHER, Reserve
from shakedown.attacks.units import is_of_order
from shakedown.component import parameter
from shakedown.interface import ParticipantData
from shakedown.metrics import Metric, find
from shakedown.terms import Schedule, Terms

#: Metrics that do not change if a file is scaled.
SCALE_FREE = ("pearson", "spearman")


class GreedyClimb(Holder):
    """The greedy climb."""

    name: ClassVar[str] = "greedy_climb"
    label: ClassVar[str] = "Greedy climb"
    phrase: ClassVar[str] = "the greedy climb"
    sentence: ClassVar[str] = (
        "Adds random signs times a small step to its best file, and keeps them whenever the "
        "released score improves."
    )
    order: ClassVar[float] = 10
    metrics: ClassVar[tuple[str, ...]] = ("mse", "rmse", "mae", "pearson", "spearman", "ccc", *R2)

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
        # Where it can read the metric, the reserve attack gets further on every board.
        return {} if find(scope.metric).read_as in Reserve.metrics else super().for_dry_run(scope)

    @classmethod
    def reads_metric(cls, metric: Metric) -> bool:
        # Elsewhere other steps of random search and class search are as good.
        return super().reads_metric(metric) and (metric.name in AREAS or not is_of_order(metric))

    @classmethod
    def learns_from(cls, terms: Terms) -> bool:
        # It takes noise for gains.
        return terms.shows_scores and not terms.fresh_noise

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedGreedyClimb:
        return PreparedGreedyClimb(self, participant, model, rng)


class PreparedGreedyClimb(PreparedAdversary):
    """The attack in one replicate."""

    def _play(self, run: Run) -> None:
        n, terms, kept, done = self.n, run.terms, 0, 0
        # Files of the response's own spread have their correlation as Lin's coefficient, the most
        # that it can be.
        whole = terms.metric == "ccc" and not self.honest.any()
        metric = "pearson" if whole else terms.metric
        # On a digest, zeros show at first what is known, and would take an update.
        known = terms.start if terms.schedule and not self.honest.any() else None
        climbs = [Climb(self.honest, known, known) for _ in range(run.accounts)]
        for t in range(self.submissions):
            climb = climbs[t % run.accounts]
            if is_seen(terms.schedule, t // run.accounts + 1):
                run.wait(t - done)
                done = t + 1
                if climb.first is None:
                    climb.first = climb.shown = run.submit(climb.best[None])[0]
                else:
                    step = self._step(terms, metric, climb.shown)
                    size = max(step / np.sqrt(n), FURTHER * terms.nearest)
                    file = climb.best + size * self.signs(t, t + 1)[0]
                    new = run.submit(scaled(file, whole)[None])[0]
                    if new > climb.shown if terms.larger_is_better else new < climb.shown:
                        climb.best, climb.shown, kept = file, new, kept + 1
                        if metric in SCALE_FREE:
                            climb.best = file * (new * np.sqrt(n - 1.0) / spread(file))
            if run.is_point(t + 1):
                run.wait(t + 1 - done)
                done = t + 1
                end = together(climbs, self.honest, metric)
                run.would_end(scaled(end, whole and end.any()), t + 1, kept)

    def _step(self, terms: Terms, metric: str, shown: float) -> float:
        """Length of a step, over all rows together."""
        if metric in Reserve.metrics:
            sd = shown if metric == "rmse" else np.sqrt(max(shown, 0.0))
            return self.attack.size * sd
        left = residual(metric, shown)
        if terms.schedule is not None:
            margin = 0.5 * terms.step  # what is shown is rounded
        else:
            margin = 0.0 if terms.acceptance is None else max(terms.acceptance.margin, 0.0)
        wanted = shown + margin if terms.larger_is_better else shown - margin
        demanded = self.n * (left - residual(metric, wanted))
        return float(np.sqrt(max(self.attack.size**2 * left, demanded)))


def scaled(file: np.ndarray, whole: bool) -> np.ndarray:
    """The file; if `whole`, with mean 0 and variance 1 (``ddof=1``)."""
    if not whole:
        return file
    return (file - file.mean()) * (np.sqrt(len(file) - 1.0) / spread(file))


def spread(file: np.ndarray) -> float:
    """Root of the summed squares about the mean."""
    return float(np.sqrt(np.sum((file - file.mean()) ** 2)))


def is_seen(schedule: Schedule | None, made: int) -> bool:
    """Whether an account is shown what its file number `made`, from 1, has changed.

    On a digest, the best file between two updates counts; one file tells which it is.
    """
    if schedule is None:
        return True
    return made % schedule.every == 0 and made <= schedule.every * schedule.updates


def residual(metric: str, score: float) -> float:
    """The residual variance that a score tells, from 0."""
    score = max(score, 0.0)
    if metric in Reserve.metrics:
        return score * score if metric == "rmse" else score
    if metric == "mae":
        return 0.5 * np.pi * score * score
    if metric == "ccc":
        score = score / (2.0 - score)
    elif metric in SCALE_FREE:
        score = score * score
    return max(1.0 - score, 0.0)


@dataclass
class Climb:
    """The climb of an account: its best file, and the first and the last score of a best file."""

    best: np.ndarray
    first: float | None = None
    shown: float | None = None


def together(climbs: list[Climb], honest: np.ndarray, metric: str) -> np.ndarray:
    """The best combination of what several climbs have added to the honest file.

    The score of a climb tells the product of what it has added with the residual.
    """
    if len(climbs) == 1:
        return climbs[0].best
    moved = [climb for climb in climbs if climb.first is not None and climb.shown != climb.first]
    if not moved:
        return honest
    added = np.array([climb.best - honest for climb in moved])
    falls = np.array(
        [residual(metric, climb.first) - residual(metric, climb.shown) for climb in moved]
    )
    gram = added @ added.T
    products = 0.5 * (len(honest) * falls + np.diag(gram))
    return honest + np.linalg.lstsq(gram, products, rcond=1e-10)[0] @ added
