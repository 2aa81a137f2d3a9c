"""The boosting attack: the majority vote of random submissions with good scores.

In [B] section 5, the attack submits random u_1, ..., u_k in {0, 1}^n, keeps those with a loss of at
most 1/2, and returns their majority for each label.  In [Z] section 2.1 it keeps all of them and
inverts those with a larger loss.  Against a Ladder, it keeps those "that successfully lowered the
score compared to the previous best" ([B] section 5.1).

With an honest file, it first submits that file (from one account), and the vote changes a label
only if it outweighs what the training rows say.  After k mirrored votes, the sum of the votes on a
label has a mean of k sqrt(2 / (pi n)) times its sign, and the variance k.  So its log odds are
2 sqrt(2 / (pi n)) times the sum, to which those of the share of the more frequent label are added.
"""

from __future__ import annotations

from collections.abc import Callable
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
    fair_labels,
    final_labels,
    held_parameter,
    honest_parameter,
    points_parameter,
    with_holders,
)
from shakedown.compiled import kernel
from shakedown.component import parameter
from shakedown.interface import FinalModels, Game, InputError, ParticipantData
from shakedown.terms import LeaderboardClient, Terms

#: A loss of 1/2, and the tolerance for its rounding errors.
HALF, CLOSE = 0.5, 1e-9


class Boosting(LabelAttack):
    """The boosting attack on labels 0 and 1; the vote is the final model."""

    name: ClassVar[str] = "boosting"
    label: ClassVar[str] = "Boosting"
    phrase: ClassVar[str] = "the boosting attack"
    sentence: ClassVar[str] = (
        "Submits random labels, then ends with the majority vote of those with good released "
        "scores."
    )
    source: ClassVar[str] = "[B] section 5, [Z] section 2.1"
    order: ClassVar[float] = 4
    examples: ClassVar[tuple[dict, ...]] = (
        {"submissions": 5},
        {"submissions": 5, "keep": "mirrored", "honest": True},
        {"submissions": 5, "keep": "lowered", "honest": True},
    )
    threat: ClassVar[str] = "null_adversary"

    submissions: int = parameter(
        ge=1, le=MOST_SUBMISSIONS, description="Number of random submissions k."
    )
    keep: Literal["better_half", "mirrored", "lowered"] = parameter(
        "better_half",
        description=(
            "Which submissions vote.  better_half: those with a released loss of at most 1/2 "
            "([B]).  mirrored: all, with 0 and 1 exchanged if the loss is larger ([Z]).  lowered: "
            "those that lowered the released loss ([B]), for boards that show the best so far."
        ),
    )
    accounts: Literal["one", "many"] = parameter(
        "one",
        description=(
            "Whether all submissions come from one account, or each from a new one ([Z] sections 4 "
            "and 6)."
        ),
    )
    honest: bool = honest_parameter()
    held: int = held_parameter()
    points: Points = points_parameter()

    @classmethod
    def for_dry_run(cls, scope: Scope) -> dict[str, dict[str, Any]]:
        shared = {"name": cls.name, "honest": True, **dry_points(scope)}
        lowered = {f"{cls.name}_lowered": shared | {"keep": "lowered"}}
        return with_holders({cls.name: shared | {"keep": "mirrored"}}, scope) | lowered

    @model_validator(mode="after")
    def _fit_together(self) -> Boosting:
        if self.honest and (self.accounts == "many" or self.keep == "better_half"):
            raise InputError(
                "`honest` is for one account, and `keep` mirrored or lowered. Change them, or "
                "leave it out."
            )
        if self.held and not self.honest:
            raise InputError("`held` is the model of an honest file. Write honest: true.")
        if self.accounts == "many" and self.keep == "lowered":
            raise InputError(
                "`keep` cannot be lowered if `accounts` is many, because every submission is the "
                "first of its account. Use keep: mirrored or better_half."
            )
        checked_points(self.points, self.submissions)
        return self

    @classmethod
    def learns_from(cls, terms: Terms) -> bool:
        # On a digest only the best file of many counts.
        return terms.shows_scores and terms.schedule is None

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedBoosting:
        return PreparedBoosting(self, participant, model, rng)


