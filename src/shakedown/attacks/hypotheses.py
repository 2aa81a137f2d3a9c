"""Which file a board with noisy scores has in force: hypotheses and their probabilities.

Each score is the level of the file in force, which nobody is told, plus noise.  A hypothesis says
which of an account's files have replaced the best.  It has a probability, a normal distribution of
the level, and a mean of the response: that of the attack's posterior, shifted by what it says of
the files.  After each file it divides in two, and the score says which half is more likely.  Only
the most likely hypotheses are kept.

A file passes if <y, v> exceeds a bound, with v its difference from the file in force; so its fate
says on which side of the bound the product lies.
"""

from __future__ import annotations

from math import exp, sqrt
from typing import NamedTuple

import numpy as np

from shakedown.attacks.posterior import KNOWN, chance_above, times
from shakedown.attacks.span import expand
from shakedown.compiled import kernel

#: Most hypotheses of an account.
MOST = 24
#: Files in force that are less likely than this are not asked whether the next file passes.
RARE = 0.01
#: Hypotheses are dropped if their probability is below this share of all.
DROPPED = 1e-7
#: The variance of the noise follows that of the last so many scores, about.
MEMORY = 100.0
#: A score counts for it as no further off than this many standard deviations.
FAR = 3.0
_SQRT_2_PI = sqrt(2.0 * np.pi)


class Hypotheses(NamedTuple):
    """The hypotheses of an account, the most probable first; unused ones have weight 0.

    weight : ndarray, shape (h,)
        Probabilities.
    level, variance : ndarray, shape (h,)
        Mean and variance of the mean squared error in force.
    file : ndarray of int, shape (h,)
        Number of the file in force; 0 is the zeros that the board begins with.
    passed, today : ndarray of int, shape (h,)
        Files that have replaced the best, and those since the day began.
    best : ndarray, shape (h, k)
        The file in force, in coordinates.
    shift : ndarray, shape (h, k)
        What the account's files have added to the mean of the response.
    noise : ndarray, shape (1,)
        Variance of a score, as a multiple of the squared level.
    """

    weight: np.ndarray
    level: np.ndarray
    variance: np.ndarray
    file: np.ndarray
    passed: np.ndarray
    today: np.ndarray
    best: np.ndarray
    shift: np.ndarray
    noise: np.ndarray


class Fates(NamedTuple):
    """What each hypothesis, shape (h,), expects of a file.

    chance : P(it passes).
    fall, spread : mean and variance of the fall of the level if it does.
    up, down : what is then added to the mean of the response, in multiples of `w`; if it does not.
    w : ndarray, shape (h, k): covariance of the response with the product <y, v>.
    z : bound of the product in standard deviations `sd`.
    """

    chance: np.ndarray
    fall: np.ndarray
    spread: np.ndarray
    up: np.ndarray
    down: np.ndarray
    w: np.ndarray
    z: np.ndarray
    sd: np.ndarray


def new_account(most: int, size: int, level: float, noise: float) -> Hypotheses:
    """Zeros are in force, for certain, and their mean squared error is `level`."""
    numbers = [np.zeros(most), np.full(most, level), np.zeros(most)]
    counts = [np.zeros(most, np.int64) for _ in range(3)]
    numbers[0][0] = 1.0
    files = np.zeros((most, size)), np.zeros((most, size))
    return Hypotheses(*numbers, *counts, *files, np.array([noise]))


@kernel
def hazard(z):
    """E(Z | Z > z) of a standard normal Z."""
    if z > 25.0:
        return z + 1.0 / z
    return exp(-0.5 * z * z) / _SQRT_2_PI / chance_above(z)


@kernel
def dot(a, b):
    """Product of two vectors."""
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@kernel
def in_force(hypotheses, number):
    """Probability that the file of this number is in force."""
    total = 0.0
    for h in range(len(hypotheses.weight)):
        if hypotheses.file[h] == number:
            total += hypotheses.weight[h]
    return total


