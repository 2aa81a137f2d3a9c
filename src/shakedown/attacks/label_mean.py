"""The label mean: the strongest use that we know of a metered board of labels.

Each file has random labels, so that each answer measures every row.  The attack knows the rules of
the meter, reads each answer from the shown score, and ends with the labels that are more probable
by the best linear estimate from all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from shakedown.attacks.flipping import FlippingAttack, PreparedFlipping
from shakedown.attacks.label_answers import LabelAnswers
from shakedown.interface import Game, ParticipantData
from shakedown.leaderboard.label_scores import Labels
from shakedown.metrics import find
from shakedown.terms import LeaderboardClient, Terms


class LabelMean(FlippingAttack):
    """The mean of labels."""

    name: ClassVar[str] = "label_mean"
    label: ClassVar[str] = "Label mean"
    phrase: ClassVar[str] = "the mean of labels"
    sentence: ClassVar[str] = (
        "On a metered board of labels, submits random labels, weighs each answer by its noise, "
        "and ends with the labels that are more probable given all answers."
    )
    order: ClassVar[float] = 7.8

    @classmethod
    def learns_from(cls, terms: Terms) -> bool:
        return terms.metering is not None and terms.metering.gain is not None

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedLabelMean:
        return PreparedLabelMean(self, participant, model, rng)


class PreparedLabelMean(PreparedFlipping):
    """The attack in one replicate; `rng` draws the labels, the same for every board."""

    def play(self, open_board: Callable[[], LeaderboardClient]) -> Game:
        """Play on a board for each account, or on the one that they share."""
        turns, honest, rng = self._turns(open_board), self._honest, self._rng()
        terms, n = turns.board.terms, len(honest.public)
        if not LabelMean.learns_from(terms):
            return self._idle(turns.board)
        chance = np.where(honest.public > 0.0, honest.share, 1.0 - honest.share)
        accounts = 1 if terms.is_shared else self._accounts
        labels = Labels(0.0, 1.0, round(n * chance.mean()))
        answers = LabelAnswers(chance, terms.metering, find(terms.metric), labels, accounts)
        account, ends, counts = 0, [], []
        for t in range(self._submissions):
            account += turns.is_over(t)
            file = rng.integers(0, 2, n).astype(float)
            answers.take(file, float(turns.board.submit(file[None]).released[0]), account)
            if t + 1 in self._points:
                m = answers.mean()
                ends.append(np.where(m == 0.5, honest.public, m > 0.5).astype(float))
                counts.append(answers.count)
        return self._game(ends, counts, [np.array([t]) for t in range(self._submissions)])
