"""Gates, which decide when a submission replaces the best so far.

A gate judges a batch of submissions in order and returns `standing`: for each submission, the index
of the submission in force after it, or -1 for the one in force before the batch.  Gates compare
risks, for which smaller is better.

In the papers, some mechanisms compare the new score with the *released* best score and others with
the *exact* best score.  A gate therefore rounds the best to a multiple of a `step` before the
comparison; 0 means no rounding.

A gate has access to the batch and to the submission in force before it, but to no older one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import ClassVar, NamedTuple

import numpy as np

from shakedown.compiled import kernel
from shakedown.interface import InputError
from shakedown.leaderboard.own import unsaid
from shakedown.leaderboard.ties import less, rounded
from shakedown.metrics import Metric
from shakedown.terms import Acceptance, Terms


class InNumbers(NamedTuple):
    """The numbers that define a gate, for compiled loops over single submissions.

    `kind` is ALWAYS, MARGIN or PAIRED.  MARGIN uses `margin`; PAIRED multiplies the standard error
    by `critical`.  The best is rounded to a multiple of `step`.
    """

    kind: int
    margin: float = 0.0
    critical: float = 0.0
    step: float = 0.0


ALWAYS, MARGIN, PAIRED = 0, 1, 2


class Gate:
    """Decides when a submission replaces the best.

    Derive a frozen dataclass from it, give it a `name`, and write `decide`.  A class with another
    `decide` than the one that it derives from says nothing of it, unless it says it itself.

    Attributes
    ----------
    name : str
        The gate's name; with the fields it identifies the gate's stream of random numbers.
    needs_losses : bool
        Whether the gate reads a loss for each row; not every metric has one.
    draws_weights : bool
        Whether the gate draws random numbers; if not, its `rng` is None.
    replaces_always : bool
        Whether every submission replaces the one before.
    one_by_one : bool
        Whether it judges one at a time, with one stream of random numbers for each board.
    by_scores : bool
        Whether its decisions follow from scores, and from random numbers that no row changes.
    """

    name: ClassVar[str]
    needs_losses: ClassVar[bool] = False
    draws_weights: ClassVar[bool] = False
    replaces_always: ClassVar[bool] = False
    one_by_one: ClassVar[bool] = False
    by_scores: ClassVar[bool] = False

    def __init_subclass__(cls, **options) -> None:
        super().__init_subclass__(**options)
        says = "terms", "in_numbers", "converse", "only_lowers", "replaces_always", "by_scores"
        unsaid(cls, Gate, ["decide"], says)

    def check(self, metric: Metric) -> None:
        """Check that it supports the metric.

        Raises
        ------
        InputError
            If it tests loss vectors and the metric is not a mean of losses, or its root.
        """
        if self.needs_losses and not metric.has_losses:
            raise InputError(
                f"gate '{self.name}' tests losses row by row, and metric '{metric.name}' is not a "
                "mean of losses. Use a Bayesian-bootstrap mechanism (bayesboot_ladder, "
                "bayesboot_ladderboot) instead."
            )

    def draw(self, rng) -> float:
        """Drawn at a board's start and each replacement, as `best.kept`, if it is `one_by_one`."""
        return 0.0

    def decide(self, batch, best, metric: Metric, y, *, chain: bool, rng) -> np.ndarray:
        """Index of the submission in force after each of a batch, shape (m,); -1 for `best`.

        `batch` has `rows`, shape (m, n), the metric's terms for each public row, and `risks`, shape
        (m,).  `best` has the `row` and the `risk` of the submission in force before the batch; the
        risk is infinite if there is none.  `y` is as `metric.prepare` returns it.  Without `chain`,
        each submission is compared with `best`, as if it were the next one.
        """
        raise NotImplementedError

    def terms(self, terms: Terms, n: int) -> Terms:
        """`terms` with what participants are told of this gate on n rows; nothing by default."""
        if self.replaces_always:
            return replace(terms, acceptance=Acceptance(-np.inf, 0.0))
        return replace(terms, silent=(*terms.silent, "gate"))

    def in_numbers(self, n: int) -> InNumbers | None:
        """The numbers that define it on n rows; None if numbers do not."""
        return None

    def converse(self) -> Gate | None:
        """A gate that accepts only entries that this one, with the same weights, does not replace.

        None if there is none.
        """
        return None

    def only_lowers(self, step: float, n: int) -> bool:
        """Whether the risk in force, rounded to a multiple of `step`, never rises on n rows.

        False unless it is certain: `shakedown.theory.leakage` counts on it.
        """
        return False


@dataclass(frozen=True)
class Always(Gate):
    """Every submission replaces the one before: Full-disclosure [C], Kaggle [B] Alg. 3."""

    name = "always"
    replaces_always = True
    by_scores = True

    def in_numbers(self, n: int) -> InNumbers:
        return InNumbers(ALWAYS)

    def decide(self, batch, best, metric: Metric, y, *, chain: bool, rng) -> np.ndarray:
        return np.arange(len(batch.risks))


