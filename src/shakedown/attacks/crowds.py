"""Crowds: many different files between two updates of a digest, for correlations.

A digest shows the best score so far at its updates, so of all files between two of them only the
best counts.  The attacker submits as many different files as fit: they share a core, and each adds
a random direction of its own.  The largest of many random parts lifts the level, so that it passes
with a useful probability; how far it then lies tells about the core.  Which file was the best need
not be found out.

It keeps a Gaussian posterior N(m, S) of the response.  A file is a m / |m| + b d + c z_j, with
random directions d, the same for all, and z_j, where the response is not known.  For J files the
largest product with the response has about the mean and the variance

    a |m| + c r e_J,    (a / |m|)^2 m'Sm + r^2 (b^2 + c^2 v_J),

with r^2 the variance of the response in a direction that is not known, and e_J and v_J those of the
largest of J standard normal numbers.  Its covariance with the response is S f, with f the mean of
the files.  The level that is shown bounds it on both sides, and the moments of a truncated normal
variable update m and S.  Shares a, b and c are those whose level, passed or not, is expected to
tell most, with a probability of passing that leaves levels for later updates.
"""

from __future__ import annotations

from functools import lru_cache
from math import ceil, exp, floor, inf, isinf, pi, sqrt
from typing import ClassVar, NamedTuple

import numpy as np

from shakedown.attacks.adversary import Holder, PreparedAdversary, Run
from shakedown.attacks.greedy_climb import scaled
from shakedown.attacks.posterior import chance_above
from shakedown.compiled import kernel
from shakedown.interface import ParticipantData
from shakedown.terms import Schedule, Terms

#: Shares of what is known, and of the rest the shares that differ between files.
KNOWN, APART = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0), (0.0, 0.15, 0.3, 0.45, 0.6, 0.8, 1.0)
#: A level shall pass with at most this probability, and with this share of the levels by updates.
LIKELY, SPARED = 0.5, 0.7
#: Probabilities beyond which a level tells nothing.
UNLIKELY = 1e-4
#: The tolerance for rounding errors, in steps.
CLOSE = 1e-6


class Crowds(Holder):
    """Many different files between two updates."""

    name: ClassVar[str] = "crowds"
    label: ClassVar[str] = "Crowds"
    phrase: ClassVar[str] = "the attack with crowds of files"
    sentence: ClassVar[str] = (
        "On a digest of correlations, submits many different files before each update: the best of "
        "them passes a level, which tells about what they share."
    )
    order: ClassVar[float] = 13.5
    metrics: ClassVar[tuple[str, ...]] = ("pearson", "spearman", "ccc")

    @classmethod
    def learns_from(cls, terms: Terms) -> bool:
        return terms.shows_levels

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedCrowds:
        return PreparedCrowds(self, participant, model, rng)


class Belief:
    """The normal posterior N(m, S) of a response of mean 0; S = r^2 P - sum of w q q'.

    P takes the mean off.
    """

    def __init__(self, honest: np.ndarray, residual: float) -> None:
        self.m, self.rest = honest - honest.mean(), residual
        self._weights, self._told = np.empty(0), np.empty((0, len(honest)))
        self._known = np.empty((0, len(honest)))  # orthonormal
        self._knows(self.m)

    def times(self, file: np.ndarray) -> np.ndarray:
        """S f."""
        return self.rest * (file - file.mean()) - (self._weights * (self._told @ file)) @ self._told

    def unknown(self, files: np.ndarray) -> np.ndarray:
        """The parts of files of which nothing is known, of length 1 or 0; shape (J, n)."""
        files = files - files.mean(axis=1, keepdims=True)
        for _ in range(2):  # once more, against rounding errors
            files = files - (files @ self._known.T) @ self._known
        return to_length(files)

    def learn(self, mean: float, variance: float, q: np.ndarray, low: float, high: float) -> None:
        """Take in that a variable with this covariance with the response lies within bounds."""
        gain, loss = bounded_by(mean, variance, low, high)
        self.m = self.m + gain * q
        self._weights = np.append(self._weights, loss)
        self._told = np.vstack([self._told, q])
        self._knows(q)

    def _knows(self, direction: np.ndarray) -> None:
        """Something is known of a direction."""
        new = self.unknown(direction[None])
        if new.any():
            self._known = np.vstack([self._known, new])


