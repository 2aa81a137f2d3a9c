"""The winner's rule among the submissions in force: ties with the first, and what decides."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from shakedown.interface import InputError
from shakedown.metrics import Metric, find
from shakedown.metrics.classes import CLASSED
from shakedown.ranking.bayes_factor import bayes_factors
from shakedown.ranking.decision import decision
from shakedown.ranking.rule import DRAWS, keys_of, places, strata_of
from shakedown.replay.grouping import each_board, reference
from shakedown.replay.log import Log
from shakedown.replay.winner_rule import WinnerRule

#: Samples if the metric is a Python function and nobody asks for others.
FUNCTION_DRAWS = 200
#: In the table: nothing has decided, so that the first place is shared.
SHARED = "nothing"


def check_rule(rule: WinnerRule, metric: Metric) -> None:
    """Check, without data, that a rule fits the metric.

    Raises
    ------
    InputError
        If its second metric is unknown or of another kind of response, or strata are asked for and
        the metric is none of classes.
    """
    if rule.stratified and metric.response not in CLASSED:
        raise InputError(
            f"winner.stratified: '{metric.name}' is no metric of classes, and strata are classes. "
            "Leave it out."
        )
    if rule.second_metric is not None:
        find(rule.second_metric)


def draws_of(rule: WinnerRule, metric: Metric) -> int:
    """How many bootstrap samples a rule takes."""
    usual = DRAWS if metric.function is None or metric.is_resampled_together else FUNCTION_DRAWS
    return usual if rule.draws is None else rule.draws


class Tied(NamedTuple):
    """The private rows of a log, on which the winner's rule decides.

    Attributes
    ----------
    rule : WinnerRule
    strata : ndarray of int, shape (n,), or None
    second : Metric or None
        On these rows.
    seconds : dict of str to float
        Scores by the second metric, by submission.
    order : dict of str to int
        When each submission came.
    """

    rule: WinnerRule
    strata: np.ndarray | None
    second: Metric | None
    seconds: dict[str, float]
    order: dict[str, int]

    @classmethod
    def of(cls, log: Log, metric: Metric, rule: WinnerRule, used: list[str], rows: np.ndarray):
        """Of these submissions of a log, whose positions are `rows`; the metric is bound."""
        private = ~log.public
        truth, second, seconds = log.truth[private], None, {}
        if rule.second_metric is not None:
            second = log.structure.on(find(rule.second_metric), private)
            scores = second.score(truth, log.predictions[rows][:, private])
            seconds = dict(zip(used, scores, strict=True))
        strata = strata_of(metric, truth) if rule.stratified else None
        order = zip(
            log.submissions["submission"].astype(str), log.submissions["order"], strict=True
        )
        return cls(rule, strata, second, seconds, dict(order))

    def columns(
        self, submissions: list[str], risks: np.ndarray, in_samples: np.ndarray
    ) -> dict[str, np.ndarray]:
        """What the rule says of teams with these submissions, the best one first.

        Parameters
        ----------
        submissions : list of str, length m
        risks : ndarray, shape (m,)
        in_samples : ndarray, shape (draws, m)
            Risks in bootstrap samples.
        """
        k = bayes_factors(in_samples, int(np.argmin(risks)), self.rule.variant)
        tied = k <= self.rule.tied
        second = np.array([self.seconds.get(name, np.nan) for name in submissions])
        times = [self.order[name] for name in submissions] if self.rule.by_time else None
        place, decided_by = places(risks, tied, keys_of(self.second, second, times))
        return {
            "final_place": place, "k": k, "tied": tied, "second": second,
            "decided_by": np.full(len(place), decided_by or SHARED, object),
        }  # fmt: skip


def decision_of(intervals: pd.DataFrame, metric: Metric, rule: WinnerRule, *, group: bool) -> str:
    """The decision on the reference board in words.

    Parameters
    ----------
    intervals : DataFrame
        The table `rank_intervals`.
    metric : Metric
    rule : WinnerRule
    group : bool
        Whether rows belong together.
    """
    table = reference(intervals).rename(columns={"score_private": "score"})
    table = table.drop(columns="place", errors="ignore").rename(columns={"final_place": "place"})
    table = table.sort_values(["place", "private_place", "team"], ignore_index=True)
    table = table.astype({"place": int, "tied": bool, "team": str, "k": float})
    decided_by = str(table["decided_by"].iloc[0])
    second = None if rule.second_metric is None else find(rule.second_metric)
    return decision(
        table, metric, second, tied=rule.tied,
        decided_by="" if decided_by == SHARED else decided_by,
        units=int(table["units"].iloc[0]), rows=f"private {'group' if group else 'row'}",
    )  # fmt: skip


def other_winners(intervals: pd.DataFrame) -> int:
    """On how many boards the rule has another winner than on the reference board."""
    teams = intervals[(intervals["final_place"] == 1).to_numpy(bool)]
    usual = set(reference(teams)["team"].astype(str))
    return sum(set(part["team"].astype(str)) != usual for _, part in each_board(teams))
