"""Gates: when does a submission replace the best so far?

A gate reads a batch of submissions in order.  It returns `standing`: for each submission, the index
of the one in force after it; -1 means the one in force before the batch.  Gates compare risks:
smaller is better.

The papers compare the new score with the *shown* best in some mechanisms and with the *actual*
best in others.  A gate therefore has a `step`: the multiple to which the best is rounded before
the comparison, 0 for none.

A gate sees the batch and the submission in force before it, nothing older.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from typing import ClassVar, NamedTuple

import numpy as np

from shakedown.compiled import kernel
from shakedown.interface import InputError
from shakedown.leaderboard.bits import draw_exponentials, side_by_side
from shakedown.metrics import MEAN_LOSS, Metric, correlation_risk, offset

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


class InNumbers(NamedTuple):
    """A gate in numbers, for compiled loops that judge one submission after another.

    `kind` is ALWAYS, MARGIN or PAIRED.  MARGIN uses `margin`; PAIRED multiplies the standard error
    by `critical`.  The best is rounded to a multiple of `step`.
    """

    kind: int
    margin: float = 0.0
    critical: float = 0.0
    step: float = 0.0


ALWAYS, MARGIN, PAIRED = 0, 1, 2


class Gate:
    """When a submission replaces the best.

    Derive a frozen dataclass from it, give it a `name`, and write `decide`.

    Attributes
    ----------
    name : str
        With the fields, it names the gate's stream of random numbers.
    needs_losses : bool
        Whether the gate reads a loss for each row; not every metric has one.
    draws_weights : bool
        Whether the gate draws random numbers; if not, its `rng` is None.
    replaces_always : bool
        Whether every submission replaces the one before.
    """

    name: ClassVar[str]
    needs_losses: ClassVar[bool] = False
    draws_weights: ClassVar[bool] = False
    replaces_always: ClassVar[bool] = False

    def decide(self, batch, best, metric: Metric, y, *, chain: bool, rng) -> np.ndarray:
        """The submission in force after each of a batch, shape (m,); -1 for that from before.

        `batch` has `rows`, (m, n), the metric's terms row by row, and `risks`, (m,).  `best` has
        the `row` and the `risk` in force before; without one the risk is infinite.  `y` is as
        `metric.prepare` returns it.
        Without `chain` each submission is compared with `best`, as if it were the next one.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class Always(Gate):
    """Every submission replaces the one before: Full-disclosure [C], Kaggle [B] Alg. 3."""

    name = "always"
    replaces_always = True

    def in_numbers(self, n: int) -> InNumbers:
        return InNumbers(ALWAYS)

    def decide(self, batch, best, metric: Metric, y, *, chain: bool, rng) -> np.ndarray:
        return np.arange(len(batch.risks))


@dataclass(frozen=True)
class Margin(Gate):
    """Better than the shown best by more than a margin.

    General Ladder ([B] Alg. 1, [C] Alg. 1): `margin` = `step` = η.  Simplified Ladder ([Z]
    Alg. 2): `margin` = 0, `step` = η.
    """

    margin: float
    step: float
    name = "margin"

    def in_numbers(self, n: int) -> InNumbers:
        return InNumbers(MARGIN, margin=self.margin, step=self.step)

    def decide(self, batch, best, metric: Metric, y, *, chain: bool, rng) -> np.ndarray:
        return _by_margin(batch.risks, best.risk, self.margin, self.step, chain)


