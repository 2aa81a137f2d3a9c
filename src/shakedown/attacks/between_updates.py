"""An attack on digests, which show the best score so far at a few updates, on a coarse grid.

The attacker keeps a Gaussian posterior N(m, S) of the response, which all accounts share.  Between
two updates only the best file counts, so an account submits one file, before the update, and zeros
otherwise.  The file is share m + a d, with a random direction d along which S is large.  The level
that the update shows bounds its score on both sides, and so <y, file>.

Levels are scarce: each can be passed once, and so can each update be used.  The attacker plans
share and length a so that the expected gain, now and at the updates that follow, is largest:
dynamic programming over updates left and levels passed, as if the response were a normal variable
along each direction.  It holds back most of an honest file at first; a file that is sure to pass
tells nothing.
"""

from __future__ import annotations

from math import exp, sqrt
from typing import ClassVar

import numpy as np

from shakedown.attacks.adversary import Run
from shakedown.attacks.grouped import FEWEST, GroupedHolder, groups_parameter
from shakedown.attacks.logits import READ, ReadsLogits
from shakedown.attacks.posterior import (
    KNOWN,
    add,
    along,
    both_times,
    chance_above,
    learn,
    product,
    times,
)
from shakedown.attacks.span import Span
from shakedown.compiled import kernel
from shakedown.interface import ParticipantData
from shakedown.terms import Schedule, Terms

#: Lengths of the random direction that are tried, in standard deviations of the residual.
LENGTHS = np.array([1.5, 2.5, 3.5, 4.5, 6.0, 8.0, 11.0])
#: Those with which later updates are planned.
PLANNED = LENGTHS[1::2].copy()
#: Where the next level may lie in the distribution of a file's score, in standard deviations.
CUTS = np.arange(-1.0, 3.01, 0.5)
#: Shares of m that are tried.
SHARES = np.linspace(-0.25, 1.0, 51)
#: One of so many shares is tried first.
COARSE = 25
#: Bounds of what is expected are raised by this, because of rounding.
SLACK = 1e-9
#: Levels farther than this many standard deviations of a score are out of reach.
FAR = 5.0
#: Levels that a score passes by so many standard deviations tell nothing: P(Z > 8.5) is 1e-17.
CLEAR = 8.5
#: Plans are remade when the remaining variance has fallen to this fraction.
FALL = 0.8
_SQRT_2_PI = sqrt(2.0 * np.pi)


class BetweenUpdates(GroupedHolder):
    """The attack on digests."""

    name: ClassVar[str] = "between_updates"
    label: ClassVar[str] = "Between updates"
    phrase: ClassVar[str] = "the attack between updates"
    sentence: ClassVar[str] = (
        "On a digest, submits one file before each update, planned so that the level shown then "
        "tells most of the response, now and later."
    )
    order: ClassVar[float] = 13
    metrics: ClassVar[tuple[str, ...]] = READ

    groups: int | None = groups_parameter("400")

    @classmethod
    def learns_from(cls, terms: Terms) -> bool:
        return terms.shows_levels

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedBetweenUpdates:
        return PreparedBetweenUpdates(self, participant, model, rng)


