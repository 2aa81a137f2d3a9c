"""What the answers of metered boards of labels tell: the best linear estimate of each label."""

from __future__ import annotations

from math import inf

import numpy as np

from shakedown.leaderboard.label_account import LabelAccount
from shakedown.leaderboard.label_scores import Labels
from shakedown.metrics import Metric
from shakedown.terms import Metering


class LabelAnswers:
    """Answers of one board, or of several, one for each account in turn.

    Parameters
    ----------
    chance : ndarray, shape (n,)
        Of a label 1, by what is known without answers.
    metering : Metering
        Of the boards.
    metric : Metric
    labels : Labels
    accounts : int
    """

    def __init__(
        self, chance: np.ndarray, metering: Metering, metric: Metric, labels: Labels, accounts: int
    ) -> None:
        account = LabelAccount.opened(len(chance), metering, metric, labels)
        self._chance, self._accounts = chance, [account] * accounts
        self._directions, self._sds, self._answers = [], [], []

    @property
    def count(self) -> int:
        """Answers so far."""
        return len(self._answers)

    def take(self, file: np.ndarray, risk: float, account: int = 0) -> None:
        """Take in the risk that a board shows for a file, shape (n,), in the response's units."""
        own = self._accounts[account]
        (u,), (rest,) = own.measured(file[None])
        mean = rest - risk / own.labels.of_scores(own.metric)
        asked, answer, sd, self._accounts[account] = own.read(u, mean)
        if sd < inf:
            self._directions.append(asked)
            self._sds.append(sd)
            self._answers.append(answer)

    def mean(self) -> np.ndarray:
        """The best linear estimate of the labels, 0 to 1, shape (n,)."""
        if not self.count:
            return self._chance
        rows, spread = np.array(self._directions), self._chance * (1.0 - self._chance)
        covered = rows * spread
        K = covered @ rows.T + np.diag(np.square(self._sds))
        found = self._chance + covered.T @ np.linalg.solve(K, self._answers - rows @ self._chance)
        return np.clip(found, 0.0, 1.0)
