"""The attack with two accounts on a board that shows only ranks: [Z] section 2.2.

One account leads.  The other submits the leader's labels with one label flipped.  If this improves
the score, the other account becomes the leader, and the two exchange roles; if not, the ranks do
not change.  After each label has been flipped once, all labels are right.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from shakedown.attacks.attack import PreparedAttack
from shakedown.attacks.on_labels import (
    LabelAttack,
    Points,
    checked_points,
    final_labels,
    points_parameter,
)
from shakedown.interface import Game, ParticipantData
from shakedown.terms import LeaderboardClient


class TwoAccounts(LabelAttack):
    """The enumeration attack with two accounts; the leader's labels are the final model."""

    name: ClassVar[str] = "two_accounts"
    label: ClassVar[str] = "Two accounts"
    phrase: ClassVar[str] = "the attack with two accounts"
    sentence: ClassVar[str] = (
        "One account submits the other's labels with one of them flipped, and learns from the "
        "ranks which of the two is better."
    )
    source: ClassVar[str] = "[Z] section 2.2"
    order: ClassVar[float] = 6
    accounts_at_once: ClassVar[int] = 2
    reads: ClassVar[str] = "ranks"

    points: Points = points_parameter()

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedTwoAccounts:
        return PreparedTwoAccounts(self, participant, rng)


class PreparedTwoAccounts(PreparedAttack):
    """The attack in one replicate.

    `rng` draws the first submission and the order of the labels.  The last point is n + 1.

    Raises
    ------
    InputError
        If a point is below 1 or above n + 1.
    """

    iteration_board = "carried_on"

    def __init__(
        self, attack: TwoAccounts, participant: ParticipantData, rng: np.random.Generator
    ) -> None:
        n = len(participant.X_public)
        self._points = checked_points(attack.points, n + 1)
        self._first = rng.integers(0, 2, n).astype(float)
        self._final = rng.integers(0, 2, len(participant.X_final)).astype(float)
        self._order = rng.permutation(n)

    def play(self, open_board: Callable[[], LeaderboardClient]) -> Game:
        """Play two accounts against each other."""
        leader, follower = open_board(), open_board()
        labels = self._first.copy()
        leader.submit(labels[None])  # u^1, by account A
        kept, lists, counts = 1, [], []
        for done in range(1, len(labels) + 2):
            if done > 1:
                i = self._order[done - 2]
                flipped = labels.copy()
                flipped[i] = 1.0 - flipped[i]
                # The leader's rank is 1; tied accounts share the rank 1.5.
                if follower.submit(flipped[None]).released[0] < 1.5:
                    labels, kept = flipped, kept + 1
                    leader, follower = follower, leader
            if done in self._points:
                lists.append(labels)
                counts.append(kept)
        models = final_labels(lists, self._final, counts, self._points)
        submitted = [np.array([t]) for t in range(len(labels) + 1)]
        return Game(models, submitted, [np.arange(0)] * len(submitted))