class PreparedBetweenUpdates(ReadsLogits):
    """The attack in one replicate."""

    def _play(self, run: Run) -> None:
        n, k, terms = self.n, self.submissions, run.terms
        schedule = terms.schedule
        span = Span(self.signs(0, 1)[0], min(n, self.attack.groups or FEWEST), self.honest)
        m, S = span.honest.copy(), span.prior(self.residual)
        whole = np.trace(S)
        shown, limits = levels(terms.start, terms.step, schedule, run.root, terms.origin)
        passed, done, used = [0] * run.accounts, 0, 0
        w, c, values, planned = np.empty(span.size), np.empty(span.size), None, np.inf
        for t in range(k):
            at, made = t % run.accounts, t // run.accounts + 1
            if made % schedule.every == 0 and made <= schedule.every * schedule.updates:
                # Variance left in a row, and updates of this account still to come.
                left = (self.residual * (n - 1.0) - whole + np.trace(S)) / n
                following = ((k - 1 - at) // run.accounts + 1) // schedule.every
                following = min(following, schedule.updates) - made // schedule.every
                if left < FALL * planned:
                    values, planned = plans(limits, min(passed), left, n, following), left
                z = self.signs(t, t + 1, span.size)[0]
                propose(m, S, z, limits, passed[at], values[following], left, n, c, w)
                if t > done:
                    run.wait(t - done)
                number, done = run.submit(span.file(c)[None])[0], t + 1
                before = passed[at]
                while passed[at] < len(shown) and number < shown[passed[at]] * (1.0 + 1e-9) + 1e-12:
                    passed[at] += 1
                if before < len(limits):
                    squares, now = c @ c, passed[at]
                    high = (
                        np.inf if now == len(limits) else product(n - 1.0, squares, n, limits[now])
                    )
                    low = (
                        -np.inf if now == before else product(n - 1.0, squares, n, limits[now - 1])
                    )
                    between(m, S, c, w, low, high)
                    used += 1
            if run.is_point(t + 1):
                if t + 1 > done:
                    run.wait(t + 1 - done)
                    done = t + 1
                run.would_end(span.file(m), t + 1, used)


def levels(start: float, step: float, schedule: Schedule, root: bool, origin: float = 0.0):
    """What a digest can show below `start`, and the mean squared error up to which it shows it.

    Both of shape (k,), falling.
    """
    first = int(np.ceil((start - origin) / step - 1e-9)) - 1
    last = int(np.floor((schedule.floor - origin) / step + 1e-9))
    limits = origin + step * np.arange(first, max(last, 0) - 1, -1.0)
    shown = np.maximum(limits, schedule.floor)
    new = shown < start
    return shown[new], limits[new] ** 2 if root else limits[new]


@kernel
def _slice(low, high):
    """P(low < Z < high) of a standard normal Z, and its mean there."""
    if low > high:
        return 0.0, 0.0
    if low >= 0.0:
        chance = chance_above(low) - chance_above(high)
    elif high <= 0.0:
        chance = chance_above(-high) - chance_above(-low)
    else:
        chance = 1.0 - chance_above(-low) - chance_above(high)
    if chance < 1e-14:
        return 0.0, 0.0
    return chance, (exp(-0.5 * low * low) - exp(-0.5 * high * high)) / _SQRT_2_PI / chance


@kernel
def between(m, S, p, w, low, high):
    """Take in that <y, p> lies between two bounds; w is S p.

    Mean and variance are those of a truncated normal.
    """
    spread, mean, squares = along(m, p, w)
    if spread > KNOWN * squares:
        sd = sqrt(spread)
        a, b = (low - mean) / sd, (high - mean) / sd
        chance, centre = _slice(a, b)
        if chance > 0.0:
            ends = 0.0
            if abs(a) < np.inf:
                ends += a * exp(-0.5 * a * a)
            if abs(b) < np.inf:
                ends -= b * exp(-0.5 * b * b)
            variance = 1.0 + ends / _SQRT_2_PI / chance - centre * centre
            learn(m, S, w, centre / sd, (1.0 - variance) / spread)


@kernel
def _passing(k, mean, sd, limits):
    """The score's distance from limit k in standard deviations, P(below it), and the density."""
    low = (limits[k] - mean) / sd if k < len(limits) else -np.inf
    return low, chance_above(low), exp(-0.5 * low * low) / _SQRT_2_PI


@kernel
def _doubtful(mean, sd, limits, passed):
    """The last level that a score is sure to pass, or `passed`: a sum may begin there."""
    k = passed
    while k + 1 < len(limits) and limits[k + 1] > mean + CLEAR * sd:
        k += 1
    return k


@kernel
def expected(mean, sd, limits, passed, later):
    """Expected gain of a file by what it tells, and expected value of what follows.

    The score has this mean and standard deviation; the gain is the variance explained of a standard
    normal variable.
    """
    gain = value = 0.0
    above = density = 0.0  # at the limit before
    for k in range(_doubtful(mean, sd, limits, passed), len(limits) + 1):
        low, tail, height = _passing(k, mean, sd, limits)
        chance = tail - above
        if chance > 1e-14:
            gain += (height - density) ** 2 / chance
            value += chance * later[k]
        above, density = tail, height
        if low < -FAR:
            break
    return gain, value


@kernel
def outlook(mean, sd, limits, passed, chances):
    """Expected gain as in `expected`; the chance of each level goes into `chances`.

    It is shape (levels + 1,), of zeros.
    """
    gain = above = density = 0.0
    for k in range(_doubtful(mean, sd, limits, passed), len(limits) + 1):
        low, tail, height = _passing(k, mean, sd, limits)
        chance = tail - above
        if chance > 1e-14:
            gain += (height - density) ** 2 / chance
            chances[k] = chance
        above, density = tail, height
        if low < -FAR:
            break
    return gain


@kernel
def plans(limits, passed, left, n, updates):
    """Expected gains to come by updates left and levels passed, shape (updates + 1, levels + 1).

    In units of `left`, the variance of the response that is left in a row, over n.  At least
    `passed` levels are passed, and fewer are not planned for.
    """
    count, tried = len(limits), len(PLANNED) * len(CUTS)
    values, chances = np.zeros((count + 1, updates + 1)), np.empty(count + 1)
    gains, stays, following = np.empty(tried), np.empty(tried), np.empty((tried, updates))
    for k in range(count - 1, passed - 1, -1):  # what follows lies at this level or further
        for i in range(tried):
            length, cut = PLANNED[i // len(CUTS)], CUTS[i % len(CUTS)]
            sd = 2.0 * length * left / n
            least = left + length * length * left / n
            mean = max(limits[k] + cut * sd, least)
            gains[i], chances[:], following[i] = 0.0, 0.0, 0.0
            # The shortest file has one mean: it is tried with the last cut that comes to it.
            is_next = (i + 1) % len(CUTS) and limits[k] + CUTS[(i + 1) % len(CUTS)] * sd <= least
            if (mean - limits[k]) / sd < FAR and not is_next:
                gains[i] = outlook(mean, sd, limits, k, chances)
            stays[i] = chances[k]
            for j in range(k + 1, count + 1):
                if chances[j] > 0.0:  # after any number of updates, side by side
                    add(following[i], chances[j], values[j, :updates])
        for w in range(updates):
            for i in range(tried):
                value = gains[i] + stays[i] * values[k, w] + following[i, w]
                values[k, w + 1] = max(values[k, w + 1], value)
    return values.T.copy()


@kernel
def at_most(mean, sd, limits, passed, most):
    """No smaller than the two numbers of `expected`, which take far longer.

    As if a score told all once it passes the next level in doubt; `most` is the largest of `later`
    from each level on.
    """
    k = _doubtful(mean, sd, limits, passed)
    low, tail, height = _passing(k, mean, sd, limits)
    if k == len(limits):
        return 0.0, most[k]
    hidden = height * height / tail if tail > 1e-14 else 0.0
    gain = min(hidden + (1.0 - tail) - low * height, 1.0)
    return gain + SLACK, tail * most[k] + (1.0 - tail) * most[k + 1] + SLACK


@kernel
def propose(m, S, z, limits, passed, later, left, n, c, w):
    """The next file, in coordinates, into `c`, and S times it into `w`, shape (k,) each.

    Parameters
    ----------
    m, S : ndarray, shape (k,) and (k, k)
        The posterior.
    z : ndarray, shape (k,)
        Random signs.
    limits : ndarray
        The mean squared errors at which the level falls.
    passed : int
        How many of them are passed.
    later : ndarray
        Expected gains after this update; see `plans`.
    left : float
        Variance of the response that is left in a row.
    n : int
        Public rows.
    """
    k = len(m)
    d, Sm, Sd = np.empty(k), np.empty(k), np.empty(k)
    both_times(S, m, z, Sm, d)
    length = 0.0
    for i in range(k):
        length += d[i] * d[i]
    length = sqrt(max(length, 1e-300))
    for i in range(k):
        d[i] /= length
    times(S, d, Sd)
    mm = md = mSm = mSd = dSd = mSSm = mSSd = dSSd = 0.0
    for i in range(k):
        mm += m[i] * m[i]
        md += m[i] * d[i]
        mSm += m[i] * Sm[i]
        mSd += m[i] * Sd[i]
        dSd += d[i] * Sd[i]
        mSSm += Sm[i] * Sm[i]
        mSSd += Sm[i] * Sd[i]
        dSSd += Sd[i] * Sd[i]
    most = later.copy()
    for j in range(len(most) - 2, -1, -1):
        most[j] = max(most[j], most[j + 1])
    best, share, step = -1.0, 0.0, 0.0
    for every in (COARSE, 1):  # first a few shares: most of the others need not be tried then
        for factor in LENGTHS:
            a = factor * sqrt(left)
            for s in SHARES[::every]:
                squares = s * s * mm + 2.0 * s * a * md + a * a
                spread = s * s * mSm + 2.0 * s * a * mSd + a * a * dSd
                if spread <= 0.0:
                    continue
                double = s * s * mSSm + 2.0 * s * a * mSSd + a * a * dSSd
                mean, sd = (n - 1.0 - 2.0 * (s * mm + a * md) + squares) / n, 2.0 * sqrt(spread) / n
                gain, value = at_most(mean, sd, limits, passed, most)
                if gain * double / spread + left * value > best:
                    gain, value = expected(mean, sd, limits, passed, later)
                    total = gain * double / spread + left * value
                    if total > best:
                        best, share, step = total, s, a
    for i in range(k):
        c[i] = share * m[i] + step * d[i]
        w[i] = share * Sm[i] + step * Sd[i]
