"""The sums of a meter, compiled: what an answer tells, what it costs, and what is kept of it.

See `meter` for what the numbers are.  All sums are in an order that does not depend on the machine,
so that a board gives the same answers when it is replayed.
"""

from __future__ import annotations

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
#: A file whose variance, relative to its square, is below this tells nothing new, and its answer
#: is not kept.
KNOWN = 1e-9
#: Relative errors of sums that are no more than rounding.
CLOSE = 1e-12
#: Numbers in a row are padded to a multiple of this: two vectors.
BLOCK = 2 * WIDTH


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
def products(rows, b, size, out):
    """<row, b> for the first rows, one for each place in `out`, shape (t,)."""
    for t in range(len(out)):
        out[t] = dot(rows[t], b, size)


def padded(rows: np.ndarray) -> np.ndarray:
    """Rows, shape (m, n), with zeros behind, for `dot`."""
    m, n = rows.shape
    whole = np.zeros((m, -(-n // BLOCK) * BLOCK))
    whole[:, :n] = rows
    return whole


@ordered
def whitened_with(u, first, count, files, factors, known, along):
    """L^-1 U u of several files, shape (b, width), for each scale: rows `first` to `count`.

    They go into `along`, shape (b, scales, m), which has those before, and zeros behind.  What is
    kept is read once for all of them, or not at all where U u is `known`, shape (count,): that of
    a single file; else it is empty.
    """
    for t in range(first, count):
        for i in range(len(u)):
            product = known[t] if len(known) else dot(files[t], u[i], u.shape[1])
            for k in range(len(SCALES)):
                row = factors[k, t]
                along[i, k, t] = (product - dot(row, along[i, k], t)) / row[t]


@ordered
def priced(u, along, back, whitened, factors, count):
    """What a file tells: its square, |S u|^2 for the first scale, 1; and mean and variance of
    <y, u> for each.

    `along` has L^-1 U u, shape (scales, m), and `back`, shape (m,), is room, with zeros from
    `count` on.  With w = (I + K)^-1 U u, |S u|^2 = u'u - (U u)'w - w'w.  It and the variances are 0
    if nothing is left to be told.
    """
    square = dot(u, u, len(u))
    means, variances = np.zeros(len(SCALES)), np.zeros(len(SCALES))
    if square == 0.0:  # it measures nothing
        return square, 0.0, means, variances
    for k in range(len(SCALES)):
        scale = SCALES[k]
        means[k] = scale * dot(along[k], whitened[k], count)
        variances[k] = scale * (square - scale * dot(along[k], along[k], count))
    if not (variances > KNOWN * SCALES * square).all():
        variances[:] = 0.0
        return square, 0.0, means, variances
    back[:count] = along[0, :count]
    solve_back(factors[0], back[:count])
    change, least = variances[0] - dot(back, back, count), variances[0] * variances[0]
    # |S u|^2 is at least <u, S u>^2 / |u|^2; it can be less after rounding, also below 0.
    if change < (1.0 - CLOSE) * least / square:
        change = least / square
    return square, change, means, variances


@ordered
def cost(change, variance, sd):
    """Degrees of freedom that an answer with noise of this standard deviation costs.

    `change` is |S u|^2.
    """
    return change / (variance + sd * sd) if change else 0.0


@ordered
def sd_within(change, variance, allowance, least):
    """The smallest noise, at least `least`, with which an answer costs no more than allowed."""
    if change == 0.0:
        return least
    if allowance <= 0.0:
        return inf
    return sqrt(max(change / allowance - variance, least * least))


@ordered
def estimated(log_odds, means, variances, sd, answer):
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
def taken(u, along, means, variances, sd, answer, count, files, factors, whitened, log_odds):
    """Keep a file that is priced, and its answer; returns how many are kept then.

    `log_odds` become those then.
    """
    t = count
    if sd == inf or variances[0] == 0.0:  # what is not charged is not kept
        return count
    for i in range(len(u)):
        files[t, i] = u[i] / sd
    for k in range(len(SCALES)):
        pivot = sqrt(1.0 + variances[k] / (sd * sd))
        for j in range(t):
            factors[k, t, j] = SCALES[k] * along[k, j] / sd
        factors[k, t, t] = pivot
        white = (answer - means[k]) / sd / pivot
        whitened[k, t] = white
        log_odds[k] = log_odds[k] - log(pivot) - 0.5 * white * white
    return count + 1


@ordered
def add(factors, rows, out):
    """Add the first rows, each times its factor, to `out`, shape (n,)."""
    for t in range(len(factors)):
        for i in range(len(out)):
            out[i] += factors[t] * rows[t, i]


@ordered
def solve_back(factor, x):
    """Solve L'z = x in place, shape (t,): four numbers at once, from the last."""
    for last in range(len(x) - 1, -1, -4):
        first = max(last - 3, 0)
        for j in range(last, first - 1, -1):
            x[j] /= factor[j, j]
            for i in range(first, j):
                x[i] -= x[j] * factor[j, i]
        if first:  # then there are four
            a, b, c, d = x[last], x[last - 1], x[last - 2], x[first]
            for i in range(first):  # x is read and written once, in the order of single numbers
                x[i] = (
                    x[i] - a * factor[last, i] - b * factor[last - 1, i]
                    - c * factor[last - 2, i] - d * factor[first, i]
                )  # fmt: skip
