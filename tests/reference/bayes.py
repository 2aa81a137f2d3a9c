"""The exact posterior probability behind the Bayesian bootstrap of a mean loss."""

from __future__ import annotations

import numpy as np
from scipy.integrate import quad


def prob_better_mean_loss(d):
    r"""P(sum_i w_i d_i < 0) under Dirichlet(1, ..., 1) weights, without drawing any.

    Parameters
    ----------
    d : array_like of float, shape (n,)
        Loss of the new submission minus loss of the best, row by row.

    Returns
    -------
    float
        Absolute error below about 1e-10.

    Notes
    -----
    Dirichlet weights are independent standard exponentials :math:`E_i` over their sum, so only
    the sign of :math:`S = \sum_i d_i E_i` matters.  Its characteristic function is
    :math:`\prod_i (1 - i t d_i)^{-1}`, with modulus :math:`\prod_i (1 + t^2 d_i^2)^{-1/2}` and
    argument :math:`\sum_i \arctan(t d_i)`.  Gil-Pelaez (1951), as in Imhof (1961):

    .. math:: P(S < 0) = \frac12 - \frac1\pi \int_0^\infty \frac{\sin \arg(t)}{t} |\phi(t)| dt
    """
    d = np.asarray(d, dtype=float)
    d = d[d != 0]
    if np.all(d > 0):  # also when all differences are zero: equal is not better
        return 0.0
    if np.all(d < 0):
        return 1.0
    d = d / np.sqrt(np.sum(d**2))  # the sign of S knows no scale

    def modulus(t):
        return np.exp(-0.5 * np.sum(np.log1p((t * d) ** 2)))

    def integrand(t):
        if t == 0:
            return np.sum(d)  # the limit
        return np.sin(np.sum(np.arctan(t * d))) * modulus(t) / t

    # Intervals that double: each holds few oscillations, and the modulus falls at least like 1/t,
    # so what is left out beyond `upper` is smaller than modulus(upper).
    integral, lower, upper = 0.0, 0.0, 1.0
    while modulus(lower) > 1e-12:
        part, _ = quad(integrand, lower, upper, epsabs=1e-13, epsrel=1e-11, limit=500)
        integral += part
        lower, upper = upper, 2 * upper
    return 0.5 - integral / np.pi
