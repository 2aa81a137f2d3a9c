"""The reserve attack, on boards that show the best score so far after a test.

The attacker keeps a Gaussian posterior N(m, S) of the response.  With b the file in force, the
*reserve* is m - b: what is known and not yet submitted.  Each file is b + share (m - b) + d with a
random direction d, along which S is large.

- If the shown score falls, it is one more linear measurement of the response.
- If not, <y, file> is below the known bound at which the score would have fallen: a half-space.

A file without reserve passes a strict test rarely, and each refusal adds to the reserve.  So the
share is 0 until some share passes with the probability `target`, and then the least one that does.
A stricter test costs more reserve; it does not stop the attack.
"""

from __future__ import annotations

from math import sqrt
from typing import ClassVar

import numpy as np

from shakedown.attacks.adversary import PreparedAdversary, Run
from shakedown.attacks.grouped import GroupedHolder, groups_parameter, usual_groups
from shakedown.attacks.posterior import bounded, chance_above, measured, product, times
from shakedown.attacks.span import Span, expand, spreads
from shakedown.compiled import kernel
from shakedown.component import parameter
from shakedown.interface import ParticipantData

#: Shares that are tried: 2**-11 to 1, then the first that is enough is halved this many times.
COARSE, FINE = 12, 6
#: Length of a step, in that below which a board refuses files as repeated.
FURTHER = 1.05


class Reserve(GroupedHolder):
    """The reserve attack."""

    name: ClassVar[str] = "reserve"
    label: ClassVar[str] = "Reserve"
    phrase: ClassVar[str] = "the reserve attack"
    sentence: ClassVar[str] = (
        "Learns from refused files too, holds back a part of what it knows, and adds just so much "
        "of it to a random file that the file may pass."
    )
    order: ClassVar[float] = 11

    target: float | None = parameter(
        None,
        gt=0.0,
        lt=1.0,
        description=(
            "Probability with which a file should pass; null for one that the rule of the board "
            "suggests."
        ),
    )
    size: float = parameter(
        0.4,
        gt=0.0,
        description=(
            "Length of the random direction, over all rows together, in standard deviations of "
            "the residual that the released score shows."
        ),
    )
    rounding: float = parameter(
        2.0,
        ge=0.0,
        description=(
            "The same in standard deviations of what rounding hides of a product with the "
            "response; the two are added as variances are."
        ),
    )

    groups: int | None = groups_parameter("six for ten submissions, at least 400")

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedReserve:
        return PreparedReserve(self, participant, model, rng)


