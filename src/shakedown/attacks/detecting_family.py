"""The detecting family: about 2 n / log2 n exact 0/1 losses tell all n labels.

The loss of all zeros tells the number of ones, and then the loss of a list of labels tells how many
of the labels that it sets to 1 are right: a sum over a set of rows.  Lindström's sets (Canadian
Mathematical Bulletin 8, 1965, p. 477) are such that no two lists of labels have the same sums.

Number the files 1, 2, ..., M, and read each number as the set of its binary digits.  A set a of w
digits brings w rows.  Row j = 1, ..., w of a is set to 1 in file b if the intersection of a and b
is one of the first 2^(j - 1) subsets of a with an odd number of elements.  Then the sum of the
row's entries over the subsets b of a, with a minus for each even one, is 2^(j - 1); over the
subsets of a set that is not within a, it is 0.  So the labels of the rows of a are the binary
digits of that sum of the files' sums, after those of larger sets are subtracted.

With 209 labels, 71 files and the zeros are enough.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from shakedown.attacks.attack import MOST_SUBMISSIONS, PreparedAttack, Scope
from shakedown.attacks.on_labels import (
    HonestFile,
    LabelAttack,
    Points,
    checked_points,
    dry_points,
    final_labels,
    honest_parameter,
    idle,
    points_parameter,
)
from shakedown.component import parameter
from shakedown.interface import Game, ParticipantData
from shakedown.terms import LeaderboardClient, Terms

#: Files submitted at once; a file takes 8 bytes for each label.
BATCH = 64


class DetectingFamily(LabelAttack):
    """The detecting family; the labels that follow are the final model."""

    name: ClassVar[str] = "detecting_family"
    label: ClassVar[str] = "Detecting family"
    phrase: ClassVar[str] = "the detecting family"
    sentence: ClassVar[str] = (
        "Submits lists of labels that are chosen so that all labels follow from their exact "
        "scores together; before the last one it ends with the more frequent label."
    )
    source: ClassVar[str] = "Lindström 1965"
    order: ClassVar[float] = 7
    needs_terms: ClassVar[bool] = True
    examples: ClassVar[tuple[dict, ...]] = ({}, {"honest": True})
    threat: ClassVar[str] = "null_adversary"

    submissions: int | None = parameter(
        None,
        ge=1,
        le=MOST_SUBMISSIONS,
        description=(
            "Number of submissions: once it knows the labels, it submits them again and again.  "
            "null: as many as the family has files, and the zeros."
        ),
    )
    honest: bool = honest_parameter()
    points: Points = points_parameter()

    @classmethod
    def for_dry_run(cls, scope: Scope) -> dict[str, dict[str, Any]]:
        # Before the last file it knows nothing but the number of ones.
        files, dry = 1 + len(sets_for(scope.public_rows)), dry_points(scope)
        if files > dry["submissions"]:
            return {}
        points = sorted({files, *(point for point in dry["points"] if point > files)})
        return {cls.name: {"name": cls.name, "honest": True} | dry | {"points": points}}

    @classmethod
    def learns_from(cls, terms: Terms) -> bool:
        # Other boards show no score that is certainly a file's own.
        return terms.shows_own_scores

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedDetectingFamily:
        return PreparedDetectingFamily(self, participant, rng)


class PreparedDetectingFamily(PreparedAttack):
    """The attack in one replicate; `rng` guesses the final labels.

    The files take n bytes each.

    Raises
    ------
    InputError
        If a point is below 1 or above the number of files.
    """

    iteration_board = "carried_on"

    def __init__(
        self, attack: DetectingFamily, participant: ParticipantData, rng: np.random.Generator
    ) -> None:
        n = len(participant.X_public)
        self._sets = sets_for(n)
        self._files = np.concatenate([entries(a, self._sets) for a in self._sets])[:n].T
        made = 1 + len(self._sets)
        self._points = checked_points(attack.points, max(made, attack.submissions or made))
        self._final = rng.integers(0, 2, len(participant.X_final)).astype(float)
        self._honest = HonestFile(participant) if attack.honest else None
        if self._honest is not None:
            self._final = self._honest.final

    def play(self, open_board: Callable[[], LeaderboardClient]) -> Game:
        """Play on one board."""
        board = open_board()
        m, n = self._files.shape
        shown = [board.submit(np.zeros((1, n))).released]
        submitted = [np.arange(1)]
        for start in range(0, m, BATCH):
            files = self._files[start : start + BATCH].astype(float)
            shown.append(board.submit(files).released)
            submitted.append(1 + np.arange(start, start + len(files)))
        # A large step hides labels.
        exact = DetectingFamily.learns_from(board.terms) and n * board.terms.step < 1.0
        wrong = n * np.concatenate(shown)
        ones = wrong[0]
        first = np.full(n, float(exact and ones > 0.5 * n))
        if not exact and self._honest is not None:
            first = self._honest.public
        lists, kept = [first] * len(self._points), [int(exact)] * len(self._points)
        if exact:
            # Each right 1 is wrong in the zeros; each wrong 1 is right there.
            sums = np.rint(0.5 * (ones + self._files.sum(axis=1) - wrong[1:])).astype(np.int64)
            known = detected(sums, self._sets, n)
            lists = [known if point > m else first for point in self._points]
            kept = [1 + m if point > m else 1 for point in self._points]
        more = idle(board, lists[-1], self._points[-1] - m - 1)
        submitted += [1 + m + batch for batch in more]
        models = final_labels(lists, self._final, kept, self._points)
        honest = self._honest and self._honest.models()
        return Game(models, submitted, [np.arange(0)] * len(submitted), honest=honest)


def sets_for(n: int) -> np.ndarray:
    """The sets 1, 2, ..., M, which bring n rows or a few more."""
    sets, rows = [], 0
    while rows < n:
        sets.append(len(sets) + 1)
        rows += sets[-1].bit_count()
    return np.array(sets)


def entries(a: int, files: np.ndarray) -> np.ndarray:
    """The entries of the rows of the set a in these files; uint8, shape (w, number of files)."""
    digits = [i for i in range(int(a).bit_length()) if a >> i & 1]
    common, odd = np.zeros((2, len(files)), np.int64)
    for at, i in enumerate(digits):
        has = files >> i & 1
        common += has << at
        odd ^= has
    # Of subsets with an odd number of elements, all digits but the first give the place in order.
    place = common >> 1
    return np.array([odd & (place < 2**j) for j in range(len(digits))], np.uint8)


def detected(sums: np.ndarray, sets: np.ndarray, n: int) -> np.ndarray:
    """The labels, shape (n,), from the sums of the rows that each file sets to 1, shape (M,)."""
    left, sizes = sums.copy(), np.bitwise_count(sets).astype(int)
    stops = np.cumsum(sizes)
    labels = np.zeros(stops[-1])
    for a, size, stop in zip(sets[::-1], sizes[::-1], stops[::-1], strict=True):
        within = (sets & a) == sets
        value = np.sum(np.where(sizes[within] % 2, 1, -1) * left[within])
        digits = value >> np.arange(size) & 1
        labels[stop - size : stop] = digits
        left -= digits @ entries(a, sets).astype(np.int64)
    return labels[:n]
