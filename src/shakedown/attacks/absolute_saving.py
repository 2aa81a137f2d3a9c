"""Level saving for the mean absolute error, whose scores are not products with the response.

Given what is known, a row of the response is about normal, y_i ~ N(m_i, v_i).  With d = (p_i - m_i)
/ sqrt(v_i), its loss |y_i - p_i| has the mean sqrt(v_i) (2 f(d) + d (2 F(d) - 1)), with the normal
density f and distribution function F, and the slope 1 - 2 F(d) in y_i.  So a shown score is about a
linear measurement, with an error, of the response and of two more numbers.  Each has a coordinate
in the posterior N(m, S):

- q, the sum of v_i (x_i^2 - 1), with x_i the residual of a row and v_i its variance, both before
  anything is known: whether the residuals are large.  As the response is standardised, q and the
  residuals' products with the honest file have a sum that is known, sum y_i^2 = n - 1.  Without it
  scores would seem to be far less certain than they are.
- r, the rest of sum |y_i| that q and the response do not explain, which zeros show at the start.

A file is a share of m and a random direction.  Of a grid of shares and lengths, the attacker takes
those whose score, passed or not, is expected to tell most, with a probability of passing that
leaves levels for later files (on a digest: updates).
"""

from __future__ import annotations

from math import floor, inf, sqrt
from typing import ClassVar, NamedTuple

import numpy as np

from shakedown.attacks.adversary import Run
from shakedown.attacks.between_updates import levels
from shakedown.attacks.by_levels import PreparedByLevels, Task, has_levels
from shakedown.attacks.crowds import bounded_by, density, worth_of
from shakedown.attacks.grouped import FEWEST, GroupedHolder, groups_parameter
from shakedown.attacks.posterior import add, chance_above, learn, measured, times
from shakedown.attacks.span import Span, expand, spreads
from shakedown.compiled import kernel
from shakedown.interface import ParticipantData, Terms

#: Shares of m that are tried, and lengths of the direction, in standard deviations of the residual.
SHARES = np.array([0.0, 0.25, 0.5, 0.65, 0.8, 0.9, 1.0])
LENGTHS = np.array([0.15, 0.3, 0.45, 0.6, 0.8, 1.1, 1.5, 2.0])
#: Files for which a share and a length are kept, and directions that are tried on a digest.
KEPT, DIRECTIONS = 5, 6
#: A file shall pass with at most this probability, and with this share of the levels by files.
LIKELY, SPARED, SPARED_UPDATES = 0.5, 0.5, 0.85
#: The part of the score of zeros that is out of reach.
OUT_OF_REACH = 0.3
#: An interval narrower than this, in standard deviations, is a number.
NARROW = 1e-3
#: The least variance.
LEAST = 1e-9


class AbsoluteSaving(GroupedHolder):
    """Level saving for the MAE."""

    name: ClassVar[str] = "absolute_saving"
    label: ClassVar[str] = "Level saving for the MAE"
    phrase: ClassVar[str] = "level saving for the MAE"
    sentence: ClassVar[str] = (
        "Where the mean absolute error must improve by a margin or is shown in coarse steps, holds "
        "back what it knows, and learns from each level that a file passes or misses."
    )
    order: ClassVar[float] = 11.7
    metrics: ClassVar[tuple[str, ...]] = ("mae",)

    groups: int | None = groups_parameter("400")

    @classmethod
    def learns_from(cls, terms: Terms) -> bool:
        return has_levels(terms) or terms.shows_levels

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedAbsoluteSaving:
        return PreparedAbsoluteSaving(self, participant, model, rng)


