"""An account of a metered board of labels: its meter, and when rows may be measured how well."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf

import numpy as np

from shakedown.leaderboard.grain import on_grid
from shakedown.leaderboard.label_meter import LabelMeter, Question
from shakedown.leaderboard.label_scores import Labels, measured_labels
from shakedown.leaderboard.row_precision import MOST, precision_within
from shakedown.metrics import Metric
from shakedown.terms import Metering

#: Share of B that the first file may spend in each row; the rest comes in equal parts with the
#: files.  A row in which files agree saves its part, so that later files may differ there.
FIRST = 0.1


@dataclass(frozen=True)
class LabelAccount:
    """What an account may still learn of labels.  It does not change.

    Attributes
    ----------
    metric : Metric
    labels : Labels
    terms : Metering
        The board's: gain, files that are answered, and smallest noise.
    meter : LabelMeter
    made : int
        Files that were answered.
    """

    metric: Metric
    labels: Labels
    terms: Metering
    meter: LabelMeter
    made: int = 0

    @classmethod
    def opened(cls, n: int, terms: Metering, metric: Metric, labels: Labels) -> LabelAccount:
        """A new account on a board of n rows."""
        gain = terms.gain / labels.of_scores(metric)
        precision = min(precision_within(metric.name, gain), MOST)
        return cls(metric, labels, terms, LabelMeter.new(n, precision))

    @property
    def due(self) -> float:
        """The share of B that may be spent in each row, the next file included; 0 after the last.

        Rounding must not take the whole of it beyond B.
        """
        if self.made >= self.terms.files:
            return 0.0
        return FIRST + (1.0 - 1e-12 - FIRST) * (self.made + 1) / self.terms.files

    def measured(self, files: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """`measured_labels` of files, shape (m, n), in the units of the response."""
        return measured_labels(self.metric, self.labels.without(files), self.labels.ones)

    def asked(self, u: np.ndarray) -> Question | None:
        """What is asked about the next file; None if nothing is answered any more."""
        least = self.terms.sd / self.labels.of_scores(self.metric)
        due = self.due
        question = self.meter.question(u, due, least) if due > 0.0 else None
        return None if question is None or question.error == inf else question

    def read(self, u: np.ndarray, mean: float) -> tuple[np.ndarray, float, float, LabelAccount]:
        """What a shown estimate of <u, y> tells: <r, y> plus noise.

        Returns
        -------
        rest : ndarray, shape (n,)
        answer, sd : float
            The noise is infinite if it tells nothing new.
        account : LabelAccount
            The account then.
        """
        question = self.asked(u)
        if question is None or question.sd == inf:
            return np.zeros(len(u)), 0.0, inf, self
        answer = mean - float(question.weights @ self.meter.answers)
        return question.rest, answer, question.sd, self._after(question, answer)

    def answered(
        self, files: np.ndarray, y: np.ndarray, noise: np.ndarray, *, chain: bool = True
    ) -> tuple[np.ndarray, LabelAccount]:
        """The risks that are shown after each of these files, shape (m,), and the account then.

        Parameters
        ----------
        files : ndarray, shape (m, n)
        y : ndarray, shape (n,)
            The response.
        noise : ndarray, shape (m,)
            Standard normal numbers, one for each file.
        chain : bool
            Whether they come one after another; if not, each is the next one.
        """
        account, response = self, self.labels.without(y)
        directions, rests = self.measured(files)
        means = np.empty(len(files))
        for t, u in enumerate(directions):
            now = account if chain else self
            question = now.asked(u)
            if question is None:
                means[t], _ = now.meter.estimate(u)
                continue
            means[t] = float(question.weights @ now.meter.answers)
            if question.sd < inf:
                exact, sd = float(question.rest @ response), question.sd
                answer = on_grid(exact + sd * noise[t], sd)
                means[t] += answer
                account = now._after(question, answer)
        return self.labels.of_scores(self.metric) * (rests - means), account if chain else self

    def known(self, files: np.ndarray) -> np.ndarray:
        """The risks of files, shape (m, n), by all answers so far."""
        directions, rests = self.measured(files)
        means = np.array([self.meter.estimate(u)[0] for u in directions])
        return self.labels.of_scores(self.metric) * (rests - means)

    def _after(self, question: Question, answer: float) -> LabelAccount:
        return replace(self, meter=self.meter.after(question, answer), made=self.made + 1)
