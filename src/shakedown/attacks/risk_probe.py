"""The risk probe: the score of a file of two risks, for censored times, is linear in its signs.

Let a pair of rows of known order count w(i, k) > 0, for its event i and the later row k, and all
pairs W.  If a file has the risk z(i), which is 1 or -1, its concordance is

    C = 1/2 + sum over pairs of w(i, k) (z(i) - z(k)) / (4 W) = 1/2 + <b, z>,

because equal risks count half.  b(i) is what row i counts in pairs where it is the event, less what
it counts where it is the later row, over 4 W: large where the event came early.  Under Harrell's
index b itself orders all pairs right.  The scores of k random files are k measurements of b, as
those of the linear probe are of a response (Xie 2018, arXiv 1802.04947), and as many files as rows
determine it.

The attack ends with the mean of b given the scores, if its entries are independent and normal; with
a model, if their means are the model's predictions.  The scores tell the scale of b.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shakedown.attacks.adversary import Holder, PreparedAdversary, Run
from shakedown.interface import ParticipantData
from shakedown.metrics import Metric, find
from shakedown.metrics.classes import TIMES
from shakedown.metrics.times import guess
from shakedown.terms import Terms

#: The least variance of a score's error, relative to that of scores: rounding.
LEAST = 1e-12


class RiskProbe(Holder):
    """The risk probe."""

    name: ClassVar[str] = "risk_probe"
    label: ClassVar[str] = "Risk probe"
    phrase: ClassVar[str] = "the risk probe"
    sentence: ClassVar[str] = (
        "Submits files of two risks, whose scores for censored times are linear in them, and ends "
        "with the risks that follow from these scores."
    )
    order: ClassVar[float] = 8.6
    metrics: ClassVar[tuple[str, ...]] = ("c_index", "uno_c_index", "iauc")
    sends_signs: ClassVar[bool] = True
    needs_margin: ClassVar[bool] = False
    # With more files than rows it solves another system.
    examples: ClassVar[tuple[dict, ...]] = (*Holder.examples, {"submissions": 14, "points": [3]})

    @classmethod
    def reads_metric(cls, metric: Metric) -> bool:
        return metric.response == TIMES  # sums and means of linear functions are linear

    @classmethod
    def learns_from(cls, terms: Terms) -> bool:
        return terms.shows_scores and terms.replaces_always

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedRiskProbe:
        return PreparedRiskProbe(self, participant, model, rng)


class PreparedRiskProbe(PreparedAdversary):
    """The attack in one replicate."""

    def _play(self, run: Run) -> None:
        files = self.signs(0, self.submissions)
        values = run.submit(files) - guess(find(run.terms.metric))
        noise = run.terms.step**2 / 12.0 + run.terms.noise_sd**2
        for t in range(1, self.submissions + 1):
            if run.is_point(t):
                end = posterior_mean(files[:t], values[:t], noise, self.honest, self.residual)
                run.would_end(end, t, t)


def posterior_mean(
    files: np.ndarray, values: np.ndarray, noise: float, mean: np.ndarray, variance: float
) -> np.ndarray:
    """The mean of r given ``values = g files r + noise``, for an unknown g > 0; shape (n,).

    Parameters
    ----------
    files : ndarray, shape (k, n)
        Signs.
    values : ndarray, shape (k,)
    noise : float
        Variance of the noise.
    mean : ndarray, shape (n,)
        Of r, whose mean square is 1.
    variance : float
        Of each entry about its mean.
    """
    k, n = files.shape
    size = float(np.mean(values**2))
    if not size > noise:  # nothing but noise
        return mean
    g = np.sqrt((size - noise) / n)  # <files, r> has the variance n
    rest, error = values / g - files @ mean, max(noise / g**2, LEAST * n) / variance
    if k <= n:
        told = files.T @ np.linalg.solve(files @ files.T + error * np.eye(k), rest)
    else:
        told = np.linalg.solve(files.T @ files + error * np.eye(n), files.T @ rest)
    return mean + told
