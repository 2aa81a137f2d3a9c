r"""How much an attacker can gain in Pearson's correlation, with any honest model or none.

A correlation is the cosine <p, y> of two directions in n - 1 dimensions.  Given all that the
participant knows, y is von Mises-Fisher around the honest file mu, with the mean correlation rho,
or uniform.  In each direction its noise is at least as log-concave as a normal number of variance
s^2 = 1/(n - 4).  Nobody knows rho: a level that the honest file reaches anyway is no luck, so what
levels are worth is bounded for every rho.  Derivations are in
``docs/proofs/other_metrics.md``.

Risks are correlations with a minus sign: a board begins at 0 and ends at -1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import exp, inf, log, pi, sqrt
from typing import ClassVar

import numpy as np
from scipy.special import log_ndtr

from shakedown.leaderboard.degrees import LENGTH, charged_correlation
from shakedown.theory.caps import mean_cosine_squared
from shakedown.theory.checks import checked
from shakedown.theory.gains import GainBound
from shakedown.theory.halfspaces import log_concave_quantile, squared_mean, upper_quantile
from shakedown.theory.levels import ending, pooled
from shakedown.theory.searches import boundary, most_nats
from shakedown.theory.transcripts import Transcripts
from shakedown.theory.worst_radius import LEAST_ROWS

#: Points of an integral over the luck of the honest file, and how many deviations it covers.
_POINTS, _DEVIATIONS = 401, 12.0


@dataclass(frozen=True)
class StandardisedCorrelation(GainBound):
    """Pearson's correlation.

    The gain counts from the public score of the honest file, or from that of a constant, 0, if this
    is better: an honest file with no skill is no baseline.

    Notes
    -----
    Of N transcripts: E gain <= s N phi(z) with Q(z) = 1/N, as in each direction an event of
    probability p can move the mean of <p, y> by no more than s phi(z_p) / p, and phi(z_p) is
    concave.  Of a noisy board's I nats: s sqrt(2 I).
    """

    conditions: ClassVar[str] = (
        "Given all that the participant knows, the public responses are independent and Gaussian, "
        "with the same variance; there are at least 10."
    )

    def mean(self, nats: float, rows: int) -> float:
        checked("amount", nats=nats)
        checked("count", rows=rows)
        return min(_deviation(rows) * sqrt(2.0 * nats), 1.0) if rows >= LEAST_ROWS else 1.0

    def high(self, nats: float, rows: int, delta: float = 0.05) -> float:
        return self.counted(Transcripts(nats), rows, delta)

    def budget(self, gain: float, rows: int, delta: float | None = None) -> float:
        checked("constant", gain=gain)
        checked("count", rows=rows)
        if rows < LEAST_ROWS:
            return inf if gain >= 1.0 else 0.0
        if delta is None:
            return (gain / _deviation(rows)) ** 2 / 2.0 if gain < 1.0 else inf
        checked("chance", delta=delta)
        if chance(Transcripts(0.0), rows, gain) > delta:
            return -1.0
        return most_nats(lambda nats: chance(Transcripts(nats), rows, gain) <= delta, 0.0)

    def counted(self, told: Transcripts, rows: int, delta: float | None = None) -> float:
        checked("amount", nats=told.nats)
        checked("count", rows=rows)
        if rows < LEAST_ROWS:
            return 1.0
        if delta is None:
            return mean_gain(told, rows)
        checked("chance", delta=delta)
        return boundary(lambda gain: chance(told, rows, gain) <= delta, 0.0, 1.0, 1e-4)

    def charged(self, degrees: float, rows: int, delta: float | None = None) -> float:
        return charged_correlation(degrees + LENGTH, rows, delta)

    def keeps(self, told, rows, gain, delta=None) -> bool:
        if delta is None or not isinstance(told, Transcripts) or rows < LEAST_ROWS:
            return super().keeps(told, rows, gain, delta)
        return chance(told, rows, gain) <= delta

    def count_budget(self, gain: float, rows: int, delta: float | None = None) -> float:
        least = self.budget(gain, rows, delta)
        if delta is not None or rows < LEAST_ROWS or least == inf:
            return least
        return most_nats(lambda nats: _of_counts(nats, rows) <= gain, least)


def mean_gain(told: Transcripts, rows: int) -> float:
    """The mean gain is at most this, whatever the strength of the honest file; from 10 rows.

    Notes
    -----
    The smaller of two bounds for each rho, and the largest of these.

    1. Direct: s max sum_j M_j phi(z) with Q(z) = P_j / M_j, over the shares P_j that end at level
       j, with sum_{i > j} P_i <= eps_j(rho); see `levels`.  It rises with rho.
    2. The luck a of the honest file given away: E sqrt(a^2 + (1 - a^2) A^2(1/K)) - rho, where K
       transcripts end up to a level, and twice the chance of being beyond it.  The first part falls
       with rho.
    """
    direct = min(_of_counts(told.nats, rows), 1.0)
    up_to = np.array(told.up_to or (told.nats,))
    beyond = np.pad(_beyond(told, rows), ((0, 0), (0, 1)))
    given_away = _with_luck_given_away(tuple(mean_cosine_squared(-up_to, rows - 2)), rows)
    worst = 0.0
    for tails, spoilt in zip(beyond, given_away, strict=True):
        pools, left = pooled(tails[:-1], ending(told.up_to)) if told.up_to else ([], 1.0)
        by_level = _deviation(rows) * sum(
            exp(number + _ln_density_at(log(mass) - number)) for mass, number in pools
        )
        worst = max(worst, min(direct, by_level + 2.0 * left, float((spoilt + 2.0 * tails).min())))
    return worst


def chance(told: Transcripts, rows: int, gain: float) -> float:
    """The chance of a gain is at most this, whatever the strength of the honest file.

    Notes
    -----
    A fixed file p with <p, mu> = 1 - q gains so much only if <p - mu, y> and <p, y> do.  The means
    are -rho q and rho (1 - q), the deviations of the noise s sqrt(2 q) and s.  For q <= 1, so does
    their mean with the weights 1 - q and q, the product with p - (1 - q) mu, which has the mean 0
    and the deviation s sqrt(q (2 - q)).  Either one of K_j files gains so much, or the last level
    is beyond j.
    """
    if gain >= 1.0:
        return 0.0
    ln_file = _ln_tail(_fewest_deviations(gain, strengths(rows)) / _deviation(rows))
    up_to = np.array(told.up_to or (told.nats,))
    reached = np.exp(np.minimum(ln_file[:, None] + up_to, 1.0))
    beyond = np.pad(_beyond(told, rows), ((0, 0), (0, 1)))
    return min(float((reached + beyond).min(axis=1).max()), 1.0)


def _deviation(rows: int) -> float:
    """s: of the noise in a direction."""
    return 1.0 / sqrt(rows - 4.0)


def _of_counts(nats: float, rows: int) -> float:
    return _deviation(rows) * sqrt(squared_mean(nats))


def _fewest_deviations(gain: float, rho: np.ndarray) -> np.ndarray:
    """The least of the larger of two numbers of deviations over q, for each rho, in units of s.

    They are a(q) = (gain + rho q) / sqrt(2 q), and b(q) = gain / sqrt(q (2 - q)) up to q = 1, then
    gain + rho (q - 1).  All of it rises with rho.

    Notes
    -----
    a falls up to q = gain / rho and rises then; b falls up to q = 1 and rises then.  So the least
    lies between these two, where a and b cross or at an end.
    """
    with np.errstate(divide="ignore"):
        turn = np.minimum(gain / rho, 2.0)
    low, high = np.minimum(turn, 1.0), np.maximum(turn, 1.0)
    first_rises = turn < 1.0  # from `low` to `high`, where the other one falls

    def rising_and_falling(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        a, within = (gain + rho * q) / np.sqrt(2.0 * q), np.minimum(q, 1.0)
        b = np.where(q < 1.0, gain / np.sqrt(within * (2.0 - within)), gain + rho * (q - 1.0))
        return np.where(first_rises, a, b), np.where(first_rises, b, a)

    for _ in range(60):
        middle = (low + high) / 2.0
        rising, falling = rising_and_falling(middle)
        low, high = np.where(rising < falling, (middle, high), (low, middle))
    ends = [np.maximum(*rising_and_falling(end)) for end in (low, high)]
    return np.minimum(*ends) * (1.0 - 1e-9)  # not more than where they cross


def strengths(rows: int) -> np.ndarray:
    """The strengths rho of an honest file; between two, a bound is taken at the worse ends."""
    step = float(np.clip(_deviation(rows) / 4.0, 0.002, 0.01))
    return np.append(np.arange(0.0, 0.5 - step / 2.0, step), np.arange(0.5, 0.99, 0.05))


def _beyond(told: Transcripts, rows: int) -> np.ndarray:
    """eps_j, the chance that the last level is beyond j, for rho up to the next strength.

    Shape (m, L).  The mean correlation of a fixed file is at most rho.
    """
    highest = np.append(strengths(rows)[1:], 1.0)
    if not told.up_to:
        return np.zeros((len(highest), 0))
    levels = -np.array(told.risks)
    ln_file = _ln_tail((levels - highest[:, None]) / _deviation(rows))
    return np.minimum.accumulate(np.exp(np.minimum(ln_file + np.array(told.files), 0.0)), axis=1)


def _ln_tail(deviations: np.ndarray) -> np.ndarray:
    """ln of the chance of so many deviations above the mean; 0 for none."""
    z = np.array([log_concave_quantile(float(x)) for x in deviations.ravel()])
    return log_ndtr(-z).reshape(deviations.shape)


@lru_cache(maxsize=512)
def _ln_density_at(ln_chance: float) -> float:
    """ln phi(z) with ln Q(z) = `ln_chance`."""
    if ln_chance >= 0.0:
        return -inf
    z = upper_quantile(ln_chance)
    return -z * z / 2.0 - log(2.0 * pi) / 2.0


@lru_cache(maxsize=256)
def _with_luck_given_away(squares: tuple[float, ...], rows: int) -> np.ndarray:
    """E sqrt(a^2 + (1 - a^2) A^2) - rho for each strength and A^2; shape (m, len(squares)).

    The likelihood ratio of a for two concentrations is monotone, and sqrt(a^2 + (1 - a^2) A^2) - a
    falls with a: so the mean of it falls with the concentration, and with rho.
    """
    square = np.array(squares)
    means = np.empty((len(strengths(rows)), len(squares)))
    for k, rho in enumerate(strengths(rows)):
        a, weight = _luck(rho, rows)
        kept = np.sqrt(a[:, None] ** 2 + (1.0 - a[:, None] ** 2) * square)
        means[k] = weight @ kept - weight @ a
    return means


def _luck(rho: float, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Correlations of an honest file whose mean one is at most rho, and their weights.

    The density exp(kappa a) (1 - a^2)^((d - 3)/2) of d = n - 1 dimensions has a mean of at most
    rho at kappa = (d - 1) rho / (1 - rho^2) (Amos 1974).
    """
    d = rows - 1.0
    kappa = (d - 1.0) * rho / (1.0 - rho * rho)
    power = (d - 3.0) / 2.0
    mode = (sqrt(power * power + kappa * kappa) - power) / kappa if kappa else 0.0
    reach = _DEVIATIONS / sqrt(d)
    a = np.linspace(max(mode - reach, -1.0), min(mode + reach, 1.0), _POINTS + 2)[1:-1]
    ln = kappa * a + power * np.log1p(-a * a)
    weight = np.exp(ln - ln.max())
    return a, weight / weight.sum()
