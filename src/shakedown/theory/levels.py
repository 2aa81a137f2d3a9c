r"""Level-aware bounds: what a board's transcripts can gain, given how improbable deep levels are.

The noise e of n rows is uniform on a sphere of d dimensions with the squared radius n sigma^2.
Against a fixed direction, a file of risk B has |e - v|^2 = n B, which takes a cosine of at least
sqrt(1 - B / sigma^2): it is a matter of luck, and of how many files are tried.  So deep levels are
improbable, and the many transcripts that end there gain little on average.

`Sphere` bounds the gain for radii in an interval, and `suprema.supremum` finds the worst radius:
an honest file's strength is not known.  Derivations are in ``docs/proofs/squared_error.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import exp, inf, log, log1p

import numpy as np

from shakedown.theory.caps import LEAST, ln_share, mean_cosine_squared
from shakedown.theory.transcripts import Transcripts

#: Mass that counts as if its transcripts told everything.
_NEGLIGIBLE = 1e-13


@dataclass(frozen=True)
class Sphere:
    """Noise on a sphere, and a board that is asked about it.

    Attributes
    ----------
    told : Transcripts
        The board, with risks as mean squared errors.
    dimension : int
        d, at least 3.
    """

    told: Transcripts
    dimension: int

    def __post_init__(self) -> None:
        if self.dimension < LEAST:
            raise ValueError(f"a sphere of {LEAST} dimensions or more is needed.")

    def mean(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """Upper bounds of the mean gain for sigma^2 in intervals; arrays of shape (m,).

        sigma^2 max sum_j P_j A^2(P_j / M_j) over the shares P_j that end at level j, where M_j
        transcripts do, with sum_{i > j} P_i <= eps_j.

        Notes
        -----
        M F(P / M) with F(p) = p A(p)^2 concave: so the best P has a density P_j / M_j that never
        rises with j, and falls only where a tail is used up.  The sums of P against the sums of M
        are the least concave majorant of the points (M_0 + ... + M_j, 1 - eps_j), whatever F is.
        """
        beyond = self._beyond(low)
        masses, densities, cells = [], [], []
        leftover = np.zeros(len(high))
        for cell, tails in enumerate(beyond):
            pools, leftover[cell] = pooled(tails, ending(self.told.up_to))
            for mass, ln_number in pools:
                masses.append(mass)
                densities.append(np.log(mass) - ln_number)
                cells.append(cell)
        shares = np.array(masses) * mean_cosine_squared(np.array(densities), self.dimension)
        sums = np.bincount(cells, weights=shares, minlength=len(high))
        return high * np.minimum(sums + leftover, 1.0)

    def chance(self, low: np.ndarray, high: np.ndarray, cosine_squared: np.ndarray) -> np.ndarray:
        """Upper bounds of the chance that the final file's cosine reaches a number; shape (m,).

        Either the last level is at most j, and one of the files of so many transcripts has such a
        cosine, or it is beyond: min_j of exp(up_to_j) cap + eps_j.
        """
        cap = ln_share(cosine_squared, self.dimension)
        up_to = np.array(self.told.up_to or (self.told.nats,))
        reached = np.exp(np.minimum(cap[:, None] + up_to, 1.0))  # (m, L + 1); all above 1 alike
        beyond = np.pad(self._beyond(low), ((0, 0), (0, 1)))
        return np.minimum((reached + beyond).min(axis=1), 1.0)

    def _beyond(self, squares: np.ndarray) -> np.ndarray:
        """eps_j: the chance that the last level is beyond j, at most; shape (m, L)."""
        if not self.told.up_to:
            return np.zeros((len(squares), 0))
        risks, files = np.array(self.told.risks), np.array(self.told.files)
        with np.errstate(divide="ignore", invalid="ignore"):
            cosines = 1.0 - risks / squares[:, None]  # of a level that is reached anyway, below 0
        cosines = np.where(risks >= squares[:, None], -1.0, cosines)
        tails = np.exp(np.minimum(ln_share(cosines, self.dimension) + files, 0.0))
        return np.minimum.accumulate(tails, axis=1)


def pooled(tails: np.ndarray, ending: np.ndarray) -> tuple[list[tuple[float, float]], float]:
    """Pools of levels with their mass and ln of their transcripts, and the mass that is left out.

    Adjacent violators are pooled: densities of a later level that are larger than before.
    """
    pools: list[tuple[float, float]] = []
    before = 1.0
    for level, ln_number in enumerate(ending):
        after = float(tails[level]) if level < len(tails) else 0.0
        pool = before - after, float(ln_number)
        while pools and _density(pool) >= _density(pools[-1]):
            mass, number = pools.pop()
            more = max(number, pool[1]) + log1p(exp(-abs(number - pool[1])))
            pool = mass + pool[0], more
        pools.append(pool)
        before = after
        if after <= _NEGLIGIBLE:
            break
    return [pool for pool in pools if pool[0] > 0.0], before


def _density(pool: tuple[float, float]) -> float:
    """ln of the mass for each transcript."""
    return log(pool[0]) - pool[1] if pool[0] > 0.0 else -inf


@lru_cache(maxsize=256)
def ending(up_to: tuple[float, ...]) -> np.ndarray:
    """ln of the number of transcripts that end at each level; at least 1, shape (L + 1,)."""
    ln = np.array(up_to)
    with np.errstate(divide="ignore"):
        more = ln[1:] + np.log(-np.expm1(ln[:-1] - ln[1:]))
    return np.append(ln[:1], more)