@kernel
def likeliest(hypotheses):
    """The best hypothesis with the file that is most probably in force, and its probability."""
    top, most = 0, 0.0
    for h in range(len(hypotheses.weight)):
        chance = in_force(hypotheses, hypotheses.file[h])
        if chance > most:
            top, most = h, chance
    return top, most


@kernel
def mean_shift(hypotheses, out):
    """Mean of the shifts, into `out`, shape (k,)."""
    out[:] = 0.0
    for h in range(len(hypotheses.weight)):
        if hypotheses.weight[h] > 0.0:
            for i in range(len(out)):
                out[i] += hypotheses.weight[h] * hypotheses.shift[h, i]


@kernel
def standard_error(rows_b, rows_v, rows_m, spreads):
    """Standard error of the paired test of b + v against b, expected of y.

    The losses of a row differ by v (v - 2 (y - b)); `rows_m` and `spreads` are mean and variance of
    y.  Each has shape (n,).
    """
    n = len(rows_v)
    first = second = 0.0
    for i in range(n):
        x = rows_v[i]
        mean = x * (x - 2.0 * (rows_m[i] - rows_b[i]))
        first += mean
        second += mean * mean + 4.0 * x * x * spreads[i]
    return sqrt(max(second - first * first / n, 0.0) / (n - 1.0) / n)


@kernel
def fates(hypotheses, c, m, S, spreads, group, weight, extra, margin, critical, left, daily):
    """What each hypothesis expects of the file with coordinates `c`, shape (k,).

    Parameters
    ----------
    hypotheses : Hypotheses
    m, S : ndarray, shape (k,) and (k, k)
        The posterior.
    spreads, group, weight, extra
        Variances of the rows of the response, shape (n,), and the span.
    margin, critical : float
        The rule of the board.
    left, daily : float
        Files of an account that may replace its best, in all and in a day.
    """
    most, k, n = len(hypotheses.weight), len(c), len(group)
    fate = Fates(
        np.zeros(most), np.zeros(most), np.zeros(most), np.zeros(most), np.zeros(most),
        np.zeros((most, k)), np.zeros(most), np.zeros(most),
    )  # fmt: skip
    common, mean, v = np.empty(k), np.empty(k), np.empty(k)
    rows_b, rows_v, rows_m = np.empty(n), np.empty(n), np.empty(n)
    mean_shift(hypotheses, common)
    for h in range(most):
        probable = hypotheses.weight[h] > 0.0 and in_force(hypotheses, hypotheses.file[h]) >= RARE
        if not probable or hypotheses.passed[h] >= left or hypotheses.today[h] >= daily:
            continue
        for i in range(k):
            v[i] = c[i] - hypotheses.best[h, i]
            mean[i] = m[i] + hypotheses.shift[h, i] - common[i]
        same = h
        for g in range(h):
            if hypotheses.file[g] == hypotheses.file[h] and fate.chance[g] > 0.0:
                same = g
        if same < h:
            fate.w[h] = fate.w[same]
        else:
            times(S, v, fate.w[h])
        squares = dot(v, v)
        product = dot(v, fate.w[h])
        if product <= KNOWN * squares:
            continue
        expand(hypotheses.best[h], group, weight, extra, rows_b)
        expand(v, group, weight, extra, rows_v)
        expand(mean, group, weight, extra, rows_m)
        error = standard_error(rows_b, rows_v, rows_m, spreads)
        differs = dot(c, c) - dot(hypotheses.best[h], hypotheses.best[h])
        sd, expected = sqrt(product), dot(v, mean)
        z = (0.5 * (differs + n * (margin + critical * error)) - expected) / sd
        above, below = hazard(z), hazard(-z)
        fate.chance[h] = chance_above(z)
        fate.fall[h] = (2.0 * (expected + sd * above) - differs) / n
        fate.spread[h] = 4.0 * product * max(1.0 - above * (above - z), 0.01) / (n * n)
        fate.up[h], fate.down[h] = above / sd, -below / sd
        fate.z[h], fate.sd[h] = z, sd
    return fate


