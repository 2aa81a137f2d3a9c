"""The final ranking of some files: places, ties with the first, and the winner.

The rule is that of DREAM challenges.  The file with the best score is the first.  Files whose Bayes
factor K against it is at most 3 are tied with it (`bayes_factor`).  Among these the best score by a
second metric decides, then the file that was submitted first.  What nothing decides is shared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from shakedown.interface import InputError
from shakedown.leaderboard.ties import less
from shakedown.metrics import Metric
from shakedown.ranking.bayes_factor import COUNTS, TIED, VARIANTS, bayes_factors
from shakedown.ranking.best_score import BestScore, best_score
from shakedown.ranking.paired import holm, paired_t, signed_ranks
from shakedown.ranking.rank_sets import joint_sets, rank_sets, spread_of, told_apart
from shakedown.ranking.resampled_scores import resampled_scores
from shakedown.seeding import stream

#: Fewest independent rows, or groups, of which anything is said.
FEWEST = 3
#: Significant digits of scores in words and tables.
DIGITS = 6


@dataclass(frozen=True)
class Rule:
    """How the winner is found.

    Attributes
    ----------
    second : Metric or None
        Decides between files that are tied with the first; None for none.
    tied : float
        The largest K of a tie.
    variant : str
        Of K, one of `bayes_factor.VARIANTS`.
    draws : int
        Bootstrap samples.
    level : float
        Of sets and intervals.
    """

    second: Metric | None = None
    tied: float = TIED
    variant: str = COUNTS
    draws: int = 10_000
    level: float = 0.95

    def __post_init__(self) -> None:
        if not self.tied >= 1.0:
            raise InputError(f"tied: wanted a K of at least 1; got {self.tied:g}.")
        if self.variant not in VARIANTS:
            raise InputError(f"variant: wanted {' or '.join(VARIANTS)}; got '{self.variant}'.")
        if self.draws < 100:
            raise InputError(f"draws: wanted 100 bootstrap samples or more; got {self.draws}.")
        if not 0.5 <= self.level < 1.0:
            raise InputError(f"level: wanted at least .5 and below 1; got {self.level:g}.")


@dataclass(frozen=True, eq=False)
class FinalRanking:
    """Who has won.

    Attributes
    ----------
    table : DataFrame
        A row for each file, in the order of `place`:

        - place: 1 for the winner; files that nothing decides between share one.
        - team; score, on the final rows; second, the score by the second metric.
        - k: Bayes factor of the best score against this file; tied, whether it is small enough.
        - rank by the score alone; rank_low, rank_high, its confidence set; joint_low, joint_high,
          sets that hold for all ranks at once; first, the share of samples in which it leads.
        - p_t, p_signed_ranks: of the difference from the best score, row by row, by Holm's
          correction over all files; missing if the metric is no mean of losses.
    best : BestScore
        What is known of the true score of the file with the best score.
    decided_by : str
        "score", "second", "time", or "" if the first place is shared.
    rule : Rule
    units : int
        Independent rows, or groups.
    metric : Metric
    risks : ndarray, shape (m,)
        Scores, or minus scores if larger ones are better, in the order of the table.
    drawn : ndarray, shape (draws, m)
        The same in bootstrap samples; a score that a sample does not have is that of the rows.
    better : ndarray of bool, shape (m, m)
        Which teams (rows) are better than which others (columns), all of them at once.
    """

    table: pd.DataFrame
    best: BestScore
    decided_by: str
    rule: Rule
    units: int
    metric: Metric = field(repr=False)
    risks: np.ndarray = field(repr=False)
    drawn: np.ndarray = field(repr=False)
    better: np.ndarray = field(repr=False)

    @property
    def winners(self) -> list[str]:
        """Who has the first place."""
        return self.table.loc[self.table["place"] == 1, "team"].tolist()

    @property
    def tied(self) -> list[str]:
        """Who is tied with the best score, that one included."""
        return self.table.loc[self.table["tied"], "team"].tolist()


def final_ranking(
    metric: Metric,
    truth: np.ndarray,
    files: np.ndarray,
    teams: Sequence[str],
    *,
    seed: int,
    rule: Rule | None = None,
    times: Sequence | None = None,
    strata: np.ndarray | None = None,
) -> FinalRanking:
    """Rank some files by their scores on the final rows.

    Parameters
    ----------
    metric : Metric
        On these rows, with their groups (`Metric.on`).
    truth : ndarray, shape (n,)
    files : ndarray, shape (m, n)
        Predictions of the final file of each team.
    teams : sequence of str, length m
    seed : int
        Of the bootstrap.
    rule : Rule, optional
        By default `Rule()`.  Its second metric is on these rows, too.
    times : sequence, optional
        When each file was submitted, in any type that can be compared; None for unknown.
    strata : ndarray of int, shape (n,), optional
        As in `resampled_scores`.

    Raises
    ------
    InputError
        If there are too few rows, or a file has no score.
    """
    rule = rule or Rule()
    units = len(truth) if metric.groups is None else int(metric.groups.max()) + 1
    if units < FEWEST:
        raise InputError(f"final rows: wanted at least {FEWEST} independent ones; got {units}.")
    scores = metric.score(truth, files)
    if (bad := ~np.isfinite(scores)).any():
        raise InputError(
            f"file of '{teams[int(bad.argmax())]}': {metric.label} is not defined for it on the "
            "final rows. Leave the file out."
        )
    drawn = resampled_scores(
        metric, truth, files, draws=rule.draws, rng=stream(seed, "ranking", "rows"), strata=strata
    )
    risks = metric.sign * scores
    in_samples = np.where(np.isfinite(drawn), metric.sign * drawn, risks)
    spread = spread_of(risks, in_samples, units, rng=stream(seed, "ranking", "inflation"))
    own = rank_sets(risks, spread, level=rule.level)
    better = told_apart(risks, spread, level=rule.level)
    joint = joint_sets(better)
    best = int(np.argmin(risks))
    k = bayes_factors(in_samples, best, rule.variant)
    tied = k <= rule.tied
    second, keys = np.full(len(teams), np.nan), {}
    if rule.second is not None:
        second = rule.second.score(truth, files)
        keys["second"] = np.nan_to_num(rule.second.sign * second, nan=np.inf)
    if times is not None:
        keys["time"] = _order(times)
    place, decided_by = _places(risks, tied, keys)
    leads = in_samples == in_samples.min(axis=1, keepdims=True)
    p_t, p_signed = _tests(metric, truth, files, best, rule.level)
    table = pd.DataFrame({
        "place": place, "team": list(teams), "score": scores, "k": k, "tied": tied,
        "second": second, "rank": _ranks(risks), "rank_low": own.low, "rank_high": own.high,
        "joint_low": joint.low, "joint_high": joint.high, "first": leads.mean(axis=0),
        "p_t": p_t, "p_signed_ranks": p_signed,
    })  # fmt: skip
    table = table.sort_values(["place", "rank", "team"], kind="stable")
    order = table.index.to_numpy()
    known = best_score(
        metric, scores, drawn, units, rng=stream(seed, "ranking", "best"), level=rule.level
    )
    return FinalRanking(
        table.reset_index(drop=True), known, decided_by, rule, units, metric,
        risks[order], in_samples[:, order], better[np.ix_(order, order)],
    )  # fmt: skip


def _ranks(risks: np.ndarray) -> np.ndarray:
    """Ranks from 1; ties, as boards take them, share the best."""
    return np.array([1 + sum(bool(less(other, own)) for other in risks) for own in risks])


def _order(times: Sequence) -> np.ndarray:
    """The rank of each time; unknown ones (None) come last together."""
    known = sorted({time for time in times if time is not None})
    return np.array([known.index(t) if t is not None else len(known) for t in times], float)


def _places(
    risks: np.ndarray, tied: np.ndarray, keys: dict[str, np.ndarray]
) -> tuple[np.ndarray, str]:
    """The places, and what decided the first one: the smallest of each key, one after another."""
    place = np.empty(len(risks), int)
    place[~tied] = tied.sum() + _ranks(risks[~tied])
    place[tied], decided_by = 1, "" if tied.sum() > 1 else "score"
    for name, values in keys.items():
        for shared in np.unique(place[tied]):
            own = np.flatnonzero(tied & (place == shared))
            place[own] += _ranks(values[own]) - 1
        if not decided_by and (place == 1).sum() == 1:
            decided_by = name
    return place, decided_by


def _tests(metric: Metric, truth: np.ndarray, files: np.ndarray, best: int, level: float):
    """Holm's p-values of the paired t and the signed-rank test against the best, shape (m,) each.

    That of the best is 1; they are NaN if the metric is no mean of losses.
    """
    p_t, p_signed = np.full((2, len(files)), np.nan)
    if not metric.has_losses or len(files) < 2:
        return p_t, p_signed
    losses, _ = metric.judge(metric.prepare(truth), np.ascontiguousarray(files, dtype=float))
    others = np.delete(np.arange(len(files)), best)
    gaps = losses[others] - losses[best]
    p_t[others] = holm(np.array([paired_t(gap, level)[3] for gap in gaps]))
    p_signed[others] = holm(np.array([signed_ranks(gap) for gap in gaps]))
    p_t[best] = p_signed[best] = 1.0
    return p_t, p_signed
