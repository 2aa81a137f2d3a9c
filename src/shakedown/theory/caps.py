r"""Caps of a sphere: their share of it, and how far a set of a given share can point one way.

A cap of the unit sphere in d dimensions holds the directions u with <u, v> >= c for a unit vector
v.  Among all sets of a share p, the cap has the longest mean direction: its length is the mean
cosine A(p).  Derivations are in ``docs/proofs/squared_error.md``.
"""

from __future__ import annotations

import numpy as np
from scipy.special import betainc, betaincinv, gammaln

#: Logarithms of shares below it are bounded in closed form: floating point ends at exp(-745).
_SMALLEST = -600.0
#: Fewest dimensions for which the functions are meant.
LEAST = 3


def ln_share(cosine_squared: np.ndarray, dimension: int) -> np.ndarray:
    """ln of the share of a sphere in a cap, or an upper bound of it.

    Parameters
    ----------
    cosine_squared : ndarray
        c^2 for c >= 0.  At 1 or more, the cap is empty; below 0, it counts as the whole sphere.
    dimension : int
        d, at least 3.

    Returns
    -------
    ndarray
        ln(I_x((d - 1)/2, 1/2) / 2) with x = 1 - c^2; shares below exp(-600) are replaced by the
        larger x^((d - 1)/2) / 2.
    """
    left = np.clip(1.0 - np.asarray(cosine_squared, float), 0.0, 1.0)
    power = (dimension - 1) / 2.0
    with np.errstate(divide="ignore"):
        ln = np.log(betainc(power, 0.5, left) / 2.0)
        # I_x(a, 1/2) <= I_x(a, 1) = x^a: a beta variable grows as its second parameter falls.
        ln = np.where(ln < _SMALLEST, power * np.log(left) - np.log(2.0), ln)
    return np.where(np.asarray(cosine_squared) < 0.0, 0.0, ln)


def mean_cosine_squared(ln_shares: np.ndarray, dimension: int) -> np.ndarray:
    """A(p)^2 for shares up to 1/2, and beyond, what makes p A(p)^2 concave.

    Parameters
    ----------
    ln_shares : ndarray
        ln p, at most 0.
    dimension : int
        d, at least 3.

    Returns
    -------
    ndarray
        p A(p) is the integral of the cosine over the cap, c_d x^((d - 1)/2) / (d - 1).  For shares
        above 1/2 it is A(1/2)^2 (1 - p) / p: the tangent of p A(p)^2 at 1/2, which ends at (1, 0).
        For shares below exp(-600) it is 1 - p^(2 / (d - 1)), which is larger.
    """
    ln = np.asarray(ln_shares, float)
    power = (dimension - 1) / 2.0
    ln_density = gammaln(dimension / 2.0) - gammaln(power) - np.log(np.pi) / 2.0  # ln c_d
    inner = np.clip(ln, _SMALLEST, -np.log(2.0))
    left = betaincinv(power, 0.5, np.minimum(2.0 * np.exp(inner), 1.0))
    with np.errstate(divide="ignore"):
        cap = np.exp(2.0 * (ln_density + power * np.log(left) - np.log(dimension - 1.0) - inner))
    half = np.exp(2.0 * (ln_density - np.log(dimension - 1.0) + np.log(2.0)))
    beyond = half * -np.expm1(np.minimum(ln, 0.0)) * np.exp(-np.maximum(ln, -1.0))
    small = -np.expm1(2.0 * ln / (dimension - 1.0))
    return np.where(ln > -np.log(2.0), beyond, np.where(ln < _SMALLEST, small, cap))
