"""Level saving, on boards that show the best score so far and demand a margin.

Each file is c m + a d: a share c of the mean m of what is known, and a fresh random direction d.
It passes only if <y, d> is far out in its tail; then d is worth as much as many files that pass
often.  The share c is the least with which a file can pass as rarely as is planned, and the length
a the one with which it passes most easily.  So m is held back, and the levels with it; see
`by_levels`.

The honest model is part of m; what is not known is its product with the response.  Files that do
not pass find it out at no cost.
"""

from __future__ import annotations

from math import sqrt
from typing import ClassVar

import numpy as np

from shakedown.attacks.by_levels import (
    Forms,
    PreparedByLevels,
    Task,
    has_levels,
    held_back,
    lacks_of,
    rarity,
)
from shakedown.attacks.grouped import FEWEST, GroupedHolder, groups_parameter
from shakedown.attacks.logits import READ
from shakedown.attacks.posterior import both_times, times
from shakedown.attacks.span import Span
from shakedown.compiled import kernel
from shakedown.interface import ParticipantData
from shakedown.terms import Terms


class LevelSaving(GroupedHolder):
    """Level saving."""

    name: ClassVar[str] = "level_saving"
    label: ClassVar[str] = "Level saving"
    phrase: ClassVar[str] = "level saving"
    sentence: ClassVar[str] = (
        "Where a score must improve by a margin, holds back what it knows, so that only a file "
        "with an extreme random direction passes, and spends each level of the score on one."
    )
    order: ClassVar[float] = 11.5
    metrics: ClassVar[tuple[str, ...]] = READ

    groups: int | None = groups_parameter("400")

    @classmethod
    def learns_from(cls, terms: Terms) -> bool:
        return has_levels(terms)

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedLevelSaving:
        return PreparedLevelSaving(self, participant, model, rng)


class PreparedLevelSaving(PreparedByLevels):
    """The attack in one replicate."""

    def _known(self) -> Directions:
        groups = min(self.n, self.attack.groups or FEWEST)
        span = Span(self.signs(0, 1)[0], groups, self.honest)
        return Directions(span, self.residual, self.signs)


class Directions:
    """A posterior of the response, and files with random directions; see `by_levels.Knowledge`."""

    def __init__(self, span: Span, residual: float, signs) -> None:
        self._signs, self.file = signs, span.file
        self.m, self.S = span.honest.copy(), span.prior(residual)
        self.c, self._Sc = np.empty(span.size), np.empty(span.size)

    def next(self, t: int, task: Task) -> bool:
        propose(self.m, self.S, self._signs(t, t + 1, len(self.m))[0], task, self.c, self._Sc)
        return True

    def spread(self) -> np.ndarray:
        return self._Sc

    def passes(self) -> None:
        pass

    def fails(self) -> None:
        pass


@kernel
def propose(m, S, z, task, c, Sc):
    """The next file, in coordinates, into `c`, and S times it into `Sc`, shape (k,) each.

    Parameters
    ----------
    m, S : ndarray, shape (k,) and (k, k)
        The posterior.
    z : ndarray, shape (k,)
        Random signs.
    task : Task
    c : ndarray, shape (k,)
    """
    k = len(m)
    d, Sm, Sd = np.empty(k), np.empty(k), np.empty(k)
    both_times(S, m, z, Sm, d)
    length = 0.0
    for i in range(k):
        length += d[i] * d[i]
    length = sqrt(max(length, 1e-300))
    for i in range(k):
        d[i] /= length
    times(S, d, Sd)
    mm = md = mSm = dSd = dSm = 0.0
    for i in range(k):
        mm += m[i] * m[i]
        md += m[i] * d[i]
        mSm += m[i] * Sm[i]
        dSd += d[i] * Sd[i]
        dSm += d[i] * Sm[i]
    forms = Forms(lacks_of(task), mm, md, mSm, dSm, max(dSd, 1e-300))
    share, a = held_back(rarity(task, mm, forms.dSd), forms)
    for i in range(k):
        c[i] = share * m[i] + a * d[i]
        Sc[i] = share * Sm[i] + a * Sd[i]
