"""Random search: random steps of several lengths, kept if the shown score improves.

It needs nothing but scores that get better or worse, so it plays against every metric, also a
function of one's own.  Which length is best depends on the metric, on the board's margin and on how
far the attack has got.  So each length is tried, and then mostly the one that has lately improved
the score most; every few files another has its turn.

On a digest, one step is tried for each update.  If scores are noisy, a file is submitted again
until the average tells whether it is better, and then more often, to confirm it.  On a board that
then shows the score of the best file, it estimates from all scores together which file that is.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from shakedown.attacks.adversary import Holder, PreparedAdversary, Run
from shakedown.attacks.attack import Scope
from shakedown.attacks.classes import class_gap
from shakedown.attacks.greedy_climb import is_seen
from shakedown.attacks.reserve import FURTHER, Reserve
from shakedown.interface import ParticipantData
from shakedown.metrics import find
from shakedown.terms import Terms

#: Lengths of a step in a row, in standard deviations of the response, or of what changes a class
#: where predictions stand for the nearest one; longest first.
SIZES = 0.5 ** np.arange(6.0)
#: One of so many files takes the sizes in turn, and the weight of older improvements in their mean.
EXPLORED, REMEMBERED = 6, 0.9
#: With noise: scores of the honest file, and the most of another; a file is better, or not, once
#: its mean is so many standard errors below that of the best.
FIRST, PATIENCE, CLEAR, UNLIKELY = 12, 24, 2.5, 0.5
#: New scores that confirm it: so many times those that looked better, and the fewest.
LONGER, CONFIRMED = 2, 6


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
        # For these other attacks get further; for other metrics no other one averages noisy scores.
        return {} if find(scope.metric).read_as in Reserve.metrics else super().for_dry_run(scope)

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedRandomSearch:
        return PreparedRandomSearch(self, participant, model, rng)


class PreparedRandomSearch(PreparedAdversary):
    """The attack in one replicate."""

    def _play(self, run: Run) -> None:
        terms, kept = run.terms, 0
        known = terms.start if terms.schedule and not self.honest.any() else None
        sign = -1.0 if terms.larger_is_better else 1.0
        kind = Climb
        # Where a number stays until a file is accepted, a new one tells as without noise.
        if terms.fresh_noise:
            kind = NoisyClimb if terms.replaces_always else KeptClimb
        climbs = [kind(self.honest, known, sign) for _ in range(run.accounts)]
        lengths, done = Lengths(self._sizes(terms)), 0
        for t in range(self.submissions):
            climb = climbs[t % run.accounts]
            if is_seen(terms.schedule, t // run.accounts + 1):
                run.wait(t - done)
                done = t + 1
                if climb.needs_file:
                    climb.tries(self._step(t, climb.best, lengths.next()), lengths.index)
                gain = climb.shown(run.submit(climb.file[None])[0])
                if gain is not None:
                    lengths.learn(climb.length, gain)
                    kept += gain > 0.0
            if run.is_point(t + 1):
                run.wait(t + 1 - done)
                done = t + 1
                run.would_end(min(climbs, key=lambda climb: climb.level).best, t + 1, kept)

    def _sizes(self, terms: Terms) -> np.ndarray:
        """The sizes of steps, the largest first; none that a board refuses as repeated."""
        sizes = SIZES * class_gap(find(terms.metric), self._view.y_train)
        return np.unique(np.maximum(sizes, FURTHER * terms.nearest))[::-1]

    def _step(self, t: int, best: np.ndarray, size: float) -> np.ndarray:
        """A step from the best file, shape (n,), for submission t."""
        return size * self.signs(t, t + 1)[0]


class Climb:
    """The climb of an account, on a board without noise.

    Parameters
    ----------
    honest : ndarray, shape (n,)
        The best file at first.
    start : float or None
        Its score, if it is known.
    sign : float
        1 if smaller scores are better, -1 if larger ones are.

    Attributes
    ----------
    best, file : ndarray, shape (n,)
        The best file, and the one that is being tried.
    level : float
        The score of the best file, smaller is better; infinite if it is not known.
    length : int
        Number of the length of the step to `file`, or to the best file if a score has improved.
    """

    def __init__(self, honest: np.ndarray, start: float | None, sign: float) -> None:
        self.best = self.file = honest
        self.level = np.inf if start is None else sign * start
        self.length = 0
        self._sign = sign

    @property
    def needs_file(self) -> bool:
        return bool(np.isfinite(self.level))

    def tries(self, step: np.ndarray, length: int) -> None:
        """Try the best file and a step, of a length with this number."""
        self.file, self.length = self.best + step, length

    def shown(self, score: float) -> float | None:
        """Take in a score of the file; its gain once that is clear, 0 for none."""
        score *= self._sign
        if not self.needs_file:
            self.level = score
            return None
        gain = max(self.level - score, 0.0)
        if gain > 0.0:
            self.best, self.level = self.file, score
        return gain


class NoisyClimb(Climb):
    """The climb of an account, on a board that shows the score of every file with new noise."""

    def __init__(self, honest: np.ndarray, start: float | None, sign: float) -> None:
        super().__init__(honest, start, sign)
        self._scores: list[float] = []  # of the file that is tried
        self._of_best = 0  # how many scores the level is the mean of
        self._again = 0  # how many scores looked better, if others are to confirm it
        self._squares, self._free = 0.0, 0  # of the noise: summed, and degrees of freedom

    @property
    def needs_file(self) -> bool:
        return super().needs_file and not (self._scores or self._again)

    def shown(self, score: float) -> float | None:
        self._scores.append(self._sign * score)
        number, mean = len(self._scores), float(np.mean(self._scores))
        if not np.isfinite(self.level):
            if number == FIRST:
                self._begin(mean)
            return None
        z = (self.level - mean) / max(
            self._sd() * np.sqrt(1.0 / number + 1.0 / self._of_best), 1e-300
        )
        if self._again:
            if number < max(LONGER * self._again, CONFIRMED):
                return None
            self._again = 0
        elif z >= CLEAR:
            # The best of many files looks better than it is, so only new scores count.
            self._again = number
            self._pass()
            return None
        elif z > UNLIKELY and number < PATIENCE:
            return None
        return self._decide(self.level - mean if z >= CLEAR else 0.0)

    def _sd(self) -> float:
        """Standard deviation of the noise."""
        return float(np.sqrt(self._squares / max(self._free, 1)))

    def _begin(self, mean: float) -> None:
        """The scores are those of the best file."""
        self._squares += float(np.sum((np.array(self._scores) - mean) ** 2))
        self._free += len(self._scores) - 1
        self.level, self._of_best, self._scores = mean, len(self._scores), []

    def _pass(self) -> None:
        """Leave out the scores so far."""
        self._scores = []

    def _decide(self, gain: float) -> float:
        """The file is better by `gain`, or it is not, if that is 0."""
        if gain > 0.0:
            self.best = self.file
            self._begin(self.level - gain)
        else:
            self._scores = []
        return gain


class Packed(NamedTuple):
    """A step: its values, and which of them each row has, as bits if there are two."""

    values: np.ndarray
    codes: np.ndarray

    def unpacked(self, n: int) -> np.ndarray:
        """The step, shape (n,)."""
        is_bits = len(self.values) <= 2
        return self.values[np.unpackbits(self.codes, count=n) if is_bits else self.codes]


def packed(step: np.ndarray) -> Packed:
    """A step of few values in little memory: a file takes 64 times as much as signs do."""
    values, codes = np.unique(step, return_inverse=True)
    return Packed(values, np.packbits(codes) if len(values) <= 2 else codes.astype(np.uint16))


class KeptClimb(NoisyClimb):
    """The climb of an account, on a board that shows the score of the best file with new noise.

    So the scores of a refused file are scores of the best one.  A file may have been accepted
    although its own scores did not tell; those of the next files do.  Once scores have improved,
    the file after which they did so most clearly is the best one.
    """

    def __init__(self, honest: np.ndarray, start: float | None, sign: float) -> None:
        super().__init__(honest, start, sign)
        self._since: list[float] = []  # all scores since the best file was accepted
        # Of each step: the number of scores before, the step and its length.
        self._tried: list[tuple[int, Packed, int]] = []
        self._own = 0.0  # squares of the noise in the scores of the best file

    def tries(self, step: np.ndarray, length: int) -> None:
        super().tries(step, length)
        self._tried.append((len(self._since), packed(step), length))

    def _sd(self) -> float:
        return float(np.sqrt((self._squares + self._own) / (self._free + self._of_best - 1)))

    def _begin(self, mean: float) -> None:
        self._pass()
        self.level, self._of_best = mean, len(self._since)
        self._own = self._of_best * float(np.var(self._since))

    def _pass(self) -> None:
        self._since += self._scores
        self._scores = []

    def _decide(self, gain: float) -> float:
        before = self.level
        self._pass()
        if gain > 0.0:
            scores, total = np.array(self._since), len(self._since)
            starts = np.array([start for start, *_ in self._tried])
            sums = np.append(0.0, scores.cumsum())[starts]
            falls = sums / starts - (scores.sum() - sums) / (total - starts)
            at = int(np.argmax(falls * np.sqrt(starts * (total - starts))))
            start, step, self.length = self._tried[at]
            self.best = self.best + step.unpacked(len(self.best))
            old, self._since = scores[:start], self._since[start:]
            self._squares += float(np.sum((old - old.mean()) ** 2))
            self._free += len(old) - 1
            self._tried = []
            before = float(old.mean())
        self._begin(float(np.mean(self._since)))
        return max(before - self.level, 0.0) if gain > 0.0 else 0.0


class Lengths:
    """Which length to try next.

    Parameters
    ----------
    sizes : ndarray, shape (m,)

    Attributes
    ----------
    index : int
        Number of the length that was last chosen.
    """

    def __init__(self, sizes: np.ndarray) -> None:
        self._sizes, self._tried, self.index = sizes, 0, 0
        # Untried, a length is worth more than any other.
        self._worth = np.full(len(sizes), np.inf)

    def next(self) -> float:
        """The length of the next step, in a row."""
        turn, at = divmod(self._tried, EXPLORED)
        self.index = int(np.argmax(self._worth))
        if at == EXPLORED - 1 or not self._worth[self.index]:
            self.index = turn % len(self._sizes)
        self._tried += 1
        return float(self._sizes[self.index])

    def learn(self, index: int, gain: float) -> None:
        """Take in by how much a step of a length has improved the score, at least 0."""
        worth = self._worth[index]
        self._worth[index] = (
            gain if np.isinf(worth) else REMEMBERED * worth + (1.0 - REMEMBERED) * gain
        )