@dataclass(frozen=True)
class PairedTest(Gate):
    """Better than the best by a one-sided paired t-test.

    Parameter-free Ladder ([B] Alg. 2, [C] Alg. 2): `alpha` None, critical value 1.  Ladder ([C]
    Alg. 3): the best is rounded to multiples of 1/n.  LadderBoot ([C] Alg. 4): it is not.

    Notes
    -----
    [C] prints c_α as the α quantile of the t distribution, which is negative for α < 1/2 and would
    turn the margin into a bonus.  We use the 1 - α quantile, which the text means.

    An extension: under the root mean squared error we test the squared losses, so risks and margin
    are means of squared losses.  The board shows the best as a rounded root; that root is squared
    before the comparison: accepted if mean < ([sqrt(best mean)]_{1/n})² - margin.
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

    def decide(self, batch, best, metric: Metric, y, *, chain: bool, rng) -> np.ndarray:
        n = len(y)
        step = 1.0 / n if self.rounds_best else 0.0
        means, best_mean = batch.risks, best.risk
        if metric.root:
            means, best_mean = means * means, best_mean * best_mean
        return _by_paired_test(
            batch.rows, means, best.row, best_mean, self.critical(n), step, metric.root, chain
        )


@cache
def _upper_quantile(alpha: float, df: int) -> float:
    from scipy.special import stdtrit  # slow to import, and tables need no quantile

    # By symmetry minus the lower quantile: 1 - alpha would lose the digits of a small alpha.
    return -float(stdtrit(df, alpha))


@dataclass(frozen=True)
class PosteriorOdds(Gate):
    """Better than the best by Bayesian-bootstrap posterior odds ([C] Alg. 5 and 6, lines 9-11).

    Every submission gets fresh Dirichlet(1, …, 1) weights, one replication after another, until
    the rest of the `draws` cannot change the decision.  Without a chain, all submissions of the
    batch share the same weights, as each of them would be the next one.
    """

    odds: float
    draws: int
    name = "posterior_odds"
    draws_weights = True

    def needed(self) -> int:
        """The smallest k >= 1 with k / (draws - k) >= odds, up to rounding of the odds."""
        return max(1, int(np.ceil(self.odds * (1.0 - 1e-9) * self.draws / (1.0 + self.odds))))

    def decide(self, batch, best, metric: Metric, y, *, chain: bool, rng) -> np.ndarray:
        by_odds = _by_odds
        if metric.formula is None:
            by_odds = partial(_by_odds_of_any_metric, metric)
        return by_odds(
            y, batch.rows, best.row, best.risk == np.inf, metric.formula,
            self.draws, self.needed(), chain, side_by_side(rng, len(y)),
        )  # fmt: skip


#: ASSUME: with more than MANY_ROWS public rows, FEWER_DRAWS replications replace a thousand.  A
#: test takes time in proportion to rows times replications; its error is at most
#: 1 / (2 sqrt(replications)).
MANY_ROWS, FEWER_DRAWS = 1000, 200


def fewer_draws(n_public: int) -> dict[str, int]:
    """The `draws` of a Bayesian test in a dry run; empty for the default."""
    return {"draws": FEWER_DRAWS} if n_public > MANY_ROWS else {}


def check(gate: Gate, metric: Metric) -> None:
    """Refuse a gate that cannot judge the metric.

    Raises
    ------
    InputError
        If the gate tests loss vectors and the metric is not a mean of losses, or its root.
    """
    if gate.needs_losses and not metric.has_losses:
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
def _shown_mean(mean, step, root):
    """The mean loss that is shown, rounded as the score is; see `PairedTest`."""
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
        candidate = losses[t]
        margin = 0.0
        if actual < np.inf:
            mean = risks[t] - actual
            squares = 0.0
            for i in range(n):
                squares += (candidate[i] - best[i] - mean) ** 2
            margin = paired_margin(critical, squares, n)
        standing[t] = last
        if less(risks[t], shown - margin):  # [C] Alg. 2 line 8, Alg. 3 line 9, Alg. 4 line 11
            standing[t] = t
            if chain:
                last = t
                best, actual = candidate, risks[t]
                shown = _shown_mean(risks[t], step, root)  # Alg. 3 line 10
    return standing


@kernel
def _by_odds(y, rows, best_row, empty, formula, draws, needed, chain, bits):
    m = len(rows)
    standing = np.full(m, -1)
    response = y - y[0]
    best = best_row - offset(formula, best_row, y)
    last = -1
    size = 1 if chain else m
    for start in range(0, m, size):
        candidates = np.empty((size, len(y)))
        for k in range(size):
            candidates[k] = rows[start + k] - offset(formula, rows[start + k], y)
        if not empty:
            favoured = _favoured(response, candidates, best, formula, draws, needed, bits)
        for k in range(size):
            accepted = empty or favoured[k]
            standing[start + k] = start + k if accepted else last  # [C] Alg. 5 and 6, line 11
            if accepted and chain:
                last, best, empty = start, candidates[0], False
    return standing


@kernel
def _favoured(y, candidates, best, formula, draws, needed, bits):
    """Which candidates at least `needed` of `draws` bootstrap replications favour; shape (q,).

    The offsets are already subtracted from the rows.  All candidates share the replications; each
    drops out once the rest cannot change its decision.
    """
    count, n = candidates.shape
    wins, undecided = np.zeros(count, np.int64), np.arange(count)
    left = draws
    weights = np.empty(n)
    while count:
        # Dirichlet(1, ..., 1) weights up to a factor, which no metric feels.
        draw_exponentials(bits, weights)
        left -= 1
        # Written out: calls for these sums took a third longer.
        w = wy = wyy = wb = wbb = wyb = 0.0
        if formula == MEAN_LOSS:
            for i in range(n):
                w += weights[i]
                wb += weights[i] * best[i]
            old = wb / w
        else:
            for i in range(n):
                a, u, b = weights[i], y[i], best[i]
                w += a
                wy += a * u
                wyy += a * u * u
                wb += a * b
                wbb += a * b * b
                wyb += a * u * b
            old = correlation_risk(formula, w, wy, wyy, wb, wbb, wyb)
        kept = 0
        for j in range(count):
            k = undecided[j]
            candidate = candidates[k]
            wc = wcc = wyc = 0.0
            if formula == MEAN_LOSS:
                for i in range(n):
                    wc += weights[i] * candidate[i]
                new = wc / w
            else:
                for i in range(n):
                    a, u, c = weights[i], y[i], candidate[i]
                    wc += a * c
                    wcc += a * c * c
                    wyc += a * u * c
                new = correlation_risk(formula, w, wy, wyy, wc, wcc, wyc)
            wins[k] += less(new, old)
            if wins[k] < needed <= wins[k] + left:
                undecided[kept] = k
                kept += 1
        count = kept
    return wins >= needed


def _by_odds_of_any_metric(metric, y, rows, best_row, empty, formula, draws, needed, chain, bits):
    """`_by_odds` for a metric given as a Python function."""
    m = len(rows)
    standing = np.full(m, -1)
    best, last = best_row, -1
    size = 1 if chain else m
    weights = np.empty(len(y))

    def risk(row):
        return metric.sign * metric.function(y, row, sample_weight=weights)

    for start in range(0, m, size):
        wins = np.zeros(size, int)
        undecided = np.arange(0 if empty else size)
        left = draws
        while len(undecided):
            draw_exponentials(bits, weights)
            left -= 1
            old = risk(best)
            wins[undecided] += [less(risk(rows[start + k]), old) for k in undecided]
            undecided = undecided[(wins[undecided] < needed) & (needed <= wins[undecided] + left)]
        for k in range(size):
            accepted = empty or wins[k] >= needed
            standing[start + k] = start + k if accepted else last
            if accepted and chain:
                last, best, empty = start, rows[start], False
    return standing
