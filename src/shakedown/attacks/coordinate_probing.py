"""Coordinate probing, on boards that show the best score so far and demand a margin.

Heavy tails leave much of a response's variance in a few rows.  Each file changes one row, up or
down, on top of a share of what is known: it passes only if the response is far out in this row.
All other rows are refused, which costs nothing.  So the attacker goes through the rows:

- In the first pass nothing that is known is used up.  A file that is the mean but for one row can
  pass if the row alone explains the margin, |y_i| > sqrt(n margin); such a length is tried.
- Later passes hold back what is known, and ask less of a row, as level saving does.

What is known is a Gaussian posterior N(m, S) of the rows that are probed and of the product with an
honest file.  A row that passes is not taken for a normal variable: its variance is first set to
the square of the distance that it has passed.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shakedown.attacks.adversary import Holder
from shakedown.attacks.by_levels import (
    Forms,
    PreparedByLevels,
    Task,
    has_levels,
    held_back,
    lacks_of,
    rarity,
)
from shakedown.attacks.posterior import times
from shakedown.compiled import kernel
from shakedown.interface import ParticipantData
from shakedown.terms import Terms

#: Most rows that are probed: the posterior takes the square of it in memory.
MOST_ROWS = 2000
#: A row is asked again once the distance has fallen to this share.
NEARER = 0.97


class CoordinateProbing(Holder):
    """Coordinate probing."""

    name: ClassVar[str] = "coordinate_probing"
    label: ClassVar[str] = "Coordinate probing"
    phrase: ClassVar[str] = "coordinate probing"
    sentence: ClassVar[str] = (
        "Where a score must improve by a margin, changes one row at a time, up and down, and so "
        "finds the rows in which the response is far from what is known."
    )
    order: ClassVar[float] = 11.6

    @classmethod
    def learns_from(cls, terms: Terms) -> bool:
        return has_levels(terms)

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedCoordinateProbing:
        return PreparedCoordinateProbing(self, participant, model, rng)


class PreparedCoordinateProbing(PreparedByLevels):
    """The attack in one replicate."""

    def __init__(self, attack, participant, model, rng: np.random.Generator) -> None:
        super().__init__(attack, participant, model, rng)
        self.rows = rng.permutation(self.n)[: min(self.submissions, MOST_ROWS)]

    def _known(self) -> Rows:
        return Rows(self.rows, self.honest, self.residual)


class Rows:
    """A posterior of some rows, and files that change one; see `by_levels.Knowledge`.

    Parameters
    ----------
    rows : ndarray of int, shape (r,)
        The rows that are probed, in this order.
    honest : ndarray, shape (n,)
    residual : float
        Variance of the response about the honest file.
    """

    def __init__(self, rows: np.ndarray, honest: np.ndarray, residual: float) -> None:
        rest = honest.copy()
        rest[rows] = 0.0
        length = np.sqrt(rest @ rest)
        self._rows, self._rest = rows, rest / length if length > 0.0 else rest
        # A coordinate for each row, and one for the rest of the honest file.
        self.m = np.append(honest[rows], length)
        self.S = residual * np.eye(len(self.m))
        self.c, self._Sc = np.empty(len(self.m)), np.empty(len(self.m))
        self._alone, self._residual = None, residual
        #: How far out a row was asked to be, up and down, when it was refused.
        self._refused = np.full((len(rows), 2), np.inf)
        self._found = np.zeros(len(rows), bool)
        self._turn, self._distance = 0, np.inf

    def file(self, coordinates: np.ndarray) -> np.ndarray:
        out = coordinates[-1] * self._rest
        out[self._rows] = coordinates[:-1]
        return out

    def next(self, t: int, task: Task) -> bool:
        if self._alone is None:
            self._alone = np.sqrt(max(lacks_of(task), 0.0))
        first = self._turn < self._refused.size
        distance = self._alone if first else planned(self.m, task, self._residual)
        for _ in range(self._refused.size):
            row, side = divmod(self._turn % self._refused.size, 2)
            self._turn += 1
            if distance < NEARER * self._refused[row, side]:
                self._distance = ask(self.m, self.S, row, 1.0 - 2.0 * side, distance, task, self.c)
                return True
        return False

    def spread(self) -> np.ndarray:
        times(self.S, self.c, self._Sc)
        return self._Sc

    @property
    def _asked(self) -> tuple[int, int]:
        return divmod((self._turn - 1) % self._refused.size, 2)

    def passes(self) -> None:
        row, _ = self._asked
        if not self._found[row]:
            self.S[row, row] = max(self.S[row, row], self._distance**2)
        self._found[row] = True
        self._refused[row] = np.inf  # it can be asked again, about where it is now known to be

    def fails(self) -> None:
        self._refused[self._asked] = self._distance


@kernel
def planned(m, task, variance):
    """The distance that is asked of a row, so that as many rows pass as there are levels."""
    known = 0.0
    for i in range(len(m)):
        known += m[i] * m[i]
    return rarity(task, known, variance) * np.sqrt(variance)


@kernel
def ask(m, S, row, sign, distance, task, c):
    """A file that passes if a row is so far from m, into `c`; returns how far it has to be.

    That is `distance`, or more if all that is known is not enough.
    """
    k = len(m)
    mm = mSm = 0.0
    Sm = np.empty(k)
    times(S, m, Sm)
    for i in range(k):
        mm += m[i] * m[i]
        mSm += m[i] * Sm[i]
    forms = Forms(lacks_of(task), mm, sign * m[row], mSm, sign * Sm[row], S[row, row])
    sd = np.sqrt(S[row, row])
    share, a = held_back(distance / sd, forms)
    for i in range(k):
        c[i] = share * m[i]
    c[row] += sign * a
    excess = forms.lacks + share * (share - 2.0) * mm
    return 0.5 * (excess + a * a) / a + (share - 1.0) * forms.md
