"""Shared parts of the attacks that flip labels of their best file, from one or several accounts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

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
    held_parameter,
    idle,
    points_parameter,
    with_holders,
)
from shakedown.component import parameter
from shakedown.interface import Game, ParticipantData
from shakedown.terms import LeaderboardClient


class FlippingAttack(LabelAttack):
    """An attack that flips labels of its best file, by what the board publishes."""

    needs_terms: ClassVar[bool] = True
    examples: ClassVar[tuple[dict, ...]] = ({"submissions": 5},)
    threat: ClassVar[str] = "null_adversary"

    submissions: int = parameter(
        ge=1,
        le=MOST_SUBMISSIONS,
        description="Number of submissions, of all accounts together.",
    )
    accounts: int = parameter(
        1,
        ge=1,
        description=(
            "Number of accounts, each with a board of its own.  They submit one after another, as "
            "many files each, and go on with the best labels known.  If all accounts have one "
            "board, they do not matter."
        ),
    )
    held: int = held_parameter()
    points: Points = points_parameter()

    @model_validator(mode="after")
    def _within(self) -> FlippingAttack:
        checked_points(self.points, self.submissions)
        return self

    @classmethod
    def for_dry_run(cls, scope: Scope) -> dict[str, dict[str, Any]]:
        entry = {"name": cls.name, **dry_points(scope)}
        if scope.accounts > 1:
            entry["accounts"] = scope.accounts
        return with_holders({cls.name: entry}, scope)


class Turns:
    """The boards of accounts that submit one after another.

    Parameters
    ----------
    open_board : callable
    accounts, submissions : int
        As the parameters of `FlippingAttack`.

    Attributes
    ----------
    board : LeaderboardClient
        Of the account whose turn it is.
    began : int
        Submissions of the accounts before it.
    """

    def __init__(
        self, open_board: Callable[[], LeaderboardClient], accounts: int, submissions: int
    ) -> None:
        self._open, self.board, self.began = open_board, open_board(), 0
        accounts = 1 if self.board.terms.is_shared else min(accounts, submissions)
        self._each, self._most = -(-submissions // accounts), submissions

    @property
    def end(self) -> int:
        """Submissions up to the end of this turn."""
        return min(self.began + self._each, self._most)

    def is_over(self, done: int) -> bool:
        """Whether a new account takes its turn after so many submissions; it does so then."""
        if done < self.end or done >= self._most:
            return False
        self.board, self.began = self._open(), done
        return True


class PreparedFlipping(PreparedAttack):
    """A flipping attack in one replicate; derive from it and write `play`.

    `rng` draws the seed of what it tries, the same for every board.
    """

    iteration_board = "carried_on"

    def __init__(
        self, attack: FlippingAttack, participant: ParticipantData, model, rng: np.random.Generator
    ) -> None:
        self.size, self._submissions = attack.held, attack.submissions
        self._accounts = attack.accounts
        self._points = checked_points(attack.points, attack.submissions)
        self._honest = HonestFile(participant, model, attack.held)
        self._seed = int(rng.integers(2**63))

    def _turns(self, open_board: Callable[[], LeaderboardClient]) -> Turns:
        """A board for each account, or the one that they share."""
        return Turns(open_board, self._accounts, self._submissions)

    def _rng(self) -> np.random.Generator:
        return np.random.Generator(np.random.SFC64(self._seed))

    def _game(
        self, lists: list[np.ndarray], counts: list[int], submitted: list[np.ndarray]
    ) -> Game:
        """The game with the labels at each point, and how many submissions they rest on."""
        models = final_labels(lists, self._honest.final, counts, self._points)
        nothing = [np.arange(0)] * len(submitted)
        return Game(models, submitted, nothing, honest=self._honest.models())

    def _idle(self, board: LeaderboardClient) -> Game:
        """Submit the honest file all along, and end with it."""
        labels, count = self._honest.public, len(self._points)
        submitted = idle(board, labels, self._submissions)
        return self._game([labels] * count, [0] * count, submitted)
