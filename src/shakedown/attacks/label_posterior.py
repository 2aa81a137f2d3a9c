"""The label posterior, on boards that test a file of labels against the one in force.

The attacker keeps a normal posterior N(m, S) of the labels, as -1 and 1.  Where a file differs from
the one in force by D, the loss falls by <y, D> / 2 n, which the board's rule compares with the
number of labels that differ:

- If the file is accepted, the shown score measures <y, D> exactly.
- If not, <y, D> is below what the rule demands: a half-space, whose truncated normal moments change
  m and S.

So labels that were flipped in vain are flipped less often, and those that are known to be right
never again.  A file flips the labels that come first by -b m + w e sd, with b the file in force, e
random and w one of a few weights, and as many of them as pass most probably.

It ends with the signs of m, which know more than the file in force.  Where nothing is in force at
first, it begins with the opposite of the honest file, on top of which a strict test passes more
files; else, and in the end, with the honest file (see `on_labels`).

ASSUME: a baseline start has the label in force that is more frequent in the training set.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any, ClassVar

import numpy as np

from shakedown.attacks.attack import Scope
from shakedown.attacks.flipping import FlippingAttack, PreparedFlipping
from shakedown.attacks.label_climb import CLOSE
from shakedown.attacks.on_labels import HonestFile
from shakedown.attacks.posterior import bounded, chance_above, measured, times
from shakedown.compiled import kernel
from shakedown.component import parameter
from shakedown.interface import Game, ParticipantData
from shakedown.terms import LeaderboardClient, Terms

#: Weights of the random part of the order in which labels are flipped.
WEIGHTS = np.array([2.0, 0.5, 0.1, 0.02])
#: A file that passes so probably is good enough.
TARGET = 0.35
#: Share of the labels that a file flips at most, if so few can pass.
MOST = 0.3
#: Variance of what a score measures, against rounding errors.
ROUNDING = 0.01
#: Fewest and most rows that it flips, unless they are given, and in a dry run.
FEWEST, LARGEST, IN_DRY_RUN = 400, 1000, 300
#: More than any gain.
NEVER = 1e9


class LabelPosterior(FlippingAttack):
    """The label posterior; the signs of its mean are the final model."""

    name: ClassVar[str] = "label_posterior"
    label: ClassVar[str] = "Label posterior"
    phrase: ClassVar[str] = "the attack with a posterior of the labels"
    sentence: ClassVar[str] = (
        "Keeps a posterior of the labels, which learns from refused files too, flips those labels "
        "of the best file that most probably pass the board's test, and ends with the most "
        "probable labels."
    )
    order: ClassVar[float] = 7.55

    rows: int | None = parameter(
        None,
        ge=1,
        description=(
            "Number of public rows, chosen at random, that it flips; the others keep their labels, "
            "which makes the attack quicker.  null: as many as submissions, from 400 to 1,000."
        ),
    )

    @classmethod
    def learns_from(cls, terms: Terms) -> bool:
        rule = terms.acceptance
        tested = rule is not None and rule.critical > 0.0 and rule.margin <= 0.0
        return tested and terms.shows_best and not (terms.is_noisy or terms.replaces_always)

    @classmethod
    def for_dry_run(cls, scope: Scope) -> dict[str, dict[str, Any]]:
        entries = super().for_dry_run(scope)
        return {name: entry | {"rows": IN_DRY_RUN} for name, entry in entries.items()}

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedLabelPosterior:
        return PreparedLabelPosterior(self, participant, model, rng)


class PreparedLabelPosterior(PreparedFlipping):
    """The attack in one replicate; `rng` draws the order of flips, the same for every board."""

    def __init__(
        self,
        attack: LabelPosterior,
        participant: ParticipantData,
        model,
        rng: np.random.Generator,
    ) -> None:
        super().__init__(attack, participant, model, rng)
        self._baseline = HonestFile(participant).public
        self._rows = attack.rows or usual_rows(attack.submissions)

    def play(self, open_board: Callable[[], LeaderboardClient]) -> Game:
        """Play on a board for each account, or on the one that they share."""
        turns, honest = self._turns(open_board), self._honest
        terms, n = turns.board.terms, len(honest.public)
        if not LabelPosterior.learns_from(terms) or terms.step > (1.0 + CLOSE) / n:
            return self._idle(turns.board)
        rng = self._rng()
        first = 1.0 - honest.public if terms.start is None else self._baseline
        rows = rng.permutation(n)[: self._rows]
        known, limits = LabelBelief(honest, first, rows), Limits(terms)
        needed = needed_gains(n, terms.acceptance.critical)
        shown, used, ends, counts = terms.start, 0, [], []
        if shown is not None:
            known.starts(shown)
        for t in range(self._submissions):
            bound = NEVER
            if turns.is_over(t):
                limits, shown = Limits(terms), terms.start
                bound = known.begins_again(needed, is_empty=shown is None)
            elif shown is not None and limits.is_open(t - turns.began):
                bound = known.propose(needed, rng.standard_normal(len(rows)))
            file = known.proposed()
            new = float(turns.board.submit(file[None]).released[0])
            if limits.judges(file) and (shown is None or bound < NEVER):
                accepted, used = shown is None or new < shown - 0.5 / n, used + 1
                if shown is None:
                    known.starts(new)
                else:
                    known.learn(2.0 * n * (shown - new) if accepted else None, bound)
                limits.take(file, accepted)
                shown = new if accepted else shown
            known.change[:] = 0.0
            if t + 1 in self._points:
                ends.append(known.likeliest())
                counts.append(used)
        return self._game(ends, counts, [np.array([t]) for t in range(self._submissions)])


class Limits:
    """What keeps a board from judging a file, by its terms."""

    def __init__(self, terms: Terms) -> None:
        self._terms, self._files = terms, []
        self._left = np.inf if terms.improvements is None else terms.improvements
        self._daily, self._day = terms.improvements_per_day or (np.inf, 1)
        self._today = 0

    def is_open(self, t: int) -> bool:
        """Whether submission t may replace the best."""
        if t % self._day == 0:
            self._today = 0
        return self._left > 0 and self._today < self._daily

    def judges(self, file: np.ndarray) -> bool:
        """Whether the board judges a file, and does not refuse it for what it is."""
        largest, nearest = self._terms.largest_variance, self._terms.nearest
        if largest is not None and np.var(file, ddof=1) > largest * (1.0 + CLOSE):
            return False
        return not any(np.mean((file - old) ** 2) <= nearest**2 for old in self._files)

    def take(self, file: np.ndarray, accepted: bool) -> None:
        """A file was judged."""
        self._left, self._today = self._left - accepted, self._today + accepted
        if self._terms.nearest > 0.0:
            self._files.append(file)


class LabelBelief:
    """A normal posterior of the labels of some rows; the other rows are never flipped.

    Parameters
    ----------
    honest : HonestFile
    first : ndarray, shape (n,)
        The file in force at first.
    rows : ndarray of int, shape (k,)

    Attributes
    ----------
    m, S : ndarray, shape (k,) and (k, k)
        Mean and covariance of the labels, -1 or 1.
    b : ndarray, shape (k,)
        The file in force, -1 or 1.
    change, w : ndarray, shape (k,)
        The proposed file less b, and S times it.
    """

    def __init__(self, honest: HonestFile, first: np.ndarray, rows: np.ndarray) -> None:
        self._honest, self._first, self._rows = honest.public, 2.0 * first - 1.0, rows
        mean, k = 2.0 * honest.share - 1.0, len(rows)
        self._prior = mean * (2.0 * honest.public - 1.0)
        self.m, self.S = self._prior[rows], np.diag(np.full(k, 1.0 - mean**2))
        self.b = self._first[rows]
        self.change, self.w = np.zeros(k), np.empty(k)

    def starts(self, shown: float) -> None:
        """Take in the loss of the file in force at first."""
        n, k = len(self._first), len(self._rows)
        others = self._first @ self._prior - self.b @ self.m
        value = n * (1.0 - 2.0 * shown) - others
        times(self.S, self.b, self.w)
        doubt = (n - k) * self.S[0, 0]
        measured(self.m, self.S, self.b, self.w, value, doubt + ROUNDING)

    def begins_again(self, needed: np.ndarray, *, is_empty: bool) -> float:
        """Propose the most probable labels on a new board, as `propose`.

        Nothing is in force there (`is_empty`), or the file that was at first.
        """
        likely = 2.0 * self.likeliest()[self._rows] - 1.0
        self.b = likely if is_empty else self._first[self._rows]
        self.change[:] = likely - self.b
        times(self.S, self.change, self.w)
        return 2.0 * needed[np.count_nonzero(self.change)] - 2.0

    def proposed(self) -> np.ndarray:
        """The proposed file, 0 and 1; shape (n,)."""
        signs = self._first.copy()
        signs[self._rows] = self.b + self.change
        return 0.5 * (signs + 1.0)

    def likeliest(self) -> np.ndarray:
        """The most probable labels, 0 and 1; shape (n,)."""
        labels = self._honest.copy()
        labels[self._rows] = np.where(self.m == 0.0, labels[self._rows], self.m > 0.0)
        return labels

    def propose(self, needed: np.ndarray, z: np.ndarray) -> float:
        """Choose the next file; the bound of <y, change> if it is refused, `NEVER` for none."""
        return propose(self.m, self.S, self.b, needed, z, WEIGHTS, TARGET, self.change, self.w)

    def learn(self, value: float | None, bound: float) -> None:
        """Take in <y, change> of an accepted file, or that it is below a bound (None)."""
        if value is None:
            bounded(self.m, self.S, self.change, self.w, bound)
        else:
            measured(self.m, self.S, self.change, self.w, value, ROUNDING)
            self.b += self.change


def usual_rows(submissions: int) -> int:
    """Rows that it flips: a file finds less than a wrong label on average."""
    return min(max(FEWEST, submissions), LARGEST)


def needed_gains(n: int, critical: float) -> np.ndarray:
    """Least gain in labels with which 0, 1, ..., n flips pass a paired test; `NEVER` if none does.

    A gain g passes if g / n is above critical sqrt((k - g^2 / n) / (n - 1) / n), and has the parity
    of the number of flips k.
    """
    flips = np.arange(n + 1.0)
    gains = np.floor(critical * np.sqrt(flips * n / (n - 1.0 + critical**2)) + CLOSE) + 1.0
    gains += (gains - flips) % 2.0
    return np.where(gains <= flips, gains, NEVER)


@kernel
def propose(m, S, b, needed, z, weights, target, change, w):
    """The flips that pass most probably, as `change` of the file in force b, and w = S change.

    Parameters
    ----------
    m, S, b : ndarray, shape (k,), (k, k), (k,)
        See `LabelBelief`.
    needed : ndarray, shape (n + 1,)
        See `needed_gains`.
    z : ndarray, shape (k,)
        Standard normal numbers.
    weights : ndarray
    target : float
        A probability that is enough.
    change, w : ndarray, shape (k,)

    Returns
    -------
    float
        The bound of <y, change>, halfway between what passes and what does not.
    """
    k, most = len(m), MOST * (len(needed) - 1)
    u = np.empty(k)
    best, bound = 0.0, NEVER
    change[:] = 0.0
    for weight in weights:
        for i in range(k):
            u[i] = b[i] * m[i] - weight * z[i] * sqrt(max(S[i, i], 0.0))
        order = np.argsort(u)
        mean = variance = 0.0
        chosen = 0
        for j in range(k):
            if j >= most and bound < NEVER:
                break
            i = order[j]
            mean -= 2.0 * b[i] * m[i]
            covariance = 0.0
            for r in range(j):
                covariance += b[order[r]] * S[i, order[r]]
            variance += 4.0 * (2.0 * b[i] * covariance + S[i, i])
            if needed[j + 1] < NEVER and variance > 0.0:
                below = 2.0 * needed[j + 1] - 2.0
                p = chance_above((below - mean) / sqrt(variance))
                if p > best * (1.0 + CLOSE):
                    best, bound, chosen = p, below, j + 1
        if chosen:
            change[:] = 0.0
            for j in range(chosen):
                change[order[j]] = -2.0 * b[order[j]]
        if best >= target:
            break
    times(S, change, w)
    return bound
