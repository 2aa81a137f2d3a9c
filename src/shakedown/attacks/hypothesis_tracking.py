"""Hypothesis tracking, on boards of correlations that show the best score, with or without noise.

A file passes if it is better than the one in force by more than the board demands.  Both fates of a
file tell about the response, but under noise it is not certain which of them it met.  So the
attacker keeps hypotheses: each has a probability, the file in force, and a normal posterior N(m, S)
of the response.  A new file divides each in two.  With b the file in force and R the length of the
response, a file f passes if

    <y, f - b> / R  >  margin + critical * standard error,

with the standard error of a difference of correlations of normal variables.  So the product lies on
one side of a bound; the moments of a truncated normal variable update m and S, and the shown score
measures the file that is then in force.  How well it fits makes a hypothesis more or less likely.

While it is not clear whether the last file is in force, it is submitted again: the board draws new
noise.  Otherwise the next file is, with b that of the likeliest hypothesis,

    (b + L e) / |b + L e|,   e = lambda w + sqrt(1 - lambda^2) d,

where w is the direction of the part of m that is orthogonal to b, and d one of which nothing is
known.  L and lambda are those whose fate is expected to tell most, less what noise hides of it.

Without noise, and where a number changes exactly when a file passes, there is one hypothesis.

Files have length 1.  They span few directions, so m and S have a coordinate for each.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shakedown.attacks.adversary import Holder, PreparedAdversary, Run
from shakedown.attacks.greedy_climb import scaled
from shakedown.attacks.linear_probe import DECIMALS
from shakedown.attacks.mixture import (
    PASSED,
    REFUSED,
    REPLACED,
    UNCLEAR,
    Mixture,
    divide,
    keep,
    new_mixture,
    next_file,
    rules_of,
)
from shakedown.attacks.reserve import FURTHER
from shakedown.interface import ParticipantData
from shakedown.terms import Terms

#: Most hypotheses.
MOST = 8
#: A file counts as accepted, or refused, once that is so likely; most repetitions of a file.
CERTAIN, PATIENCE = 0.95, 12
#: Lengths of steps.
LENGTHS = np.array([0.15, 0.3, 0.5, 0.8, 1.2, 2.0, 4.0, 20.0])
#: The part of a direction that counts as none, and by how much repeated files differ at least.
CLOSE, APART = 1e-6, 1e-9
#: By how much they may be smaller than others.
SMALLER = 0.8
#: Coordinates at first, whose number doubles, and the most of them.
ROOM, LARGEST = 64, 512


class HypothesisTracking(Holder):
    """Hypothesis tracking."""

    name: ClassVar[str] = "hypothesis_tracking"
    label: ClassVar[str] = "Hypothesis tracking"
    phrase: ClassVar[str] = "hypothesis tracking"
    sentence: ClassVar[str] = (
        "On a board of correlations, learns from accepted and refused files alike, and keeps "
        "several hypotheses about which file is in force where scores are noisy."
    )
    order: ClassVar[float] = 13.7
    metrics: ClassVar[tuple[str, ...]] = ("pearson", "spearman", "ccc")

    @classmethod
    def learns_from(cls, terms: Terms) -> bool:
        gate = terms.acceptance is not None and not terms.replaces_always
        return gate and terms.shows_best

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedHypothesisTracking:
        return PreparedHypothesisTracking(self, participant, model, rng)


class PreparedHypothesisTracking(PreparedAdversary):
    """The attack in one replicate."""

    def _play(self, run: Run) -> None:
        tracking = Tracking(self, run)
        for t in range(self.submissions):
            tracking.take_in(run.submit(tracking.next_file(t)[None])[0])
            if run.is_point(t + 1):
                run.would_end(tracking.end(), t + 1, t + 1)


class Tracking:
    """What the attack knows while it is played, and its next file."""

    def __init__(self, attack: PreparedHypothesisTracking, run: Run) -> None:
        self._attack, self._terms, self._accounts = attack, run.terms, run.accounts
        self._rules, self._whole = rules_of(run.terms, attack.n), run.terms.metric == "ccc"
        self._ranks, self._form = run.terms.metric == "spearman", run.form
        most = np.iinfo(np.int64).max
        daily = run.terms.improvements_per_day[0] if run.terms.improvements_per_day else most
        in_all = most if run.terms.improvements is None else run.terms.improvements
        self._limits = np.array([in_all, daily])
        # Files that are nearer to each other may be refused as repetitions.
        self._nearest = FURTHER * run.terms.nearest
        self._lengths = LENGTHS[LENGTHS / np.hypot(1.0, LENGTHS) > self._nearest]
        self._patience = min(PATIENCE, int(SMALLER / max(self._nearest, CLOSE)))
        self._size, self._basis = 0, np.zeros((ROOM, attack.n))  # the rows in use are orthonormal
        self._mixture, self._other = (self._room(ROOM) for _ in range(2))
        # Of each account: its last file, the number of that file, and how often it was repeated.
        self._files = [np.zeros(0)] * run.accounts
        self._numbers, self._repeats = [0] * run.accounts, [0] * run.accounts
        self._shown: list[float | None] = [run.terms.start] * run.accounts
        self._account, self._again = 0, False
        honest = attack.honest - attack.honest.mean()
        self._holds = bool(honest.any())
        if self._holds:
            self._mixture.m[0, 0] = np.sqrt(honest @ honest)
            self._direction(honest)

    def next_file(self, t: int) -> np.ndarray:
        """File t = 0, 1, ..., shape (n,)."""
        turn, account = divmod(t, self._accounts)
        self._account, mixture = account, self._mixture
        if (day := self._terms.improvements_per_day) and turn % day[1] == 0:
            mixture.passed[:, account, 1] = 0
        number, repeats = self._numbers[account], self._repeats[account]
        chance = mixture.weight[mixture.number[:, account] == number].sum()
        unclear = 1.0 - CERTAIN < chance < CERTAIN
        self._again = bool(number and unclear and repeats < self._patience)
        if not self._again:
            self._choose(t, account)
        self._repeats[account] = repeats + 1 if self._again else 0
        # Boards may refuse files that are repeated or that vary more than the response does, but a
        # correlation does not depend on the scale.
        smaller = CLOSE + APART * t
        if not self._whole:
            smaller += self._nearest * self._repeats[account]
        return self._rows(self._files[account]) * (1.0 - smaller)

    def _rows(self, file: np.ndarray) -> np.ndarray:
        """A file in coordinates as predictions of variance 1."""
        rows = self._rules.root * (file @ self._basis[: len(file)])
        return np.round(rows, DECIMALS) if self._ranks else rows  # equal ones have equal ranks

    def _choose(self, t: int, account: int) -> None:
        """The next file of an account."""
        mixture = self._mixture
        first = mixture.number[0, account] < 0
        if first and self._holds:
            file = np.zeros(self._size)
            file[0] = 1.0
        else:
            file = direction = self._direction(self._attack.signs(t, t + 1)[0])
            mixture, size = self._mixture, self._size  # there may be more room now
            if not first:
                m, S = mixture.m[0, :size], mixture.S[0]
                best, file = mixture.best[0, account, :size], np.empty(size)
                if not next_file(m, S, best, direction, self._rules, self._lengths, file):
                    # Nothing is worth a try: the score of the file in force is measured again.
                    self._again = bool(best.any())
                    file = best.copy() if self._again else direction
        if self._ranks:  # all that the board reads
            file = self._coordinates(self._form(self._rows(file)))
        self._files[account], self._numbers[account] = file, t + 1

    def take_in(self, score: float) -> None:
        """Take in what is shown after the file."""
        size, account = self._size, self._account
        file = np.zeros(size)
        file[: len(self._files[account])] = self._files[account]
        given = size, account, file
        children = divide(
            self._mixture, *given, self._again, self._fate(score), score, self._rules,
            self._limits,
        )  # fmt: skip
        keep(self._mixture, children, *given, self._numbers[account], self._other)
        self._mixture, self._other = self._other, self._mixture
        self._shown[account] = score

    def _fate(self, score: float) -> int:
        """What the shown score tells of the fate of the file."""
        before = self._shown[self._account]
        if self._terms.fresh_noise or before is None:
            return UNCLEAR
        if score == before:
            return REFUSED
        return REPLACED if score < before and self._rules.margin > 0.0 else PASSED

    def end(self) -> np.ndarray:
        """The mean of the response."""
        mean = self._mixture.weight @ self._mixture.m[:, : self._size]
        file = mean @ self._basis[: self._size]
        return scaled(file, self._whole and not self._holds and bool(file.any()))

    def _room(self, size: int) -> Mixture:
        terms = self._terms
        unclear = terms.fresh_noise or (terms.begins and terms.start is None)
        most = MOST if unclear else 1
        return new_mixture(most, self._accounts, size, self._attack.residual, terms.begins)

    def _direction(self, signs: np.ndarray) -> np.ndarray:
        """A direction of which nothing is known, in coordinates; any, if there is none."""
        if np.ptp(signs) == 0.0:  # of few rows
            signs = np.append(-signs[0], signs[1:])
        size, along = self._size, self._coordinates(signs)
        if self._size == size:
            return along
        direction = np.zeros(self._size)
        direction[-1] = 1.0
        return direction

    def _coordinates(self, file: np.ndarray) -> np.ndarray:
        """Coordinates of a file, shape (n,), at length 1; there may be one more of them then.

        Once there are enough, they are those of the part of the file that they express.
        """
        rest = file - file.mean()
        rest /= np.sqrt(rest @ rest)
        known = self._basis[: self._size]
        along = known @ rest
        rest -= along @ known
        rest -= (known @ rest) @ known  # once more, against rounding errors
        left = np.sqrt(rest @ rest)
        if left <= CLOSE or self._size == LARGEST:
            return along / np.sqrt(along @ along)
        if self._size == len(self._basis):
            self._double()
        self._basis[self._size] = rest / left
        self._size += 1
        return np.append(along, left)

    def _double(self) -> None:
        """Make room for twice as many coordinates."""
        k = self._size
        old, self._mixture, self._other = self._mixture, self._room(2 * k), self._room(2 * k)
        self._basis = np.vstack([self._basis, np.zeros_like(self._basis)])
        for name, values in old._asdict().items():
            new = getattr(self._mixture, name)
            new[tuple(slice(length) for length in values.shape)] = values
