"""Class search: other classes for a few rows, kept if the shown score improves.

A random step in all rows changes the classes of about half of them.  If one class is frequent, or
there are many, most changes are for the worse, and few files are better.  So a file of this attack
changes some rows only, from half of them to one, each to the next class or the one before.  The
number of rows is the one that has lately improved the score most.  Rows take turns.  Noisy scores
are averaged (see `random_search`).
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shakedown.attacks.adversary import Holder
from shakedown.attacks.classes import predicted_classes
from shakedown.attacks.random_search import PreparedRandomSearch
from shakedown.interface import ParticipantData
from shakedown.metrics import Metric, find
from shakedown.metrics.classes import CLASSES, nearest
from shakedown.terms import Terms


class ClassSearch(Holder):
    """Class search."""

    name: ClassVar[str] = "class_search"
    label: ClassVar[str] = "Class search"
    phrase: ClassVar[str] = "class search"
    sentence: ClassVar[str] = (
        "For metrics of predicted classes: changes the classes of some rows, keeps the change "
        "whenever the released score improves, and prefers the numbers of rows that improved it "
        "most."
    )
    order: ClassVar[float] = 10.3
    metrics: ClassVar[tuple[str, ...]] = ()
    needs_margin: ClassVar[bool] = False

    @classmethod
    def reads_metric(cls, metric: Metric) -> bool:
        return metric.predicts == CLASSES

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedClassSearch:
        return PreparedClassSearch(self, participant, model, rng)


class PreparedClassSearch(PreparedRandomSearch):
    """The attack in one replicate."""

    def __init__(
        self, attack: ClassSearch, participant: ParticipantData, model, rng: np.random.Generator
    ) -> None:
        super().__init__(attack, participant, model, rng)
        self._order = rng.permutation(self.n)

    def _play(self, run) -> None:
        self._classes = predicted_classes(find(run.terms.metric), self._view.y_train)
        self._next = 0
        if len(self._classes):
            super()._play(run)
        else:
            self._idle(run)

    def _sizes(self, terms: Terms) -> np.ndarray:
        """Numbers of rows."""
        halves = np.ceil(self.n * 0.5 ** np.arange(1.0, np.log2(self.n) + 1.0))
        return np.unique(np.append(halves, 1.0))[::-1]

    def _step(self, t: int, best: np.ndarray, size: float) -> np.ndarray:
        k, n = len(self._classes), self.n
        at = self._order[(self._next + np.arange(int(size))) % n]
        self._next = (self._next + int(size)) % n
        old = nearest(self._classes, best[at])
        up = self.signs(t, t + 1)[0, at] > 0.0
        # Beyond the last class, the other way.
        up = np.where(old == 0, True, np.where(old == k - 1, False, up))
        step = np.zeros(n)
        step[at] = self._classes[old + np.where(up, 1, -1)] - best[at]
        return step