class PreparedReserve(PreparedAdversary):
    """The attack in one replicate."""

    def _play(self, run: Run) -> None:
        n, attack, terms = self.n, self.attack, run.terms
        groups = attack.groups or usual_groups(self.submissions)
        span = Span(self.signs(0, 1)[0], min(n, groups), self.honest)
        m, S, used = span.honest.copy(), span.prior(self.residual), 0
        each = -(-self.submissions // run.accounts)
        rule = None if terms.is_noisy and not terms.tells_replacement else terms.acceptance
        if rule is None:  # the scan is made for noisy scores
            run.submit(np.zeros((1, n)))
            if self.submissions > 1:
                run.submit(np.zeros((self.submissions - 1, n)))
            for t in range(self.submissions):
                run.would_end(self.honest, t + 1, used)
            return
        margin, critical = max(rule.margin, 0.0), rule.critical
        target = attack.target or usual_target(critical, margin, each, run.accounts)
        # Without a score to begin with, zeros are the first improvement.
        most = np.inf if terms.improvements is None else terms.improvements
        left = [most - (terms.start is None)] * run.accounts
        daily, day = terms.improvements_per_day or (np.inf, self.submissions)
        today = [int(terms.start is None)] * run.accounts
        # For each account, the file in force and the number that is shown.
        begins = terms.start is not None and run.accounts > 1
        best = [np.zeros(span.size)] * run.accounts
        numbers = [terms.start if begins else None] * run.accounts
        c, w, file = np.empty(span.size), np.empty(span.size), np.empty(n)
        # Sticky noise: the number tells what is accepted, and less about the score in force.
        sticky = terms.tells_replacement and not terms.noise_sd
        step = max(terms.step, sqrt(12.0) * terms.noise_sd)
        doubt = (0.5 * n * rule.noise) ** 2
        shortest = FURTHER * sqrt(n) * terms.nearest
        for t in range(self.submissions):
            at = t % run.accounts
            b, shown = best[at], numbers[at]
            if shown is None:
                # Zeros tell the score that is to be beaten, and keep the whole reserve.
                numbers[at] = run.submit(np.zeros((1, n)))[0]
                if run.is_point(t + 1):
                    run.would_end(span.file(m) if t else self.honest, t + 1, used)
                continue
            number = shown
            if sticky:
                shown = expected_risk(n, m @ b, b @ b, run.root)
            sd = max(shown if run.root else sqrt(max(shown, 0.0)), 1e-9)
            z = self.signs(t, t + 1, span.size)[0]
            bound = propose(
                m, S, b, z, span.ones, self.residual, span.group, span.weight, span.extra,
                shown, run.root, step, margin, critical,
                max(attack.size, shortest / sd), attack.rounding, target, not sticky, c, w, file,
            )  # fmt: skip
            new = run.submit(file[None])[0]
            today[at] *= t // run.accounts % day > 0
            if left[at] <= 0 or today[at] >= daily:
                pass  # the board shows nothing new any more, or today
            elif sticky:
                accepted, numbers[at] = new != number, new
                compared(m, S, b, c, bound - m @ b, accepted)
                if accepted:
                    left[at], today[at] = left[at] - 1, today[at] + 1
                    mean = new * new if run.root else new
                    value = product(n - 1.0, c @ c, n, mean)
                    times(S, c, w)
                    measured(m, S, c, w, value, noise_of(terms.replications or 1, n, mean))
                    used += 1
                    best[at] = c.copy()
            elif new < shown or terms.replaces_always or (terms.tells_replacement and new != shown):
                left[at], today[at] = left[at] - 1, today[at] + 1
                mean, width = (new * new, 2.0 * new * step) if run.root else (new, step)
                value = product(n - 1.0, c @ c, n, mean)
                measured(m, S, c, w, value, (0.5 * n * width) ** 2 / 12.0)
                used += 1
                if new < shown or terms.tells_replacement:
                    best[at], numbers[at] = c.copy(), new
            else:
                bounded(m, S, c, w, bound, doubt)
            if run.is_point(t + 1):
                run.would_end(span.file(m), t + 1, used)


def usual_target(critical: float, margin: float, submissions: int, accounts: int = 1) -> float:
    """A probability of passing that does well on boards with this rule.

    `submissions` is the number of an account.  A margin is costly: a handful of its files should
    pass in all.  A new account has the whole reserve to spend, so several can spend more.
    """
    if margin > 0.0:
        return min(0.05 if accounts == 1 else 0.5, 5.0 / submissions)
    return (0.5 * sqrt(chance_above(critical))) ** (1.0 / min(accounts, 3))


def expected_risk(n: int, product: float, squares: float, root: bool) -> float:
    """The score expected of a file, from <m, file> and its squares."""
    mean = max((n - 1.0 - 2.0 * product + squares) / n, 0.0)
    return sqrt(mean) if root else mean


def compared(m, S, b, c, bound: float, accepted: bool) -> None:
    """Take in whether <y, c - b> is above a bound, of files given in coordinates."""
    v, w = c - b, np.empty(len(b))
    times(S, v, w)
    if accepted:
        bounded(m, S, -v, -w, -bound)
    else:
        bounded(m, S, v, w, bound)


def noise_of(b: int, n: int, mean: float) -> float:
    """The variance that a mean of b bootstrap replications gives <y, file>, for normal errors.

    `mean` is the mean squared error that is shown.
    """
    return n * mean * mean / (2.0 * b)


@kernel
def bound_of(b, v, u, spread, shown, root, step, margin, critical):
    """The value of <y, b + v> above which the shown score falls.

    `u` and `spread`, shape (n,), are mean and variance of y - b.  The standard error of the paired
    test depends on y: it is that of the expected squares of the differences of the losses,
    v (v - 2 (y - b)) in each row.
    """
    n = len(b)
    squares = first = second = 0.0
    for i in range(n):
        p, x = b[i] + v[i], v[i]
        squares += p * p
        mean = x * (x - 2.0 * u[i])
        first += mean
        second += mean * mean + 4.0 * x * x * spread[i]
    return _bound(n, squares, first, second, shown, root, step, margin, critical)


@kernel
def _bound(n, squares, first, second, shown, root, step, margin, critical):
    """The bound from the squares of a file and the moments of the differences, all summed."""
    error = sqrt(max(second - first * first / n, 0.0) / (n - 1.0) / n)
    passes = max(shown - margin, 0.0)
    falls = max(shown - 0.5 * step, 0.0)  # otherwise the rounded score stays the same
    if root:
        passes *= passes
        falls *= falls
    return product(n - 1.0, squares, n, min(passes - critical * error, falls))


@kernel
def moments(b, u, d, spread):
    """Sums over the rows, from which `bound_at` finds `bound_of` v = share u + d for any share."""
    bb = bu = uu = ud = dd = uuuu = uuud = uudd = uddd = dddd = uus = uds = dds = 0.0
    for i in range(len(b)):
        p = b[i] + d[i]
        bb += p * p
        bu += p * u[i]
        two, mixed, own = u[i] * u[i], u[i] * d[i], d[i] * d[i]
        uu += two
        ud += mixed
        dd += own
        uuuu += two * two
        uuud += two * mixed
        uudd += two * own
        uddd += mixed * own
        dddd += own * own
        uus += two * spread[i]
        uds += mixed * spread[i]
        dds += own * spread[i]
    return bb, bu, uu, ud, dd, uuuu, uuud, uudd, uddd, dddd, uus, uds, dds


@kernel
def bound_at(share, sums, n, shown, root, step, margin, critical):
    """`bound_of` v = share u + d, from `moments`; the sums are in another order."""
    bb, bu, uu, ud, dd, uuuu, uuud, uudd, uddd, dddd, uus, uds, dds = sums
    squares = bb + 2.0 * share * bu + share * share * uu
    # v (v - 2 u) = f u u + g u d + d d.
    f, g = share * (share - 2.0), 2.0 * (share - 1.0)
    first = f * uu + g * ud + dd
    second = f * f * uuuu + 2.0 * f * g * uuud + (g * g + 2.0 * f) * uudd + 2.0 * g * uddd + dddd
    second += 4.0 * (share * share * uus + 2.0 * share * uds + dds)
    return _bound(n, squares, first, second, shown, root, step, margin, critical)


@kernel
def propose(
    m, S, b, z, ones, residual, group, weight, extra, shown, root, step, margin, critical, size,
    rounding, target, known, c, w, file,
):  # fmt: skip
    """The next file: coordinates into `c`, S times them into `w`, the file itself into `file`.

    Returns the bound of `bound_of`.

    Parameters
    ----------
    m, S : ndarray, shape (k,) and (k, k)
        The posterior, in coordinates.
    b, z : ndarray, shape (k,)
        The file in force, and random signs, in coordinates.
    ones, residual, group, weight, extra
        Of the span, and the variance of the prior; see `span.spreads`.
    shown, root, step, margin, critical
        The shown score, and the rule of the board.
    size, rounding, target : float
        Parameters of the attack.
    known : bool
        Whether `shown` is the score of b; if not, it is what is expected of it.
    """
    k, n = len(m), len(file)
    d, u = np.empty(k), np.empty(k)
    times(S, z, d)
    for i in range(k):
        u[i] = m[i] - b[i]
    length = 0.0
    for i in range(k):  # writes nothing, so that the order of the sum is always the same
        length += d[i] * d[i]
    sd = shown if root else sqrt(max(shown, 0.0))
    hidden = 0.5 * n * step * (2.0 * shown if root else 1.0) / sqrt(12.0)
    scale = sqrt((size * sd) ** 2 + (rounding * hidden) ** 2) / sqrt(max(length, 1e-300))
    for i in range(k):
        d[i] *= scale
    Sb, Su, Sd = np.empty(k), np.empty(k), np.empty(k)
    bb = bu = bd = uu = ud = dd = mb = mu = md = 0.0
    for i in range(k):
        with_b = with_u = with_d = 0.0
        for j in range(k):
            with_b += S[i, j] * b[j]
            with_u += S[i, j] * u[j]
            with_d += S[i, j] * d[j]
        Sb[i], Su[i], Sd[i] = with_b, with_u, with_d
        bb += b[i] * with_b
        bu += b[i] * with_u
        bd += b[i] * with_d
        uu += u[i] * with_u
        ud += u[i] * with_d
        dd += d[i] * with_d
        mb += m[i] * b[i]
        mu += m[i] * u[i]
        md += m[i] * d[i]
    if not known:  # b is compared with, so only the difference from it is uncertain
        bb = bu = bd = 0.0
    rows_b, rows_u, rows_d = np.empty(n), np.empty(n), np.empty(n)
    spread, v = np.empty(n), np.empty(n)
    expand(b, group, weight, extra, rows_b)
    expand(u, group, weight, extra, rows_u)
    expand(d, group, weight, extra, rows_d)
    spreads(S, ones, residual, group, weight, extra, spread)
    sums = moments(rows_b, rows_u, rows_d, spread)
    low, high = 0.0, -1.0
    for turn in range(COARSE + FINE):
        if high < 0.0 and turn >= COARSE:
            break  # not even the whole reserve is enough: all of it is kept
        share = 0.5 * (low + high) if high >= 0.0 else 2.0 ** (turn + 1 - COARSE)
        bound = bound_at(share, sums, n, shown, root, step, margin, critical)
        variance = bb + share * share * uu + dd + 2.0 * (share * bu + bd + share * ud)
        mean = mb + share * mu + md
        if chance_above((bound - mean) / sqrt(max(variance, 1e-300))) >= target:
            high = share
        else:
            low = share
    share = max(high, 0.0)
    for i in range(n):
        v[i] = share * rows_u[i] + rows_d[i]
    bound = bound_of(rows_b, v, rows_u, spread, shown, root, step, margin, critical)
    for i in range(k):
        c[i] = b[i] + share * u[i] + d[i]
        w[i] = Sb[i] + share * Su[i] + Sd[i]
    for i in range(n):
        file[i] = rows_b[i] + v[i]
    return bound