def centred(file: np.ndarray) -> np.ndarray:
    """The file less its mean."""
    return file - file.mean()


def to_length(files: np.ndarray) -> np.ndarray:
    """Files of length 1; those that are almost 0 are 0."""
    lengths = np.sqrt((files**2).sum(axis=-1, keepdims=True))
    return np.where(lengths > CLOSE, files / np.maximum(lengths, CLOSE), 0.0)


class Crowd(NamedTuple):
    """The files before an update: a core, and directions of their own, (J, n), times apart."""

    core: np.ndarray
    own: np.ndarray
    apart: float

    def files(self) -> np.ndarray:
        """All of them, shape (J, n)."""
        return self.core + self.apart * self.own

    def best(self, belief: Belief) -> tuple[float, float, np.ndarray]:
        """Mean and variance of the largest product, and its covariance with the response."""
        mean, variance = largest(len(self.own))
        shared = belief.times(self.core)
        return (
            float(self.core @ belief.m + self.apart * sqrt(belief.rest) * mean),
            float(self.core @ shared + self.apart**2 * belief.rest * variance),
            shared + self.apart * belief.times(self.own.mean(axis=0)),
        )


def best_of(belief: Belief, files: np.ndarray) -> tuple[float, float, np.ndarray]:
    """As `Crowd.best`, of any files of length 1, shape (J, n)."""
    (mean, variance), count, middle = largest(len(files)), len(files), files.mean(axis=0)
    q = belief.times(middle)
    whole = float(np.mean([file @ belief.times(file) for file in files]))
    shared = whole
    if count > 1:
        shared = max((count * float(middle @ q) - whole) / (count - 1.0), 0.0)
    own = max(whole - shared, 0.0) + float(np.var(files @ belief.m))
    spread = max(shared + variance * own, float(middle @ q), CLOSE)
    return float(middle @ belief.m) + mean * sqrt(own), spread, q


class PreparedCrowds(PreparedAdversary):
    """The attack in one replicate."""

    def _play(self, run: Run) -> None:
        terms, schedule = run.terms, run.terms.schedule
        whole = terms.metric == "ccc" and not self.honest.any()
        belief, used = Belief(self.honest, self.residual), 0
        shown = [terms.start] * run.accounts
        crowds: list[Crowd | None] = [None] * run.accounts
        end = self.honest
        for t in range(self.submissions):
            made, at = divmod(t, run.accounts)
            update, file = divmod(made, schedule.every)
            if file == 0:
                is_whole = t + (schedule.every - 1) * run.accounts < self.submissions
                left = schedule.updates - update if is_whole else 0
                crowds[at] = self._crowd(belief, shown[at], terms, left, update * run.accounts + at)
            crowd = crowds[at]
            if crowd is None:
                run.submit(self.honest[None])
            else:
                sent = crowd.core + crowd.apart * crowd.own[file]
                new = run.submit(scaled(sent, whole)[None])[0]
                if file == schedule.every - 1:
                    self._read(belief, crowd, shown[at], new, run)
                    shown[at], used = max(new, shown[at]), used + 1
                    end = scaled(belief.m, whole and belief.m.any())
            run.would_end(end, t + 1, used)

    def _crowd(
        self, belief: Belief, shown: float, terms: Terms, left: int, number: int
    ) -> Crowd | None:
        """The files before an update of an account; None if it can tell nothing."""
        count = terms.schedule.every
        level, levels = next_level(max(shown, 0.0), terms.step, terms.schedule, terms.origin)
        if left < 1 or not levels:
            return None
        drawn = belief.unknown(self._drawn(number * count, (number + 1) * count, terms))
        # The first direction is shared, the others are apart from it.
        shared, own = drawn[0], to_length(drawn - np.outer(drawn @ drawn[0], drawn[0]))
        length = sqrt(float(belief.m @ belief.m))
        known = belief.m / length if length else belief.m
        told = belief.times(known)
        mean, variance = largest(count)
        squares = [x @ x for x in (told, belief.rest * shared, belief.rest * own.mean(axis=0))]
        cap = min(LIKELY, SPARED * levels / (levels + left))
        best, most = None, 0.0
        for a in KNOWN if length else KNOWN[:1]:
            for share in APART if count > 1 else APART[:1]:
                rest = 1.0 - a * a
                b, c = rest * (1.0 - share), rest * share  # squares of the parts
                spread = a * a * float(known @ told) + belief.rest * (b + c * variance)
                if spread <= 0.0:
                    continue
                middle = a * length + sqrt(c * belief.rest) * mean
                z = (level * sqrt(self.n - 1.0) - middle) / sqrt(spread)
                covered = a * a * squares[0] + b * squares[1] + c * squares[2]
                if (worth := worth_of(z, float(covered) / spread, cap)) > most:
                    core = a * known + sqrt(b) * shared
                    best, most = Crowd(core, own, sqrt(c)), worth
        return best

    def _drawn(self, start: int, stop: int, terms: Terms) -> np.ndarray:
        """Random directions of some of the submissions, shape (stop - start, n).

        Signs; under Spearman's coefficient with sizes that are spread evenly, so that ranks are as
        the numbers are.  Among equal ones they would follow what is taken off, along what is known.
        """
        signs = self.signs(start, stop)
        if terms.metric != "spearman":
            return signs
        at = np.arange(1.0, self.n + 1.0)
        return signs * at[np.argsort(np.cos((at + 0.618) ** 2))]  # in an irregular order

    def _read(self, belief: Belief, crowd: Crowd, before: float, new: float, run: Run) -> None:
        """Take in what an update shows."""
        terms = run.terms
        root, low, high = sqrt(self.n - 1.0), -inf, inf
        if new <= before + CLOSE * terms.step:
            high = next_level(before, terms.step, terms.schedule, terms.origin)[0] * root
        else:
            low = new * root
            if new < terms.schedule.floor - CLOSE * terms.step:
                high = (new + terms.step) * root
        if run.has_marks:
            formed = to_length(np.array([centred(run.form(file)) for file in crowd.files()]))
            belief.learn(*best_of(belief, formed), low, high)
        else:
            belief.learn(*crowd.best(belief), low, high)


