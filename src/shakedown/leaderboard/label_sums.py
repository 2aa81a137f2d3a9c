"""The sums of a meter of labels, compiled: what is asked about a file, and what answers tell of it.

See `label_meter` for what the numbers are.  As in `meter_sums`, all sums are in an order that does
not depend on the machine, nor on a library, so that a board gives the same answers when it is
replayed.  Rows of the directions are padded with zeros, as `meter_sums.padded` does.
"""

from __future__ import annotations

from math import exp, frexp, inf, log, sqrt

import numpy as np

from shakedown.compiled import ordered
from shakedown.leaderboard.meter_sums import BLOCK, SCALES, dot, products, solve_back

#: A square that is no more than this share of the file's is rounding.
KNOWN = 1e-24
#: Variance of a fair label, for what was not measured.
FAIR = 0.25
#: Penalties of the weights that are tried, as shares of the largest that is of use.
PENALTIES = 0.25 ** np.arange(9)

# fdlibm's e_log.c: ln 2 in two parts, and the series of ln((1 + s) / (1 - s)).
_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_SERIES = (
    6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01,
    2.222219843214978396e-01, 1.818357216161805012e-01, 1.531383769920937332e-01,
    1.479819860511658591e-01,
)  # fmt: skip
_ROOT = sqrt(0.5)


@ordered
def logarithm(x):
    """ln x of a normal number above 0, as fdlibm has it: within one unit of the last place.

    Those of NumPy and of C libraries differ in the last bit between processors.
    """
    mantissa, power = frexp(x)  # in [.5, 1)
    if mantissa < _ROOT:
        mantissa *= 2.0
        power -= 1
    f = mantissa - 1.0
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    even = w * (_SERIES[1] + w * (_SERIES[3] + w * _SERIES[5]))
    odd = z * (_SERIES[0] + w * (_SERIES[2] + w * (_SERIES[4] + w * _SERIES[6])))
    half = 0.5 * f * f
    return power * _LN2_HIGH - ((half - (s * (half + (even + odd)) + power * _LN2_LOW)) - f)


@ordered
def losses(probabilities, smallest, of_0, of_1):
    """Log losses of probabilities, shape (m, n), where the label is 0, and where it is 1."""
    m, n = probabilities.shape
    for t in range(m):
        for i in range(n):
            p = probabilities[t, i]
            of_0[t, i] = -logarithm(min(max(1.0 - p, smallest), 1.0 - smallest))
            of_1[t, i] = -logarithm(min(max(p, smallest), 1.0 - smallest))


@ordered
def factored(known, factor, diagonal, share):
    """Cholesky's L of `share` times products, shape (count, count), plus a diagonal.

    It goes into `factor`, whose rows have zeros behind.  False if rounding leaves it no root.
    """
    factor[:] = 0.0
    for i in range(len(known)):
        for j in range(i):
            value = share * known[i, j] - dot(factor[i], factor[j], j)
            factor[i, j] = value / factor[j, j]
        square = share * known[i, i] + diagonal[i] - dot(factor[i], factor[i], i)
        if not square > 0.0:
            return False
        factor[i, i] = sqrt(square)
    return True


@ordered
def solve_first(factor, b, x):
    """Solve L x = b, shape (count,); x has zeros behind."""
    x[:] = 0.0
    for i in range(len(b)):
        x[i] = (b[i] - dot(factor[i], x, i)) / factor[i, i]


@ordered
def noise_of(u, weights, directions, variances, left, least, rest):
    """The noise of an answer about a file, and the error of the estimate with these weights.

    What is asked goes into `rest`.  See `label_meter.Question`.
    """
    rest[:] = u
    before = 0.0
    for j in range(len(weights)):
        before += weights[j] * weights[j] * variances[j]
        for i in range(len(u)):
            rest[i] -= weights[j] * directions[j, i]
    largest = needed = 0.0
    for i in range(len(left)):
        square = rest[i] * rest[i]
        largest = max(largest, square)
        if square > 0.0:
            needed = max(needed, square / left[i] if left[i] > 0.0 else inf)
    if largest <= KNOWN * dot(u, u, len(u)):  # an earlier file, or a constant
        rest[:] = 0.0
        return inf, sqrt(before)
    sd = max(least, sqrt(needed))
    return sd, sqrt(sd * sd + before)


@ordered
def best_weights(u, directions, known, variances, left, least):
    """The weights of earlier answers with the least error, of ridge regressions and of none."""
    count, width = len(variances), len(u)
    best, tried, along = np.zeros(count), np.zeros(count), np.zeros(count)
    rest = np.empty(width)
    _, least_error = noise_of(u, best, directions, variances, left, least, rest)
    if count == 0:
        return best
    size = -(-count // BLOCK) * BLOCK
    factor, white = np.zeros((count, size)), np.zeros(size)
    products(directions, u, width, along)
    whole = 0.0
    for i in range(len(left)):
        whole += left[i]
    for share in PENALTIES:
        if not factored(known, factor, whole * share * variances, 1.0):
            continue
        solve_first(factor, along, white)
        tried[:] = white[:count]
        solve_back(factor, tried)
        _, error = noise_of(u, tried, directions, variances, left, least, rest)
        if error < least_error:
            least_error = error
            best[:] = tried
    return best


@ordered
def read(files, sums, directions, own_sums, known, variances, answers, means, sds):
    """Mean and standard deviation of <u, y> of files by all answers, shape (m,) each.

    Labels count as normal around a half, their variance as fair ones' times one of the `SCALES`.
    `sums` and `own_sums` are those of the files' rows and of the directions'.
    """
    count, m = len(variances), len(files)
    size = -(-count // BLOCK) * BLOCK
    factor, white, covered = np.zeros((count, size)), np.zeros(size), np.zeros(size)
    along, centred = np.zeros(count), np.zeros(count)
    odds = np.zeros(len(SCALES))
    all_means, all_squares = np.zeros((len(SCALES), m)), np.zeros((len(SCALES), m))
    for j in range(count):
        centred[j] = answers[j] - 0.5 * own_sums[j]
    for k in range(len(SCALES)):
        scale = FAIR * SCALES[k]
        if not factored(known, factor, variances, scale):
            odds[k] = -inf
            continue
        solve_first(factor, centred, white)
        odds[k] = -0.5 * dot(white, white, size)
        for j in range(count):
            odds[k] -= log(factor[j, j])
        for t in range(m):
            products(directions, files[t], files.shape[1], along)
            solve_first(factor, scale * along, covered)
            variance = scale * dot(files[t], files[t], files.shape[1]) - dot(covered, covered, size)
            all_means[k, t] = 0.5 * sums[t] + dot(covered, white, size)
            all_squares[k, t] = max(variance, 0.0)
    most = odds.max()
    for t in range(m):
        total = mean = square = 0.0
        for k in range(len(SCALES)):
            weight = exp(odds[k] - most)
            total += weight
            mean += weight * all_means[k, t]
            square += weight * (all_squares[k, t] + all_means[k, t] ** 2)
        means[t] = mean / total
        sds[t] = sqrt(max(square / total - means[t] * means[t], 0.0))


@ordered
def combined(weights, answers):
    """What earlier answers give with these weights."""
    whole = 0.0
    for j in range(len(weights)):
        whole += weights[j] * answers[j]
    return whole


@ordered
def most_spent(of_rows, rest, sd):
    """The largest precision of a row once a file is answered with this noise."""
    most = 0.0
    for i in range(len(of_rows)):
        most = max(most, of_rows[i] + rest[i] * rest[i] / (sd * sd))
    return most
