"""A meter: how much the files that were sent can have told, at most.

A score that is linear in the response, plus normal noise, is a measurement of <y, u>, with u a
multiple of the centred file (`direction`).  The meter keeps what these measurements tell of a
response whose rows are normal with variance c: its covariance S, which begins as c I, in the span
of the files alone.  It reads

    D = tr(I - S / c) = tr K (I + K)^-1,   K = c U U',  row t of U divided by the noise of file t,

the effective degrees of freedom of a ridge regression on the files.  D does not depend on the
response, so it may be shown to everybody.  Nobody gains more than c D / n on average; see
docs/proofs/metered.md.

Its sums are in `meter_sums`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt

import numpy as np

from shakedown.leaderboard.meter_sums import (
    BLOCK,
    CLOSE,
    SCALES,
    add,
    cost,
    estimated,
    padded,
    priced,
    products,
    sd_within,
    solve_back,
    taken,
    whitened_with,
)
from shakedown.leaderboard.state import renewed

#: Most of Newton's steps; they are close enough at `CLOSE` standard deviations of the noise.
STEPS = 200
#: Files for which there is room at first.
FIRST = 64
#: Products that are not known.
UNKNOWN = np.empty(0)


class Price:
    """What a file would tell and cost, by a meter.

    Attributes
    ----------
    mean, variance : float
        Mean and variance of <y, u> given the answers so far, if the scale is 1.
    square : float
        Variance of <y, u> before any answer.
    """

    def __init__(
        self, scaled: np.ndarray, along: np.ndarray, numbers: tuple, log_odds: np.ndarray
    ) -> None:
        self.scaled, self.along, self._log_odds = scaled, along, log_odds
        self.square, self.change, self.means, self.variances = numbers
        self.mean, self.variance = float(self.means[0]), float(self.variances[0])

    def cost(self, sd: float) -> float:
        """Degrees of freedom that an answer with noise of this standard deviation costs."""
        return cost(self.change, self.variance, sd)

    def sd_within(self, allowance: float, least: float) -> float:
        """The smallest noise, at least `least`, with which an answer costs no more than allowed.

        Infinite if there is none.
        """
        return sd_within(self.change, self.variance, allowance, least)

    def estimate(self, sd: float = inf, answer: float = 0.0) -> tuple[float, float]:
        """Mean and standard deviation of <y, u> given this answer, too, over the scales."""
        return estimated(self._log_odds, self.means, self.variances, sd, answer)

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
        self.room, self.log_odds = Room.of(FIRST, n), np.zeros(len(SCALES))
        self._known: np.ndarray | None = None

    def price(self, u: np.ndarray) -> Price:
        """What a file with the direction `u`, shape (n,), would tell and cost."""
        scaled = padded(sqrt(self.variance) * u[None])[0]
        files, factors, whitened = self.room.tables
        along, back = np.zeros(whitened.shape), np.zeros(whitened.shape[1])
        whitened_with(scaled[None], 0, self.count, files, factors, UNKNOWN, along[None])
        numbers = priced(scaled, along, back, whitened, factors, self.count)
        return Price(scaled, along, numbers, self.log_odds)

    def products(self, u: np.ndarray) -> np.ndarray:
        """U u: products of a direction, shape (n,), with all that is kept, shape (count,).

        A meter that is filled again with the same files need not read them for these.
        """
        made = np.empty(self.count)
        products(self.room.files, padded(sqrt(self.variance) * u[None])[0], self.n, made)
        return made

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
        new = self.with_room(1)
        count = taken(
            price.scaled, price.along, price.means, price.variances, sd, answer,
            self.count, *new.room.tables, new.log_odds,
        )  # fmt: skip
        return self if count == self.count else new.filled(count, self.spent + price.cost(sd))

    def with_room(self, files: int) -> Meter:
        """The same meter, to be filled with up to so many more files; see `filled`."""
        room, first = self.room, self.count
        if room.used > first or first + files > len(room.files):  # somebody has gone on, or is full
            self.room = room.with_first(first, max(first + files, 2 * first, FIRST))
        return renewed(self, log_odds=self.log_odds.copy())

    def filled(self, count: int, spent: float) -> Meter:
        """This meter, made by `with_room`, once its room has so many files."""
        if count > self.count:
            self.room.used, self._known = count, None
        self.count, self.spent = count, spent
        return self

    def response(self) -> np.ndarray:
        """The mean of the response given all answers, shape (n,), if the scale is 1."""
        return self._means()[0]

    def estimate(self) -> np.ndarray:
        """The same over the scales."""
        if self._known is None:
            odds = np.exp(self.log_odds - self.log_odds.max())
            known = np.zeros(self.n)
            add(odds / odds.sum(), self._means(), known)
            self._known = known
        return self._known

    def left_of(self, u: np.ndarray) -> np.ndarray:
        """S u / c: what is not known of a direction, shape (n,)."""
        along = self.price(u).along[0, : self.count].copy()
        return u - self._combined(0, along) / sqrt(self.variance)

    def _means(self) -> np.ndarray:
        """The mean of the response for each scale, shape (scales, n)."""
        room = self.room
        return sqrt(self.variance) * np.array([
            scale * self._combined(k, room.whitened[k, : self.count].copy())
            for k, scale in enumerate(SCALES)
        ])  # fmt: skip

    def _combined(self, scale: int, whitened: np.ndarray) -> np.ndarray:
        """U' L'^-1 of numbers, shape (count,), which are changed."""
        solve_back(self.room.factors[scale], whitened)
        combined = np.zeros(self.n)
        add(whitened, self.room.files[:, : self.n], combined)
        return combined


@dataclass
class Room:
    """Memory for files: each divided by its noise, and padded with zeros to whole vectors.

    For each scale, `factors` has Cholesky's L of I + scale K, with zeros right of the diagonal, and
    `whitened` L^-1 times the answers, divided by their noise.
    """

    files: np.ndarray
    factors: np.ndarray
    whitened: np.ndarray
    used: int = 0

    @classmethod
    def of(cls, files: int, n: int) -> Room:
        files, rows = (-(-k // BLOCK) * BLOCK for k in (files, n))
        scales = len(SCALES)
        return cls(
            np.zeros((files, rows)), np.zeros((scales, files, files)), np.zeros((scales, files))
        )

    def with_first(self, count: int, files: int) -> Room:
        """Memory for `files`, with the first `count` of these."""
        new = Room.of(files, self.files.shape[1])
        new.files[:count] = self.files[:count]
        new.factors[:, :count, :count] = self.factors[:, :count, :count]
        new.whitened[:, :count] = self.whitened[:, :count]
        return new

    @property
    def tables(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What the sums read and write."""
        return self.files, self.factors, self.whitened
