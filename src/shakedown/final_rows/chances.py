r"""Simulated challenges: does the best team win, who is tied with the first, do ranks agree?

A challenge draws the scores of all teams on the final rows (`teams`).  With the deviations Z of one
row's covariance, the best team b wins on n rows if for every other team j

    \theta_b + Z_b / sqrt n < \theta_j + Z_j / sqrt n,

so if sqrt n > (Z_b - Z_j) / (\theta_j - \theta_b).

So each simulated challenge has a number of rows from which on the best team wins, and P(best wins)
at any number of rows is a share of these numbers: it never falls as rows are added.

A team is tied with the first if the Bayes factor K of the bootstrap is at most 3 (`bayes_factor`).
Bootstrap differences of normal scores are normal around the observed one, so K <= 3 means that the
difference is within z(.75) = .674 of its standard error.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from scipy.stats import rankdata

from shakedown.final_rows.teams import Teams
from shakedown.ranking.bayes_factor import TIED

#: Simulated challenges: for P(best wins); for ties; for rank correlations.
CHALLENGES, FOR_TIES, FOR_RANKS = 20_000, 4_000, 1_000
#: More rows than this are as good as none: nobody has them.
MOST_ROWS = 1_000_000_000
#: Scores of copies differ by rounding, in units of the largest spread of a difference.
ROUNDING = 1e-9


class Challenges:
    """Simulated challenges of some teams.

    Parameters
    ----------
    worlds : sequence of Teams
        Equally likely; each has its share of the challenges.
    rng : numpy.random.Generator
    tied : float
        The largest K of a tie.
    """

    def __init__(
        self, worlds: Sequence[Teams], *, rng: np.random.Generator, tied: float = TIED
    ) -> None:
        self._worlds = worlds
        self._reach = NormalDist().inv_cdf(tied / (1.0 + tied))
        self._final: list[np.ndarray] = []
        self._public: list[np.ndarray] = []
        wins_from = []
        for teams in worlds:
            root = root_of(teams.covariance)
            final = _drawn(root, CHALLENGES // len(worlds), rng)
            wins_from.append(_wins_from(teams, final))
            self._final.append(final[: FOR_TIES // len(worlds)])
            self._public.append(_drawn(root, FOR_RANKS // len(worlds), rng))
        #: From how many rows on the best team wins, in each challenge, in rising order.
        self.wins_from = np.sort(np.concatenate(wins_from))

    def wins(self, rows: int) -> float:
        """P(best wins) with so many final rows."""
        return float(np.searchsorted(self.wins_from, rows, side="right") / len(self.wins_from))

    def rows_for(self, chance: float) -> int | None:
        """The fewest final rows with which the best team wins with this chance.

        None if no number of rows up to `MOST_ROWS` does: some teams are equally good, or nearly.
        """
        at = int(np.ceil(chance * len(self.wins_from) - 1e-9)) - 1
        rows = self.wins_from[max(at, 0)]
        return max(1, int(np.ceil(rows))) if rows <= MOST_ROWS else None

    def ties(self, rows: int) -> tuple[float, float]:
        """P(the truly best is tied with the first), and the mean number of tied teams."""
        among, sizes = [], []
        for teams, deviations in zip(self._worlds, self._final, strict=True):
            risks = teams.risks + deviations / np.sqrt(rows)
            first = risks.argmin(axis=1)
            behind = risks - risks.min(axis=1, keepdims=True)
            room = self._reach * teams.differences[first] + ROUNDING * teams.differences.max()
            is_tied = behind <= room / np.sqrt(rows)
            among.append(is_tied[:, teams.risks.argmin()])
            sizes.append(is_tied.sum(axis=1))
        return float(np.concatenate(among).mean()), float(np.concatenate(sizes).mean())

    def agreement(self, public: Sequence[int], final: Sequence[int]) -> np.ndarray:
        """Mean rank correlations of public and final scores, shape (public, final)."""
        total = np.zeros((len(public), len(final)))
        for teams, of_public, of_final in zip(self._worlds, self._public, self._final, strict=True):
            sides = [
                [_ranks(teams.risks + z[: len(of_public)] / np.sqrt(n)) for n in sizes]
                for z, sizes in ((of_public, public), (of_final, final))
            ]
            total += np.einsum("pst,fst->pf", *map(np.array, sides)) / len(of_public)
        return total / len(self._worlds)


def root_of(covariance: np.ndarray) -> np.ndarray:
    """A matrix R with R'R = C, shape (m, m)."""
    values, vectors = np.linalg.eigh(covariance)
    return np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T


def _drawn(root: np.ndarray, number: int, rng: np.random.Generator) -> np.ndarray:
    """Deviations of scores on one row, in the direction of risks or not: they are symmetric."""
    return rng.standard_normal((number, len(root))) @ root


def _wins_from(teams: Teams, deviations: np.ndarray) -> np.ndarray:
    """From how many rows on the best team wins, in each challenge."""
    risks, best = teams.risks, int(teams.risks.argmin())
    # A copy of the best file is as good as it.
    others = np.flatnonzero((teams.differences[best] > 0.0) | (risks > risks[best]))
    gaps = risks[others] - risks[best]
    ahead = deviations[:, [best]] - deviations[:, others]  # it wins if gap sqrt n > ahead
    equal = gaps <= 0.0
    needed = (ahead[:, ~equal] / gaps[~equal]).max(axis=1, initial=0.0) ** 2
    never = (ahead[:, equal] > 0.0).any(axis=1)
    return np.where(never, np.inf, needed)


def _ranks(risks: np.ndarray) -> np.ndarray:
    """Standardised ranks, shape (challenges, m): products of two sum to their correlation.

    That of equal ranks is 0.
    """
    ranks = rankdata(risks, axis=1)
    ranks -= ranks.mean(axis=1, keepdims=True)
    length = np.sqrt((ranks**2).sum(axis=1, keepdims=True))
    return np.divide(ranks, length, out=np.zeros_like(ranks), where=length > 0.0)
