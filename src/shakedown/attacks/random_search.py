"""Random search: random steps of several lengths, kept if the shown score improves.

It needs nothing but scores that get better or worse, so it plays against every metric, also a
function of one's own.  Which length is best depends on the metric, on the board's margin and on how
far the attack has got.  So each length is tried, and then mostly the one that has lately improved
the score most; every few files another has its turn.

On a digest, one step is tried for each update.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from shakedown.attacks.adversary import Holder, PreparedAdversary, Run
from shakedown.attacks.attack import Scope
from shakedown.attacks.greedy_climb import GreedyClimb, is_seen
from shakedown.attacks.reserve import FURTHER
from shakedown.interface import ParticipantData

#: Lengths of a step in a row, in standard deviations of the response; longest first.
SIZES = 0.5 ** np.arange(6.0)
#: One of so many files takes the sizes in turn, and the weight of older improvements in their mean.
EXPLORED, REMEMBERED = 6, 0.9


class RandomSearch(Holder):
    """Random search."""

    name: ClassVar[str] = "random_search"
    label: ClassVar[str] = "Random search"
    phrase: ClassVar[str] = "random search"
    sentence: ClassVar[str] = (
        "Adds random signs times a step to its best file, keeps them whenever the released score "
        "improves, and prefers lengths of the step that have improved it most: for any metric."
    )
    order: ClassVar[float] = 10.2
    metrics: ClassVar[tuple[str, ...]] = ()
    needs_margin: ClassVar[bool] = False

    @classmethod
    def for_dry_run(cls, scope: Scope) -> dict[str, dict[str, Any]]:
        # What can read a metric gets further with it.
        return {} if scope.metric in GreedyClimb.metrics else super().for_dry_run(scope)

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedRandomSearch:
        return PreparedRandomSearch(self, participant, model, rng)


class PreparedRandomSearch(PreparedAdversary):
    """The attack in one replicate."""

    def _play(self, run: Run) -> None:
        terms, kept, done = run.terms, 0, 0
        sign = -1.0 if terms.larger_is_better else 1.0
        known = terms.start if terms.schedule and not self.honest.any() else None
        best, shown = [self.honest] * run.accounts, [known] * run.accounts
        # The shortest that a board does not refuse as repeated.
        lengths = Lengths(np.unique(np.maximum(SIZES, FURTHER * terms.nearest))[::-1])
        for t in range(self.submissions):
            at = t % run.accounts
            if is_seen(terms.schedule, t // run.accounts + 1):
                run.wait(t - done)
                done = t + 1
                if shown[at] is None:
                    shown[at] = run.submit(best[at][None])[0]
                else:
                    file = best[at] + lengths.next() * self.signs(t, t + 1)[0]
                    new = run.submit(file[None])[0]
                    gain = sign * (shown[at] - new)
                    lengths.learn(max(gain, 0.0))
                    if gain > 0.0:
                        best[at], shown[at], kept = file, new, kept + 1
            if run.is_point(t + 1):
                run.wait(t + 1 - done)
                done = t + 1
                scores = [np.inf if score is None else sign * score for score in shown]
                run.would_end(best[int(np.argmin(scores))], t + 1, kept)


class Lengths:
    """Which length to try next.

    Parameters
    ----------
    sizes : ndarray, shape (m,)
    """

    def __init__(self, sizes: np.ndarray) -> None:
        self._sizes, self._tried, self._now = sizes, 0, 0
        # Untried, a length is worth more than any other.
        self._worth = np.full(len(sizes), np.inf)

    def next(self) -> float:
        """The length of the next step, in a row."""
        turn, at = divmod(self._tried, EXPLORED)
        self._now = turn % len(self._sizes) if at == EXPLORED - 1 else int(np.argmax(self._worth))
        self._tried += 1
        return float(self._sizes[self._now])

    def learn(self, gain: float) -> None:
        """Take in by how much the step has improved the score, at least 0."""
        worth = self._worth[self._now]
        self._worth[self._now] = (
            gain if np.isinf(worth) else REMEMBERED * worth + (1.0 - REMEMBERED) * gain
        )