@kernel
def density(z):
    """Of a standard normal variable."""
    return 0.0 if isinf(z) else exp(-0.5 * z * z) / sqrt(2.0 * pi)


@kernel
def worth_of(z, covered, cap):
    """What it tells whether a level is passed, z standard deviations above the middle.

    `covered` is what exact knowledge would tell.  It counts less if it is more likely than `cap`
    that the level is passed, and nothing from twice as likely.
    """
    p = chance_above(z)
    if not UNLIKELY < p < 1.0 - UNLIKELY:
        return 0.0
    return min(1.0, max(0.0, 2.0 - p / cap)) * covered * density(z) ** 2 / (p * (1.0 - p))


def next_level(
    shown: float, step: float, schedule: Schedule, origin: float = 0.0
) -> tuple[float, int]:
    """The next level above a shown correlation, and how many there are up to the floor."""
    level = origin + (floor((shown - origin) / step + CLOSE) + 1.0) * step
    return level, max(ceil((schedule.floor - level) / step - CLOSE) + 1, 0)


def truncated(low: float, high: float) -> tuple[float, float]:
    """Mean and variance of a standard normal variable between two bounds."""
    within = chance_above(low) - chance_above(high)
    if within < CLOSE:  # far from what was expected
        return max(min(low if low > 0.0 else high, 4.0), -4.0), 0.1
    below, above = density(low), density(high)
    mean = (below - above) / within
    edges = (0.0 if isinf(low) else low * below) - (0.0 if isinf(high) else high * above)
    return mean, 1.0 + edges / within - mean * mean


def bounded_by(mean: float, variance: float, low: float, high: float) -> tuple[float, float]:
    """What it tells that a normal variable lies within bounds.

    Of a covariance q with it, the mean changes by the first number times q, and the covariance by
    the second times - q q'.
    """
    sd = sqrt(variance)
    shift, left = truncated((low - mean) / sd, (high - mean) / sd)
    return shift / sd, (1.0 - left) / variance


@lru_cache(maxsize=256)
def largest(count: int) -> tuple[float, float]:
    """Mean and variance of the largest of so many standard normal numbers."""
    x = np.linspace(-8.0, 8.0, 4001)
    below = np.array([1.0 - chance_above(z) for z in x]) ** count
    chance, middle = np.diff(below), 0.5 * (x[1:] + x[:-1])
    mean = float(chance @ middle)
    return mean, float(chance @ (middle - mean) ** 2)
