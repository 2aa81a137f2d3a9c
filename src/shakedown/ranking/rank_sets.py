"""Confidence sets for the ranks of scores on the same rows.

Two scores are told apart where the confidence interval of their difference excludes 0.  If c of
the others are told apart as better and d as worse, a rank among m lies in c + 1, ..., m - d.  The
intervals of all differences that a set rests on hold together, so the set does, too: those of one
file with all others for a set of one rank (marginal), those of all pairs for all ranks at once
(simultaneous) [1].  How many others are close does not matter, unlike for percentile intervals of
resampled ranks, which are far too short where many are.

The critical value is a quantile of the largest studentised difference over the pairs, in
bootstrap samples.  Each pair has two hypotheses, that the one file is no better and that the other
is not.  Those that are rejected are left out, and the quantile is computed again until it rejects
none (step-down, [1] section 3.2, [2]).  The other hypothesis of a pair stays in: a rank set says
which of two files is better, not only that they differ.

References
----------
.. [1] M. Mogstad, J. P. Romano, A. M. Shaikh and D. Wilhelm, "Inference for Ranks with
       Applications to Mobility across Neighbourhoods and Academic Achievement across Countries",
       Review of Economic Studies 91, 2024.
.. [2] J. P. Romano and M. Wolf, "Exact and Approximate Stepdown Methods for Multiple Hypothesis
       Testing", Journal of the American Statistical Association 100, 2005.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shakedown.compiled import ordered

#: Bootstrap samples from which quantiles are taken; standard errors are from all.
MOST_DRAWS = 4000


class RankSets(NamedTuple):
    """Sets of ranks, which are intervals.

    Attributes
    ----------
    low, high : ndarray of int, shape (m,)
        The best and the worst rank, from 1.
    """

    low: np.ndarray
    high: np.ndarray


class Spread(NamedTuple):
    """How risks vary from one sample of the rows to another.

    Attributes
    ----------
    deviations : ndarray, shape (m, draws)
        Risks in bootstrap samples, less those in the rows themselves.
    errors : ndarray, shape (m, m)
        Standard errors of the differences; 0 for files whose risks never differ.
    inflation : ndarray, shape (draws,)
        Standard deviations over their estimates: see `spread_of`.
    """

    deviations: np.ndarray
    errors: np.ndarray
    inflation: np.ndarray

    def largest(self, j: int, better: np.ndarray, worse: np.ndarray) -> np.ndarray:
        """The largest studentised difference of a file and others, shape (draws,).

        By how much it is better than some files, and worse than some; given as bool, shape (m,).
        """
        return self.inflation * _largest(self.deviations, self.errors[j], j, better, worse)


@ordered
def _largest(deviations, errors, j, better, worse):
    """`Spread.largest` without the inflation; deviations have shape (m, draws), errors (m,)."""
    m, draws = deviations.shape
    out = np.zeros(draws)
    for k in range(m):
        if not (better[k] or worse[k]):
            continue
        per_error = 1.0 / errors[k]
        for b in range(draws):
            gap = (deviations[k, b] - deviations[j, b]) * per_error
            most = max(gap, -gap) if better[k] and worse[k] else gap if better[k] else -gap
            out[b] = max(out[b], most)
    return out


def spread_of(
    risks: np.ndarray, drawn: np.ndarray, units: int, *, rng: np.random.Generator
) -> Spread:
    """The `Spread` of risks, from bootstrap samples.

    Parameters
    ----------
    risks : ndarray, shape (m,)
    drawn : ndarray, shape (draws, m)
        In bootstrap samples; NaN counts as the risk itself.
    units : int
        Number of independent rows, or groups; at least 2.
    rng : numpy.random.Generator

    Notes
    -----
    The bootstrap's variance is (n - 1) / n of an unbiased one.  And a difference is divided by an
    estimate of its standard error, which makes it t distributed instead of normal, with n - 1
    degrees of freedom.  The estimates of all differences err together, nearly, so each draw is
    multiplied by one root of (n - 1) over a chi-squared variable.
    """
    deviations = np.ascontiguousarray(np.where(np.isfinite(drawn), drawn - risks, 0.0).T)
    deviations -= deviations.mean(axis=1, keepdims=True)
    covariance = deviations @ deviations.T / deviations.shape[1] * (units / (units - 1.0))
    variances = np.diag(covariance)
    squares = np.maximum(variances[:, None] + variances - 2.0 * covariance, 0.0)
    # Below this a difference is rounding: such files have equal risks in every sample.
    squares[squares <= 1e-20 * (variances[:, None] + variances)] = 0.0
    freedom = units - 1
    inflation = np.sqrt(freedom / rng.chisquare(freedom, len(drawn)))
    deviations, inflation = deviations[:, :MOST_DRAWS], inflation[:MOST_DRAWS]
    return Spread(deviations, np.sqrt(squares), inflation * np.sqrt(units / freedom))


def rank_sets(risks: np.ndarray, spread: Spread, *, level: float = 0.95) -> RankSets:
    """A set for each rank, that holds with a probability of at least `level` (marginal).

    Parameters
    ----------
    risks : ndarray, shape (m,)
        A smaller one has the better rank.  Equal risks may have any of the ranks that they share.
    spread : Spread
        Of these risks.
    level : float
        In (0, 1).
    """
    m, gaps = len(risks), _studentised(risks, spread)
    sets = RankSets(np.ones(m, int), np.full(m, m))
    for j in range(m):
        better = worse = spread.errors[j] > 0.0  # files than which it may be better, or worse
        while (better | worse).any():
            critical = np.quantile(spread.largest(j, better, worse), level)
            wins, losses = better & (gaps[j] > critical), worse & (gaps[j] < -critical)
            if not (wins | losses).any():
                break
            sets.low[j] += losses.sum()
            sets.high[j] -= wins.sum()
            better, worse = better & ~wins, worse & ~losses
    return sets


def joint_rank_sets(risks: np.ndarray, spread: Spread, *, level: float = 0.95) -> RankSets:
    """Sets that hold for all ranks at once with a probability of at least `level` (simultaneous).

    Parameters are those of `rank_sets`.
    """
    return joint_sets(told_apart(risks, spread, level=level))


def joint_sets(better: np.ndarray) -> RankSets:
    """The sets that follow from which files are better than which others; see `told_apart`."""
    return RankSets(1 + better.sum(axis=0), len(better) - better.sum(axis=1))


def told_apart(risks: np.ndarray, spread: Spread, *, level: float = 0.95) -> np.ndarray:
    """Which files (rows) are better than which others (columns), as bool, shape (m, m).

    With a probability of at least `level` all of these are right.  Parameters are those of
    `rank_sets`.
    """
    m, gaps = len(risks), _studentised(risks, spread)
    wins, is_open, none = np.zeros((m, m), bool), spread.errors > 0.0, np.zeros(m, bool)
    while is_open.any():
        largest = np.zeros(len(spread.inflation))
        for j in range(m):  # that it is worse than others is in their rows
            np.maximum(largest, spread.largest(j, is_open[j], none), out=largest)
        found = is_open & (gaps > np.quantile(largest, level))
        if not found.any():
            break
        wins, is_open = wins | found, is_open & ~found
    return wins


def _studentised(risks: np.ndarray, spread: Spread) -> np.ndarray:
    """By how many standard errors each file is better than each other one, shape (m, m)."""
    gaps = risks - risks[:, None]
    return np.divide(gaps, spread.errors, out=np.zeros_like(gaps), where=spread.errors > 0.0)
