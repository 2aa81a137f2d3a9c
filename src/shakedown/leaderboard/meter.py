"""A meter: how much the files that were sent can have told, at most.

A score that is linear in the response, plus normal noise, is a measurement of <y, u>, with u a
multiple of the centred file (`direction`).  The meter keeps what these measurements tell of a
response whose rows are normal with variance c: its covariance S, which begins as c I, in the span
of the files alone.  It reads

    D = tr(I - S / c) = tr K (I + K)^-1,   K = c U U',  row t of U divided by the noise of file t,

the effective degrees of freedom of a ridge regression on the files.  D does not depend on the
response, so it may be shown to everybody.  Nobody gains more than c D / n on average; see
docs/leakage.md.

All sums are in an order that does not depend on the machine, so that a board gives the same answers
when it is replayed.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from math import exp, inf, log, sqrt

import numpy as np
from numba import types
from numba.extending import intrinsic

from shakedown.compiled import ordered
from shakedown.leaderboard.bootstrap.vectors import WIDTH, Row, Sum, blocks

#: A response that answers suit: its rows have c times one of these as their variance.  Files of
#: models know much of it, so that they correlate with it more than files without a model do; with
#: c alone, scores of such files would be shrunk by many standard errors.
SCALES = np.array([1.0, 10.0, 100.0])
#: Most of Newton's steps, and when they are close enough, in standard deviations of the noise.
STEPS, CLOSE = 200, 1e-12
#: A file whose variance, relative to its square, is below this tells nothing new, and its answer
#: is not kept.
KNOWN = 1e-9
#: Files for which there is room at first.
FIRST = 64
#: Numbers in a row are padded to a multiple of this: two vectors.
BLOCK = 2 * WIDTH


class Price:
    """What a file would tell and cost, by a meter.

    Attributes
    ----------
    mean, variance : float
        Mean and variance of <y, u> given the answers so far, if the scale is 1.
    length : float
        Standard deviation of <y, u> before any answer.
    """

    def __init__(
        self, scaled: np.ndarray, along: np.ndarray, numbers: tuple, log_odds: np.ndarray
    ) -> None:
        self.scaled, self.along, self._log_odds = scaled, along, log_odds
        square, self._change, self.means, self.variances = numbers
        self.length = sqrt(square)
        if not (self.variances > KNOWN * SCALES * square).all():
            self._change, self.variances[:] = 0.0, 0.0
        self.mean, self.variance = float(self.means[0]), float(self.variances[0])
        # |S u|^2 is at least <u, S u>^2 / |u|^2; it can be less after rounding, also below 0.
        if self.variance and self._change < (1.0 - CLOSE) * self.variance**2 / square:
            self._change = self.variance**2 / square

    def cost(self, sd: float) -> float:
        """Degrees of freedom that an answer with noise of this standard deviation costs."""
        return self._change / (self.variance + sd * sd) if self._change else 0.0

    def sd_within(self, allowance: float, least: float) -> float:
        """The smallest noise, at least `least`, with which an answer costs no more than allowed.

        Infinite if there is none.
        """
        if self._change == 0.0:
            return least
        if allowance <= 0.0:
            return inf
        return sqrt(max(self._change / allowance - self.variance, least * least))

    def estimate(self, sd: float = inf, answer: float = 0.0) -> tuple[float, float]:
        """Mean and standard deviation of <y, u> given this answer, too, over the scales."""
        return _estimated(self._log_odds, self.means, self.variances, sd, answer)

    def answer(self, sd: float, mean: float) -> float:
        """The answer after which `estimate` gives this mean; its own mean if there was none.

        The mean rises with the answer, by the variance over the noise's: Newton's steps find it,
        and halves of what is left where they would leave it.
        """
        if sd == inf or self.variance == 0.0:
            return self.mean
        answer, low, high = mean, -inf, inf
        for _ in range(STEPS):
            reached, error = self.estimate(sd, answer)
            low, high = (answer, high) if reached < mean else (low, answer)
            if error == 0.0:
                break
            step = (mean - reached) * (sd / error) ** 2
            if not low < answer + step < high and low > -inf and high < inf:
                step = 0.5 * (low + high) - answer
            answer += step
            if abs(step) <= CLOSE * sd:
                break
        return answer

    def expected_error(self, sd: float) -> float:
        """The standard deviation of <y, u> that is to be expected after an answer."""
        odds = np.exp(self._log_odds - self._log_odds.max())
        left = self.variances / (1.0 + self.variances / (sd * sd))  # all of it without an answer
        return sqrt(float(odds @ left / odds.sum()))


class Meter:
    """The files answered so far and what they cost.

    A meter does not change: `after` gives the next one, which shares the memory of this one.

    Parameters
    ----------
    n : int
        Public rows.
    variance : float
        c, the largest variance of the response in a row given all that a participant knows.

    Attributes
    ----------
    count : int
        Number of files.
    spent : float
        D, in degrees of freedom.
    """

    def __init__(self, n: int, variance: float = 1.0) -> None:
        self.n, self.variance, self.count, self.spent = n, variance, 0, 0.0
        self._room, self._log_odds = _Room.of(FIRST, n), np.zeros(len(SCALES))
        self._known: np.ndarray | None = None

    def price(self, u: np.ndarray) -> Price:
        """What a file with the direction `u`, shape (n,), would tell and cost."""
        room = self._room
        scaled = np.zeros(room.files.shape[1])
        scaled[: self.n] = sqrt(self.variance) * u
        along, back = np.zeros(room.whitened.shape), np.zeros(room.whitened.shape[1])
        numbers = _priced(
            scaled, room.files, room.factors, room.whitened, SCALES, self.count, along, back
        )
        return Price(scaled, along, numbers, self._log_odds)

    def after(self, price: Price, sd: float, answer: float) -> Meter:
        """The meter after a file that it has priced: the same if nothing was left to be told of it.

        Parameters
        ----------
        price : Price
        sd : float
            Standard deviation of the noise, above 0; infinite if the file was not answered.
        answer : float
            <y, u> plus the noise.
        """
        if sd == inf or not price.variance:  # what is not charged is not kept
            return self
        new, room, t = copy(self), self._room, self.count
        new._known = None
        if room.used > t or t == room.files.shape[0]:  # somebody has gone on, or there is no room
            new._room = room = room.with_first(t, max(2 * t, FIRST))
        room.files[t] = price.scaled / sd
        new._log_odds = _taken(
            price.along, price.means, price.variances, SCALES, sd, answer, t, room.factors,
            room.whitened, self._log_odds,
        )  # fmt: skip
        room.used = new.count = t + 1
        new.spent = self.spent + price.cost(sd)
        return new

    def response(self) -> np.ndarray:
        """The mean of the response given all answers, shape (n,), if the scale is 1."""
        return self._means()[0]

    def estimate(self) -> np.ndarray:
        """The same over the scales."""
        if self._known is None:
            odds = np.exp(self._log_odds - self._log_odds.max())
            known = np.zeros(self.n)
            _add(odds / odds.sum(), self._means(), known)
            self._known = known
        return self._known

    def left_of(self, u: np.ndarray) -> np.ndarray:
        """S u / c: what is not known of a direction, shape (n,)."""
        along = self.price(u).along[0, : self.count].copy()
        return u - self._combined(0, along) / sqrt(self.variance)

    def _means(self) -> np.ndarray:
        """The mean of the response for each scale, shape (scales, n)."""
        room = self._room
        return sqrt(self.variance) * np.array([
            scale * self._combined(k, room.whitened[k, : self.count].copy())
            for k, scale in enumerate(SCALES)
        ])  # fmt: skip

    def _combined(self, scale: int, whitened: np.ndarray) -> np.ndarray:
        """U' L'^-1 of numbers, shape (count,), which are changed."""
        _solve_back(self._room.factors[scale], whitened)
        combined = np.zeros(self.n)
        _add(whitened, self._room.files[:, : self.n], combined)
        return combined


@dataclass
class _Room:
    """Memory for files: each divided by its noise, and padded with zeros to whole vectors.

    For each scale, `factors` has Cholesky's L of I + scale K, with zeros right of the diagonal, and
    `whitened` L^-1 times the answers, divided by their noise.
    """

    files: np.ndarray
    factors: np.ndarray
    whitened: np.ndarray
    used: int = 0

    @classmethod
    def of(cls, files: int, n: int) -> _Room:
        files, rows = (-(-k // BLOCK) * BLOCK for k in (files, n))
        scales = len(SCALES)
        return cls(
            np.zeros((files, rows)), np.zeros((scales, files, files)), np.zeros((scales, files))
        )

    def with_first(self, count: int, files: int) -> _Room:
        """Memory for `files`, with the first `count` of these."""
        new = _Room.of(files, self.files.shape[1])
        new.files[:count] = self.files[:count]
        new.factors[:, :count, :count] = self.factors[:, :count, :count]
        new.whitened[:, :count] = self.whitened[:, :count]
        return new


@intrinsic
def _dot(_, a, b, size):
    """The sum of products of the first `size` numbers of two rows, a multiple of `BLOCK`."""

    def add(context, builder, signature, arguments):
        rows = [
            Row(context, builder, kind, value)
            for kind, value in zip(signature.args[:2], arguments[:2], strict=True)
        ]
        sums = [Sum(builder, of_floats=True) for _ in range(2)]
        half = builder.udiv(arguments[2], arguments[2].type(2))
        # Two halves at once: an addition need not wait for the one before it.
        with blocks(builder, half) as first:
            for part, own in enumerate(sums):
                at = builder.add(first, half) if part else first
                own.add_product(rows[0].read(at), rows[1].read(at))
        return (sums[0].vector + sums[1].vector).total()

    return types.float64(a, b, types.int64), add


@ordered
def dot(a, b, size):
    """<a, b> of the first numbers, at least `size`, of two rows with zeros behind."""
    return _dot(a, b, -(-size // BLOCK) * BLOCK)


def inner(a: np.ndarray, b: np.ndarray) -> float:
    """<a, b>, shape (n,) each, summed in the order of `dot`."""
    padded = np.zeros((2, -(-len(a) // BLOCK) * BLOCK))
    padded[:, : len(a)] = a, b
    return dot(padded[0], padded[1], len(a))


@ordered
def _priced(u, files, factors, whitened, scales, count, along, back):
    """Square of u; |S u|^2 for the first scale, 1; and mean and variance of <y, u> for each.

    L^-1 U u goes into `along`, shape (scales, m); `back`, shape (m,), is room.  With
    w = (I + K)^-1 U u, |S u|^2 = u'u - (U u)'w - w'w.
    """
    square, length = dot(u, u, len(u)), len(u)
    means, variances = np.zeros(len(scales)), np.zeros(len(scales))
    if square == 0.0:  # it measures nothing
        return square, 0.0, means, variances
    for t in range(count):
        back[t] = dot(files[t], u, length)
    for k in range(len(scales)):
        for t in range(count):
            along[k, t] = (back[t] - dot(factors[k, t], along[k], t)) / factors[k, t, t]
        scale = scales[k]
        means[k] = scale * dot(along[k], whitened[k], count)
        variances[k] = scale * (square - scale * dot(along[k], along[k], count))
    for t in range(count):
        back[t] = along[0, t]
    _solve_back(factors[0], back[:count])
    return square, variances[0] - dot(back, back, count), means, variances


@ordered
def _taken(along, means, variances, scales, sd, answer, t, factors, whitened, log_odds):
    """Write file t and its answer into `factors` and `whitened`; returns the log-odds then."""
    new = np.empty(len(scales))
    for k in range(len(scales)):
        pivot = sqrt(1.0 + variances[k] / (sd * sd))
        for j in range(t):
            factors[k, t, j] = scales[k] * along[k, j] / sd
        factors[k, t, t] = pivot
        white = (answer - means[k]) / sd / pivot
        whitened[k, t] = white
        new[k] = log_odds[k] - log(pivot) - 0.5 * white * white
    return new


@ordered
def _estimated(log_odds, means, variances, sd, answer):
    """Mean and standard deviation of a mixture of normal variables, after an answer if sd < inf."""
    odds, centres, left = log_odds.copy(), means.copy(), variances.copy()
    if sd < inf:
        for k in range(len(odds)):
            whole = variances[k] + sd * sd
            odds[k] -= 0.5 * ((answer - means[k]) ** 2 / whole + log(whole))
            centres[k] += variances[k] / whole * (answer - means[k])
            left[k] *= sd * sd / whole
    most = odds.max()
    total = mean = square = 0.0
    for k in range(len(odds)):
        weight = exp(odds[k] - most)
        total += weight
        mean += weight * centres[k]
        square += weight * (left[k] + centres[k] ** 2)
    mean /= total
    return mean, sqrt(max(square / total - mean * mean, 0.0))


@ordered
def _add(factors, rows, out):
    """Add the first rows, each times its factor, to `out`, shape (n,)."""
    for t in range(len(factors)):
        for i in range(len(out)):
            out[i] += factors[t] * rows[t, i]


@ordered
def _solve_back(factor, x):
    """Solve L'z = x in place, shape (t,)."""
    for j in range(len(x) - 1, -1, -1):
        x[j] /= factor[j, j]
        for i in range(j):
            x[i] -= x[j] * factor[j, i]
