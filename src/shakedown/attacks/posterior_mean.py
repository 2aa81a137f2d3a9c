"""The posterior mean: the strongest use of answers that are linear in the response.

Each shown score is a measurement of <y, u> with normal noise of a known size (`responses`); on a
metered board the attacker keeps the account itself, as its rules are public, and reads the answer
from the score that is shown.  With y = f + e, f an honest file and e normal of a known variance,
the attack ends with f + E[e | answers].  No strategy gains more on average on a metered board; see
docs/proofs/metered.md.  Each file is a random one without what is known of it already, so that no
answer tells anything twice.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import ClassVar

import numpy as np

from shakedown.attacks.adversary import Holder, PreparedAdversary, Run
from shakedown.attacks.linear_probe import scale_of
from shakedown.interface import ParticipantData
from shakedown.leaderboard.account import Account
from shakedown.leaderboard.meter import Meter
from shakedown.leaderboard.responses import LINEAR, measured_by
from shakedown.metrics import Metric, find
from shakedown.terms import Terms

#: Noise of an exact score, as a share of what it measures.
EXACT = 1e-5
#: A direction of which a smaller share of the variance is left is known.
KNOWN = 1e-9


class PosteriorMean(Holder):
    """The posterior mean."""

    name: ClassVar[str] = "posterior_mean"
    label: ClassVar[str] = "Posterior mean"
    phrase: ClassVar[str] = "the posterior mean"
    sentence: ClassVar[str] = (
        "Submits random numbers less what is known of them, weighs each answer by its noise, and "
        "ends with the mean of the response given all answers."
    )
    order: ClassVar[float] = 8.5
    needs_margin: ClassVar[bool] = False
    metrics: ClassVar[tuple[str, ...]] = LINEAR

    @classmethod
    def learns_from(cls, terms: Terms) -> bool:
        if terms.metering is not None:
            return terms.metering.gain is None  # of numbers; see `posterior_of_labels`
        return (
            terms.replaces_always
            and terms.acceptance is not None
            and not terms.step
            and (not terms.is_noisy or terms.noise_sd > 0.0)
        )

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedPosteriorMean:
        return PreparedPosteriorMean(self, participant, model, rng)


class PreparedPosteriorMean(PreparedAdversary):
    """The attack in one replicate."""

    def _play(self, run: Run) -> None:
        terms, metric = run.terms, find(run.terms.metric)
        own, rows = Meter(self.n, self.residual), len(run.rows_of(self.honest))
        answers = [answers_of(terms, rows, run.score)] * run.accounts
        scale, used, last = scale_of(terms, self.n), 0, inf
        if terms.metering is not None:
            last = terms.metering.files * run.accounts
        for t in range(self.submissions):
            if t >= last:  # a meter answers no more
                run.wait(1)
            else:
                file = scale * self._unknown(own, self.signs(t, t + 1)[0])
                (u,), (rest,) = measured_by(metric, file[None])
                # Boards measure rows, and their noise is that of rows.
                (of_rows,), (left,) = measured_by(metric, run.rows_of(file)[None])
                shown = metric.sign * float(run.submit(file[None])[0]) / run.score
                at = t % run.accounts
                answer, sd, answers[at] = answers[at].read(of_rows, left - shown)
                if run.score != 1.0:  # of units: rest - <y, u> is so many times that of rows
                    answer, sd = rest - run.score * (left - answer), run.score * sd
                if sd < inf:
                    own = own.after(own.price(u), sd, answer - float(self.honest @ u))
                    used += 1
            if run.is_point(t + 1):
                run.would_end(self._ended(metric, self.honest + own.response()), t + 1, used)

    def _unknown(self, own: Meter, signs: np.ndarray) -> np.ndarray:
        """The part of a file of which nothing is known, as large as the signs."""
        file = own.left_of(signs - signs.mean())
        length = sqrt(float(file @ file))
        return file * (sqrt(self.n) / length) if length > KNOWN * sqrt(self.n) else signs

    def _ended(self, metric: Metric, mean: np.ndarray) -> np.ndarray:
        """The best file given the mean of the response: for Lin's correlation as long as it."""
        length = sqrt(float(mean @ mean))
        return mean * (sqrt(self.n - 1.0) / length) if metric.name == "ccc" and length else mean


def answers_of(terms: Terms, n: int, score: float) -> Answers | MeteredAnswers:
    """How answers are read on a new board of n rows, whose scores are multiplied by `score`."""
    if terms.metering is not None:
        return MeteredAnswers(Account.opened(n, terms.metering))
    return Answers(terms.noise_sd / score)


class Answers:
    """Answers of a board that shows each file's own score, with noise of one size or exactly."""

    def __init__(self, sd: float) -> None:
        self._sd = sd

    def read(self, u: np.ndarray, shown: float) -> tuple[float, float, Answers]:
        """The answer <y, u>, its noise, and how the next one is read."""
        return shown, self._sd or EXACT * sqrt(float(u @ u)), self


class MeteredAnswers:
    """Answers of a metered board, which shows the mean of <y, u> given all answers so far."""

    def __init__(self, account: Account) -> None:
        self._account = account

    def read(self, u: np.ndarray, shown: float) -> tuple[float, float, MeteredAnswers]:
        """The answer <y, u>, its noise (infinite: none), and how the next one is read."""
        price, sd = self._account.asked(u)
        answer = price.answer(sd, shown)
        known = inf if price.variance == 0.0 else sd
        return answer, known, MeteredAnswers(self._account.after(price, sd, answer))
