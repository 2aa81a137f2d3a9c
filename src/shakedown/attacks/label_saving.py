"""Level saving for labels, on boards that show the best score so far and demand a margin.

As in `level_saving`, each accepted file uses up one level of the score, and refused files cost
nothing.  So the attacker holds back what it knows, and files pass rarely: one that passes against
the odds tells as much as many that pass often.

It keeps a normal posterior N(m, S) of the labels, as -1 and 1.  A file f has (n - <f, y>) / 2 wrong
labels, so a bar for the score is a bound on <f, y>:

- If the file is refused, <f, y> is below it: a half-space.
- If it passes, <f, y> is above it, and in the interval of all scores that are shown in this way.

The moments of a truncated normal variable change m and S.  A file is the signs of s m + d z, with d
the standard deviations of the labels and z random.  Its share s is the least with which <f, y>
reaches the bound with the probability that is planned: the levels that can still be reached, over
the files that are left.

It ends with the signs of m.  Where a file can tell nothing any more it submits them, too.

ASSUME: a baseline start has the label in force that is more frequent in the training set.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, floor, inf, sqrt
from typing import ClassVar, NamedTuple

import numpy as np

from shakedown.attacks.between_updates import between
from shakedown.attacks.by_levels import OFTENEST, RAREST, has_levels, quantile_above
from shakedown.attacks.flipping import FlippingAttack, PreparedFlipping
from shakedown.attacks.label_climb import CLOSE
from shakedown.attacks.label_posterior import Limits
from shakedown.attacks.on_labels import HonestFile
from shakedown.attacks.posterior import add, bounded
from shakedown.compiled import kernel
from shakedown.interface import Game, ParticipantData
from shakedown.terms import LeaderboardClient, Terms

#: How far out a random file can be expected to lie at best, in standard deviations.
LUCK = 2.2
#: Variances are at least this, against rounding errors.
LEAST = 1e-9


class LabelSaving(FlippingAttack):
    """Level saving for labels; the signs of the posterior's mean are the final model."""

    name: ClassVar[str] = "label_saving"
    label: ClassVar[str] = "Level saving for labels"
    phrase: ClassVar[str] = "level saving for labels"
    sentence: ClassVar[str] = (
        "Where a score of labels must improve by a margin, holds back what it knows, so that files "
        "pass rarely, and learns from refused files, too."
    )
    order: ClassVar[float] = 7.6

    @classmethod
    def learns_from(cls, terms: Terms) -> bool:
        return has_levels(terms) and terms.begins and terms.shows_best

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedLabelSaving:
        return PreparedLabelSaving(self, participant, model, rng)


class PreparedLabelSaving(PreparedFlipping):
    """The attack in one replicate; `rng` draws random parts of files, the same for all boards."""

    def __init__(
        self, attack: LabelSaving, participant: ParticipantData, model, rng: np.random.Generator
    ) -> None:
        super().__init__(attack, participant, model, rng)
        self._baseline = HonestFile(participant).public

    def play(self, open_board: Callable[[], LeaderboardClient]) -> Game:
        """Play on a board for each account, or on the one that they share."""
        turns, n = self._turns(open_board), len(self._honest.public)
        terms = turns.board.terms
        if not LabelSaving.learns_from(terms) or terms.start is None:
            return self._idle(turns.board)
        rng, known = self._rng(), KnownLabels(self._honest)
        margin, cost = terms.acceptance.margin, max(terms.acceptance.margin, terms.step)
        most = inf if terms.improvements is None else float(terms.improvements)
        known.begins(self._baseline, *products(terms.start, terms.step, n))
        limits, shown, left, used, ends, counts = Limits(terms), terms.start, most, 0, [], []
        for t in range(self._submissions):
            if turns.is_over(t):
                limits, shown, left = Limits(terms), terms.start, most
            bound = passing(shown - margin, n)
            asked = bound < n and limits.is_open(t - turns.began)
            if asked:
                task = Task(bound, 2.0 * n * cost, turns.end - t, left)
                known.propose(rng.standard_normal(n), task)
            file = known.proposed() if asked else known.likeliest()
            new = float(turns.board.submit(file[None]).released[0])
            if asked and limits.judges(file):
                accepted, used = new < shown - CLOSE / n, used + 1
                if accepted:
                    low, high = products(new, terms.step, n)
                    known.learn(max(bound, low), high)
                    shown, left = new, left - 1
                else:
                    known.learn(-inf, bound)
                limits.take(file, accepted)
            if t + 1 in self._points:
                ends.append(known.likeliest())
                counts.append(used)
        return self._game(ends, counts, [np.array([t]) for t in range(self._submissions)])


class Task(NamedTuple):
    """What the next file is made for.

    `bound`: <y, file> above which it passes, and `cost` how far the bound then rises.  `files`:
    those of the account that are left, this one included.  `most`: the improvements that the
    account is still shown.
    """

    bound: float
    cost: float
    files: int
    most: float


