"""The next file of the reserve attack: as much of the reserve as it takes to pass.

It is b + share (m - b) + d, with b the file in force, m the mean of what is known and d a random
direction; the share is the least with which it passes with the planned probability.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from shakedown.attacks.posterior import chance_above, product, times
from shakedown.attacks.span import expand, spreads
from shakedown.compiled import kernel

#: Shares that are tried: 2**-11 to 1, then the first that is enough is halved this many times.
COARSE, FINE = 12, 6


class Known(NamedTuple):
    """What the attacker knows: N(m, S) in coordinates, and how the rows follow from them.

    `m`, `S`: shape (k,) and (k, k).  `ones`, `group`, `weight`, `extra`: of the span.  `residual`:
    the variance of the prior; see `span.spreads`.
    """

    m: np.ndarray
    S: np.ndarray
    ones: np.ndarray
    residual: float
    group: np.ndarray
    weight: np.ndarray
    extra: np.ndarray


class Bar(NamedTuple):
    """How far below the shown score a file has to be, by the board's terms.

    `root`: whether scores are roots.  `step`, `margin` and `critical` are the board's.
    """

    root: bool
    step: float
    margin: float
    critical: float


class Plan(NamedTuple):
    """Parameters of the attack: `rounding` and `target`.

    `is_known` is whether the shown score is that of the file in force; if not, it is what is
    expected of it.
    """

    rounding: float
    target: float
    is_known: bool


@kernel
def bound_of(b, v, u, spread, shown, bar):
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
    return _bound(n, squares, first, second, shown, bar)


@kernel
def _bound(n, squares, first, second, shown, bar):
    """The bound from the squares of a file and the moments of the differences, all summed."""
    error = sqrt(max(second - first * first / n, 0.0) / (n - 1.0) / n)
    passes = max(shown - bar.margin, 0.0)
    falls = max(shown - 0.5 * bar.step, 0.0)  # otherwise the rounded score stays the same
    if bar.root:
        passes *= passes
        falls *= falls
    return product(n - 1.0, squares, n, min(passes - bar.critical * error, falls))


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
def bound_at(share, sums, n, shown, bar):
    """`bound_of` v = share u + d, from `moments`; the sums are in another order."""
    bb, bu, uu, ud, dd, uuuu, uuud, uudd, uddd, dddd, uus, uds, dds = sums
    squares = bb + 2.0 * share * bu + share * share * uu
    # v (v - 2 u) = f u u + g u d + d d.
    f, g = share * (share - 2.0), 2.0 * (share - 1.0)
    first = f * uu + g * ud + dd
    second = f * f * uuuu + 2.0 * f * g * uuud + (g * g + 2.0 * f) * uudd + 2.0 * g * uddd + dddd
    second += 4.0 * (share * share * uus + 2.0 * share * uds + dds)
    return _bound(n, squares, first, second, shown, bar)


class Forms(NamedTuple):
    """Products of b, the reserve u and the direction d: x'Sy as `xy`, m'x as `mx`."""

    bb: float
    bu: float
    bd: float
    uu: float
    ud: float
    dd: float
    mb: float
    mu: float
    md: float


class NextFile:
    """The file that the attack submits next, of n rows.

    Attributes
    ----------
    known : Known
        What the attacker knows; changed in place as files are judged.
    bar : Bar
    c, w : ndarray, shape (k,)
        The file in coordinates, and S times them.
    rows : ndarray, shape (n,)
        The file.
    """

    def __init__(self, known: Known, bar: Bar, plan: Plan, n: int) -> None:
        self.known, self.bar = known, bar
        k = len(known.m)
        self.c, self.w, self.rows = np.empty(k), np.empty(k), np.empty(n)
        # Arrays and numbers cross into compiled code faster than records of them.
        self._flat = (*known, *bar, *plan, self.c, self.w, self.rows)

    def propose(self, b: np.ndarray, z: np.ndarray, shown: float, size: float) -> float:
        """Make it; returns the bound of `bound_of`.

        Parameters
        ----------
        b, z : ndarray, shape (k,)
            The file in force, and random signs, in coordinates.
        shown : float
            The score of the file in force.
        size : float
            Length of the direction, in standard deviations of the residual.
        """
        return _propose(b, z, shown, size, *self._flat)


@kernel
def _propose(
    b, z, shown, size, m, S, ones, residual, group, weight, extra, root, step, margin, critical,
    rounding, target, is_known, c, w, file,
):  # fmt: skip
    """`proposed`, from arrays and numbers alone."""
    known = Known(m, S, ones, residual, group, weight, extra)
    bar, plan = Bar(root, step, margin, critical), Plan(rounding, target, is_known)
    return proposed(b, z, shown, size, known, bar, plan, c, w, file)


@kernel
def proposed(b, z, shown, size, known, bar, plan, c, w, file):
    """Make the next file; see `NextFile`.  Returns its bound."""
    k, n = len(known.m), len(file)
    d, u = np.empty(k), np.empty(k)
    for i in range(k):
        u[i] = known.m[i] - b[i]
    direction(known.S, z, shown, bar, size, plan.rounding, n, d)
    Sb, Su, Sd = np.empty(k), np.empty(k), np.empty(k)
    forms = forms_of(known.m, known.S, b, u, d, plan.is_known, Sb, Su, Sd)
    rows_b, rows_u, rows_d = np.empty(n), np.empty(n), np.empty(n)
    spread, v = np.empty(n), np.empty(n)
    expand(b, known.group, known.weight, known.extra, rows_b)
    expand(u, known.group, known.weight, known.extra, rows_u)
    expand(d, known.group, known.weight, known.extra, rows_d)
    spreads(known.S, known.ones, known.residual, known.group, known.weight, known.extra, spread)
    sums = moments(rows_b, rows_u, rows_d, spread)
    share = least_share(forms, sums, n, shown, bar, plan.target)
    for i in range(n):
        v[i] = share * rows_u[i] + rows_d[i]
    bound = bound_of(rows_b, v, rows_u, spread, shown, bar)
    for i in range(k):
        c[i] = b[i] + share * u[i] + d[i]
        w[i] = Sb[i] + share * Su[i] + Sd[i]
    for i in range(n):
        file[i] = rows_b[i] + v[i]
    return bound


@kernel
def direction(S, z, shown, bar, size, rounding, n, d):
    """A random direction along which S is large, into `d`, shape (k,); as long as planned."""
    times(S, z, d)
    length = 0.0
    for i in range(len(d)):  # writes nothing, so that the order of the sum is always the same
        length += d[i] * d[i]
    sd = shown if bar.root else sqrt(max(shown, 0.0))
    hidden = 0.5 * n * bar.step * (2.0 * shown if bar.root else 1.0) / sqrt(12.0)
    scale = sqrt((size * sd) ** 2 + (rounding * hidden) ** 2)
    scale = scale / sqrt(max(length, 1e-300))
    for i in range(len(d)):
        d[i] *= scale


@kernel
def forms_of(m, S, b, u, d, is_known, Sb, Su, Sd):
    """The `Forms` of b, u and d; S times each of them into `Sb`, `Su` and `Sd`."""
    k = len(m)
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
    if not is_known:  # b is compared with, so only the difference from it is uncertain
        bb = bu = bd = 0.0
    return Forms(bb, bu, bd, uu, ud, dd, mb, mu, md)


@kernel
def least_share(forms, sums, n, shown, bar, target):
    """The least share with which a file passes with probability `target`; 0 if none does."""
    low, high = 0.0, -1.0
    for turn in range(COARSE + FINE):
        if high < 0.0 and turn >= COARSE:
            break  # not even the whole reserve is enough: all of it is kept
        share = 0.5 * (low + high) if high >= 0.0 else 2.0 ** (turn + 1 - COARSE)
        bound = bound_at(share, sums, n, shown, bar)
        variance = forms.bb + share * share * forms.uu + forms.dd
        variance = variance + 2.0 * (share * forms.bu + forms.bd + share * forms.ud)
        mean = forms.mb + share * forms.mu + forms.md
        if chance_above((bound - mean) / sqrt(max(variance, 1e-300))) >= target:
            high = share
        else:
            low = share
    return max(high, 0.0)
