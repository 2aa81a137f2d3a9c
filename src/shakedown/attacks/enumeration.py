"""The enumeration attack: change a few labels, submit, and keep what the board shows as better.

[Z] section 2.2 flips one label after another; section 3, against the parameter-free Ladder, starts
from half 1 and half 0 and swaps the place of a 1 and a 0 in each submission.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Literal

import numpy as np
from pydantic import model_validator

from shakedown.attacks.attack import PreparedAttack
from shakedown.attacks.guesses import (
    Guesser,
    Points,
    checked_points,
    final_guesses,
    points_parameter,
)
from shakedown.component import parameter
from shakedown.interface import Game, LeaderboardClient, ParticipantData


class Enumeration(Guesser):
    """The enumeration attack on labels 0 and 1; the labels kept last are the final model.

    Notes
    -----
    It goes in rounds.  A round puts the labels that are still open in random order and changes each
    of them once, `size` at a time.  A single flip settles its label, kept or not; a pair of labels
    is settled by a swap that was kept, as both are right then; other changes settle nothing.  The
    attack ends when nothing is open.
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
    examples: ClassVar[tuple[dict, ...]] = ({"submissions": 5}, {"submissions": 5, "move": "swap"})

    submissions: int = parameter(ge=1, description="Most submissions.")
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
            "Labels flipped, or pairs swapped, by each submission; null for what most likely "
            "climbs the board's next step."
        ),
    )
    points: Points = points_parameter()

    @model_validator(mode="after")
    def _fit_together(self) -> Enumeration:
        checked_points(self.points, self.submissions)
        return self

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedEnumeration:
        return PreparedEnumeration(self, participant, rng)


class PreparedEnumeration(PreparedAttack):
    """The attack in one replicate; `rng` draws the first submission and the order of the changes,
    the same for every board."""

    board = "carried_on"

    def __init__(
        self, attack: Enumeration, participant: ParticipantData, rng: np.random.Generator
    ) -> None:
        self._move, self._change = attack.move, attack.size
        self._points = checked_points(attack.points, attack.submissions)
        n = len(participant.X_public)
        first = rng.integers(0, 2, n) if self._move == "flip" else rng.permutation(np.arange(n) % 2)
        self._first = first.astype(float)
        self._final = rng.integers(0, 2, len(participant.X_final)).astype(float)
        self._seed = rng.bit_generator.state

    def play(self, open_board: Callable[[], LeaderboardClient]) -> Game:
        """Play against one board."""
        board, rng = open_board(), self._rng()
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
                    moves = self._round(board, labels, open_labels, lowest, rng)
                    if not len(moves):
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
        models = final_guesses(lists, self._final, counts, made)
        return Game(models, submitted, [np.arange(0)] * len(submitted))

    def _rng(self) -> np.random.Generator:
        """The same random numbers in every play."""
        generator = np.random.SFC64()
        generator.state = self._seed
        return np.random.Generator(generator)

    def _round(self, board, labels, open_labels, lowest, rng) -> np.ndarray:
        """Changes of a round, shape (m, labels that each changes); -1 for none."""
        size = self._change
        if size is None:
            size = best_size(lowest, board.step * len(labels), len(labels))
        if self._move == "flip":
            return _grouped(rng.permutation(np.flatnonzero(open_labels)), size)
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
    """Positions in rows of `size`, the last one filled up with -1."""
    rows = -(-len(positions) // size)
    padded = np.full(rows * size, -1)
    padded[: len(positions)] = positions
    return padded.reshape(rows, size)


def best_size(shown: float, step: float, n: int) -> int:
    """How many labels to flip at random for the best chance to climb a step.

    Parameters
    ----------
    shown : float
        Loss that the board shows.
    step : float
        Labels that must become right to be seen, in rows.
    n : int
        Rows.

    Returns
    -------
    int
        From 1 to n/4; 1 where a single label can be seen.

    Notes
    -----
    Of m random labels a share of 1 - 2 ``shown`` more turns wrong than right, with a standard
    deviation of about sqrt(m).  The chance of `step` more right ones is largest where
    (step + m (1 - 2 shown)) / sqrt(m) is smallest: at m = step / (1 - 2 shown).
    """
    if step <= 1.0:
        return 1
    lead = max(1.0 - 2.0 * shown, 1.0 / n)
    return int(np.clip(round(step / lead), 1, max(n // 4, 1)))
