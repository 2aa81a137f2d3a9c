"""Rank sums: one exact area under the ROC curve reveals some seven to nine labels.

With n_1 of n rows in the positive class and n_0 in the other one, an area A tells the sum of the
ranks of the positive class, n_0 n_1 A + n_1 (n_1 + 1) / 2.

1. A file with one row on top, and the others tied, tells this row's label and the classes' sizes:
   A is 1/2 + 1 / (2 n_1) or 1/2 - 1 / (2 n_0).
2. Then a block of m rows is ranked above all other unknown rows, which are tied.  Those of the
   block that are in the positive class, c of them, add their ranks; the tied rows add their common
   rank once for each remaining row of that class, which are fewer by c.  So the sum is known
   up to the sum of B + o_j over these c rows, where B + o_j is how far above the tied rows row j of
   the block is ranked.  Known rows fill the places in between, and lift the block.

The offsets o_j are those of Conway and Guy's sets, 0, 1, 2, 4, 7, 13, 24, 44, 84, ..., of which all
sums of equally many are distinct.  If B is large enough, sums of more rows are larger, or distinct
all the same; that is checked for all 2^m subsets.  With 209 rows, half of them in each class, 27
files tell all of them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

import numpy as np

from shakedown.attacks.adversary import Adversary, PreparedAdversary, Run
from shakedown.attacks.areas import CHANCE, share_of
from shakedown.attacks.attack import Scope
from shakedown.attacks.positional_weights import book_of_ones
from shakedown.interface import ParticipantData
from shakedown.metrics import average_ranks
from shakedown.terms import Terms

#: Offsets of a block, in ranks: so many of the first ones as it has rows.
OFFSETS = np.array([0, 1, 2, 4, 7, 13, 24, 44, 84, 161, 309])
#: Heights of a block that are tried, and the rounding error of a sum of ranks.
HEIGHTS, EXACT = 64, 1e-6


class RankSums(Adversary):
    """The attack with rank sums."""

    name: ClassVar[str] = "rank_sums"
    label: ClassVar[str] = "Rank sums"
    phrase: ClassVar[str] = "the attack with rank sums"
    sentence: ClassVar[str] = (
        "For two classes: ranks a block of rows above all other unknown ones, so that each set of "
        "labels in it has its own area under the ROC curve, and reads seven to nine labels off it."
    )
    source: ClassVar[str] = "after Whitehill 2016 (arXiv 1506.01339)"
    order: ClassVar[float] = 8.6
    needs_margin: ClassVar[bool] = False
    metrics: ClassVar[tuple[str, ...]] = ("auroc",)

    @classmethod
    def for_dry_run(cls, scope: Scope) -> dict[str, dict[str, Any]]:
        return super().for_dry_run(scope) if scope.values == 2 else {}

    @classmethod
    def learns_from(cls, terms: Terms) -> bool:
        return terms.shows_own_scores

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedRankSums:
        return PreparedRankSums(self, participant, model, rng)


class PreparedRankSums(PreparedAdversary):
    """The attack in one replicate."""

    def _play(self, run: Run) -> None:
        n, k, step = self.n, self.submissions, run.terms.step
        if self._view.groups is not None:  # a group may have rows of both classes
            self._idle(run)
            return
        end, used, done = self.honest, 0, 1
        file = np.zeros(n)
        file[0] = 1.0
        area = float(run.submit(file[None])[0])
        # What the labels may be, by the size of the positive class; NaN where they are unknown.
        beliefs = []
        for ones in sizes_of(area, n, step, share_of(self._view.y_train)):
            x = np.full(n, np.nan)
            x[0] = float(area > CHANCE)
            beliefs.append((ones, x))
        if beliefs:
            end, used = expected(*beliefs[0]), 1
        run.would_end(end, 1, used)
        while done < k and beliefs and np.isnan(beliefs[0][1]).any():
            ones, x = beliefs[0]
            unknown = np.flatnonzero(np.isnan(x))
            # Two areas that are shown as the same one differ by less than a step.
            hidden = step * ones * (n - ones) + EXACT
            block = block_of(len(unknown), n - len(unknown), hidden)
            if block is None:
                break
            rows = unknown[: len(block.offsets)]
            file = ranked(x, rows, block)
            area = float(run.submit(file[None])[0])
            done += 1
            beliefs = fitting(area, file, beliefs, rows, step)
            # If none is left, the score was not that of this file.
            end, used = (expected(*beliefs[0]), used + 1) if beliefs else (self.honest, 0)
            run.would_end(end, done, used)
        self._stay(run, end, done, used)


def expected(ones: int, x: np.ndarray) -> np.ndarray:
    """Mean of the standardised response given some labels; both of shape (n,)."""
    return book_of_ones(ones, len(x)).expected(x)


def fitting(
    area: float,
    file: np.ndarray,
    beliefs: list[tuple[int, np.ndarray]],
    rows: np.ndarray,
    step: float,
) -> list[tuple[int, np.ndarray]]:
    """The beliefs that an area fits, with what it tells of these rows."""
    kept = []
    for ones, x in beliefs:
        labels = labels_of(area, file, x, rows, ones, step)
        if labels is not None:
            told = x.copy()
            told[rows] = labels
            kept.append((ones, told))
    return kept


def sizes_of(area: float, n: int, step: float, share: float) -> list[int]:
    """Possible sizes of the positive class, from the area of a file with one row on top.

    Of several with this rounded area, the first is the one nearest to the `share` of the training
    rows.
    """
    if area == CHANCE:
        return []
    own = np.arange(1, n)  # rows of the class of the one on top
    found = own[np.abs(0.5 / own - abs(area - CHANCE)) <= 0.5 * step + EXACT / n**2]
    ones = found if area > CHANCE else n - found
    return sorted(ones.tolist(), key=lambda size: abs(size - share * n))


class Block(NamedTuple):
    """The rows that a file asks for: their offsets, and known rows between them and the ties."""

    offsets: np.ndarray
    height: int


@lru_cache(maxsize=4096)
def block_of(unknown: int, known: int, hidden: float) -> Block | None:
    """The largest block that a file can tell, of so many unknown rows; None if there is none.

    Parameters
    ----------
    unknown, known : int
        Rows whose labels are unknown, and known.
    hidden : float
        Sums of ranks that differ by this or less cannot be told apart.
    """
    for m in range(min(len(OFFSETS), unknown), 0, -1):
        apart = OFFSETS[:m] * max(int(np.ceil(hidden)), 1)
        spare = known - (int(apart[-1]) + 1 - m)
        if spare < 0:
            continue
        rest, sets = unknown - m, subsets(m)
        for offsets in (apart[-1] - apart[::-1], apart):
            for height in range(spare, max(spare - HEIGHTS, -1), -1):
                ranks = 0.5 * (rest + 1) + height + offsets
                sums = sets @ ranks
                if not rest:  # nothing else is unknown, so their number is known
                    sums = sums + sets.sum(axis=1) * (2.0 * hidden + sums.max())
                if np.diff(np.sort(sums)).min() > hidden:
                    return Block(offsets, height)
    return None


@lru_cache(maxsize=16)
def subsets(m: int) -> np.ndarray:
    """All sets of m rows, shape (2^m, m)."""
    return (np.arange(2**m)[:, None] >> np.arange(m) & 1).astype(float)


def ranked(x: np.ndarray, rows: np.ndarray, block: Block) -> np.ndarray:
    """The file that asks for a block of rows; x are the labels, shape (n,), NaN if unknown."""
    known = np.flatnonzero(~np.isnan(x))
    between = np.setdiff1d(np.arange(int(block.offsets.max()) + 1), block.offsets)
    file = np.ones(len(x))  # the tied rows
    file[known] = 0.0
    file[known[: block.height]] = 2.0
    file[known[block.height :][: len(between)]] = 3.0 + between
    file[rows] = 3.0 + block.offsets
    return file / file.max()  # boards may refuse larger numbers


def labels_of(
    area: float, file: np.ndarray, x: np.ndarray, rows: np.ndarray, ones: int, step: float
) -> np.ndarray | None:
    """The labels of a block of rows, shape (m,), from the area of its file; None if none fit."""
    n, ranks, known = len(x), average_ranks(file[None])[0], ~np.isnan(x)
    rest = ~known
    rest[rows] = False
    total = area * ones * (n - ones) + 0.5 * ones * (ones + 1) - ranks[known] @ x[known]
    left, sets = ones - x[known].sum(), subsets(len(rows))
    counts = sets.sum(axis=1)
    common = ranks[rest][0] if rest.any() else 0.0
    sums = sets @ ranks[rows] + (left - counts) * common
    fits = (counts <= left) & (left - counts <= rest.sum())
    off = np.where(fits, np.abs(sums - total), np.inf)
    best = int(np.argmin(off))
    return sets[best] if off[best] <= 0.5 * step * ones * (n - ones) + EXACT else None