class PreparedAbsoluteSaving(PreparedByLevels):
    """The attack in one replicate."""

    def _known(self) -> Belief:
        groups = min(self.n, self.attack.groups or FEWEST)
        span = Span(self.signs(0, 1)[0], groups, self.honest - self.honest.mean())
        return Belief(span, max(self.residual, LEAST), self.signs)

    def _play(self, run: Run) -> None:
        if run.terms.schedule is None:
            super()._play(run)
        else:
            self._play_digest(run)

    def _passed(self, known: Belief, bar: float, worst: float, best: float) -> None:
        known.passes()
        known.learn(best, min(bar, worst))

    def _refused(self, known: Belief, bar: float) -> None:
        known.learn(bar, inf)

    def _play_digest(self, run: Run) -> None:
        """Submit one file before each update, and zeros otherwise."""
        terms, schedule, known = run.terms, run.terms.schedule, self._known()
        shown, limits = levels(terms.start, terms.step, schedule, False)
        known.begin(terms.start, terms.start - terms.step, terms.start)
        passed, done, used = [0] * run.accounts, 0, 0
        for t in range(self.submissions):
            at, made = t % run.accounts, t // run.accounts + 1
            update, other = divmod(made, schedule.every)
            if other == 0 and update <= schedule.updates and passed[at] < len(limits):
                files = ((self.submissions - 1 - at) // run.accounts + 1) // schedule.every
                left = min(files, schedule.updates) - update + 1
                bar, before = limits[passed[at]], passed[at]
                first = t - run.accounts * (min(schedule.every, DIRECTIONS) - 1)
                signs = self.signs(first, t + 1)[:: run.accounts]
                known.choose(signs, bar, known.cap(bar, terms.step, left, inf, SPARED_UPDATES))
                if t > done:
                    run.wait(t - done)
                number, done, used = run.submit(known.p[None])[0], t + 1, used + 1
                while passed[at] < len(shown) and number < shown[passed[at]] * (1.0 + 1e-9) + 1e-12:
                    passed[at] += 1
                now = passed[at]
                known.learn(
                    -inf if now == len(limits) else limits[now],
                    inf if now == before else limits[now - 1],
                )
            if run.is_point(t + 1):
                if t + 1 > done:
                    run.wait(t + 1 - done)
                    done = t + 1
                run.would_end(known.file(known.m), t + 1, used)


class Prior(NamedTuple):
    """What is known before the first file, for each row: N(honest, variance).

    `absolute`, shape (n, 3): the coefficients of |y| on 1, x and x^2 - 1, the last one twice, where
    y = honest + sqrt(variance) x.  `rest`: the summed variance of what they do not explain.
    """

    honest: np.ndarray
    variance: float
    absolute: np.ndarray
    rest: float


def prior_of(honest: np.ndarray, variance: float) -> Prior:
    """The prior of a response with this honest file."""
    sd = sqrt(variance)
    below = np.array([1.0 - chance_above(x) for x in honest / sd])
    height = np.array([density(x) for x in honest / sd])
    mean = 2.0 * sd * height + honest * (2.0 * below - 1.0)
    absolute = np.column_stack([mean, sd * (2.0 * below - 1.0), 2.0 * sd * height])
    squares = honest**2 + variance - absolute**2 @ np.array([1.0, 1.0, 0.5])
    return Prior(honest, variance, absolute, max(float(squares.sum()), LEAST))


class Belief:
    """The posterior, and files with random directions; see `by_levels.Knowledge`.

    Attributes
    ----------
    m, S : ndarray, shape (k + 2,) and (k + 2, k + 2)
        The posterior of the response in the k coordinates of a `Span`, of q and of r.
    p : ndarray, shape (n,)
        The file that was made last; `c` is the same.
    """

    def __init__(self, span: Span, variance: float, signs) -> None:
        self._span, self._signs, self._begun = span, signs, False
        n, k, honest = len(span.group), span.size, span.file(span.honest)
        self.prior = prior_of(honest, variance)
        self.m, self.S = np.append(span.honest, [0.0, 0.0]), np.zeros((k + 2, k + 2))
        self.S[:k, :k] = span.prior(variance)
        self.S[k, k], self.S[k + 1, k + 1] = 2.0 * n * variance**2, self.prior.rest
        # |y|^2 - |honest|^2 = 2 <honest, y - honest> + q + (n - 1) variance
        squares, w = np.append(2.0 * span.honest, [1.0, 0.0]), np.empty(k + 2)
        times(self.S, squares, w)
        whole = n - 1.0 + honest @ honest - (n - 1.0) * variance
        measured(self.m, self.S, squares, w, whole, 0.0)
        self.c = self.p = np.zeros(n)
        self._q, self._mean, self._variance = np.empty(k + 2), 0.0, 1.0
        self._plans: dict[float, tuple[int, np.ndarray, np.ndarray]] = {}

    def begin(self, start: float, low: float, high: float) -> None:
        """Take in that the score of zeros, shown as `start`, is between two numbers."""
        self._begun, self._start = True, start
        nothing = np.zeros((1, len(self.p)))
        self._choose(nothing, np.zeros(1), np.zeros(1), 0.0, LIKELY)
        self.learn(low, high)

    def next(self, t: int, task: Task) -> bool:
        if not self._begun:
            start = task.bar + task.step
            self.begin(start, start - 0.5 * task.step, start + 0.5 * task.step)
        cap = self.cap(task.bar, task.step, task.files, task.most, SPARED)
        made, shares, lengths = self._plans.get(task.bar, (KEPT, SHARES, LENGTHS))
        if made >= KEPT:
            made, shares, lengths = 0, SHARES, LENGTHS
        worth, share, length = self._choose(
            self._signs(t, t + 1), shares, lengths, task.bar, cap
        )
        if worth > 0.0:
            self._plans[task.bar] = made + 1, np.array([share]), np.array([length])
        else:
            self._plans.pop(task.bar, None)
        return True

    def cap(self, bar: float, step: float, files: int, most: float, spared: float) -> float:
        """The largest probability with which the next file shall pass."""
        reached = min(max(floor((bar - OUT_OF_REACH * self._start) / step + LEAST), 1), most)
        return min(LIKELY, spared * reached / (reached + files))

    def choose(self, signs: np.ndarray, bar: float, cap: float) -> None:
        """Make the file that is expected to tell most, with one of several directions."""
        self._choose(signs, SHARES, LENGTHS, bar, cap)

    def _choose(self, signs, shares, lengths, bar, cap):
        span = self._span
        self.p = self.c = np.empty(len(span.group))
        worth, share, length, self._mean, self._variance = choose(
            self.m, self.S, signs, shares, lengths, len(self.p) * bar, cap, self.prior,
            (span.group, span.weight, span.extra), span.ones, self.p, self._q,
        )  # fmt: skip
        return worth, share, length

    def learn(self, low: float, high: float) -> None:
        """Take in that the score of the last file is between two numbers."""
        n, sd = len(self.p), sqrt(self._variance)
        low, high = n * low, n * high
        if high - low < NARROW * sd:
            gain, loss = (0.5 * (low + high) - self._mean) / self._variance, 1.0 / self._variance
        else:
            gain, loss = bounded_by(self._mean, self._variance, low, high)
        learn(self.m, self.S, self._q, gain, loss)

    def file(self, coordinates: np.ndarray) -> np.ndarray:
        return coordinates if coordinates is self.p else self._span.file(coordinates[:-2])

    def passes(self) -> None:
        self._plans.clear()

    def fails(self) -> None:
        pass


@kernel
def expansion(p, means, variances, known, prior, place, c):
    """Mean of the summed loss of a file p, and variance of what is not linear; its slopes into `c`.

    Parameters
    ----------
    p, means, variances : ndarray, shape (n,)
        The file, and the moments of each row.
    known : ndarray, shape (2,)
        The means of q and r.
    prior : Prior
    place : tuple of ndarray
        Group, weight and extra of each row; see `Span`.
    c : ndarray, shape (k + 2,)
    """
    n, k = len(p), len(c) - 2
    group, weight, extra = place
    honest, sd = prior.honest, sqrt(prior.variance)
    slope, mean, apart, bent, even = (
        np.empty(n), np.empty(n), np.empty(n), np.empty(n), np.empty(n),
    )  # fmt: skip
    for i in range(n):
        v = max(variances[i], LEAST)
        root, gap = sqrt(v), p[i] - means[i]
        height = density(gap / root)
        slope[i] = 2.0 * chance_above(gap / root) - 1.0
        mean[i] = 2.0 * root * height - gap * slope[i]
        apart[i] = gap * gap + v - mean[i] ** 2 - slope[i] ** 2 * v
        bent[i] = 2.0 * root * height * v
        even[i] = with_rest(p[i], honest[i], sd, prior.absolute[i])
    total = rest = curved = along = squares = last = 0.0
    fourth = 0.0
    for i in range(n):
        total += mean[i]
        rest += max(apart[i], 0.0)
        curved += bent[i]
        fourth += variances[i] * variances[i]
        along += even[i]
        squares += slope[i] * slope[i]
        last += extra[i] * slope[i]
    c[:] = 0.0
    for i in range(n):
        c[group[i]] += weight[i] * slope[i]
    c[k - 1] += last
    told = 0.0
    for j in range(k):
        told += c[j] * c[j]
    # Of the rows' part outside of the span nothing is ever known.
    rest += prior.variance * max(squares - told, 0.0)
    along /= prior.rest
    fourth = 2.0 * max(fourth, LEAST)
    curved /= fourth
    c[k], c[k + 1] = curved, along
    rest -= curved * curved * fourth + along * along * prior.rest
    return total + curved * known[0] + along * known[1], max(rest, 1e-6)


@kernel
def with_rest(p, honest, sd, absolute):
    """The covariance of |y - p| and the rest of |y|, for y of N(honest, sd^2); see `Prior`."""
    low, high = (min(0.0, p) - honest) / sd, (max(0.0, p) - honest) / sd
    # y (y - p) is negative between 0 and p: the truncated moments of x there.
    f, g = density(low), density(high)
    none = chance_above(low) - chance_above(high)
    first, second = f - g, none + low * f - high * g
    inside = honest * (honest - p) * none + (2.0 * honest - p) * sd * first + sd * sd * second
    whole = honest * (honest - p) + sd * sd - 2.0 * inside
    u = (p - honest) / sd
    height, slope = density(u), 2.0 * chance_above(u) - 1.0
    mean = sd * (2.0 * height - u * slope)
    return (
        whole - absolute[0] * mean - absolute[1] * sd * slope - absolute[2] * sd * height
    )


@kernel
def choose(m, S, signs, shares, lengths, bar, cap, prior, place, ones, p, q):
    """Make the next file, into `p`, and its loss's covariance with what is known, into `q`.

    Parameters
    ----------
    m, S : ndarray, shape (k + 2,) and (k + 2, k + 2)
    signs : ndarray, shape (r, n)
        Random signs, for as many directions.
    shares, lengths : ndarray
        The shares of m and the lengths that are tried.
    bar, cap : float
        The summed loss below which a file passes, and how likely that shall be at most.
    prior : Prior
    place : tuple of ndarray
    ones : ndarray, shape (k,)
        See `Span`.
    p : ndarray, shape (n,)
    q : ndarray, shape (k + 2,)

    Returns
    -------
    tuple of float
        What it is worth, its share and length, and mean and variance of its summed loss.
    """
    n, size = len(p), len(m)
    k = size - 2
    group, weight, extra = place
    means, variances, direction, tried = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    z, along, c, w = np.zeros(size), np.empty(size), np.empty(size), np.empty(size)
    expand(m[:k], group, weight, extra, means)
    spreads(S[:k, :k], ones, prior.variance, group, weight, extra, variances)
    best, nearest = 0.0, np.inf
    share, length, mean, variance = 0.0, 0.0, 0.0, 1.0
    for row in range(len(signs)):
        z[:k] = signs[row, :k]
        times(S, z, along)
        expand(along[:k], group, weight, extra, direction)
        squares = 0.0
        for i in range(n):
            squares += direction[i] * direction[i]
        scale = sqrt(prior.variance * n / max(squares, 1e-300))
        for s in shares:
            for a in lengths:
                for i in range(n):
                    tried[i] = s * means[i] + a * scale * direction[i]
                middle, spread = expansion(tried, means, variances, m[k:], prior, place, c)
                w[:] = 0.0
                for j in range(size):
                    add(w, c[j], S[j])
                told = 0.0
                for j in range(size):
                    spread += c[j] * w[j]
                for j in range(k):
                    told += w[j] * w[j]
                spread = max(spread, LEAST)
                x = (middle - bar) / sqrt(spread)
                worth = worth_of(x, told / spread, cap)
                if worth > best or (best == 0.0 and x < nearest):
                    best, nearest = worth, x
                    share, length, mean, variance = s, a, middle, spread
                    p[:] = tried
                    q[:] = w
    return best, share, length, mean, variance
