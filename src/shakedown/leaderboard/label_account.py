"""An account of a metered board of labels: its meter, and when rows may be measured how well."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from shakedown.leaderboard.account import OF_A_ROW, Quote
from shakedown.leaderboard.grain import on_grid
from shakedown.leaderboard.label_meter import LabelMeter, Question
from shakedown.leaderboard.label_scores import Labels, measured_labels
from shakedown.leaderboard.meter_sums import dot, padded
from shakedown.leaderboard.row_precision import MOST, precision_within
from shakedown.leaderboard.state import renewed
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

    def asked(self, u: np.ndarray, weights: np.ndarray | None = None) -> Question | None:
        """What is asked about the next file; None if nothing is answered any more.

        `weights` are those of the question, if they are known.
        """
        if (due := self.due) <= 0.0:
            return None
        least = self.terms.sd / self.labels.of_scores(self.metric)
        question = self.meter.question(u, due, least, weights)
        return None if question.error == inf else question

    def weights(self, file: np.ndarray) -> np.ndarray | None:
        """Those of the question about the next file, shape (n,), for `answered`."""
        question = self.asked(self.measured(file[None])[0][0])
        return None if question is None else question.weights

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
        if question is None or not question.is_asked:
            return np.zeros(len(u)), 0.0, inf, self
        answer = mean - self.meter.combined(question)
        return question.rest, answer, question.sd, self._after(question, answer)

    def answered(
        self, files: np.ndarray, y: np.ndarray, noise: np.ndarray, *, chain: bool = True,
        known: np.ndarray | None = None,
    ) -> tuple[np.ndarray, LabelAccount]:  # fmt: skip
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
        known : ndarray, shape (count,), optional
            `weights` of a file that comes alone, if they are known.
        """
        account, (response,) = self, padded(self.labels.without(y)[None])
        directions, rests = self.measured(files)
        means, known = np.empty(len(files)), known if len(files) == 1 else None
        for t, u in enumerate(directions):
            now = account if chain else self
            question = now.asked(u, known)
            if question is None:
                (means[t],), _ = now.meter.estimates(u[None])
                continue
            means[t] = now.meter.combined(question)
            if question.is_asked:
                (rest,) = padded(question.rest[None])
                exact = dot(response, rest, len(rest))
                answer = on_grid(exact + question.sd * noise[t], question.sd)
                means[t] += answer
                account = now._after(question, answer)
        return self._risks(rests, means), account if chain else self

    def known(self, files: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The risks of files, shape (m, n), by all answers so far, and their standard errors."""
        directions, rests = self.measured(files)
        means, sds = self.meter.estimates(directions)
        return self._risks(rests, means), self.labels.of_scores(self.metric) * sds

    def error(self, file: np.ndarray, weights: np.ndarray | None = None) -> float:
        """The standard error of the score that is shown if a file, shape (n,), is the next one."""
        (u,), _ = self.measured(file[None])
        if (question := self.asked(u, weights)) is None:
            return float(self.known(file[None])[1][0])
        return self.labels.of_scores(self.metric) * question.error

    def quote(self, file: np.ndarray) -> Quote:
        """What a file, shape (n,), costs and tells: the share of B in the row that has most."""
        (u,), _ = self.measured(file[None])
        (now,), spent, cost = self.known(file[None])[1], self.meter.spent, 0.0
        error = float(now)
        if (question := self.asked(u)) is not None:
            cost = self.meter.spent_after(question) - spent
            error = self.labels.of_scores(self.metric) * question.error
        return Quote(cost, 1.0 - spent, 1.0, self.files_left, error, float(now), OF_A_ROW)

    @property
    def files_left(self) -> int:
        """Files that are still answered."""
        return max(self.terms.files - self.made, 0)

    def _risks(self, rests: np.ndarray, means: np.ndarray) -> np.ndarray:
        return self.labels.of_scores(self.metric) * (rests - means)

    def _after(self, question: Question, answer: float) -> LabelAccount:
        return renewed(self, meter=self.meter.after(question, answer), made=self.made + 1)
