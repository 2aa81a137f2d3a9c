"""Finite differences: the slope of the score along random directions, for any metric.

The files are pairs, the honest file plus and minus a step d of random signs.  Half the difference
of their two scores is the slope of the score along d, whatever the metric is.  Of k slopes the
attack makes the shortest gradient that has them all (on a board with noise, their mean direction),
and ends with the honest file moved along it.  How far, follows from the curvature, of which the
same pairs tell: half the sum of two scores, less the honest file's own, is that along d.

Where predictions stand for the nearest class, the step is long enough to change it.

It takes a board that shows each file's own score, or lets the score rise again.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from shakedown.attacks.adversary import Holder, PreparedAdversary, Run
from shakedown.attacks.attack import Scope
from shakedown.attacks.classes import class_gap
from shakedown.attacks.greedy_climb import GreedyClimb
from shakedown.component import parameter
from shakedown.interface import ParticipantData
from shakedown.metrics import find
from shakedown.terms import Terms


class FiniteDifferences(Holder):
    """Finite differences."""

    name: ClassVar[str] = "finite_differences"
    label: ClassVar[str] = "Finite differences"
    phrase: ClassVar[str] = "finite differences"
    sentence: ClassVar[str] = (
        "Submits its honest file plus and minus random signs, takes the slope of the score from "
        "each pair, and moves along the gradient that has these slopes: for any metric."
    )
    order: ClassVar[float] = 8.5
    metrics: ClassVar[tuple[str, ...]] = ()
    needs_margin: ClassVar[bool] = False

    size: float = parameter(
        0.5, gt=0.0, description="The step in a row, in standard deviations of the response."
    )

    @classmethod
    def for_dry_run(cls, scope: Scope) -> dict[str, dict[str, Any]]:
        # What can read a metric gets further with it.
        is_read = GreedyClimb.reads_metric(find(scope.metric))
        return {} if is_read else super().for_dry_run(scope)

    @classmethod
    def learns_from(cls, terms: Terms) -> bool:
        return terms.shows_scores and terms.replaces_always

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedFiniteDifferences:
        return PreparedFiniteDifferences(self, participant, model, rng)


class PreparedFiniteDifferences(PreparedAdversary):
    """The attack in one replicate."""

    def _play(self, run: Run) -> None:
        k, longest = self.submissions, class_gap(find(run.terms.metric), self._view.y_train)
        a = self.attack.size if longest == 1.0 else longest
        pairs = (k - 1) // 2
        steps = self.signs(0, pairs)
        files = np.repeat(self.honest[None], k, axis=0)
        files[1 : 2 * pairs + 1 : 2] += a * steps
        files[2 : 2 * pairs + 1 : 2] -= a * steps
        shown = run.submit(files) * (-1.0 if run.terms.larger_is_better else 1.0)
        above, below = shown[1 : 2 * pairs + 1 : 2], shown[2 : 2 * pairs + 1 : 2]
        slopes, bends = (above - below) / (2.0 * a), (above + below - 2.0 * shown[0]) / a**2
        for t in range(1, k + 1):
            if run.is_point(t):
                used = (t - 1) // 2
                gradient = self._gradient(steps[:used], slopes[:used], run.terms.is_noisy)
                end = self.honest - moved(
                    gradient, float(bends[:used].sum()) / max(used, 1), longest
                )
                run.would_end(end, t, 2 * used)

    @staticmethod
    def _gradient(steps: np.ndarray, slopes: np.ndarray, noisy: bool) -> np.ndarray:
        """The gradient, shape (n,), of slopes, shape (k,), along steps, shape (k, n)."""
        if noisy:
            return slopes @ steps / max(steps.shape)
        return np.linalg.lstsq(steps, slopes, rcond=1e-10)[0]


def moved(gradient: np.ndarray, bend: float, longest: float = 1.0) -> np.ndarray:
    """How far to go up a gradient: to where a score with this second derivative is flat.

    `bend` is the second derivative along a direction whose mean square is 1.  At most `longest` in
    a row, also for a score that does not bend.
    """
    n, length = len(gradient), float(np.sqrt(np.mean(gradient**2)))
    if length == 0.0:
        return gradient
    flat = n / bend if bend > 0.0 else np.inf
    return gradient * min(flat, longest / length)
