"""Releases, which determine the released score.

A release computes the score that the participant sees after each submission from the submission in
force (see `gates`).  It works on risks, for which smaller is better.  It has access to the batch,
to the submission in force before it, to what was shown then, and to the number of submissions
before each; to nothing older.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import ClassVar, NamedTuple

import numpy as np

from shakedown.compiled import kernel
from shakedown.leaderboard.bits import (
    draw_exponentials,
    next_index,
    next_pair,
    next_uniform,
    refused_below,
    seeded,
    side_by_side,
)
from shakedown.leaderboard.disclosure import NOTHING, Disclosure, uncounted
from shakedown.leaderboard.gates import Gate
from shakedown.leaderboard.ties import rounded
from shakedown.metrics import (
    MEAN_LOSS,
    Metric,
    correlation_risk,
    offset,
)


class Release:
    """Determines the released score.

    Derive a frozen dataclass from it, give it a `name`, and write `show`.

    Attributes
    ----------
    name : str
    is_noisy : bool
        Whether it draws random numbers; if not, its `rng` is None.
    in_force_only : bool
        Whether it releases the score in force, rounded to a multiple of `step_for`, and no more.
    shows_in_force : bool
        Whether it releases the score in force after each submission, rounded or with noise.
    tells : bool
        Whether its noise is drawn once for each replacement, so that the number tells of them.
    """

    name: ClassVar[str]
    is_noisy: ClassVar[bool] = False
    in_force_only: ClassVar[bool] = False
    shows_in_force: ClassVar[bool] = False
    tells: ClassVar[bool] = False

    def step_for(self, n: int) -> float:
        """The step to a multiple of which scores of n rows are rounded; 0 for no rounding."""
        return 0.0

    def show(self, batch, best, standing, metric: Metric, y, rng) -> np.ndarray:
        """The released risk after each submission of a batch; shape (m,).

        Parameters
        ----------
        batch, best, metric, y, rng
            As in `gates.Gate.decide`.  `batch.before`, a number or of shape (m,), is the number of
            submissions that the participant's board has judged before each.
        standing : ndarray of int, shape (m,)
            The gate's decisions: the submission in force after each; -1 for `best`.
        """
        raise NotImplementedError

    def disclosure(self, gate: Gate, n: int, sign: int) -> Disclosure:
        """What it can show of n rows with this gate; `sign` is -1 if larger scores are better."""
        if self.is_noisy:
            return uncounted("Every score has fresh noise: it takes any value, and averages out.")
        if not self.in_force_only:
            return uncounted("Its release does not say which scores it can show.")
        step = self.step_for(n)
        if step == 0.0:
            return uncounted("Exact scores take any value: one file per row reveals everything.")
        return Disclosure(step, falls=gate.only_lowers(step, n))


@dataclass(frozen=True)
class Exact(Release):
    """Release the exact score."""

    name = "exact"
    in_force_only = True
    shows_in_force = True

    def show(self, batch, best, standing, metric: Metric, y, rng) -> np.ndarray:
        return _rounded(batch.risks, best.risk, standing, 0.0)


@dataclass(frozen=True)
class Rounded(Release):
    """Release the nearest multiple of `step` (None: of 1/n), with halves to the even multiple."""

    step: float | None
    name = "rounded"
    in_force_only = True
    shows_in_force = True

    def step_for(self, n: int) -> float:
        return 1.0 / n if self.step is None else self.step

    def show(self, batch, best, standing, metric: Metric, y, rng) -> np.ndarray:
        return _rounded(batch.risks, best.risk, standing, self.step_for(len(y)))


@dataclass(frozen=True)
class Constant(Release):
    """Release the same number for every submission (a control)."""

    name = "constant"

    def disclosure(self, gate: Gate, n: int, sign: int) -> Disclosure:
        return NOTHING

    def show(self, batch, best, standing, metric: Metric, y, rng) -> np.ndarray:
        return np.zeros(len(standing))


@dataclass(frozen=True)
class Ranks(Release):
    """Release the account's rank among all accounts of the board, without scores.

    This is the board of [Z] section 2.2.  Accounts are ranked by the score in force, rounded to a
    multiple of `step` (0: exact).  A single board does not know the other accounts, so `show`
    returns the score by which accounts are ranked.
    """

    step: float
    name = "rank"

    def disclosure(self, gate: Gate, n: int, sign: int) -> Disclosure:
        return uncounted("A rank can take as many values as there are accounts of all teams.")

    def show(self, batch, best, standing, metric: Metric, y, rng) -> np.ndarray:
        return _rounded(batch.risks, best.risk, standing, self.step)


@dataclass(frozen=True)
class Bootstrap(Release):
    """Release the mean score over b bootstrap samples, drawn anew for every submission.

    [C] Algorithms 4 and 6, lines 12-13 and 15-16.  The samples are resampled rows or, with
    `dirichlet`, Dirichlet weights as in the Bayesian bootstrap; the text of Algorithm 6 allows
    both.
    """

    b: int
    dirichlet: bool = False
    name = "bootstrap"
    is_noisy = True
    shows_in_force = True

    def show(self, batch, best, standing, metric: Metric, y, rng) -> np.ndarray:
        if metric.formula is None:
            return _bootstrap_of_any_metric(
                batch, best, standing, metric, y, self.b, self.dirichlet, rng
            )
        if self.dirichlet:
            return _weighted_means(
                batch.rows, best.row, standing, y, metric.formula, metric.root, self.b,
                side_by_side(rng, len(y)),
            )  # fmt: skip
        if metric.root:
            return _resampled_roots(batch.rows, best.row, standing, self.b, seeded(rng))
        if metric.is_mean_loss:
            counts = poisson_table(self.b - np.sqrt(self.b / len(y)))
            return _resampled_losses(batch.rows, best.row, standing, self.b, counts, seeded(rng))
        return _resampled_scores(
            batch.rows, best.row, standing, y, metric.formula, self.b, seeded(rng)
        )


@dataclass(frozen=True)
class FallingBootstrap(Release):
    """As `Bootstrap`, but b decreases with the participant's submissions ([C] discussion).

    The text does not say how b decreases.  Here it is halved after every `halving` submissions,
    rounded down, with a minimum of 1.
    """

    b: int
    halving: int
    name = "falling_bootstrap"
    is_noisy = True
    shows_in_force = True

    def show(self, batch, best, standing, metric: Metric, y, rng) -> np.ndarray:
        halved = np.minimum(np.asarray(batch.before) // self.halving, self.b.bit_length())
        sizes = np.broadcast_to(np.maximum(self.b >> halved, 1), len(standing))
        shown = np.empty(len(standing))
        for b in np.unique(sizes)[::-1]:
            now = sizes == b
            shown[now] = Bootstrap(int(b)).show(batch, best, standing[now], metric, y, rng)
        return shown


@kernel
def _rounded(risks, best_risk, standing, step):
    """Risk in force after each round, shape (m,), rounded to a multiple of `step`; 0: exact."""
    shown = np.empty(len(standing))
    for t in range(len(standing)):
        shown[t] = rounded(risks[standing[t]] if standing[t] >= 0 else best_risk, step)
    return shown


class PoissonTable(NamedTuple):
    """Walker's alias table of a Poisson distribution, without probabilities below 1e-18."""

    lowest: int
    keep: np.ndarray  # (k,) probability that a column keeps its own value
    other: np.ndarray  # (k,) the column whose value is used otherwise


