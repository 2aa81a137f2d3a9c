"""An account of a metered board: its meter, the files to come, and what the next one may cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil, inf, sqrt
from typing import NamedTuple

import numpy as np

from shakedown.compiled import ordered
from shakedown.leaderboard.grain import on_grid
from shakedown.leaderboard.meter import UNKNOWN, Meter, Price
from shakedown.leaderboard.meter_sums import (
    cost,
    dot,
    estimated,
    padded,
    priced,
    products,
    sd_within,
    taken,
    whitened_with,
)
from shakedown.terms import Metering

#: How the rest of the budget is spread over the files to come: see `Account.allowance`.  Of .5 to 3
#: the best compromise between lag on the way and in the end, and equal parts (1) are near to it.
PACE = 0.75
#: The smallest noise as a share of what an answer measures.  A response of few values could put
#: many rows into the digits of one precise answer.
LEAST = 0.1
#: Files of a batch of which sums over the files before are made at once.
AT_ONCE = 16


#: What meters charge: degrees of freedom, and on labels the share of what a row may be told.
DEGREES, OF_A_ROW = "degrees of freedom", "share of a row's precision"


class Quote(NamedTuple):
    """What a file costs and tells, by its board.  Its cost depends on the files alone.

    Attributes
    ----------
    cost, left, budget : float
        What its answer costs, what is left before it, and all of it, in the `unit`.  On labels it
        is the precision of the row that is measured best.
    files_left : int
        Files that are answered, before it.
    error : float
        Standard error of its score that is to be expected once it is answered.
    error_now : float
        Standard error by the answers so far.
    unit : {DEGREES, OF_A_ROW}
    """

    cost: float
    left: float
    budget: float
    files_left: int
    error: float
    error_now: float
    unit: str = DEGREES


class Use(NamedTuple):
    """Files, and the degrees of freedom that they cost."""

    files: int
    degrees: float


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
    of : mapping of str to Use
        What each of those who share it has used.
    """

    meter: Meter
    terms: Metering
    made: int = 0
    of: Mapping[str, Use] = field(default_factory=dict)

    @classmethod
    def opened(cls, n: int, terms: Metering) -> Account:
        """A new account on a board of n rows."""
        return cls(Meter(n), terms)

    @property
    def files_left(self) -> int:
        """Files that are still answered."""
        return max(self.terms.files - self.made, 0)

    def left_to(self, who: str | None) -> Use:
        """Files and degrees of freedom that are left to one who shares the meter; None: to all."""
        files, degrees = _left(self._limits(who), self._used(who))[1]
        return Use(int(files), float(degrees))

    def _limits(self, who: str | None) -> np.ndarray:
        """The most files and degrees of freedom, of all and of one who shares the meter."""
        terms, share = self.terms, 1.0 if who is None else self.terms.share
        whole = terms.files, terms.degrees
        return np.array([whole, (ceil(share * terms.files), share * terms.degrees)])

    def _used(self, who: str | None) -> np.ndarray:
        """How much of them is used."""
        return np.array([(self.made, self.meter.spent), self.of.get(who, (0, 0.0))])

    def allowance(self, who: str | None = None) -> float:
        """Degrees of freedom that the next file may cost, by one who shares the meter or by all.

        With r files to come, a share (1 - 1 / r)^.75 of the rest is kept for those after it, so it
        may cost about three quarters of an equal part; the last file may cost all that is left.
        """
        return _allowance(self._limits(who), self._used(who))

    def asked(self, u: np.ndarray, who: str | None = None) -> tuple[Price, float]:
        """The price of the next file, and the noise of its answer (infinite: it gets none)."""
        price = self.meter.price(u)
        least = _least_sd(self.terms.sd, price.square)
        return price, price.sd_within(self.allowance(who), least)

    def after(self, price: Price, sd: float, answer: float, who: str | None = None) -> Account:
        """The account after a file that it has priced; see `Meter.after`.

        A file without an answer uses nothing: nobody can use up what is for others with it.
        """
        if sd == inf:
            return self
        used = self._used(who)
        _use(used, price.cost(sd))
        return self._having(self.meter.after(price, sd, answer), used, who)

    def answered(
        self, directions: np.ndarray, response: np.ndarray, noise: np.ndarray,
        who: str | None = None, *, chain: bool = True, known: np.ndarray | None = None,
    ) -> tuple[np.ndarray, Account]:  # fmt: skip
        """The mean of <y, u> after each of these files, shape (m,), and the account after them.

        A file that gets no answer is shown what is known of it, without a price.

        Parameters
        ----------
        directions : ndarray, shape (m, n)
        response : ndarray, shape (n,)
        noise : ndarray, shape (m,)
            Standard normal numbers, one for each file.
        who : str, optional
            Who sends them, of those who share the meter.
        chain : bool
            Whether they come one after another; if not, each is the next one, and the account
            stays.
        known : ndarray, shape (count,), optional
            `Meter.products` of a file that comes alone, if they are known.  Others, of another
            length, are not used.
        """
        files, limits, used = padded(directions), self._limits(who), self._used(who)
        meter = self.meter
        if chain:
            meter = meter.with_room(min(len(files), self.files_left))
        if known is None or len(known) != meter.count or len(files) > 1:
            known = UNKNOWN
        means = np.empty(len(files))
        asked, count = _answered(
            files, padded(response[None])[0], noise, limits, used, self.terms.sd, chain,
            meter.count, *meter.room.tables, meter.log_odds, known, means,
        )  # fmt: skip
        after = self
        if chain and asked:
            after = self._having(meter.filled(count, used[0, 1]), used, who)
        if asked < len(files):
            known = padded(after.meter.estimate()[None])[0]
            products(files[asked:], known, len(known), means[asked:])
        return means, after

    def products(self, u: np.ndarray) -> np.ndarray | None:
        """`Meter.products` of the next file, for `answered`; None if nothing is answered."""
        return self.meter.products(u) if self.allowance() > 0.0 else None

    def _having(self, meter: Meter, used: np.ndarray, who: str | None) -> Account:
        """The account with this meter, after `used`."""
        (made, _), (files, degrees) = used.tolist()
        of = self.of if who is None else {**self.of, who: Use(int(files), degrees)}
        return Account(meter, self.terms, int(made), of)