@kernel
def read(hypotheses, fate, c, number, score, unsettled, m, S):
    """Take in the mean squared error that is shown after a file; `hypotheses`, `m` and `S` change.

    Parameters
    ----------
    hypotheses : Hypotheses
    fate : Fates
        With no chance anywhere for a file that cannot pass.
    c : ndarray, shape (k,)
        The file, in coordinates.
    number : int
        Of the file.
    score : float
    unsettled : float
        See `sharpen`.
    m, S : ndarray, shape (k,) and (k, k)
        The posterior.
    """
    most, k = len(hypotheses.weight), len(c)
    aimed = hypotheses.file[likeliest(hypotheses)[0]]
    before, after = np.empty(k), np.empty(k)
    mean_shift(hypotheses, before)
    # Each hypothesis without the file, then each with it.
    weight, level, variance = np.zeros(2 * most), np.zeros(2 * most), np.zeros(2 * most)
    for h in range(2 * most):
        g, passes = h % most, h >= most
        chance = fate.chance[g] if passes else 1.0 - fate.chance[g]
        if hypotheses.weight[g] == 0.0 or chance == 0.0:
            continue
        mean = hypotheses.level[g] - (fate.fall[g] if passes else 0.0)
        spread = hypotheses.variance[g] + (fate.spread[g] if passes else 0.0)
        total = spread + hypotheses.noise[0] * mean * mean
        gap = score - mean
        weight[h] = hypotheses.weight[g] * chance * exp(-0.5 * gap * gap / total) / sqrt(total)
        level[h] = mean + spread / total * gap
        variance[h] = spread * (1.0 - spread / total)
    everything = weight.sum()
    if not everything > 0.0:
        hypotheses.noise[0] *= 2.0  # further from all that was expected than a number can say
        return
    order = np.argsort(-weight, kind="mergesort")
    file, passed, today = hypotheses.file.copy(), hypotheses.passed.copy(), hypotheses.today.copy()
    best, shift, old = hypotheses.best.copy(), hypotheses.shift.copy(), hypotheses.level.copy()
    kept = with_it = without = squares = 0.0
    for place in range(most):
        h = order[place]
        g = h % most
        if weight[h] <= DROPPED * everything:
            hypotheses.weight[place] = 0.0
            continue
        passes, expected = h >= most, old[g]
        hypotheses.weight[place], hypotheses.level[place] = weight[h], level[h]
        hypotheses.variance[place] = variance[h]
        hypotheses.file[place] = number if passes else file[g]
        hypotheses.passed[place], hypotheses.today[place] = passed[g] + passes, today[g] + passes
        hypotheses.best[place] = c if passes else best[g]
        step = fate.up[g] if passes else fate.down[g]
        for i in range(k):
            hypotheses.shift[place, i] = shift[g, i] + step * fate.w[g, i]
        kept += weight[h]
        if passes:
            expected -= fate.fall[g]
        gap = (score - expected) / expected
        squares += weight[h] * min(gap * gap, FAR * FAR * hypotheses.noise[0])
        if file[g] == aimed and fate.chance[g] > 0.0:
            if passes:
                with_it += weight[h]
            else:
                without += weight[h]
    for place in range(most):
        hypotheses.weight[place] /= kept
    hypotheses.noise[0] += (squares / kept - hypotheses.noise[0]) / MEMORY
    mean_shift(hypotheses, after)
    for i in range(k):
        m[i] += after[i] - before[i]
    for g in range(most):
        if file[g] == aimed and fate.chance[g] > 0.0:
            sharpen(S, fate.w[g], fate.z[g], fate.sd[g], with_it / kept, without / kept, unsettled)
            break


@kernel
def sharpen(S, w, z, sd, with_it, without, unsettled):
    """Take from S what the fate of a file is worth on average, given its probabilities.

    S is the covariance within hypotheses, plus a share `unsettled` of that between the two fates.
    """
    above, below = hazard(z), hazard(-z)
    gained = with_it * above * (above - z) + without * below * (below + z)
    mean = with_it * above - without * below
    between = with_it * above * above + without * below * below - mean * mean
    loss = max(gained - unsettled * between, 0.0) / (sd * sd)
    for i in range(len(w)):
        factor = loss * w[i]
        for j in range(len(w)):
            S[i, j] -= factor * w[j]
