r"""Half-spaces: how far the normal noise of a transcript can point one way.

Among all sets of normal vectors of a probability p, a half-space has the longest mean.  Its length
is phi(z) / p in standard deviations of a coordinate, with z the upper p quantile and phi the normal
density.  Nothing but the number of transcripts enters: these are the bounds without a logarithm.
Derivations are in ``docs/proofs/squared_error.md``.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, inf, log, pi, sqrt

from scipy.special import log_ndtr, ndtr, ndtri_exp


def upper_quantile(ln_chance: float) -> float:
    """z with ln P(Z > z) = `ln_chance`, for a standard normal Z; `ln_chance` is below 0."""
    return -float(ndtri_exp(ln_chance))


def ln_upper(z: float) -> float:
    """ln P(Z > z) of a standard normal Z."""
    return float(log_ndtr(-z))


def squared_mean(nats: float) -> float:
    """J(1/N): the mean of |E[e | T]|^2 is at most this times s^2, with N = exp(nats) transcripts.

    J(p) = (phi(z_p) / p)^2.  p J(p) is concave on (0, 1/2], and below its tangent at 1/2 beyond,
    which ends at (1, 0); so N equal shares are the most that N >= 2 transcripts allow.  A single
    transcript gains nothing.
    """
    if nats < log(2.0) * (1.0 - 1e-12):
        return 0.0 if nats <= 0.0 else squared_mean(log(2.0))
    z = upper_quantile(-nats)
    return exp(2.0 * (nats - z * z / 2.0 - log(2.0 * pi) / 2.0))


def largest_exceeded(nats: float, delta: float) -> float:
    """What the largest of N standard normal numbers exceeds with a probability of at most delta.

    isf(delta / N), whatever their correlations; 0 if delta / N is 1/2 or more.
    """
    return max(0.0, upper_quantile(log(delta) - nats)) if log(delta) < nats else 0.0


@lru_cache(maxsize=4096)
def log_concave_quantile(distance: float) -> float:
    """z with P(X > distance) <= P(Z > z), for X more log-concave than a standard normal Z.

    X has mean 0, and minus the logarithm of its density has a second derivative of at least 1.

    Notes
    -----
    X = T(Z) for an increasing T with a slope of at most 1 (Caffarelli).  With T(z) = distance,
    T >= distance - (z - Z) below z and >= distance above, so that
    0 = E T(Z) >= distance - E (z - Z)_+ : z Phi(z) + phi(z) >= distance.  The function on the left
    rises.
    """
    if distance <= 0.0:
        return -inf
    low, high = -10.0, max(1.0, distance)
    for _ in range(60):
        middle = (low + high) / 2.0
        density = exp(-middle * middle / 2.0) / sqrt(2.0 * pi)
        enough = middle * float(ndtr(middle)) + density >= distance
        low, high = (low, middle) if enough else (middle, high)
    return low