class PreparedBoosting(PreparedAttack):
    """The attack in one replicate; `rng` draws the labels, the same for every board."""

    def __init__(
        self, attack: Boosting, participant: ParticipantData, model, rng: np.random.Generator
    ) -> None:
        self.size = attack.held
        self._keep, self._many = attack.keep, attack.accounts == "many"
        self._points = checked_points(attack.points, attack.submissions)
        self.iteration_board = "fresh" if self._many else "carried_on"
        self._n = len(participant.X_public)
        self._labels = fair_labels(rng, attack.submissions, self._n + len(participant.X_final))
        self._honest = HonestFile(participant, model, attack.held) if attack.honest else None

    def play(self, open_board: Callable[[], LeaderboardClient]) -> Game:
        """Play from one account, or from one for each submission."""
        if self._honest is not None:
            return self._play_honest(open_board(), self._honest)
        n, points = self._n, self._points
        board = open_board()
        submit = board.submit_each if self._many else board.submit
        votes = np.zeros(self._labels.shape[1], np.int32)
        lowest, voters, start = np.inf, 0, 0
        lists = np.empty((len(points), len(votes)))
        counts = np.empty(len(points), int)
        submitted = []
        for at, stop in enumerate(points):
            tried = np.arange(start, stop)
            labels = self._labels[start:stop, :n].astype(float)
            shown = submit(labels).released
            submitted.append(tried)
            weights = self._weights(shown, lowest)
            lowest = min(lowest, shown.min())
            add_votes(votes, self._labels[start:stop], weights)
            voters += int(np.count_nonzero(weights))
            lists[at], counts[at] = votes > 0, voters  # a tie is a 0, as in [Z]
            start = stop
        models = FinalModels(
            lists[:, :n], lists[:, n:], counts, np.arange(1, len(points) + 1), np.array(points)
        )
        return Game(models, submitted, [np.arange(0)] * len(submitted), new_account=self._many)

    def _play_honest(self, board: LeaderboardClient, honest: HonestFile) -> Game:
        """Play from one account; the first submission is the honest file."""
        n, step = self._n, 2.0 * np.sqrt(2.0 / (np.pi * self._n))
        lowest = first = board.submit(honest.public[None]).released[0]
        # Only a score of a file's own tells which way to vote.
        reads = self._keep == "lowered" or board.terms.replaces_always
        reads = reads and Boosting.learns_from(board.terms)
        votes, voters, start = np.zeros(n, np.int32), 0, 1
        lists, counts, submitted = [], [], [np.arange(1)]
        for stop in self._points:
            if stop > start:
                labels = self._labels[start:stop, :n]
                shown = board.submit(labels.astype(float)).released
                submitted.append(np.arange(start, stop))
                # A board that shows nothing shows the same of every file.
                if reads and (shown != first).any():
                    weights = self._weights(shown, lowest)
                    add_votes(votes, labels, weights)
                    voters += int(np.count_nonzero(weights))
                lowest, start = min(lowest, shown.min()), stop
            sides = 2.0 * honest.public - 1.0
            odds = step * votes + sides * np.log(honest.share / (1.0 - honest.share))
            lists.append(np.where(odds * sides < 0.0, 1.0 - honest.public, honest.public))
            counts.append(voters)
        models = final_labels(lists, honest.final, counts, self._points)
        return Game(models, submitted, [np.arange(0)] * len(submitted), honest=honest.models())

    def _weights(self, shown: np.ndarray, lowest: float) -> np.ndarray:
        """Weights in the vote, int8, shape (m,): 1, -1 if inverted, and 0 if not kept."""
        if self._keep == "better_half":
            return (shown <= HALF + CLOSE).astype(np.int8)  # [B] section 5, step 3
        if self._keep == "mirrored":
            return np.where(shown < HALF - CLOSE, 1, -1).astype(np.int8)  # [Z] section 2.1
        before = np.minimum.accumulate(np.concatenate([[lowest], shown[:-1]]))
        return (shown < before).astype(np.int8)  # [B] section 5.1


@kernel
def add_votes(votes, labels, weights):
    """Add the votes of m submissions to `votes`, int32, shape (N,): +1 for a 1 and -1 for a 0."""
    for t in range(len(labels)):
        if weights[t] != 0:
            weight = np.int32(weights[t])
            for i in range(len(votes)):
                votes[i] += weight * (np.int32(2) * np.int32(labels[t, i]) - np.int32(1))
