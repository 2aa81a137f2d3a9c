"""Measure how probably a leaderboard accepts a true improvement.

The submission in force has the correlation r0 with the response, and the next submission a larger
correlation r1.  Both are made from the response (`honest.calibrated`), so the true gain of r1 is
known: it is computed on a very large sample of the table's response.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats
from scipy.optimize import isotonic_regression
from statsmodels.stats.proportion import proportion_confint

from shakedown.data.censored import numbers_of
from shakedown.dryrun.usefulness.honest import calibrated
from shakedown.interface import InputError
from shakedown.leaderboard.gates import Gate
from shakedown.leaderboard.judge import Draws, Judge
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.scorer import ScoredSubmissions, Scorer
from shakedown.leaderboard.state import BoardState, renewed
from shakedown.leaderboard.ties import TIE
from shakedown.metrics import Metric
from shakedown.metrics.classes import TIMES

#: Gains to test: 0, and shares of the gain of a perfect prediction over the base.
SHARES = np.concatenate([[0.0], np.geomspace(1 / 256, 0.95, 15)])

#: Approximate number of rows of the sample on which true scores are computed.
ROWS = 20_000

#: Number of points at which the true gain is computed; it is interpolated in between.
POINTS = 80

#: A board resolves a gain if it accepts the gain with at least this probability.
FLOOR = 0.8

#: Pairs of predictions per replicate: for gates without random numbers, for gates that draw
#: weights, and for those that also call a Python function for each draw.
PAIRS = {"plain": 25, "drawn": 10, "function": 2}


@dataclass(frozen=True, eq=False)
class Improvements:
    """Improvements with known gains over a base submission.

    Attributes
    ----------
    base : float
        Correlation r0 of the base with the response.
    r : ndarray, shape (m,)
        Correlations of the improved predictions with the response.
    gains : ndarray, shape (m,)
        Their true gains in the metric of standardised data; positive gains are better for every
        metric.
    """

    base: float
    r: np.ndarray
    gains: np.ndarray


def rising(metric: Metric, y: np.ndarray, base: float, *, rng: np.random.Generator) -> Improvements:
    """Improvements with gains from 0 to 95 % of the largest possible gain.

    Parameters
    ----------
    metric : Metric
    y : ndarray, shape (n,)
        The table's response; the sample has its distribution.
    base : float
        Correlation of the base with the response, in (0, 1).
    rng : numpy.random.Generator

    Raises
    ------
    InputError
        If a better prediction does not score better under the metric.
    """
    # Equal steps of the angle, because the root of a mean squared error is steep near r = 1.
    angles = np.linspace(np.arccos(base), 0.0, POINTS)
    gains = true_gains(metric, y, np.cos(angles), rng=rng)
    if not gains[-1] > 0:
        raise InputError(
            f"metric '{metric.name}': wanted one that prefers a perfect prediction to one with "
            f"correlation {base:g} to the response; got a gain of {gains[-1]:+g}. Use another "
            "metric."
        )
    wanted = SHARES * gains[-1]
    gains, first = np.unique(gains, return_index=True)
    return Improvements(base, np.cos(np.interp(wanted, gains, angles[first])), wanted)


def true_gains(
    metric: Metric, y: np.ndarray, r: np.ndarray, *, rng: np.random.Generator
) -> np.ndarray:
    """True gains of predictions over the first of them; shape (m,).

    The gain is r1² - r0² for the mean squared error and r1 - r0 for Pearson's correlation, up to
    rounding (see `true_scores`).  The gains are made monotone by a running maximum.
    """
    scores = true_scores(metric, y, r, rng=rng)
    return np.maximum.accumulate(-metric.sign * (scores - scores[0]))


def true_scores(
    metric: Metric, y: np.ndarray, r: np.ndarray, *, rng: np.random.Generator
) -> np.ndarray:
    """True scores of calibrated predictions; shape (m,).

    The sample repeats each row of the table equally often, about 20,000 rows in total.  Its errors
    have variance 1 and are exactly uncorrelated with the response, or with the risk scores of
    censored times.
    """
    times = np.repeat(y, max(1, ROWS // len(y)))
    y = numbers_of(metric, times)
    y = (y - y.mean()) / y.std()
    errors = rng.standard_normal(len(y))
    errors -= errors.mean() + (errors @ y) / (y @ y) * y
    errors /= errors.std()
    return metric.score(times if metric.response == TIMES else y, calibrated(y, errors, r))


def trials(
    metric: Metric,
    mechanisms: Sequence[Mechanism],
    y: np.ndarray,
    tried: Improvements,
    *,
    correlation: float,
    rng_factory: Callable[..., np.random.Generator],
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Test which improvements each mechanism accepts, and which it shows, on one public set.

    Parameters
    ----------
    metric : Metric
    mechanisms : sequence of Mechanism
    y : ndarray, shape (n,)
        Public response.
    tried : Improvements
    correlation : float
        Correlation between the errors of successive submissions, in [0, 1).
    rng_factory : callable
        ``rng_factory(*axes) -> Generator``: the replicate's streams of random numbers.

    Returns
    -------
    list of (accepted, seen), one per mechanism; bool, shape (pairs, m) each
        Accepted: the improved submission replaces the base; for a mechanism that accepts every
        submission, the released score gets better.  Seen: the submission is accepted, and the
        released score is better than that of the base.  For a board with few updates, both are
        whether its next update is better.

    Notes
    -----
    Within a pair, all gains share the base and the errors, and all mechanisms get the same
    predictions.  Boards are as they run, with their defences.  The base is the first submission,
    and it is in force whatever the gate says of it, unless a defence refuses it.  Each improved
    submission is judged as the first one after it.
    """
    scorer = Scorer(metric, y, undefined_is_zero=True)
    kept = np.sqrt(1.0 - correlation**2)
    draws, gate_rngs, numbers = rng_factory("errors"), {}, numbers_of(metric, y)
    boards = [_Tried(mechanism, scorer, gate_rngs, rng_factory) for mechanism in mechanisms]
    counts = [pairs(mechanism.gate, metric) for mechanism in mechanisms]
    answers = [np.zeros((2, number, len(tried.r)), bool) for number in counts]
    for pair in range(max(counts)):
        errors = draws.standard_normal(len(y))
        base = scorer.judge(calibrated(numbers, errors, np.array([tried.base])))
        errors = correlation * errors + kept * draws.standard_normal(len(y))
        improved = scorer.judge(calibrated(numbers, errors, tried.r))
        decided: dict[tuple, np.ndarray] = {}
        for board, number, answer in zip(boards, counts, answers, strict=True):
            if pair < number:
                answer[:, pair] = board.judged(base, improved, decided)
    return [(accepted, seen) for accepted, seen in answers]


