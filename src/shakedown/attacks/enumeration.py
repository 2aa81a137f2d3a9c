"""The enumeration attack: change a few labels, submit, and keep changes that improve the score.

In [Z] section 2.2 the attack flips one label after another.  In section 3, against the
parameter-free Ladder, it starts with as many ones as zeros, and each submission swaps a 1 and a 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import model_validator

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
from shakedown.interface import Game, InputError, ParticipantData
from shakedown.terms import LeaderboardClient, Terms

#: Positions of labels that a replicate keeps for its other plays: 64 MiB.
MOST_KEPT = 2**24


class Enumeration(LabelAttack):
    """The enumeration attack on labels 0 and 1; the last labels kept are the final model.

    Notes
    -----
    The attack consists of rounds.  A round changes each undecided label once, in random order,
    `size` labels at a time.  With `size` 1, a flip decides its label, whether it is kept or not,
    and a swap that is kept decides both labels, which are then right.  Other changes decide
    nothing.  The attack ends when all labels are decided; with `honest`, it then submits its
    labels again and again.
    """

    name: ClassVar[str] = "enumeration"
    label: ClassVar[str] = "Enumeration"
    phrase: ClassVar[str] = "the enumeration attack"
    sentence: ClassVar[str] = (
        "Changes a few labels in each submission, and keeps a change that improves the released "
        "score."
    )
    source: ClassVar[str] = "[Z] sections 2.2 and 3"
    order: ClassVar[float] = 5
    needs_terms: ClassVar[bool] = True
    examples: ClassVar[tuple[dict, ...]] = (
        {"submissions": 5},
        {"submissions": 5, "move": "swap"},
        {"submissions": 5, "honest": True},
    )
    threat: ClassVar[str] = "null_adversary"

    submissions: int = parameter(
        ge=1, le=MOST_SUBMISSIONS, description="Largest number of submissions."
    )
    move: Literal["flip", "swap"] = parameter(
        "flip",
        description=(
            "What each submission changes.  flip: some labels.  swap: pairs of a 1 and a 0, so "
            "that half of the labels stay 1."
        ),
    )
    size: int | None = parameter(
        1,
        ge=1,
        description=(
            "Number of labels flipped, or pairs swapped, in each submission; null for the number "
            "that most likely improves the released score by a step."
        ),
    )
    honest: bool = honest_parameter()
    points: Points = points_parameter()

    @model_validator(mode="after")
    def _fit_together(self) -> Enumeration:
        checked_points(self.points, self.submissions)
        if self.honest and self.move == "swap":
            raise InputError(
                "`honest` begins with equal labels, and `move` swap needs both. Use move: flip."
            )
        return self

    @classmethod
    def for_dry_run(cls, scope: Scope) -> dict[str, dict[str, Any]]:
        return {cls.name: {"name": cls.name, "honest": True, **dry_points(scope)}}

    @classmethod
    def learns_from(cls, terms: Terms) -> bool:
        # On a digest only the best file of many counts; one label passes no paired test.
        rule = terms.acceptance
        passes = (rule is None or rule.critical < 1.0) and not terms.fresh_noise
        return terms.shows_scores and terms.schedule is None and passes

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedEnumeration:
        return PreparedEnumeration(self, participant, rng)


class PreparedEnumeration(PreparedAttack):
    """The attack in one replicate; `rng` draws the first submission and the order of the changes,
    the same for every board."""

    iteration_board = "carried_on"

    def __init__(
        self, attack: Enumeration, participant: ParticipantData, rng: np.random.Generator
    ) -> None:
        self._move, self._change = attack.move, attack.size
        self._points = checked_points(attack.points, attack.submissions)
        n = len(participant.X_public)
        first = rng.integers(0, 2, n) if self._move == "flip" else rng.permutation(np.arange(n) % 2)
        self._first = first.astype(float)
        self._final = rng.integers(0, 2, len(participant.X_final)).astype(float)
        self._honest = HonestFile(participant) if attack.honest else None
        if self._honest is not None:
            self._first, self._final = self._honest.public, self._honest.final
        self._state = rng.bit_generator.state
        self._kept: list[np.ndarray] = []

    def play(self, open_board: Callable[[], LeaderboardClient]) -> Game:
        """Play against one board."""
        board, rng, orders = open_board(), self._rng(), self._orders()
        labels = self._first.copy()
        lowest = float(board.submit(labels[None]).released[0])
        done, kept = 1, 1
        open_labels = np.ones(len(labels), bool)
        submitted = [np.arange(1)]
        lists, counts, made = [], [], []
        moves = np.empty((0, 1), int)
        for stop in self._points:
            while done < stop:
                if not len(moves):
                    moves = self._round(board, labels, open_labels, lowest, rng, orders)
                    if not len(moves):
                        if self._honest is not None:
                            more = idle(board, labels, stop - done)
                            submitted += [done + batch for batch in more]
                            done = stop
                        break
                now, moves = moves[: stop - done], moves[stop - done :]
                climbed = board.climb(labels, now, lowest)
                lowest = min(lowest, float(climbed.shown.min()))
                self._settle(open_labels, now, climbed.kept)
                submitted.append(done + np.arange(len(now)))
                done, kept = done + len(now), kept + int(climbed.kept.sum())
            lists.append(labels.copy())
            counts.append(kept)
            made.append(done)
        models = final_labels(lists, self._final, counts, made)
        honest = self._honest and self._honest.models()
        return Game(models, submitted, [np.arange(0)] * len(submitted), honest=honest)

    def _rng(self) -> np.random.Generator:
        """Random numbers that begin where the orders that are kept end; swaps keep none."""
        generator = np.random.SFC64()
        generator.state = self._state
        return np.random.Generator(generator)

    def _orders(self) -> Iterator[np.ndarray]:
        """All labels in random order, round by round: the same in every play, and drawn once."""
        yield from (order.astype(int) for order in self._kept)
        rng, n = self._rng(), len(self._first)  # goes on after those that are kept
        while True:
            order = rng.permutation(n)
            if n * (len(self._kept) + 1) <= MOST_KEPT:
                self._kept.append(order.astype(np.int32))
                self._state = rng.bit_generator.state
            yield order

    def _round(self, board, labels, open_labels, lowest, rng, orders) -> np.ndarray:
        """Changes of a round, shape (m, labels per change), padded with -1."""
        if self._honest is not None and not Enumeration.learns_from(board.terms):
            return np.empty((0, 1), int)
        size = self._change
        if size is None:
            size = best_size(lowest, board.terms.step * len(labels), len(labels))
        if self._move == "flip":
            # A round decides all labels or none.
            return _grouped(next(orders) if open_labels.any() else np.empty(0, int), size)
        ones = rng.permutation(np.flatnonzero(open_labels & (labels == 1.0)))
        zeros = rng.permutation(np.flatnonzero(open_labels & (labels == 0.0)))
        pairs = min(len(ones), len(zeros))
        return np.hstack([_grouped(ones[:pairs], size), _grouped(zeros[:pairs], size)])

    def _settle(self, open_labels, moves, kept) -> None:
        if self._change != 1:
            return
        settled = moves if self._move == "flip" else moves[kept]
        open_labels[settled.ravel()] = False


def _grouped(positions: np.ndarray, size: int) -> np.ndarray:
    """Positions in rows of `size`; the last row is padded with -1."""
    missing = -len(positions) % size
    return np.concatenate([positions, np.full(missing, -1)]).reshape(-1, size)


def best_size(shown: float, step: float, n: int) -> int:
    """The number of random flips that most likely improves the released score by a step.

    Parameters
    ----------
    shown : float
        Released loss.
    step : float
        Step of the released score, in labels.
    n : int
        Number of labels.

    Returns
    -------
    int
        From 1 to n/4; 1 if a single label changes the released score.

    Notes
    -----
    If m random labels are flipped, the number that become wrong minus the number that become right
    has the mean m (1 - 2 ``shown``) and a standard deviation of about sqrt(m).  The probability
    that `step` more become right is largest if (step + m (1 - 2 shown)) / sqrt(m) is smallest, at
    m = step / (1 - 2 shown).
    """
    if step <= 1.0:
        return 1
    lead = max(1.0 - 2.0 * shown, 1.0 / n)
    return int(np.clip(round(step / lead), 1, max(n // 4, 1)))
