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
from math import inf, sqrt

import numpy as np
from numba import types
from numba.extending import intrinsic

from shakedown.compiled import ordered
from shakedown.interface import Metering
from shakedown.leaderboard.bootstrap.vectors import WIDTH, Row, Sum, blocks

#: A file whose variance, relative to its square, is below this tells nothing new.
KNOWN = 1e-11
#: Files for which there is room at first.
FIRST = 64
#: Numbers in a row are padded to a multiple of this: two vectors.
BLOCK = 2 * WIDTH


class Price:
    """What a file would tell and cost, by a meter.

    Attributes
    ----------
    mean, variance : float
        Mean and variance of <y, u> given the answers so far.
    """

    def __init__(self, scaled: np.ndarray, along: np.ndarray, numbers: tuple[float, ...]) -> None:
        self.scaled, self.along = scaled, along
        square, self.variance, self._change, self.mean = numbers
        if self.variance <= KNOWN * square:
            self.variance = self._change = 0.0

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

    def estimate(self, sd: float, answer: float) -> tuple[float, float]:
        """Mean and standard deviation of <y, u> given this answer, too."""
        if sd == inf or self.variance == 0.0:
            return self.mean, sqrt(self.variance)
        share = self.variance / (self.variance + sd * sd)
        return self.mean + share * (answer - self.mean), sqrt(self.variance * (1.0 - share))

    def answer(self, sd: float, mean: float) -> float:
        """The answer after which `estimate` gives this mean; its own mean if there was none."""
        if sd == inf or self.variance == 0.0:
            return self.mean
        return self.mean + (mean - self.mean) * (self.variance + sd * sd) / self.variance


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
        self._room = _Room.of(FIRST, n)

    def price(self, u: np.ndarray) -> Price:
        """What a file with the direction `u`, shape (n,), would tell and cost."""
        room = self._room
        scaled, along, back = (np.zeros(room.files.shape[1]), *np.zeros((2, len(room.factor))))
        scaled[: self.n] = sqrt(self.variance) * u
        numbers = _priced(scaled, room.files, room.factor, room.whitened, self.count, along, back)
        return Price(scaled, along, numbers)

    def after(self, price: Price, sd: float, answer: float) -> Meter:
        """The meter after a file that it has priced.

        Parameters
        ----------
        price : Price
        sd : float
            Standard deviation of the noise, above 0; infinite if the file was not answered.
        answer : float
            <y, u> plus the noise.
        """
        if sd == inf:
            return self
        new, room, t = copy(self), self._room, self.count
        if room.used > t or t == len(room.factor):  # somebody has gone on, or there is no room
            new._room = room = room.with_first(t, max(2 * t, FIRST))
        pivot = sqrt(1.0 + price.variance / (sd * sd))
        room.files[t] = price.scaled / sd
        room.factor[t, :t] = price.along[:t] / sd
        room.factor[t, t] = pivot
        room.whitened[t] = (answer - price.mean) / sd / pivot
        room.used = new.count = t + 1
        new.spent = self.spent + price.cost(sd)
        return new

    def response(self) -> np.ndarray:
        """The mean of the response given all answers, shape (n,)."""
        weights = self._room.whitened[: self.count].copy()
        return sqrt(self.variance) * self._combined(weights)

    def left_of(self, u: np.ndarray) -> np.ndarray:
        """S u / c: what is not known of a direction, shape (n,)."""
        return u - self._combined(self.price(u).along[: self.count]) / sqrt(self.variance)

    def _combined(self, whitened: np.ndarray) -> np.ndarray:
        """U' L'^-1 of numbers, shape (count,), which are changed."""
        _solve_back(self._room.factor, whitened)
        return whitened @ self._room.files[: self.count, : self.n]


#: How the rest of the budget is spread over the files to come: see `Account.allowance`.  Of .5 to 3
#: the best compromise between lag on the way and in the end, and equal parts (1) are near to it.
PACE = 0.75


@dataclass(frozen=True)
class Account:
    """What an account may still learn: its meter, and the files that it has asked for.

    It does not change: `after` gives the next one.

    Attributes
    ----------
    meter : Meter
    terms : Metering
        The board's: budget, files that are answered, and smallest noise.
    made : int
        Files so far.
    """

    meter: Meter
    terms: Metering
    made: int = 0

    @classmethod
    def opened(cls, n: int, terms: Metering) -> Account:
        """A new account on a board of n rows."""
        return cls(Meter(n), terms)

    @property
    def left(self) -> float:
        """Degrees of freedom that are left."""
        return max(self.terms.degrees - self.meter.spent, 0.0)

    @property
    def allowance(self) -> float:
        """Degrees of freedom that the next file may cost.

        With r files to come, a share (1 - 1 / r)^.75 of the rest is kept for those after it, so it
        may cost about three quarters of an equal part; the last file may cost all that is left.
        """
        to_come = self.terms.files - self.made
        if to_come < 1:
            return 0.0
        return self.left * (1.0 - ((to_come - 1.0) / to_come) ** PACE)

    def asked(self, u: np.ndarray) -> tuple[Price, float]:
        """The price of the next file, and the noise of its answer (infinite: it gets none)."""
        price = self.meter.price(u)
        return price, price.sd_within(self.allowance, self.terms.sd)

    def after(self, price: Price, sd: float, answer: float) -> Account:
        """The account after a file that it has priced; see `Meter.after`."""
        return Account(self.meter.after(price, sd, answer), self.terms, self.made + 1)


@dataclass
class _Room:
    """Memory for files: each divided by its noise, and padded with zeros to whole vectors.

    `factor` is Cholesky's L of I + K, with zeros right of the diagonal, and `whitened` is L^-1
    times the answers, divided by their noise.
    """

    files: np.ndarray
    factor: np.ndarray
    whitened: np.ndarray
    used: int = 0

    @classmethod
    def of(cls, files: int, n: int) -> _Room:
        files, rows = (-(-k // BLOCK) * BLOCK for k in (files, n))
        return cls(np.zeros((files, rows)), np.zeros((files, files)), np.zeros(files))

    def with_first(self, count: int, files: int) -> _Room:
        """Memory for `files`, with the first `count` of these."""
        new = _Room.of(files, self.files.shape[1])
        new.files[:count] = self.files[:count]
        new.factor[:count, :count] = self.factor[:count, :count]
        new.whitened[:count] = self.whitened[:count]
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


@ordered
def _priced(u, files, factor, whitened, count, along, back):
    """Square, variance, |S u|^2 and mean of <y, u>; L^-1 U u into `along`, shape (m,).

    `back` is room for as many numbers.  With w = (I + K)^-1 U u, |S u|^2 = u'u - (U u)'w - w'w.
    """
    for t in range(count):
        k = dot(files[t], u, len(u))
        along[t] = (k - dot(factor[t], along, t)) / factor[t, t]
    for t in range(count):
        back[t] = along[t]
    _solve_back(factor, back[:count])
    square, mean = dot(u, u, len(u)), dot(along, whitened, count)
    left = square - dot(along, along, count)
    return square, left, left - dot(back, back, count), mean


@ordered
def _solve_back(factor, x):
    """Solve L'z = x in place, shape (t,)."""
    for j in range(len(x) - 1, -1, -1):
        x[j] /= factor[j, j]
        for i in range(j):
            x[i] -= x[j] * factor[j, i]
