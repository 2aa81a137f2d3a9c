"""What files cost on a meter: with noise, and with exact scores.

The files are given by what their scores measure, u, shape (m, n), as `responses.measured_by` has
it: the score of a file is linear in the response, rest - <y, u>.  If the rows of y vary normally by
at most c given all that a participant knows, answers with the noise sigma are worth

    D = sum_i c l_i / (sigma^2 + c l_i),   l_i the eigenvalues of U U',

degrees of freedom together (see `meter`), and exact scores as many as there are independent files.
D does not depend on the order of the files.  What each of them adds does.
"""

from __future__ import annotations

from math import inf, sqrt

import numpy as np

from shakedown.leaderboard.meter import Meter

#: With more files and more rows than this, eigenvalues take too long.
MOST = 2000


def spectrum(u: np.ndarray) -> np.ndarray:
    """The eigenvalues of U U' without those that are always 0; shape (min(m, n),)."""
    values = np.linalg.svd(u, compute_uv=False)
    smallest = values.max(initial=0.0) * max(u.shape) * np.finfo(float).eps
    return np.where(values > smallest, values, 0.0) ** 2


def degrees(eigenvalues: np.ndarray, sd: float, variance: float = 1.0) -> float:
    """Degrees of freedom of answers with noise of this standard deviation, above 0.

    Parameters
    ----------
    eigenvalues : ndarray, shape (k,)
        Of `spectrum`.
    sd : float
        In units of the score.
    variance : float
        c, the largest variance of a row's response given all that a participant knows.

    Examples
    --------
    Two files that have nothing in common, each with as much noise as signal:

    >>> degrees(spectrum(np.eye(2, 5)), 1.0)
    1.0
    """
    signal = variance * eigenvalues
    return float((signal / (sd * sd + signal)).sum())


def degrees_at_random(files: int, rows: int) -> float:
    """About what files of random numbers cost if each has as much noise as signal.

    Their cosines have the eigenvalues of Marchenko and Pastur.  With many rows each costs a half.

    Examples
    --------
    >>> round(degrees_at_random(40, 100_001), 3)
    19.998
    """
    free = rows - 1  # the mean of a file is worth nothing
    return files / 2.0 + free - sqrt(files * files / 4.0 + free * free)


def sd_within(eigenvalues: np.ndarray, budget: float, variance: float = 1.0) -> float:
    """The least noise with which answers cost no more than a budget, to six digits.

    0 if exact scores cost no more, infinite if the budget is 0 or less.
    """
    if budget <= 0.0:
        return inf
    if np.count_nonzero(eigenvalues) <= budget:
        return 0.0
    # D < c sum(l) / sigma^2.
    low, high = 0.0, sqrt(variance * float(eigenvalues.sum()) / budget)
    while high - low > 1e-6 * high:
        middle = (low + high) / 2.0
        if degrees(eigenvalues, middle, variance) > budget:
            low = middle
        else:
            high = middle
    return high


def independent(u: np.ndarray) -> int:
    """The number of linearly independent files: what exact scores cost, in degrees of freedom.

    Each file counts by its direction, whatever its size.
    """
    lengths = np.sqrt((u * u).sum(axis=1))
    used = u[lengths > 0.0] / lengths[lengths > 0.0, None]
    return int(np.linalg.matrix_rank(used)) if len(used) else 0


def prices(u: np.ndarray, sd: float, variance: float = 1.0) -> np.ndarray:
    """What each file adds to D, in the order in which they are answered; shape (m,)."""
    meter, costs = Meter(u.shape[1], variance), np.empty(len(u))
    for t, direction in enumerate(u):
        price = meter.price(direction)
        costs[t] = price.cost(sd)
        meter = meter.after(price, sd, price.mean)  # what is answered changes no price
    return costs


def first_within(costs: np.ndarray, budget: float) -> int:
    """How many files, from the first on, cost no more than a budget together."""
    spent = np.cumsum(costs)
    return int(np.searchsorted(spent, budget * (1.0 + 1e-12), side="right")) if budget > 0 else 0
