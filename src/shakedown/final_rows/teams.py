r"""Teams as the planner sees them: true scores, and how scores of the same rows vary together.

On n independent rows the scores of m teams are taken to be

    N(\theta, C / n),

with their true scores \theta and the covariance C of one row's contribution.  For a mean loss this
is the central limit theorem; correlations and areas are means of such contributions, too, up to
terms that vanish with n.  C comes from bootstrap samples, so any metric has one.

Scores of files that were sent vary more than the teams do: some of their spread is luck.  In
expectation the variance of m observed scores is that of \theta plus

    (tr C - 1'C1 / m) / ((m - 1) n),

where luck that all teams share cancels.  So scores are moved towards their mean until their
variance is what is left (`shrunk`); their order stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shakedown.interface import InputError
from shakedown.metrics import METRICS, Metric
from shakedown.ranking.resampled_scores import resampled_scores

#: Bootstrap samples for a covariance, fewest and most, and how many predictions they may visit.
DRAWS, CELLS = (300, 2_000), 1_000_000_000
#: The same for metrics that have no formula, and the most rows of theirs.
SLOW_CELLS, SLOW_ROWS = 20_000_000, 2_000
#: How often a function of the user's own is called, over all sets, and the fewest samples then.
CALLS, FEWEST_CALLED = 6_000, 100
#: Fewest and most teams.
TEAMS = (2, 500)


class Part(NamedTuple):
    """Files on the rows of one set: the metric on these rows, the truth and the predictions."""

    metric: Metric
    truth: np.ndarray  # (n,)
    files: np.ndarray  # (m, n)

    @property
    def units(self) -> int:
        """Independent rows, or groups."""
        groups = self.metric.groups
        return len(self.truth) if groups is None else int(groups.max()) + 1


@dataclass(frozen=True, eq=False)
class Teams:
    """What decides a challenge.

    Attributes
    ----------
    metric : Metric
    scores : ndarray, shape (m,)
        True scores, in the metric's own direction and unit.
    covariance : ndarray, shape (m, m)
        Of their scores on one row; on n rows a share 1 / n of it.
    kept : float
        The share of the observed spread (standard deviation) of the scores that is no luck; 1 if
        the true scores are known.
    """

    metric: Metric
    scores: np.ndarray
    covariance: np.ndarray
    kept: float = 1.0

    @property
    def risks(self) -> np.ndarray:
        """The scores so that smaller is better, shape (m,)."""
        return self.metric.sign * self.scores

    @property
    def differences(self) -> np.ndarray:
        """Standard deviations of one row's difference between two teams, shape (m, m)."""
        variances = np.diag(self.covariance)
        squares = variances[:, None] + variances - 2.0 * self.covariance
        # Copies differ by rounding alone.
        smallest = 1e-12 * np.maximum(variances[:, None], variances)
        return np.sqrt(np.where(squares > smallest, squares, 0.0))

    @property
    def first_two(self) -> tuple[float, float]:
        """How far the second team is behind the best, and the spread of one row's difference."""
        best, second = np.argsort(self.risks, kind="stable")[:2]
        return float(self.risks[second] - self.risks[best]), float(self.differences[best, second])

    def only(self, chosen: np.ndarray) -> Teams:
        """Some of the teams."""
        return Teams(
            self.metric, self.scores[chosen], self.covariance[np.ix_(chosen, chosen)], self.kept
        )


class Measured(NamedTuple):
    """Scores of files on some rows, luck included."""

    scores: np.ndarray  # (m,)
    covariance: np.ndarray  # (m, m), of one row's contribution
    rows: int


def measured(parts: Sequence[Part], metric: Metric, *, rng: np.random.Generator) -> Measured:
    """The mean scores of the same files on sets of rows that are scored apart.

    Raises
    ------
    InputError
        If a file has no score, or a set has fewer than 3 independent rows.
    """
    rows = sum(part.units for part in parts)
    scores, covariance = 0.0, 0.0
    for part in parts:
        if part.units < 3:
            raise InputError(
                "rows with files: wanted at least 3 independent ones in each set; got "
                f"{part.units}. Give more rows."
            )
        share = part.units / rows
        own = part.metric.score(part.truth, part.files)
        if (bad := ~np.isfinite(own)).any():
            raise InputError(
                f"file {int(bad.argmax()) + 1}: {metric.label} is not defined for it on these "
                "rows. Leave the file out."
            )
        scores = scores + share * own
        calls = CALLS // len(parts)
        covariance = covariance + share * covariance_of(part, own, rng=rng, calls=calls)
    return Measured(scores, covariance, rows)


def without_luck(metric: Metric, worlds: Sequence[Measured]) -> list[Teams]:
    """Teams whose scores vary as much as observed ones do beyond their luck, over all worlds."""
    kept = kept_spread(worlds)
    return [Teams(metric, shrunk(own.scores, kept), own.covariance, kept) for own in worlds]


def covariance_of(
    part: Part, scores: np.ndarray, *, rng: np.random.Generator, calls: int = CALLS
) -> np.ndarray:
    """The covariance of one row's contribution, shape (m, m), from bootstrap samples."""
    is_slow = part.metric.formula is None
    if is_slow and part.metric.groups is None and not part.metric.terms:
        some = rng.permutation(len(part.truth))[:SLOW_ROWS]
        part = Part(part.metric, part.truth[some], np.ascontiguousarray(part.files[:, some]))
    n, cells = part.units, SLOW_CELLS if is_slow else CELLS
    draws = int(np.clip(cells // part.files.size, *DRAWS))
    if _may_be_slow(part.metric):
        draws = min(draws, max(FEWEST_CALLED, calls // len(part.files)))
    drawn = resampled_scores(part.metric, part.truth, part.files, draws=draws, rng=rng)
    drawn = np.where(np.isfinite(drawn), drawn, scores)
    # A bootstrap sample has (n - 1) / n of the variance.
    return np.cov(drawn.T) * n * n / (n - 1.0)


def _may_be_slow(metric: Metric) -> bool:
    """Whether it, or a term of it, is a function of the user's own: a call may take a while."""
    parts = [term.metric for term in metric.terms] or [metric]
    return any(part.formula is None and part.name not in METRICS for part in parts)


def kept_spread(worlds: Sequence[Measured]) -> float:
    """The share of the standard deviation of observed scores that is no luck, from 0 to 1."""
    variance = luck = 0.0
    for scores, covariance, rows in worlds:
        m = len(scores)
        variance += float(np.var(scores, ddof=1))
        luck += (np.trace(covariance) - covariance.sum() / m) / ((m - 1) * rows)
    return float(np.sqrt(max(0.0, 1.0 - luck / variance))) if variance > 0.0 else 0.0


def shrunk(scores: np.ndarray, kept: float) -> np.ndarray:
    """Scores moved towards their mean, so that a share of their spread is left."""
    return scores.mean() + kept * (scores - scores.mean())