class KnownLabels:
    """A normal posterior of the labels, and the files that are made of it.

    Parameters
    ----------
    honest : HonestFile

    Attributes
    ----------
    m, S : ndarray, shape (n,) and (n, n)
        Mean and covariance of the labels, -1 or 1.
    file, w : ndarray, shape (n,)
        The file that is proposed, -1 and 1, and S times it.
    """

    def __init__(self, honest: HonestFile) -> None:
        self._honest, n = honest.public, len(honest.public)
        mean = 2.0 * honest.share - 1.0
        self.m, self.S = mean * (2.0 * honest.public - 1.0), (1.0 - mean**2) * np.eye(n)
        self.file, self.w = np.empty(n), np.empty(n)

    def begins(self, baseline: np.ndarray, low: float, high: float) -> None:
        """Take in the bounds of <y, file> of the file in force at first, 0 and 1."""
        self.file[:] = 2.0 * baseline - 1.0
        covariances(self.S, self.file, self.w)
        self.learn(low, high)

    def propose(self, z: np.ndarray, task: Task) -> None:
        """Make the next file; z are standard normal numbers."""
        propose(self.m, self.S, z, task, self.file, self.w)

    def learn(self, low: float, high: float) -> None:
        """Take in that <y, file> lies between two bounds."""
        if low == -inf:
            bounded(self.m, self.S, self.file, self.w, high)
        else:
            between(self.m, self.S, self.file, self.w, low, high)

    def proposed(self) -> np.ndarray:
        """The proposed file, 0 and 1; shape (n,)."""
        return 0.5 * (self.file + 1.0)

    def likeliest(self) -> np.ndarray:
        """The most probable labels, 0 and 1; shape (n,)."""
        return np.where(self.m == 0.0, self._honest, self.m > 0.0)


def passing(bar: float, n: int) -> float:
    """<y, file> above which a file's loss is below the bar: halfway between two possible values."""
    return n - 2.0 * (ceil(n * bar - CLOSE) - 1.0) - 1.0


def products(shown: float, step: float, n: int) -> tuple[float, float]:
    """Bounds of <y, file> of a file whose loss is shown, rounded to a multiple of a step."""
    most, fewest = floor(n * (shown + 0.5 * step) + CLOSE), ceil(n * (shown - 0.5 * step) - CLOSE)
    return n - 2.0 * most - 1.0, n - 2.0 * fewest + 1.0


@kernel
def covariances(S, file, out):
    """S times a file, into `out`, shape (n,); row by row, as S is symmetric."""
    out[:] = 0.0
    for i in range(len(file)):
        add(out, file[i], S[i])


@kernel
def rarity(task, m, spread):
    """How far out in the tail the next file should be, in standard deviations.

    `spread` is that of <y, file> of a random file; see `by_levels.rarity`.
    """
    reach = LUCK * spread
    for i in range(len(m)):
        reach += abs(m[i])
    levels = min(max(np.floor((reach - task.bound) / task.cost) + 1.0, 1.0), task.most)
    return quantile_above(min(max(levels / task.files, RAREST), OFTENEST))


@kernel
def propose(m, S, z, task, file, w):
    """The next file, into `file`, and S times it, into `w`, both of shape (n,).

    As the share s of m rises from 0, labels turn one after another from the sign of z to that of m.
    It stops at the first file that passes with the planned probability, and if there is none, at
    the one that passes most probably.

    Parameters
    ----------
    m, S : ndarray, shape (n,) and (n, n)
        The posterior.
    z : ndarray, shape (n,)
        Standard normal numbers.
    task : Task
    file, w : ndarray, shape (n,)
    """
    n = len(m)
    share = np.empty(n)
    for i in range(n):
        file[i] = 1.0 if z[i] > 0.0 else -1.0
        share[i] = np.inf  # with which label i turns
        if m[i] * z[i] < 0.0:
            share[i] = sqrt(max(S[i, i], LEAST)) * abs(z[i] / m[i])
    covariances(S, file, w)
    mean = variance = 0.0
    for i in range(n):
        mean += file[i] * m[i]
        variance += file[i] * w[i]
    far = rarity(task, m, sqrt(max(variance, LEAST)))
    order = np.argsort(share)
    nearest = (task.bound - mean) / sqrt(max(variance, LEAST))
    turned = kept = 0
    while nearest > far and turned < n and share[order[turned]] < np.inf:
        i = order[turned]
        turn = -2.0 * file[i]
        mean += turn * m[i]
        variance += turn * (2.0 * w[i] + turn * S[i, i])
        add(w, turn, S[i])
        file[i] = -file[i]
        turned += 1
        x = (task.bound - mean) / sqrt(max(variance, LEAST))
        if x < nearest:
            nearest, kept = x, turned
    for j in range(kept, turned):  # back to the one that passes most probably
        i = order[j]
        turn = -2.0 * file[i]
        add(w, turn, S[i])
        file[i] = -file[i]