@cache
def poisson_table(mean: float) -> PoissonTable:
    """Alias table of the Poisson distribution with this mean; built in linear time (Vose 1991)."""
    from scipy.special import gammaln  # slow to import, and tables need no release

    values = np.arange(int(mean + 12 * np.sqrt(mean) + 40))
    p = np.exp(values * np.log(mean) - mean - gammaln(values + 1.0))
    values, p = values[p > 1e-18], p[p > 1e-18]
    scaled = p / p.sum() * len(p)
    keep, other = np.ones(len(p)), np.arange(len(p))
    small = [i for i in range(len(p)) if scaled[i] < 1.0]
    large = [i for i in range(len(p)) if scaled[i] >= 1.0]
    while small and large:
        i, j = small.pop(), large[-1]
        keep[i], other[i] = scaled[i], j
        scaled[j] -= 1.0 - scaled[i]
        if scaled[j] < 1.0:
            small.append(large.pop())
    return PoissonTable(int(values[0]), keep, other)


@kernel
def _poisson(table, bits):
    position = next_uniform(bits) * len(table.keep)
    column = np.int64(position)
    if position - column >= table.keep[column]:
        column = table.other[column]
    return table.lowest + column


@kernel
def _resampled_loss(losses, b, table, bits):
    """Mean of the means of b bootstrap samples of the losses, from one vector of counts.

    b samples of n rows are b n draws with replacement, so the result depends only on the counts of
    the rows, which are multinomial.  Independent Poisson counts are multinomial given their sum.
    So we draw Poisson counts with a mean slightly below b, draw them again if their sum exceeds b n
    (one time in six), and draw the missing rows one by one.  The result has the exact distribution,
    and the time is O(n + sqrt(b n)) instead of O(b n).
    """
    n = len(losses)
    trials = b * n
    drawn, total = trials + 1, 0.0
    while drawn > trials:
        drawn, total = 0, 0.0
        for i in range(n):
            count = _poisson(table, bits)
            drawn += count
            total += count * losses[i]
    for _ in range(trials - drawn):
        total += losses[next_index(bits, n)]
    return total / trials


