"""Gates: when does a submission replace the best so far?

Every gate reads a batch of submissions in order and answers with `standing`: for each of them, the
index of the submission that is in force once it has been judged; -1 where that is still the one
from before the batch.  Risks are compared, for which smaller is better.

The papers compare the new score with the *shown* best in some mechanisms and with the *actual*
best in others.  A gate therefore has a `step`: the multiple to which the best is rounded before
the comparison, 0 for none.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import stdtrit

from shakedown.compiled import kernel
from shakedown.interface import InputError
from shakedown.metrics import MEAN_LOSS, PEARSON, Metric, correlation_risk

#: Two scores closer than this, relative to the larger of them and 1, are a tie: an equality of
#: real numbers must not be decided by the rounding of floats.
TIE = 1e-12


@kernel
def less(a, b):
    """Strictly less, with ties by `TIE`; anything finite is less than infinity."""
    if b == np.inf:
        return a < np.inf
    return a < b - TIE * max(1.0, abs(a), abs(b))


@kernel
def rounded(value, step):
    """[value]_step: the nearest multiple of `step`, halves to the even one; 0 keeps the value.

    A half to nine digits is a half, on whichever side of it the float lies.
    """
    if step == 0.0 or value == np.inf:
        return value
    return np.rint(np.rint(value / step * 1e9) / 1e9) * step


@dataclass(frozen=True)
class Always:
    """Every submission replaces the one before: Full-disclosure [C], Kaggle [B] Alg. 3."""

    name = "always"
    needs_mean_loss = False
    draws_weights = False

    def decide(self, batch, best, metric: Metric, y, *, chain: bool, rng) -> np.ndarray:
        return np.arange(len(batch.risks))


@dataclass(frozen=True)
class Margin:
    """Better than the shown best by more than a margin.

    General Ladder ([B] Alg. 1, [C] Alg. 1): `margin` = `step` = η.  Simplified Ladder ([Z]
    Alg. 2): `margin` = 0, `step` = η.
    """

    margin: float
    step: float
    name = "margin"
    needs_mean_loss = False
    draws_weights = False

    def decide(self, batch, best, metric: Metric, y, *, chain: bool, rng) -> np.ndarray:
        return _by_margin(batch.risks, best.risk, self.margin, self.step, chain)


@dataclass(frozen=True)
class PairedTest:
    """Better than the best by a one-sided paired t-test.

    Parameter-free Ladder ([B] Alg. 2, [C] Alg. 2): `alpha` None, critical value 1.  Ladder ([C]
    Alg. 3): the best is rounded to multiples of 1/n.  LadderBoot ([C] Alg. 4): it is not.

    Notes
    -----
    [C] prints c_α as the α quantile of the t distribution, which is negative for α < 1/2 and would
    turn the margin into a bonus; the 1 - α quantile is meant and used.
    """

    alpha: float | None
    rounds_best: bool
    name = "paired_t_test"
    needs_mean_loss = True
    draws_weights = False

    def critical(self, n: int) -> float:
        """c_α for n rows."""
        return 1.0 if self.alpha is None else _upper_quantile(self.alpha, n - 1)

    def decide(self, batch, best, metric: Metric, y, *, chain: bool, rng) -> np.ndarray:
        n = len(y)
        step = 1.0 / n if self.rounds_best else 0.0
        return _by_paired_test(
            batch.rows, batch.risks, best.row, best.risk, self.critical(n), step, chain
        )


@cache
def _upper_quantile(alpha: float, df: int) -> float:
    # The lower one with its sign changed: 1 - alpha would lose the digits of a small alpha.
    return -float(stdtrit(df, alpha))


@dataclass(frozen=True)
class PosteriorOdds:
    """Better than the best by Bayesian-bootstrap posterior odds ([C] Alg. 5 and 6, lines 9-11).

    Fresh Dirichlet(1, …, 1) weights are drawn for every submission, one replication after the
    other, until those that remain of the `draws` can no longer change the decision.
    """

    odds: float
    draws: int
    name = "posterior_odds"
    needs_mean_loss = False
    draws_weights = True

    def needed(self) -> int:
        """The smallest k >= 1 with k / (draws - k) >= odds, up to rounding of the odds."""
        return max(1, int(np.ceil(self.odds * (1.0 - 1e-9) * self.draws / (1.0 + self.odds))))

    def decide(self, batch, best, metric: Metric, y, *, chain: bool, rng) -> np.ndarray:
        if metric.formula is None:
            return _by_odds_of_any_metric(
                batch, best, metric, y, self.draws, self.needed(), chain, rng
            )
        return _by_odds(
            batch.rows, batch.risks, best.row, best.risk, y, metric.formula,
            self.draws, self.needed(), chain, rng,
        )  # fmt: skip


Gate = Always | Margin | PairedTest | PosteriorOdds


def check(gate: Gate, metric: Metric) -> None:
    """Refuse a gate that cannot judge the metric.

    Raises
    ------
    InputError
        If the gate tests loss vectors and the metric is not a mean of losses.
    """
    if gate.needs_mean_loss and not metric.is_mean_loss:
        raise InputError(
            f"gate '{gate.name}' tests losses row by row, and metric '{metric.name}' is not a mean "
            "of losses. Use a Bayesian-bootstrap mechanism (bayesboot_ladder, "
            "bayesboot_ladderboot) with it."
        )


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
def _by_paired_test(losses, risks, best_losses, best_risk, critical, step, chain):
    m, n = losses.shape
    standing = np.empty(m, np.int64)
    last = -1
    best, actual = best_losses, best_risk  # l_{t-1}, R(y_{t-1})
    shown = rounded(best_risk, step)  # R_{t-1}
    for t in range(m):
        candidate = losses[t]
        margin = 0.0
        if actual < np.inf:
            mean = risks[t] - actual
            squares = 0.0
            for i in range(n):
                squares += (candidate[i] - best[i] - mean) ** 2
            margin = critical * np.sqrt(squares / (n - 1.0) / n)  # c sd(l_t - l_{t-1}) / sqrt(n)
        standing[t] = last
        if less(risks[t], shown - margin):  # [C] Alg. 2 line 8, Alg. 3 line 9, Alg. 4 line 11
            standing[t] = t
            if chain:
                last = t
                best, actual = candidate, risks[t]
                shown = rounded(risks[t], step)  # Alg. 3 line 10
    return standing


@kernel
def _by_odds(rows, risks, best_row, best_risk, y, formula, draws, needed, chain, rng):
    m, n = rows.shape
    standing = np.empty(m, np.int64)
    last = -1
    best, empty = best_row, best_risk == np.inf
    weights = np.empty(n)
    for t in range(m):
        standing[t] = last
        if empty or _wins_often(rows[t], best, y, formula, draws, needed, weights, rng):
            standing[t] = t  # [C] Alg. 5 and 6, line 11
            if chain:
                last = t
                best, empty = rows[t], False
    return standing


@kernel
def _wins_often(candidate, best, y, formula, draws, needed, weights, rng):
    """Whether at least `needed` of `draws` bootstrap replications favour the candidate."""
    wins = 0
    # Moments about a row, not about 0: an offset of the predictions must not cost digits.  Only
    # a concordance feels a difference between the offsets of response and predictions.
    of_y = y[0]
    of_c = candidate[0] if formula == PEARSON else of_y
    of_b = best[0] if formula == PEARSON else of_y
    for done in range(draws):
        if wins >= needed or wins + draws - done < needed:
            break
        # Dirichlet(1, ..., 1) weights up to a factor, which no metric feels.
        for i in range(len(weights)):
            weights[i] = rng.standard_exponential()
        if formula == MEAN_LOSS:
            w = wc = wb = 0.0
            for i in range(len(weights)):
                w += weights[i]
                wc += weights[i] * candidate[i]
                wb += weights[i] * best[i]
            wins += less(wc / w, wb / w)
        else:
            w = wy = wyy = wc = wcc = wyc = wb = wbb = wyb = 0.0
            for i in range(len(weights)):
                a, u, c, b = weights[i], y[i] - of_y, candidate[i] - of_c, best[i] - of_b
                ay, ac, ab = a * u, a * c, a * b
                w += a
                wy += ay
                wyy += ay * u
                wc += ac
                wcc += ac * c
                wyc += ay * c
                wb += ab
                wbb += ab * b
                wyb += ay * b
            new = correlation_risk(formula, w, wy, wyy, wc, wcc, wyc)
            old = correlation_risk(formula, w, wy, wyy, wb, wbb, wyb)
            wins += less(new, old)
    return wins >= needed


def _by_odds_of_any_metric(batch, best, metric, y, draws, needed, chain, rng):
    """`_by_odds` for a metric that only a Python function knows."""
    standing = np.empty(len(batch.risks), np.int64)
    last = -1
    in_force, empty = best.row, best.risk == np.inf
    for t, candidate in enumerate(batch.rows):
        wins = done = 0
        while not empty and wins < needed and wins + draws - done >= needed:
            w = rng.standard_exponential(len(y))
            new = metric.sign * metric.function(y, candidate, sample_weight=w)
            old = metric.sign * metric.function(y, in_force, sample_weight=w)
            wins += new < old - TIE * max(1.0, abs(new), abs(old))
            done += 1
        accepted = empty or wins >= needed
        standing[t] = t if accepted else last
        if accepted and chain:
            last, in_force, empty = t, candidate, False
    return standing
