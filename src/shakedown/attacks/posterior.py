"""What an attacker who submits numbers knows of the public response: a Gaussian posterior N(m, S).

The response is standardised, so it is taken to have mean 0 and variance 1 in every row before
anything is known.  A shown mean squared error of a file p is one linear measurement of it:
<y, p> = ((n - 1) + |p|^2 - n MSE) / 2.
"""

from __future__ import annotations

from math import erfc, exp, sqrt

import numpy as np

from shakedown.compiled import kernel

#: A measurement whose variance, relative to the file's square, is below this adds nothing.
KNOWN = 1e-11
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
def learn(m, S, w, gain, loss):
    """Change the posterior in place by m + gain w and S - loss w w'; w is S p."""
    n = len(m)
    for i in range(n):
        m[i] += gain * w[i]
        factor = loss * w[i]
        for j in range(n):
            S[i, j] -= factor * w[j]


@kernel
def measured(m, S, p, w, value, variance):
    """Take in that <y, p> is `value`, with an error of this variance; w is S p."""
    spread = mean = squares = 0.0
    for i in range(len(p)):
        spread += p[i] * w[i]
        mean += p[i] * m[i]
        squares += p[i] * p[i]
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
    spread = mean = squares = 0.0
    for i in range(len(p)):
        spread += p[i] * w[i]
        mean += p[i] * m[i]
        squares += p[i] * p[i]
    if spread > KNOWN * squares:
        spread += variance
        sd = np.sqrt(spread)
        x = max((bound - mean) / sd, -8.0)
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
