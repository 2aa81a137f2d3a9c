"""Crowds of labels: many different files between two updates of a digest of labels.

As in `crowds`, all files between two updates differ around a common core, and the best of them
counts.  The core c has the most probable labels, some of them flipped; in each of J files another k
random labels are flipped as well.  The attacker keeps a normal posterior N(m, S) of the labels, as
-1 and 1.  A product of a file with the labels has a part that the files share and a part of its
own, so the largest has about the mean and the variance

    mean of f'm + r e_J,    s^2 + r^2 v_J,

with s^2 the mean of f'Sg over pairs of different files, s^2 + r^2 that of f'Sf and of the variance
between files of f'm, and e_J and v_J mean and variance of the largest of J standard normal numbers.
Its covariance with the labels is S times the mean of the files.  The level that is shown bounds it
on both sides, and the moments of a truncated normal variable update m and S.

The core and k are those whose level, passed or not, is expected to tell most, with a probability of
passing that leaves levels for later updates.  With k labels flipped at random in each file, the
means over such files are

    f'm: (1 - 2 p) c'm,    f'Sg: (1 - 2 p)^2 c'Sc,    f'Sf: tr S + t (c'Sc - tr S),

with p = k / n and t = 1 - 4 p + 4 k (k - 1) / (n (n - 1)).

It begins with the honest file, and ends with the signs of m (see `on_labels`).

ASSUME: a digest begins with the score of the label that is more frequent in the training set.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import pairwise
from math import floor, inf, sqrt
from typing import ClassVar

import numpy as np

from shakedown.attacks.crowds import CLOSE, LIKELY, bounded_by, largest, next_level, worth_of
from shakedown.attacks.flipping import FlippingAttack, PreparedFlipping
from shakedown.attacks.on_labels import HonestFile
from shakedown.attacks.posterior import add, times
from shakedown.compiled import kernel
from shakedown.interface import Game, ParticipantData
from shakedown.terms import LeaderboardClient, Terms

#: Weights of the random part of the order in which labels of the core are flipped.
WEIGHTS = (inf, 2.0, 0.5, 0.1, 0.02)
#: Numbers of flips tried: of the core, up to 1/2 of the labels, and of each file, up to 1/3.
OF_CORE, OF_FILE = 7, 9
#: A level shall pass with at most this share of the levels by updates that are left.
SPARED = 0.85
#: Variance of what the first score measures, against rounding errors.
ROUNDING = 0.01


class LabelCrowds(FlippingAttack):
    """Many different files of labels between two updates."""

    name: ClassVar[str] = "label_crowds"
    label: ClassVar[str] = "Label crowds"
    phrase: ClassVar[str] = "the attack with crowds of labels"
    sentence: ClassVar[str] = (
        "On a digest of labels, submits many different files before each update: the best of them "
        "passes a level, which tells about the labels that they share."
    )
    order: ClassVar[float] = 7.7

    @classmethod
    def learns_from(cls, terms: Terms) -> bool:
        return terms.shows_levels

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedLabelCrowds:
        return PreparedLabelCrowds(self, participant, model, rng)


class LabelMoments:
    """The normal posterior N(m, S) of labels, -1 and 1; S = v I - sum of w q q'.

    Parameters
    ----------
    mean : ndarray, shape (n,)
    variance : float
        Of each label, v.
    updates : int
        How many there will be; from n on, S is kept as a matrix.
    """

    def __init__(self, mean: np.ndarray, variance: float, updates: int) -> None:
        self.m, self._v, n = mean, variance, len(mean)
        self._weights, self._told = np.empty(0), np.empty((0, n))
        self._S = variance * np.eye(n) if updates >= n else None

    def times(self, files: np.ndarray) -> np.ndarray:
        """S f of each of several files; shape (J, n)."""
        # Not by BLAS, whose threads get in each other's way where several jobs run.
        out = self._v * files
        if self._S is None:
            take_off(files, self._weights, self._told, out)
        else:
            for file, row in zip(files, out, strict=True):
                times(self._S, file, row)
        return out

    def times_flipped(
        self, file: np.ndarray, order: np.ndarray, sizes: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The file with its first labels in this order flipped, and S times it, for each size.

        Both have shape (s, n); `sizes`, shape (s,), are increasing.
        """
        files = np.empty((len(sizes), len(file)))
        flip(file, order, sizes, files)
        if self._S is None:
            return files, self.times(files)
        covered = np.empty_like(files)
        times_nested(self._S, file, order, sizes, covered)
        return files, covered

    def variances(self) -> np.ndarray:
        """Variance of each label, shape (n,)."""
        if self._S is not None:
            return np.maximum(np.diag(self._S), 0.0)
        return np.maximum(self._v - self._weights @ self._told**2, 0.0)

    def measure(self, file: np.ndarray, product: float) -> None:
        """Take in the product of a file with the labels."""
        q = self.times(file[None])[0]
        variance = file @ q + ROUNDING
        self._learn(q, (product - file @ self.m) / variance, 1.0 / variance)

    def bound(self, mean: float, variance: float, q: np.ndarray, low: float, high: float) -> None:
        """Take in that a variable with this covariance with the labels lies within bounds."""
        self._learn(q, *bounded_by(mean, variance, low, high))

    def _learn(self, q: np.ndarray, gain: float, loss: float) -> None:
        self.m = self.m + gain * q
        if self._S is not None:
            self._S -= np.outer(loss * q, q)
            return
        self._weights = np.append(self._weights, loss)
        self._told = np.vstack([self._told, q])

    def best(self, files: np.ndarray) -> tuple[float, float, np.ndarray]:
        """Mean and variance of the largest product, and its covariance with the labels."""
        count, middle, covered = len(files), files.mean(axis=0), self.times(files)
        e, v = largest(count)
        q = covered.mean(axis=0)
        whole, shared = float(np.sum(files * covered)) / count, float(middle @ q)
        if count > 1:
            shared = max((count * shared - whole) / (count - 1.0), 0.0)
        own = max(whole - shared, 0.0) + float(np.var(files @ self.m))
        variance = max(shared + v * own, float(middle @ q), CLOSE)
        return float(middle @ self.m) + e * sqrt(own), variance, q


