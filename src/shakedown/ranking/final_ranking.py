"""The final ranking of some files: places, ties with the first, and the winner, by the `rule`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from shakedown.interface import InputError
from shakedown.metrics import Metric
from shakedown.ranking.bayes_factor import bayes_factors
from shakedown.ranking.best_score import BestScore, best_score
from shakedown.ranking.paired import holm, paired_t, signed_ranks
from shakedown.ranking.rank_sets import joint_sets, rank_sets, spread_of, told_apart
from shakedown.ranking.resampled_scores import resampled_scores
from shakedown.ranking.rule import Rule, keys_of, places, ranks_of
from shakedown.ranking.soft_choice import SoftChoice, soft_choice
from shakedown.seeding import stream

#: Fewest independent rows, or groups, of which anything is said.
FEWEST = 3


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
    soft : SoftChoice or None
        The score of a file that is chosen softly on half of the rows; None if the metric is no mean
        of losses.
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
    soft: SoftChoice | None
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
    def first(self) -> str:
        """The team of the file with the best score, which a tie may deny the victory."""
        return self.table.loc[self.table["rank"].idxmin(), "team"]

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
    second = np.full(len(teams), np.nan)
    if rule.second is not None:
        second = rule.second.score(truth, files)
    place, decided_by = places(risks, tied, keys_of(rule.second, second, times))
    leads = in_samples == in_samples.min(axis=1, keepdims=True)
    p_t, p_signed = _tests(metric, truth, files, best, rule.level)
    table = pd.DataFrame({
        "place": place, "team": list(teams), "score": scores, "k": k, "tied": tied,
        "second": second, "rank": ranks_of(risks), "rank_low": own.low, "rank_high": own.high,
        "joint_low": joint.low, "joint_high": joint.high, "first": leads.mean(axis=0),
        "p_t": p_t, "p_signed_ranks": p_signed,
    })  # fmt: skip
    table = table.sort_values(["place", "rank", "team"], kind="stable")
    order = table.index.to_numpy()
    known = best_score(
        metric, scores, drawn, units, rng=stream(seed, "ranking", "best"), level=rule.level
    )
    soft = _soft(metric, truth, files, rule.level, stream(seed, "ranking", "halves"))
    return FinalRanking(
        table.reset_index(drop=True), known, soft, decided_by, rule, units, metric,
        risks[order], in_samples[:, order], better[np.ix_(order, order)],
    )  # fmt: skip


def _soft(metric: Metric, truth: np.ndarray, files: np.ndarray, level: float, rng):
    """The `soft_choice` of the files, as a score."""
    if not metric.has_losses:
        return None
    losses, _ = metric.judge(metric.prepare(truth), np.ascontiguousarray(files, dtype=float))
    found = soft_choice(losses, rng=rng, level=level)
    if found is None or not metric.root:
        return found
    return SoftChoice(*np.sqrt(np.maximum(found, 0.0)).tolist())


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