@kernel
def _resampled_losses(losses, best, standing, b, table, bits):
    """[C] Algorithm 4, lines 12-13 (a new best) and 15-16 (the previous best); shape (m,)."""
    shown = np.empty(len(standing))
    for t in range(len(standing)):
        row = losses[standing[t]] if standing[t] >= 0 else best
        shown[t] = _resampled_loss(row, b, table, bits)
    return shown


@kernel
def _resampled_roots(losses, best, standing, b, bits):
    """[C] Algorithm 6, lines 12-13 and 15-16, for the root of a mean loss; shape (m,).

    Each of the b roots needs its own sample, so one vector of counts for all samples does not
    suffice.  A vector for each sample takes ten times as long as drawing its rows in pairs.
    """
    n = losses.shape[1]
    shown = np.empty(len(standing))
    refused = refused_below(n)
    for t in range(len(standing)):
        row = losses[standing[t]] if standing[t] >= 0 else best
        total = 0.0
        for _ in range(b):
            drawn = 0.0
            for _ in range(n // 2):
                first, second = next_pair(bits, n, refused)
                drawn += row[first] + row[second]
            if n % 2:
                drawn += row[next_pair(bits, n, refused)[0]]
            total += np.sqrt(drawn / n)
        shown[t] = total / b
    return shown


@kernel
def _resampled_scores(predictions, best, standing, y, formula, b, bits):
    """[C] Algorithm 6, lines 12-13 and 15-16, for a correlation; shape (m,)."""
    n = len(y)
    shown = np.empty(len(standing))
    # One line of memory per row: response, prediction and their products.
    products = np.empty((n, 8))
    refused = refused_below(n)
    filled = -2
    for t in range(len(standing)):
        if standing[t] != filled:
            filled = standing[t]
            row = predictions[filled] if filled >= 0 else best
            taken_off = offset(formula, row, y)
            for i in range(n):
                u, p = y[i] - y[0], row[i] - taken_off
                products[i, 0], products[i, 1] = u, p
                products[i, 2], products[i, 3] = u * u, p * p
                products[i, 4] = u * p
        total = 0.0
        for _ in range(b):
            wy = wp = wyy = wpp = wyp = 0.0
            for pair in range((n + 1) // 2):
                first, second = next_pair(bits, n, refused)
                line = products[first]
                wy += line[0]
                wp += line[1]
                wyy += line[2]
                wpp += line[3]
                wyp += line[4]
                if 2 * pair + 1 < n:
                    line = products[second]
                    wy += line[0]
                    wp += line[1]
                    wyy += line[2]
                    wpp += line[3]
                    wyp += line[4]
            total += correlation_risk(formula, n, wy, wyy, wp, wpp, wyp)
        shown[t] = total / b
    return shown


@kernel
def _weighted_means(rows, best, standing, y, formula, root, b, bits):
    """Mean over b Bayesian-bootstrap replications; shape (m,)."""
    shown = np.empty(len(standing))
    response = y - y[0]
    weights = np.empty(len(y))
    for t in range(len(standing)):
        row = rows[standing[t]] if standing[t] >= 0 else best
        row = row - offset(formula, row, y)
        total = 0.0
        for _ in range(b):
            draw_exponentials(bits, weights)
            w = wy = wp = wyy = wpp = wyp = 0.0
            for i in range(len(row)):
                a, u, p = weights[i], response[i], row[i]
                w += a
                wp += a * p
                wpp += a * p * p
                wy += a * u
                wyy += a * u * u
                wyp += a * u * p
            if root:
                total += np.sqrt(wp / w)
            elif formula == MEAN_LOSS:
                total += wp / w
            else:
                total += correlation_risk(formula, w, wy, wyy, wp, wpp, wyp)
        shown[t] = total / b
    return shown


def _bootstrap_of_any_metric(batch, best, standing, metric, y, b, dirichlet, rng):
    """`Bootstrap` for a metric given as a Python function, with counts as sample weights."""
    n = len(y)
    shown = np.empty(len(standing))
    for t, k in enumerate(standing):
        row = batch.rows[k] if k >= 0 else best.row
        scores = []
        for _ in range(b):
            w = rng.standard_exponential(n) if dirichlet else rng.multinomial(n, np.full(n, 1 / n))
            scores.append(metric.function(y, row, sample_weight=w))
        shown[t] = metric.sign * np.mean(scores)
    return shown
