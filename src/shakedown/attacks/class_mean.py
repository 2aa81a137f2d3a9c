"""The class mean: the strongest use that we know of a metered board of probabilities or orders.

As `label_mean`, for the Brier score, the log loss and the AUROC.  Files have two values, so that
each answer measures every row equally well.  The attack takes the public classes to be as frequent
as those of the training rows.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shakedown.attacks.adversary import Holder, PreparedAdversary, Run
from shakedown.attacks.areas import ones_of
from shakedown.attacks.label_answers import LabelAnswers
from shakedown.attacks.positional_weights import book_of_ones
from shakedown.interface import ParticipantData
from shakedown.leaderboard.label_scores import Labels
from shakedown.metrics import find
from shakedown.metrics.classes import LEAST_PROBABLE
from shakedown.terms import Terms

#: Probabilities of a file under the log loss.  Near 0 and 1 it would make a large difference if the
#: public classes are not quite as frequent as those of the training rows.
SHARES = (0.2, 0.8)


class ClassMean(Holder):
    """The mean of classes."""

    name: ClassVar[str] = "class_mean"
    label: ClassVar[str] = "Class mean"
    phrase: ClassVar[str] = "the mean of classes"
    sentence: ClassVar[str] = (
        "On a metered board of two classes, submits files of two values at random, weighs each "
        "answer by its noise, and ends with the probabilities given all answers."
    )
    order: ClassVar[float] = 8.8
    needs_margin: ClassVar[bool] = False
    metrics: ClassVar[tuple[str, ...]] = ("brier", "log_loss", "auroc")

    @classmethod
    def learns_from(cls, terms: Terms) -> bool:
        return terms.metering is not None and terms.metering.gain is not None

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedClassMean:
        return PreparedClassMean(self, participant, model, rng)


class PreparedClassMean(PreparedAdversary):
    """The attack in one replicate."""

    def _play(self, run: Run) -> None:
        n, known = self.n, self.attack.metrics
        names = {as_: name for name in known for as_ in (name, find(name).read_as)}
        if self._view.groups is not None or self._view.cells is not None:
            self._idle(run)
            return
        metric = find(names[run.terms.metric])
        book = book_of_ones(ones_of(self._view.y_train, n), n)
        least = LEAST_PROBABLE
        chance = np.clip((self.honest - book.low) / book.gap, least, 1.0 - least)
        labels = Labels(book.low, book.gap, book.ones)
        answers = LabelAnswers(chance, run.terms.metering, metric, labels, run.accounts)
        shares = SHARES if metric.name == "log_loss" else (0.0, 1.0)
        for t in range(self.submissions):
            share = np.where(self.signs(t, t + 1)[0] > 0.0, *shares[::-1])
            file = book.low + book.gap * share
            answers.take(file, metric.sign * float(run.submit(file[None])[0]), t % run.accounts)
            if run.is_point(t + 1):
                m = np.clip(answers.mean(), least, 1.0 - least)
                end = book.low + book.gap * m if answers.count else self.honest
                run.would_end(end, t + 1, answers.count)