@ordered
def _left(limits, used):
    """Files and degrees of freedom that are left to all, and to one of them: not more than that."""
    left = np.maximum(limits - used, 0.0)
    left[1] = np.minimum(left[0], left[1])
    return left


@ordered
def _allowance(limits, used):
    """See `Account.allowance`."""
    part = inf
    for files, degrees in _left(limits, used):
        kept = ((files - 1.0) / files) ** PACE if files else 1.0
        part = min(part, degrees * (1.0 - kept))
    return part


@ordered
def _least_sd(sd, square):
    """The smallest noise of an answer."""
    return max(sd, LEAST * sqrt(square))


@ordered
def _use(used, degrees):
    """Use a file, and these degrees of freedom.

    A file that tells nothing, such as a constant, does not count, because accounts could use up
    with it what others share.
    """
    if degrees > 0.0:
        used[:, 0] += 1.0
        used[:, 1] += degrees


@ordered
def _answered(
    files, response, noise, limits, used, sd, chain, count, rows, factors, whitened,
    log_odds, known, means,
):  # fmt: skip
    """Answer files, shape (m, width), until there is nothing left; see `Account.answered`.

    Returns how many were asked for, and how many are kept then.  With `chain`, `used`, `log_odds`
    and the tables are changed.
    """
    unknown = known[:0]
    along = np.zeros((min(AT_ONCE, len(files)), *whitened.shape))
    back = np.zeros(whitened.shape[1])
    first = 0
    for t in range(len(files)):
        allowed, i = _allowance(limits, used), t % AT_ONCE
        if allowed <= 0.0:
            return t, count
        if i == 0:
            along[:, :, :count], first = 0.0, count
            block = files[t : t + AT_ONCE]
            whitened_with(block, 0, count, rows, factors, known, along[: len(block)])
        u, own = files[t], along[i]
        whitened_with(files[t : t + 1], first, count, rows, factors, unknown, along[i : i + 1])
        square, change, before, variances = priced(u, own, back, whitened, factors, count)
        noise_sd = sd_within(change, variances[0], allowed, _least_sd(sd, square))
        # Not by the risk, which is rest - <y, u>: that of a file of large numbers is rounded by
        # more than the noise, and how it is rounded tells of the response.
        answer = dot(response, u, len(u))
        if noise_sd < inf:
            answer = on_grid(answer + noise_sd * noise[t], noise_sd)
        means[t], _ = estimated(log_odds, before, variances, noise_sd, answer)
        if chain and noise_sd < inf:
            _use(used, cost(change, variances[0], noise_sd))
            count = taken(
                u, own, before, variances, noise_sd, answer, count, rows, factors,
                whitened, log_odds,
            )  # fmt: skip
    return len(files), count