class _Tried:
    """A board on which improvements are tried.

    Boards with the same gate and defences share the gate's random numbers, which are in `rngs`.
    """

    def __init__(
        self, mechanism: Mechanism, scorer: Scorer, rngs: dict, rng_factory: Callable
    ) -> None:
        self._key = mechanism.gate, mechanism.every_defence
        if mechanism.gate.draws_weights and self._key not in rngs:
            rngs[self._key] = rng_factory("gate", mechanism.gate_id)
        release = rng_factory("release", mechanism.setting) if mechanism.is_noisy else None
        self._draws = Draws(rngs.get(self._key), release)
        self._updates = bool(mechanism.disclosure(len(scorer.y)).updates)
        if self._updates:  # now: a board is new, and each submission brings an update
            mechanism = mechanism.in_pace(0.0)
        self._judge, self._sign = Judge(mechanism, scorer), scorer.metric.sign
        self._shows_each = mechanism.replaces_always or self._updates
        self._is_noisy = mechanism.is_noisy
        # With noise, what a defence or the board's memory does can depend on what the base drew.
        remembers = mechanism.every_defence or mechanism.release.reads_files
        depends = mechanism.gate.one_by_one or (mechanism.is_noisy and remembers)
        self._singly = bool(depends)

    def judged(
        self, base: ScoredSubmissions, improved: ScoredSubmissions, decided: dict[tuple, np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Which improvements are accepted, and which are seen; bool, shape (m,) each.

        `decided` is what gates have decided on them: the same gate decides once.
        """
        m = len(improved.risks)
        parts = [slice(t, t + 1) for t in range(m)] if self._singly else [slice(0, m)]
        answers = [self._after(base, improved, part, decided) for part in parts]
        accepted, better = map(np.concatenate, zip(*answers, strict=True))
        accepted = better if self._shows_each else accepted
        return accepted, accepted & better

    def _after(
        self,
        base: ScoredSubmissions,
        improved: ScoredSubmissions,
        part: slice,
        decided: dict[tuple, np.ndarray],
    ) -> tuple[np.ndarray, np.ndarray]:
        """Which files of a part are accepted after the base, and which get a better score."""
        batch, (before, state) = improved.part(part), self._with(base, part)
        standing = None
        if not self._judge.mechanism.gate.one_by_one:
            if self._key not in decided:
                decided[self._key] = self._judge.decide(
                    improved, state, self._draws.gate, chain=False
                )
            standing = np.where(decided[self._key][part] >= 0, np.arange(len(batch.risks)), -1)
        receipt, _ = self._judge.step(state, batch, self._draws, standing=standing, chain=False)
        after = self._sign * receipt.released
        return receipt.accepted, after < before - TIE * np.maximum(1.0, np.abs(before))

    def _with(self, base: ScoredSubmissions, part: slice) -> tuple[np.ndarray, BoardState]:
        """The risks shown for the base, one for each file of a part, and the state after it."""
        if self._is_noisy and not self._singly:
            state = BoardState(base.rows[0], float(base.risks[0]), 1, replaced=1)
            each = np.full(part.stop, -1)  # the base is in force, with noise of its own each time
            return self._judge.show(base, state, each, self._draws.release, chain=False)[0], state
        new, in_force = self._judge.start(self._draws), np.zeros(1, int)
        _, state = self._judge.step(new, base, self._draws, standing=in_force)
        if self._updates:
            state = renewed(state, judged=0)
        return np.full(part.stop - part.start, state.shown), state


def pairs(gate: Gate, metric: Metric) -> int:
    """Number of pairs of predictions per replicate; smaller for slower gates."""
    if not gate.draws_weights:
        return PAIRS["plain"]
    return PAIRS["drawn" if metric.formula is not None else "function"]


def chance(hits: np.ndarray) -> tuple[float, float, float]:
    """A probability and its 95 % interval, from clustered trials.

    Parameters
    ----------
    hits : ndarray of bool, shape (replicates, pairs)

    Returns
    -------
    estimate, low, high : float

    Notes
    -----
    The pairs of a replicate share its public set and are not independent.  The effective number of
    trials is the one at which binomial trials would vary as much as the replicates' means, at most
    the actual number.  The interval is Clopper and Pearson's with the effective number (Korn and
    Graubard 1998, without survey weights).
    """
    replicates, number = hits.shape
    p, trials = float(hits.mean()), float(hits.size)
    if replicates > 1 and 0.0 < p < 1.0:
        varied = hits.mean(axis=1).var(ddof=1) / replicates
        t = stats.t.ppf(0.975, [replicates * number - 1, replicates - 1])
        trials = min(trials, p * (1.0 - p) / max(varied, 1e-300) * (t[0] / t[1]) ** 2)
    low, high = proportion_confint(p * trials, trials, 0.05, "beta")
    return p, float(low), float(high)


def floor(gains: np.ndarray, chances: np.ndarray) -> float:
    """The smallest gain with a probability of at least .8; NaN if no tested gain reaches it.

    Parameters
    ----------
    gains : ndarray, shape (m,)
        In rising order.
    chances : ndarray, shape (m,)
        Probabilities; made monotone by isotonic regression and interpolated linearly.
    """
    gains, fitted = np.asarray(gains), isotonic_regression(np.asarray(chances)).x
    reached = np.flatnonzero(fitted >= FLOOR)
    if not len(reached):
        return np.nan
    k = reached[0]
    if k == 0:
        return float(gains[0])
    share = (FLOOR - fitted[k - 1]) / (fitted[k] - fitted[k - 1])
    return float(gains[k - 1] + share * (gains[k] - gains[k - 1]))
