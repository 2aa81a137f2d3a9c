"""Precision sums: one exact area under the curve of precision and recall reveals some 13 labels.

With n_1 of n rows in the positive class, n_1 times the area is the sum, over the rows of this
class, of the precision down to their rank: of a file whose row k from the top has the label x_k it
is the sum of x_k (x_1 + ... + x_k) / k.

1. A file with one row on top, and the others tied, tells this row's label and n_1: the area is
   1 / n_1 + (n_1 - 1) / n or n_1 / n.
2. Then some known rows, P of the positive class and Q of the other one, are ranked on top; below
   them each of m unknown rows, the block; then the U other unknown rows, tied; and the other known
   rows, which count the same in any case.  With R rows of the positive class among the unknown
   ones, c of them in the block, what is left of the sum is

       sum over the block of x_k (P + x_1 + ... + x_k) / (P + Q + k)
           + (R - c) (P + R) / (P + Q + m + U).

m, P and Q are such that all 2^m sums are distinct, by more than the score hides.  With 209 rows,
half of them in each class, 18 files tell all of them.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Any, ClassVar, NamedTuple

import numpy as np

from shakedown.attacks.adversary import Adversary, PreparedAdversary, Run
from shakedown.attacks.areas import share_of
from shakedown.attacks.attack import Scope
from shakedown.attacks.rank_sums import expected
from shakedown.interface import ParticipantData
from shakedown.terms import Terms

#: Most rows of a block, and most known rows of the positive class on top; how many numbers of these
#: are tried, and of the other class.
LARGEST, MOST, TRIED, ASIDE = 14, 40, 8, 3
#: Rounding error of a sum of precisions, in precisions of 1, for each of its terms.
EXACT = 1e-14


class PrecisionSums(Adversary):
    """The attack with precision sums."""

    name: ClassVar[str] = "precision_sums"
    label: ClassVar[str] = "Precision sums"
    phrase: ClassVar[str] = "the attack with precision sums"
    sentence: ClassVar[str] = (
        "For two classes: ranks a block of unknown rows below known ones, so that each set of "
        "labels in it has its own area under the precision-recall curve, and reads some thirteen "
        "labels off it."
    )
    source: ClassVar[str] = "after Whitehill 2016 (arXiv 1506.01339)"
    order: ClassVar[float] = 8.65
    needs_margin: ClassVar[bool] = False
    metrics: ClassVar[tuple[str, ...]] = ("aupr",)

    @classmethod
    def for_dry_run(cls, scope: Scope) -> dict[str, dict[str, Any]]:
        return super().for_dry_run(scope) if scope.values == 2 else {}

    @classmethod
    def learns_from(cls, terms: Terms) -> bool:
        return terms.shows_own_scores

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedPrecisionSums:
        return PreparedPrecisionSums(self, participant, model, rng)


class PreparedPrecisionSums(PreparedAdversary):
    """The attack in one replicate."""

    def _play(self, run: Run) -> None:
        n, k, step = self.n, self.submissions, run.terms.step
        if self._view.groups is not None:  # a group may have rows of both classes
            self._idle(run)
            return
        file = np.zeros(n)
        file[0] = 1.0
        area = float(run.submit(file[None])[0])
        beliefs = beliefs_of(area, n, step, share_of(self._view.y_train))
        end, used, done = self.honest, 0, 1
        if beliefs:
            end, used = expected(*beliefs[0]), 1
        run.would_end(end, 1, used)
        while done < k and beliefs and np.isnan(beliefs[0][1]).any():
            ones, x = beliefs[0]
            # Two areas that are shown as the same one differ by less than a step.
            plan = plan_of(*counts(x), ones, ones * (step + EXACT * n))
            if plan is None:
                break
            rows = np.flatnonzero(np.isnan(x))[: plan.size]
            area = float(run.submit(ranked(x, rows, plan)[None])[0])
            done += 1
            told = [(ones, told_by(area, x, rows, plan, ones, step)) for ones, x in beliefs]
            beliefs = [(ones, x) for ones, x in told if x is not None]
            # If none is left, the score was not that of this file.
            end, used = (expected(*beliefs[0]), used + 1) if beliefs else (self.honest, 0)
            run.would_end(end, done, used)
        self._stay(run, end, done, used)


def counts(x: np.ndarray) -> tuple[int, int, int]:
    """Known rows of the positive class, known ones of the other, and unknown ones."""
    return int(np.sum(x == 1.0)), int(np.sum(x == 0.0)), int(np.isnan(x).sum())


def beliefs_of(area: float, n: int, step: float, share: float) -> list[tuple[int, np.ndarray]]:
    """Sizes of the positive class and labels that fit the area of a file with one row on top.

    The first is the one whose size is nearest to the `share` of the training rows.
    """
    sizes, beliefs = np.arange(1, n), []
    for label, areas in ((1.0, 1.0 / sizes + (sizes - 1.0) / n), (0.0, sizes / n)):
        for ones in sizes[np.abs(areas - area) <= 0.5 * step + EXACT * n].tolist():
            x = np.full(n, np.nan)
            x[0] = label
            beliefs.append((ones, x))
    return sorted(beliefs, key=lambda belief: abs(belief[0] - share * n))


class Plan(NamedTuple):
    """How many rows a file asks for, and known rows of each class above them."""

    size: int
    ones: int
    others: int


@lru_cache(maxsize=4096)
def plan_of(ones: int, others: int, unknown: int, total: int, hidden: float) -> Plan | None:
    """The plan with the largest block that a file can tell; None if there is none.

    Parameters
    ----------
    ones, others, unknown : int
        Known rows of each class, and unknown ones.
    total : int
        Rows of the positive class.
    hidden : float
        Sums that differ by this or less cannot be told apart.
    """
    most = min(ones, MOST)
    # So many distinct sums need room: none exceeds the number of rows.
    room = int(np.log2(LARGEST / hidden)) + 1
    for size in range(min(LARGEST, unknown, room), 0, -1):
        # With more rows on top precisions differ less, but sums coincide more rarely.
        for above, aside in product(range(most, -1, -(most // TRIED + 1)), range(ASIDE)):
            plan = Plan(size, above, min(others, aside))
            possible, sums = sums_of(plan, unknown, total - ones)
            if possible.sum() == 1 or np.diff(np.sort(sums[possible])).min() > hidden:
                return plan
    return None


def sums_of(plan: Plan, unknown: int, left: int) -> tuple[np.ndarray, np.ndarray]:
    """Which labels of the block are possible, and what each adds to the sum, shape (2^m,).

    Row k of the block is in the positive class in those with the bit k - 1.  `left` rows of this
    class are among the unknown ones.
    """
    found, sums = np.zeros(1), np.zeros(1)
    top = plan.ones + plan.others
    tied = (plan.ones + left) / (top + unknown)
    for k in range(1, plan.size + 1):
        sums = np.append(sums, sums + (plan.ones + found + 1.0) / (top + k))
        found = np.append(found, found + 1.0)
    possible = (found <= left) & (left - found <= unknown - plan.size)
    return possible, sums + (left - found) * tied


def ranked(x: np.ndarray, rows: np.ndarray, plan: Plan) -> np.ndarray:
    """The file that asks for a block of rows; x are the labels, shape (n,), NaN if unknown."""
    ones, others = np.flatnonzero(x == 1.0), np.flatnonzero(x == 0.0)
    file = np.full(len(x), 2.0)  # the tied rows
    file[ones], file[others] = 1.0, 0.0
    file[rows] = 3.0 + np.arange(len(rows))[::-1]
    file[others[: plan.others]] = 3.0 + len(rows)
    file[ones[: plan.ones]] = 4.0 + len(rows)
    return file / file.max()  # boards may refuse larger numbers


def told_by(
    area: float, x: np.ndarray, rows: np.ndarray, plan: Plan, ones: int, step: float
) -> np.ndarray | None:
    """The labels with those of a block of rows, from the area of its file; None if none fit."""
    known, others, unknown = counts(x)
    left, below = ones - known, known - plan.ones
    possible, sums = sums_of(plan, unknown, left)
    # The known rows on top have precision 1, and those at the end that of all rows but the last.
    whole = plan.ones + plan.others + unknown + below
    total = area * ones - plan.ones - below * (plan.ones + left + below) / whole
    off = np.where(possible, np.abs(sums - total), np.inf)
    best = int(np.argmin(off))
    if not off[best] <= ones * (0.5 * step + EXACT * len(x)):
        return None
    told = x.copy()
    told[rows] = best >> np.arange(len(rows)) & 1
    return told