@kernel
def take_off(files, weights, told, out):
    """Take the sum of w q q'f off each of several files, in `out`; the q are rows of `told`."""
    for j in range(len(files)):
        for t in range(len(told)):
            product = 0.0
            for i in range(told.shape[1]):
                product += told[t, i] * files[j, i]
            add(out[j], -weights[t] * product, told[t])


@kernel
def flip(file, order, sizes, out):
    """The file with its first labels in this order flipped, into a row of `out` for each size."""
    for row in range(len(sizes)):
        out[row] = file
        for place in order[: sizes[row]]:
            out[row, place] = -file[place]


@kernel
def times_nested(S, file, order, sizes, out):
    """S times each of the files of `flip`, each from the one before, into the rows of `out`."""
    done = 0
    for row in range(len(sizes)):
        if row:
            out[row] = out[row - 1]
        else:
            times(S, file, out[0])
        for place in order[done : sizes[row]]:
            add(out[row], -2.0 * file[place], S[place])
        done = sizes[row]


class PreparedLabelCrowds(PreparedFlipping):
    """The attack in one replicate; `rng` draws the flips, the same for every board."""

    def __init__(
        self, attack: LabelCrowds, participant: ParticipantData, model, rng: np.random.Generator
    ) -> None:
        super().__init__(attack, participant, model, rng)
        self._baseline = HonestFile(participant).public

    def play(self, open_board: Callable[[], LeaderboardClient]) -> Game:
        """Play on a board for each account, or on the one that they share."""
        honest, n, most = self._honest, len(self._honest.public), self._submissions
        turns = self._turns(open_board)
        terms, each = turns.board.terms, turns.end
        if not LabelCrowds.learns_from(terms):
            return self._idle(turns.board)
        rng = self._rng()
        mean, every = 2.0 * honest.share - 1.0, terms.schedule.every
        updates = min(terms.schedule.updates, each // every)
        told = updates * -(-most // each)
        belief = LabelMoments(mean * (2.0 * honest.public - 1.0), 1.0 - mean**2, told)
        shown = lowest = terms.start
        used, files = 0, None
        belief.measure(2.0 * self._baseline - 1.0, n * (1.0 - 2.0 * shown))
        ends, counts, submitted, end = [], [], [], honest.public
        parts = {t for began in range(0, most, each) for t in range(began, began + each, every)}
        cuts = sorted({*self._points, *(part for part in parts if part < most), most})
        for start, stop in pairwise(cuts):
            if turns.is_over(start):
                shown = terms.start
            done = start - turns.began
            if done % every == 0:
                files, left = None, updates - done // every
                if start + every <= turns.end:  # the best labels are known from earlier accounts
                    files = self._crowd(belief, min(shown, lowest), terms, left, rng)
            sent = honest.public[None].repeat(stop - start, axis=0)
            if files is not None:
                at = done % every
                sent = 0.5 * (files[at : at + stop - start] + 1.0)
            new = float(turns.board.submit(sent).released[-1])
            submitted.append(np.arange(start, stop))
            if files is not None and (stop - turns.began) % every == 0:
                belief.bound(*belief.best(files), *bounds_of(shown, new, terms, n))
                shown, used = min(new, shown), stop
                lowest = min(lowest, shown)
                end = np.where(belief.m == 0.0, honest.public, belief.m > 0.0)
            if stop in self._points:
                ends.append(end)
                counts.append(used)
        return self._game(ends, counts, submitted)

    def _crowd(
        self,
        belief: LabelMoments,
        shown: float,
        terms: Terms,
        left: int,
        rng: np.random.Generator,
    ) -> np.ndarray | None:
        """The files before an update, -1 and 1, shape (every, n); None if they can tell nothing.

        `left` is the number of updates that are left.
        """
        schedule, n = terms.schedule, len(belief.m)
        _, levels = level_below(shown, terms)
        if left < 1 or not levels:
            return None
        cap = min(LIKELY, SPARED * levels / (levels + left))
        likeliest = np.where(belief.m == 0.0, 2.0 * self._honest.public - 1.0, np.sign(belief.m))
        cores, covered = cores_of(likeliest, belief, rng)
        several = schedule.every > 1
        flips = np.append(0, numbers_to(n / 3, OF_FILE)) if several else np.zeros(1, int)
        worth = worth_of_crowds(
            np.sum(cores * covered, axis=1), np.sum(covered**2, axis=1), cores @ belief.m,
            np.var(cores * belief.m, axis=1), belief.variances().sum(), n, flips,
            passing(shown, terms, n), cap, *largest(schedule.every),
        )  # fmt: skip
        if not worth.any():
            return None
        # Of equals the first.
        best = np.argmax(worth >= (1.0 - CLOSE) * worth.max())
        core, k = cores[best // len(flips)], flips[best % len(flips)]
        files = core[None].repeat(schedule.every, axis=0)
        if k:
            places = np.argpartition(rng.random(files.shape), k, axis=1)[:, :k]
            np.put_along_axis(files, places, -np.take_along_axis(files, places, axis=1), axis=1)
        return files


@cache
def numbers_to(most: float, count: int) -> np.ndarray:
    """Whole numbers from 1 to `most`, in about equal ratios; at most `count`."""
    return np.unique(np.round(np.geomspace(1, max(most, 1), count)).astype(int))


def cores_of(
    likeliest: np.ndarray, belief: LabelMoments, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Cores to choose from, and S times each: the most probable labels with some flipped.

    Both have shape (c, n).
    """
    n = len(likeliest)
    sd, sizes = np.sqrt(belief.variances()), numbers_to(n / 2, OF_CORE)
    cores, covered = [likeliest[None]], [belief.times(likeliest[None])]
    for weight in WEIGHTS:
        noise = sd * rng.standard_normal(n)
        order = np.argsort(noise if weight == inf else np.abs(belief.m) + weight * noise)
        flipped = belief.times_flipped(likeliest, order, sizes)
        cores.append(flipped[0])
        covered.append(flipped[1])
    return np.concatenate(cores), np.concatenate(covered)


@kernel
def worth_of_crowds(within, squares, means, spread, trace, n, flips, bound, cap, e, v):
    """What crowds about c cores are expected to tell (`crowds.worth_of`); shape (c, k).

    Parameters
    ----------
    within, squares, means, spread : ndarray, shape (c,)
        Of each core: c'Sc, the squares of S c, c'm, and the variance of c m over the labels.
    trace : float
        Of S.
    n : int
        Number of labels.
    flips : ndarray of int, shape (k,)
        Labels flipped in each file.
    bound, cap : float
        The product above which a file passes, and the probability with which one should at most.
    e, v : float
        Mean and variance of the largest of so many standard normal numbers as there are files.
    """
    worth = np.empty((len(within), len(flips)))
    for j in range(len(flips)):
        k = flips[j]
        p = k / n
        kept = (1.0 - 2.0 * p) ** 2
        t = 1.0 - 4.0 * p + 4.0 * k * (k - 1.0) / (n * max(n - 1.0, 1.0))
        for i in range(len(within)):
            shared = kept * within[i]
            own = max(trace + t * (within[i] - trace) - shared, 0.0)
            own += 4.0 * k * (1.0 - p) * spread[i]
            variance = max(shared + v * own, CLOSE)
            z = (bound - (1.0 - 2.0 * p) * means[i] - e * sqrt(own)) / sqrt(variance)
            worth[i, j] = worth_of(z, kept * squares[i] / variance, cap)
    return worth


def level_below(shown: float, terms: Terms) -> tuple[float, int]:
    """The next level below a shown loss, and how many there are down to the floor."""
    schedule = terms.schedule
    level, count = next_level(-shown, terms.step, schedule._replace(floor=-schedule.floor))
    return -level, count


def product_at(loss: float, n: int) -> float:
    """The product with the labels of a file of this loss or the next larger one, halfway below."""
    return n - 2.0 * floor(n * loss + CLOSE) - 1.0


def passing(shown: float, terms: Terms, n: int) -> float:
    """The product with the labels above which a file passes the next level."""
    return product_at(level_below(shown, terms)[0], n)


def bounds_of(before: float, new: float, terms: Terms, n: int) -> tuple[float, float]:
    """What an update tells of the largest product: it lies between these."""
    if new > before - CLOSE * terms.step:
        return -inf, passing(before, terms, n)
    if new <= terms.schedule.floor + CLOSE * terms.step:
        return product_at(new, n), inf
    return product_at(new, n), product_at(new - terms.step, n)
