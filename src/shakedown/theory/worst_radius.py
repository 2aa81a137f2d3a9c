r"""Gains from transcripts on spheres, for the worst strength of the honest file.

`levels.Sphere` bounds the gain for a known length of the noise.  Here the length is that of normal
noise, or what a standardised response leaves of it once the part along the honest file is given
away.  "Mean" bounds the expected gain, "chance" the probability that the gain exceeds a number.
Derivations are in ``docs/proofs/squared_error.md``.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, sqrt

import numpy as np
from scipy.special import chdtri

from shakedown.theory.caps import mean_cosine_squared
from shakedown.theory.halfspaces import ln_upper, log_concave_quantile
from shakedown.theory.levels import Sphere
from shakedown.theory.suprema import supremum
from shakedown.theory.transcripts import Transcripts

#: Share of a chance, or of the variance, that is left to noise of an extreme length.
_EXTREME, _EXTREME_MEAN = 0.01, 1e-6
#: Steps of the part that is given away.
_STEPS = 16
#: Fewest rows for which standardised responses are put on a sphere.
LEAST_ROWS = 10


@lru_cache(maxsize=4096)
def normal_mean(
    told: Transcripts, rows: int, variance: float, enough: float | None = None
) -> float:
    """The mean gain in squared error, at most, for noise N(0, s^2) with s^2 up to `variance`.

    Parameters
    ----------
    told : Transcripts
        With levels.
    rows : int
        n, at least 3.
    variance : float
    enough : float, optional
        Below it, the result may be larger than it could be: see `suprema.supremum`.

    Notes
    -----
    Given its length e is uniform on a sphere.  sup over sigma^2 <= c s^2 of `Sphere.mean`, and
    beyond it the whole square, s^2 P(chi^2_{n + 2} > c n), which is 1e-6 s^2.
    """
    top = variance * float(chdtri(rows + 2, _EXTREME_MEAN)) / rows
    rest = variance * _EXTREME_MEAN
    least = enough if enough is None else enough - rest
    return rest + supremum(Sphere(told, rows).mean, _lowest(told, top), top, enough=least)


@lru_cache(maxsize=4096)
def normal_chance(
    told: Transcripts,
    rows: int,
    variance: float,
    gain: float,
    root: bool = False,
    enough: float | None = None,
) -> float:
    """The chance of a larger gain, at most, for noise N(0, s^2) with s^2 up to `variance`.

    Parameters
    ----------
    told : Transcripts
        With or without levels; risks are mean squared errors, also with `root`.
    rows : int
        n, at least 3.
    variance : float
    gain : float
        Above 0: of squared error, or with `root` of its root.
    root : bool
    enough : float
        The chance that is to be kept; a hundredth of it is left to lengths that are exceeded with
        that probability.
    """
    spare = _EXTREME * (0.01 if enough is None else enough)
    top = variance * float(chdtri(rows, spare)) / rows
    most = enough if enough is None else enough - spare
    return spare + _chance(told, rows, rows, gain, root, 0.0, top, most)


@lru_cache(maxsize=4096)
def standardised_mean(told: Transcripts, rows: int, enough: float | None = None) -> float:
    """The mean gain in squared error, at most, for a standardised response and any model.

    Parameters
    ----------
    told : Transcripts
    rows : int
        n, at least `LEAST_ROWS`.
    enough : float, optional
        As in `normal_mean`.

    Notes
    -----
    The part a of the response along the honest file is given away: Var a <= n s^2 / (n - 1) <= 1.
    The rest is uniform on a sphere of n - 2 dimensions, with the square b^2 = n sigma^2 and
    E b^2 = n s^2 - Var a.  So the gain is at most (1 - A^2) / n + A^2 (n - 1) / n for the squared
    mean cosine A^2 of equal shares.  By level it is at most Var a / n + E Psi(sigma^2) with
    Psi(sigma^2) = `Sphere.mean` <= its least concave majorant; and Var a / n is at most
    E sigma^2 / (n - 2).  So it is at most the supremum of Psi(sigma^2) + sigma^2 / (n - 2), over
    sigma^2 <= (n - 1) / n.
    """
    share = float(mean_cosine_squared(np.array([-max(told.nats, 0.0)]), rows - 2)[0])
    counted = (1.0 - share) / rows + share * (rows - 1.0) / rows
    if not told.up_to or (enough is not None and counted <= enough):
        return counted
    sphere, top = Sphere(told, rows - 2), (rows - 1.0) / rows

    def upper(low: np.ndarray, high: np.ndarray) -> np.ndarray:
        return sphere.mean(low, high) + high / (rows - 2.0)

    return min(counted, supremum(upper, _lowest(told, top), top, enough=enough))


@lru_cache(maxsize=4096)
def standardised_chance(
    told: Transcripts, rows: int, gain: float, root: bool = False, enough: float | None = None
) -> float:
    """The chance of a larger gain, at most, for a standardised response and any model.

    Parameters are those of `normal_chance`; rows are at least `LEAST_ROWS`.

    Notes
    -----
    Two bounds hold.

    - In each direction the noise is more log-concave than a normal number of variance
      (n - 1)/(n - 4), so a fixed file gains more than d with a probability of at most Q(z), see
      `halfspaces.log_concave_quantile`; N files have N times the chance.
    - Given the part a along the honest file f, a file has to gain d - (a - |f|)^2 / n from the
      rest, which is uniform on a sphere.  The chance of that rises with x = |a - |f||, which is
      beyond x with a probability of at most 2 Q(z) for x sqrt((n - 4)/(n - 1)).
    """
    narrow = sqrt((rows - 4.0) / (rows - 1.0))
    counted = 1.0
    if not root:
        z = log_concave_quantile(sqrt(rows * gain) * narrow)
        counted = exp(min(0.0, told.nats + ln_upper(z)))
    if enough is not None and counted <= enough:
        return counted
    largest = sqrt(rows) * gain if root else sqrt(rows * gain)
    ends = np.linspace(0.0, largest, _STEPS + 1)
    beyond = [1.0] + [min(1.0, 2.0 * exp(ln_upper(log_concave_quantile(x * narrow))))
                      for x in ends[1:]]  # fmt: skip
    top, total, before = (rows - 1.0) / rows, 0.0, 0.0
    for step, x in enumerate(ends[1:]):
        if step == _STEPS - 1:
            chance = 1.0
        else:
            chance = max(before, _chance(told, rows, rows - 2, gain, root, x, top, None))
        total += (chance - before) * beyond[step]
        before = chance
        if chance >= 1.0 or (enough is not None and total > enough):
            break
    return min(counted, total)


def _chance(
    told: Transcripts,
    rows: int,
    dimension: int,
    gain: float,
    root: bool,
    given: float,
    top: float,
    enough: float | None,
) -> float:
    """The chance of a larger gain with sigma^2 up to `top`, if `given` was gained for free.

    With sigma^2 = |rest|^2 / n and the square of the honest file sigma^2 + given^2 / n, a file that
    gains more leaves a square of the rest below sigma^2 - gain + given^2 / n, or with `root` below
    (sqrt(sigma^2 + given^2 / n) - gain)^2.
    """
    free = given * given / rows

    def cosine_squared(low: np.ndarray, high: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            if not root:
                return np.where(high > 0.0, (gain - free) / high, np.inf)
            left = np.maximum(np.sqrt(high + free) - gain, 0.0) ** 2
            # The share that is left rises with sigma if nothing is given.
            return 1.0 - np.where(left > 0.0, left / (low if free else high), 0.0)

    def upper(low: np.ndarray, high: np.ndarray) -> np.ndarray:
        return sphere.chance(low, high, cosine_squared(low, high))

    sphere = Sphere(told, dimension)
    # With less square there is not as much to gain.
    lowest = (gain * gain if root else gain) - free
    lowest = max(lowest * (1.0 - 1e-9), 1e-6 * top)
    return min(1.0, supremum(upper, lowest, top, enough=enough, tolerance=1e-2))


def _lowest(told: Transcripts, top: float) -> float:
    """Below it, every level is reached anyway, and there is less to gain than at it."""
    return min(max(told.risks[-1], 1e-3 * top), top)
