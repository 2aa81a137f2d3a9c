"""What an attacker who submits numbers knows of the public response: a Gaussian posterior N(m, S).

The response is standardised, so it is taken to have mean 0 and variance 1 in every row before
anything is known.  A shown mean squared error of a file p is one linear measurement of it:
<y, p> = ((n - 1) + |p|^2 - n MSE) / 2.
"""

from __future__ import annotations

from math import erfc, exp, sqrt
from typing import NamedTuple

import numpy as np

from shakedown.compiled import kernel

#: A measurement whose variance, relative to the file's square, is below this adds nothing.
KNOWN = 1e-11
#: A bound that lies so many standard deviations above the mean tells nothing.
CERTAIN = 30.0
#: Rows that a factorisation takes together.
ROWS = 16
_SQRT_2 = sqrt(2.0)
_SQRT_2_PI = sqrt(2.0 * np.pi)


def prior(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean, shape (n,), and covariance, shape (n, n), of a standardised response."""
    return np.zeros(n), np.eye(n) - 1.0 / n


@kernel
def product(y_squares, file_squares, n, mean_square):
    """<y, p> of a file p, from its mean squared error on n rows and the squares of y and p."""
    return 0.5 * (y_squares + file_squares - n * mean_square)


@kernel
def times(S, p, out):
    """S p, into `out`, shape (n,)."""
    n = len(p)
    for i in range(n):
        total = 0.0
        for j in range(n):
            total += S[i, j] * p[j]
        out[i] = total


@kernel
def both_times(S, p, q, Sp, Sq):
    """S p and S q, into `Sp` and `Sq`, shape (n,) each; S, which is large, is read once."""
    n = len(p)
    for i in range(n):
        with_p = with_q = 0.0
        for j in range(n):
            with_p += S[i, j] * p[j]
            with_q += S[i, j] * q[j]
        Sp[i], Sq[i] = with_p, with_q


@kernel
def learn(m, S, w, gain, loss):
    """Change the posterior in place by m + gain w and S - loss w w'; w is S p."""
    n = len(m)
    for i in range(n):
        m[i] += gain * w[i]
        factor = loss * w[i]
        for j in range(n):
            S[i, j] -= factor * w[j]


@kernel
def along(m, p, w):
    """Variance and mean of <y, p>, and <p, p>; w is S p."""
    spread = mean = squares = 0.0
    for i in range(len(p)):
        spread += p[i] * w[i]
        mean += p[i] * m[i]
        squares += p[i] * p[i]
    return spread, mean, squares


@kernel
def measured(m, S, p, w, value, variance):
    """Take in that <y, p> is `value`, with an error of this variance; w is S p."""
    spread, mean, squares = along(m, p, w)
    if spread > KNOWN * squares:
        total = spread + variance
        learn(m, S, w, (value - mean) / total, 1.0 / total)


@kernel
def chance_above(x):
    """P(Z > x) of a standard normal Z."""
    return 0.5 * erfc(x / _SQRT_2)


@kernel
def bounded(m, S, p, w, bound, variance=0.0):
    """Take in that <y, p> is at most `bound`, whose error has this variance; w is S p.

    Mean and variance are those of a truncated normal (without an error).
    """
    spread, mean, squares = along(m, p, w)
    if spread > KNOWN * squares:
        spread += variance
        sd = np.sqrt(spread)
        x = max((bound - mean) / sd, -8.0)
        if x > CERTAIN:  # changes of some 1e-200 would only slow all further steps down
            return
        density = exp(-0.5 * x * x) / _SQRT_2_PI
        hazard = density / chance_above(-x)
        learn(m, S, w, -hazard / sd, hazard * (hazard + x) / spread)


@kernel
def measure_all(m, S, files, values, variances, use):
    """Take in the measurements of several files, shape (k, n), where `use` is true."""
    w = np.empty(len(m))
    for t in range(len(files)):
        if use[t]:
            times(S, files[t], w)
            measured(m, S, files[t], w, values[t], variances[t])


class Measurements:
    """Measurements of n responses along k files of signs, at most n.

    The mean of the responses lies in the span of the files, so k numbers are enough;
    `measure_all`, with an n x n covariance, finds the same mean and takes far longer.

    Parameters
    ----------
    signs : ndarray, shape (k, n)
        Files of entries -1 and 1.
    """

    def __init__(self, signs: np.ndarray) -> None:
        self._signs = signs
        totals, whole = signs.sum(axis=1), signs.astype(np.float32)
        # Products of signs are whole numbers: exact, in whatever order they are added, up to 2**24.
        self._products = whole @ whole.T - np.outer(totals, totals) / signs.shape[1]

    def taken(self, values: np.ndarray, variances: np.ndarray, use: np.ndarray) -> Taken:
        """The measurements that are used, factored and whitened.

        Parameters
        ----------
        values, variances : ndarray, shape (k,)
            <y, s> for each file of signs s, and the variance of its error.
        use : ndarray of bool, shape (k,)
        """
        used = np.flatnonzero(use)
        factor = self._products[np.ix_(used, used)]
        factor[np.diag_indices_from(factor)] += variances[used]
        triangle(factor)
        whitened = values[used].astype(float)
        forward(factor, whitened)
        return Taken(self._signs, used, factor, whitened)


class Taken(NamedTuple):
    """Measurements in the order in which they are taken in; see `Measurements.taken`.

    With L the Cholesky factor of the covariance of the measured values, in the lower triangle of
    `factor`, the array `whitened`, shape (k,), is L^-1 times these values.
    """

    signs: np.ndarray
    used: np.ndarray
    factor: np.ndarray
    whitened: np.ndarray

    def mean(self, number: int) -> np.ndarray:
        """Mean of the responses after the first `number` of the measurements, shape (n,)."""
        along = self.whitened[:number].copy()
        backward(self.factor, along)
        mean = np.zeros(self.signs.shape[1])
        combine(self.signs, self.used, along, mean)
        return mean - mean.mean()


@kernel
def add(x, factor, y):
    """x + factor y, into x; both of shape (n,)."""
    for i in range(len(x)):
        x[i] += factor * y[i]


@kernel
def triangle(a):
    """Cholesky's factor L of a = L L', in place of a, shape (k, k), with L' above the diagonal.

    A measurement that adds nothing to those before gets an infinite variance.
    """
    k = len(a)
    whole = np.empty(k)
    for i in range(k):
        whole[i] = a[i, i]
    for start in range(0, k, ROWS):  # some rows of L', which stay in the cache, for all rows below
        stop = min(start + ROWS, k)
        for i in range(start, k):
            for j in range(start, min(i, stop)):
                factor = a[i, j] / a[j, j]
                a[i, j] = a[j, i] = factor
                add(a[i, j + 1 : i + 1], -factor, a[j, j + 1 : i + 1])
            if i < stop:
                a[i, i] = sqrt(a[i, i]) if a[i, i] > KNOWN * whole[i] else np.inf


@kernel
def forward(factor, x):
    """Solve L z = x in place, shape (k,); `factor` is that of `triangle`."""
    for j in range(len(x)):
        x[j] /= factor[j, j]
        add(x[j + 1 :], -x[j], factor[j, j + 1 :])


@kernel
def backward(factor, x):
    """Solve L' z = x in place, shape (m,), with the first m rows of L."""
    for j in range(len(x) - 1, -1, -1):
        x[j] /= factor[j, j]
        add(x[:j], -x[j], factor[j, :j])


@kernel
def combine(signs, used, along, out):
    """Add the first files in `used`, each times its number in `along`, to `out`, shape (n,)."""
    for t in range(len(along)):
        row, number = used[t], along[t]
        for i in range(len(out)):
            out[i] += number * signs[row, i]