@dataclass(frozen=True)
class Margin(Gate):
    """Accept a submission that is better than the rounded best by more than a margin.

    General Ladder ([B] Alg. 1, [C] Alg. 1): `margin` = `step` = η.  Simplified Ladder ([Z]
    Alg. 2): `margin` = 0, `step` = η.
    """

    margin: float
    step: float
    name = "margin"
    by_scores = True

    def in_numbers(self, n: int) -> InNumbers:
        return InNumbers(MARGIN, margin=self.margin, step=self.step)

    def terms(self, terms: Terms, n: int) -> Terms:
        return replace(terms, acceptance=Acceptance(self.margin, 0.0))

    def only_lowers(self, step: float, n: int) -> bool:
        return self.margin >= 0.0 and self.step in (0.0, step)

    def decide(self, batch, best, metric: Metric, y, *, chain: bool, rng) -> np.ndarray:
        return _by_margin(batch.risks, best.risk, self.margin, self.step, chain)


@dataclass(frozen=True)
class PairedTest(Gate):
    """Accept a submission that is better than the best by a one-sided paired t-test.

    Parameter-free Ladder ([B] Alg. 2, [C] Alg. 2): `alpha` is None, the critical value 1.  Ladder
    ([C] Alg. 3): the best is rounded to a multiple of 1/n.  LadderBoot ([C] Alg. 4): not rounded.

    Notes
    -----
    [C] defines c_α as the α quantile of the t distribution.  It is negative for α < 1/2, so a worse
    submission would be accepted.  We use the 1 - α quantile, in accordance with the text.

    The papers do not treat the root mean squared error.  For it, the squared losses are tested, so
    risks and margin are means of squared losses.  The released best is a rounded root, which is
    squared before the comparison: a submission is accepted if
    mean < ([sqrt(best mean)]_{1/n})² - margin.
    """

    alpha: float | None
    rounds_best: bool
    name = "paired_t_test"
    needs_losses = True

    def critical(self, n: int) -> float:
        """c_α for n rows."""
        return 1.0 if self.alpha is None else _upper_quantile(self.alpha, n - 1)

    def in_numbers(self, n: int) -> InNumbers:
        step = 1.0 / n if self.rounds_best else 0.0
        return InNumbers(PAIRED, critical=self.critical(n), step=step)

    def terms(self, terms: Terms, n: int) -> Terms:
        return replace(terms, acceptance=Acceptance(0.0, self.critical(n)))

    def only_lowers(self, step: float, n: int) -> bool:
        # Above 1/2 the critical value is negative, and a worse score can be accepted.
        has_margin = self.alpha is None or self.alpha <= 0.5
        return has_margin and (not self.rounds_best or step == 1.0 / n)

    def decide(self, batch, best, metric: Metric, y, *, chain: bool, rng) -> np.ndarray:
        n = batch.rows.shape[1]
        step = 1.0 / len(y) if self.rounds_best else 0.0
        means, best_mean = batch.risks, best.risk
        if metric.root:
            means, best_mean = means * means, best_mean * best_mean
        return _by_paired_test(
            batch.rows, means, best.row, best_mean, self.critical(n), step, metric.root, chain
        )


@cache
def _upper_quantile(alpha: float, df: int) -> float:
    from scipy.special import stdtrit  # slow to import, and tables need no quantile

    # The negative lower quantile, because 1 - alpha is inaccurate for a small alpha.
    return -float(stdtrit(df, alpha))


@kernel
def _by_margin(risks, best_risk, margin, step, chain):
    standing = np.empty(len(risks), np.int64)
    last = -1
    shown = rounded(best_risk, step)  # R_{t-1}
    for t in range(len(risks)):
        standing[t] = last
        if less(risks[t], shown - margin):  # [C] Alg. 1, line 6
            standing[t] = t
            if chain:
                last = t
                shown = rounded(risks[t], step)  # line 7
    return standing


@kernel
def _shown_mean(mean, step, root):
    """The released mean loss, rounded like the score; see `PairedTest`."""
    if not root or step == 0.0:
        return rounded(mean, step)
    return rounded(np.sqrt(mean), step) ** 2


@kernel
def paired_margin(critical, squares, n):
    """c sd(l_t - l_{t-1}) / sqrt(n), from the sum of squares of the differences about their mean.

    [B] Algorithm 2 with c = 1; [C] Algorithm 3, line 9.
    """
    return critical * np.sqrt(squares / (n - 1.0) / n)


@kernel
def _by_paired_test(losses, risks, best_losses, best_risk, critical, step, root, chain):
    m, n = losses.shape
    standing = np.empty(m, np.int64)
    last = -1
    best, actual = best_losses, best_risk  # l_{t-1}, R(y_{t-1})
    shown = _shown_mean(best_risk, step, root)  # R_{t-1}
    for t in range(m):
        standing[t] = last
        # A margin of 0 or more never lets a worse submission pass, and takes time to compute.
        if critical >= 0.0 and not less(risks[t], shown):
            continue
        candidate = losses[t]
        margin = 0.0
        if actual < np.inf:
            mean = risks[t] - actual
            squares = 0.0
            for i in range(n):
                squares += (candidate[i] - best[i] - mean) ** 2
            margin = paired_margin(critical, squares, n)
        if less(risks[t], shown - margin):  # [C] Alg. 2 line 8, Alg. 3 line 9, Alg. 4 line 11
            standing[t] = t
            if chain:
                last = t
                best, actual = candidate, risks[t]
                shown = _shown_mean(risks[t], step, root)  # Alg. 3 line 10
    return standing
