"""Level saving for the mean absolute error, whose scores are not products with the response.

Given what is known, a row of the response is about normal, y_i ~ N(m_i, v_i).  With d = (p_i - m_i)
/ sqrt(v_i), its loss |y_i - p_i| has the mean sqrt(v_i) (2 f(d) + d (2 F(d) - 1)), with the normal
density f and distribution function F, and the slope 1 - 2 F(d) in y_i.  So a shown score is about a
linear measurement, with an error, of the response and of two more numbers, which have coordinates
of their own in the posterior N(m, S).  With x_i the residual of a row, in standard deviations, and
v_i its variance, both before anything is known, they are

- q, the sum of v_i (x_i^2 - 1).  As the response is standardised, q and the product of the
  residuals with the honest file have a known sum.  Without that, scores would seem to be far less
  certain than they are.
- r, what the x_i and x_i^2 do not explain of sum |y_i|, the score of zeros.  All files have a part
  of it in common; without a model, they would otherwise seem to tell more than they do.

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
from shakedown.interface import ParticipantData
from shakedown.terms import Terms

#: Shares of m that are tried, and lengths of the direction, in standard deviations of the residual.
SHARES = np.array([0.0, 0.25, 0.5, 0.65, 0.8, 0.9, 1.0])
LENGTHS = np.array([0.15, 0.3, 0.45, 0.6, 0.8, 1.1, 1.5, 2.0])
#: Files for which a share and a length are kept.
KEPT = 20
#: A file shall pass with at most this probability, and with this share of the levels by files.
LIKELY, SPARED = 0.5, 0.5
#: The part of the score of zeros that is out of reach.
OUT_OF_REACH = 0.3
#: The width of the narrowest interval, in standard deviations.
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
        passed, used = [0] * run.accounts, 0
        for t in range(self.submissions):
            at, made = t % run.accounts, t // run.accounts + 1
            (update, other), before = divmod(made, schedule.every), passed[at]
            if other or update > schedule.updates or before == len(limits):
                run.wait(1)
            else:
                files = ((self.submissions - 1 - at) // run.accounts + 1) // schedule.every
                left = min(files, schedule.updates) - update + 1
                cap = known.cap(limits[before], terms.step, left, inf)
                known.choose(self.signs(t, t + 1)[0], limits[before], cap)
                number, now, used = run.submit(known.c[None])[0], before, used + 1
                while now < len(shown) and number < shown[now] * (1.0 + 1e-9) + 1e-12:
                    now += 1
                known.learn(
                    -inf if now == len(limits) else limits[now],
                    inf if now == before else limits[now - 1],
                )
                passed[at] = now
            run.would_end(known.file(known.m), t + 1, used)


class Belief:
    """The posterior, and files with random directions; see `by_levels.Knowledge`.

    Attributes
    ----------
    m, S : ndarray, shape (k + 2,) and (k + 2, k + 2)
        The posterior of the response, in the k coordinates of a `Span`, of q and of r.
    c : ndarray, shape (n,)
        The file that was made last.
    """

    def __init__(self, span: Span, variance: float, signs) -> None:
        n, k, self._span, self._signs = len(span.group), span.size, span, signs
        self._rows = rows_of(span, variance)
        self.m, self.S = np.append(span.honest, [0.0, 0.0]), np.zeros((k + 2, k + 2))
        self.S[:k, :k] = span.prior(variance)
        self.S[k, k], self.S[k + 1, k + 1] = 2.0 * n * variance**2, self._rows.rest
        # |y|^2 - |honest|^2 is 2 <honest, y - honest> + q + (n - 1) variance.
        squares, w = np.append(2.0 * span.honest, [1.0, 0.0]), np.empty(k + 2)
        times(self.S, squares, w)
        known = (n - 1.0) * (1.0 - variance) + span.honest @ span.honest
        measured(self.m, self.S, squares, w, known, 0.0)
        self.c, self._q, self._mean, self._variance = np.zeros(n), np.empty(k + 2), 0.0, 1.0
        self._start: float | None = None
        # By the bar: for how many files share and length have been kept, and what they are.
        self._plans: dict[float, tuple[int, np.ndarray, np.ndarray]] = {}

    def begin(self, start: float, low: float, high: float) -> None:
        """Take in that the score of zeros, which is shown as `start`, is between two numbers."""
        self._start, zero = start, np.zeros(1)
        self.choose(np.zeros(len(self.c)), 0.0, LIKELY, zero, zero)
        self.learn(low, high)

    def next(self, t: int, task: Task) -> bool:
        if self._start is None:
            start = task.bar + task.step
            self.begin(start, start - 0.5 * task.step, start + 0.5 * task.step)
        cap = self.cap(task.bar, task.step, task.files, task.most)
        made, shares, lengths = self._plans.get(task.bar, (KEPT, SHARES, LENGTHS))
        if made >= KEPT:
            made, shares, lengths = 0, SHARES, LENGTHS
        plan = self.choose(self._signs(t, t + 1)[0], task.bar, cap, shares, lengths)
        self._plans[task.bar] = made + 1, *(np.array([x]) for x in plan)
        return True

    def cap(self, bar: float, step: float, files: int, most: float) -> float:
        """The largest probability with which the next of so many files shall pass."""
        reached = min(max(floor((bar - OUT_OF_REACH * self._start) / step + LEAST), 1), most)
        return min(LIKELY, SPARED * reached / (reached + files))

    def choose(self, z, bar, cap, shares=SHARES, lengths=LENGTHS):
        """Make the file that is expected to tell most, with random signs z, shape (n,).

        Returns its share and its length.
        """
        self.c, n = np.empty(len(self.c)), len(self.c)
        *plan, self._mean, self._variance = propose(
            self.m, self.S, z, shares, lengths, n * bar, cap, self._rows, self.c, self._q
        )
        return plan

    def learn(self, low: float, high: float) -> None:
        """Take in that the score of the last file is between two numbers."""
        n, sd = len(self.c), sqrt(self._variance)
        wider = 0.5 * max(NARROW * sd - n * (high - low), 0.0)
        low, high = n * low - wider, n * high + wider
        learn(self.m, self.S, self._q, *bounded_by(self._mean, self._variance, low, high))

    def file(self, coordinates: np.ndarray) -> np.ndarray:
        """The file c, or the one that is closest to what is known if `coordinates` is m."""
        return self.c if coordinates is self.c else self._span.file(coordinates[:-2])

    def passes(self) -> None:
        self._plans.clear()

    def fails(self) -> None:
        pass


class Rows(NamedTuple):
    """The rows of a `Span`, and their distribution N(honest, variance) before anything is known.

    `absolute`, shape (n, 3), has the mean of |y|, and its covariances with x and x^2 - 1; `rest` is
    the variance of what they do not explain, of all rows together.
    """

    group: np.ndarray
    weight: np.ndarray
    extra: np.ndarray
    ones: np.ndarray
    variance: float
    honest: np.ndarray
    absolute: np.ndarray
    rest: float


def rows_of(span: Span, variance: float) -> Rows:
    """The rows before anything is known."""
    honest, sd = span.file(span.honest), sqrt(variance)
    slope = np.array([1.0 - 2.0 * chance_above(x) for x in honest / sd])
    curved = 2.0 * sd * np.array([density(x) for x in honest / sd])
    absolute = np.column_stack([curved + honest * slope, sd * slope, curved])
    rest = max(float(np.sum(honest**2 + variance - absolute**2 @ [1.0, 1.0, 0.5])), LEAST)
    place = span.group, span.weight, span.extra, span.ones
    return Rows(*place, variance, honest, absolute, rest)


@kernel
def shared(p, honest, sd, absolute):
    """The covariance of |y - p| with what x and x^2 do not explain of |y|, for a row."""
    # y (y - p) is below 0 between 0 and p; its mean if x is above t, for both ends.
    t, start = (p - honest) / sd, -honest / sd
    height, above = density(t), chance_above(t)
    level, first = honest * (honest - p), (2.0 * honest - p) * sd
    end = (level + sd * sd) * above + (first + sd * sd * t) * height
    zero = (level + sd * sd) * (0.5 + 0.5 * absolute[1] / sd)
    zero += (first + sd * sd * start) * 0.5 * absolute[2] / sd
    product = level + sd * sd + 2.0 * abs(zero - end)
    slope = sd * (2.0 * above - 1.0)
    mean = 2.0 * sd * height - t * slope
    return product - absolute[0] * mean - absolute[1] * slope - absolute[2] * sd * height


@kernel
def expansion(p, means, variances, rows, c):
    """Mean of the summed loss of a file if q and r are 0, and variance of what is not linear.

    Parameters
    ----------
    p, means, variances : ndarray, shape (n,)
        The file, and the moments of each row.
    c : ndarray, shape (k + 2,)
        Changed into the slopes in the coordinates, in q and in r.
    """
    n, k = len(p), len(c) - 2
    slope, mean, apart = np.empty(n), np.empty(n), np.empty(n)
    bent, even, prior = np.empty(n), np.empty(n), sqrt(rows.variance)
    for i in range(n):
        v, gap = max(variances[i], LEAST), p[i] - means[i]
        sd = sqrt(v)
        height = density(gap / sd)
        slope[i] = 2.0 * chance_above(gap / sd) - 1.0
        mean[i] = 2.0 * sd * height - gap * slope[i]
        apart[i] = max(gap * gap + v - mean[i] ** 2 - slope[i] ** 2 * v, 0.0)
        # The covariance of the loss with v_i (x_i^2 - 1).
        bent[i] = 2.0 * sd * height * v
        even[i] = shared(p[i], rows.honest[i], prior, rows.absolute[i])
    total = rest = curved = fourth = alike = squares = last = 0.0
    for i in range(n):
        total += mean[i]
        rest += apart[i]
        curved += bent[i]
        fourth += 2.0 * variances[i] * variances[i]
        alike += even[i]
        squares += slope[i] * slope[i]
        last += rows.extra[i] * slope[i]
    c[:] = 0.0
    for i in range(n):
        c[rows.group[i]] += rows.weight[i] * slope[i]
    c[k - 1] += last
    told = 0.0
    for j in range(k):
        told += c[j] * c[j]
    c[k], c[k + 1] = curved / max(fourth, LEAST), alike / rows.rest
    # Of what the span cannot express nothing is ever known.
    rest += rows.variance * max(squares - told, 0.0) - c[k] * curved - c[k + 1] * alike
    return total, max(rest, LEAST)


@kernel
def propose(m, S, z, shares, lengths, bar, cap, rows, p, q):
    """Make the next file; its share and length, and mean and variance of its summed loss.

    If no file can tell anything, it is the one that passes most easily.

    Parameters
    ----------
    z : ndarray, shape (n,)
        Random signs.
    shares, lengths : ndarray
        What is tried.
    bar, cap : float
        The summed loss below which a file passes, and how likely that shall be at most.
    p, q : ndarray, shape (n,) and (k + 2,)
        Changed into the file, and the covariance of its loss with the posterior's coordinates.
    """
    n, k = len(p), len(m) - 2
    means, variances, direction, tried = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    signs, along, c, w = np.zeros(k + 2), np.empty(k + 2), np.empty(k + 2), np.empty(k + 2)
    expand(m[:k], rows.group, rows.weight, rows.extra, means)
    spreads(
        S[:k, :k], rows.ones, rows.variance, rows.group, rows.weight, rows.extra, variances
    )  # fmt: skip
    signs[:k] = z[:k]
    times(S, signs, along)
    expand(along[:k], rows.group, rows.weight, rows.extra, direction)
    squares = 0.0
    for i in range(n):
        squares += direction[i] * direction[i]
    unit = sqrt(rows.variance * n / max(squares, 1e-300))
    best, nearest, share, length, mean, variance = 0.0, np.inf, 0.0, 0.0, 0.0, 1.0
    for s in shares:
        for a in lengths:
            for i in range(n):
                tried[i] = s * means[i] + a * unit * direction[i]
            middle, spread = expansion(tried, means, variances, rows, c)
            middle += c[k] * m[k] + c[k + 1] * m[k + 1]
            w[:] = 0.0
            for j in range(k + 2):
                add(w, c[j], S[j])
            told = linear = 0.0
            for j in range(k):
                told += w[j] * w[j]
                linear += c[j] * w[j]
            spread += linear + c[k] * w[k] + c[k + 1] * w[k + 1]
            x = (middle - bar) / sqrt(spread)
            worth = worth_of(x, told / spread, cap)
            if worth > best or (best == 0.0 and x < nearest):
                best, nearest, share, length, mean, variance = worth, x, s, a, middle, spread
                p[:] = tried
                q[:] = w
    return share, length, mean, variance
