"""Compare the winner with the next teams by paired tests on the private rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from shakedown.interface import InputError
from shakedown.metrics import Metric
from shakedown.ranking.paired import holm, paired_t
from shakedown.replay.grouping import BOARD, at_least, between, each_board, need, tidy
from shakedown.replay.log import Log
from shakedown.replay.private_rows import rows_and_risks
from shakedown.replay.ranks import STANDINGS

COMPARISONS = [
    *BOARD, "by", "rank", "team", "submission", "winner", "winner_submission", "advantage", "low",
    "high", "statistic", "p", "p_holm", "p_bonferroni", "test", "rows",
]  # fmt: skip

#: Orders in which teams are ranked for the tests, and their columns.
ORDERS = {"private": "private_place", "public": "place"}


def winner_tests(
    log: Log,
    metric: Metric,
    standings: pd.DataFrame,
    *,
    rng_factory: Callable[..., np.random.Generator],
    ranks: int = 10,
    draws: int = 1000,
    level: float = 0.95,
) -> pd.DataFrame:
    """Test the winner against each of the next teams on the private rows.

    Parameters
    ----------
    log, metric, standings, rng_factory
        As in `ranks.rank_intervals`.
    ranks : int
        The last rank that is compared with the winner; at least 2.
    draws : int
        Number of bootstrap samples of the private rows, for a metric without losses; at least 1.
    level : float
        Level of the intervals, in (0, 1).

    Returns
    -------
    DataFrame
        One row per board, order (`by`: "private" or "public") and `rank`, from 2 to `ranks` or the
        number of teams.  Columns: `team` and `submission` (in force) of that rank; `winner` and
        `winner_submission` of rank 1 in that order; `advantage` of the winner's private score, in
        the metric's unit, positive if the winner is better; `low` and `high`, the interval of the
        advantage, not corrected for multiple tests; `statistic`, t (null for the bootstrap);
        `p`, two-sided; `p_holm` and `p_bonferroni`, adjusted for all ranks of this board and order;
        `test`, "paired t" or "bootstrap"; `rows`, the number of private rows, or of groups.

    Raises
    ------
    InputError
        If a column or all rows are missing, a submission is not in the log, a number is out of
        range, or there are fewer than 2 private rows.

    Notes
    -----
    If the metric is a mean of losses, the test is the paired t-test on the losses of the rows.  If
    it is the root of a mean loss, the difference of the mean losses and its interval are divided
    by the sum of both roots, because a - b = (a**2 - b**2) / (a + b).  For any other metric the
    interval is the percentile bootstrap interval of the difference, and p is
    2 (1 + c) / (1 + draws), at most 1, where c is the number of samples in which the difference is
    0 or has the less frequent sign.

    The private winner is chosen on the same rows as its tests, so its p-values are too small.  This
    does not affect the public winner.  Two submissions with equal predictions have p = 1.

    References
    ----------
    .. [B] A. Blum and M. Hardt, "The Ladder: A Reliable Leaderboard for Machine Learning
       Competitions", longer version, section 6.1.
    """
    need(standings, STANDINGS, "standings")
    at_least(2, ranks=ranks)
    at_least(1, draws=draws)
    between(0, 1, level=level)
    if (n := log.structure.units(~log.public)) < 2:
        unit = log.structure.unit
        raise InputError(
            f"log '{log.name}': wanted at least 2 private {unit}s, to compare submissions {unit} "
            f"by {unit}; got {n}. Make fewer rows public."
        )
    used = {
        str(submission)
        for _, part in each_board(standings)
        for column in ORDERS.values()
        for submission in _head(part, column, ranks)["in_force"]
    }
    compare = Pairs(
        log, metric, sorted(used), rng=rng_factory("replay", "winner"), draws=draws, level=level
    )
    rows = []
    for board, part in each_board(standings):
        for by, column in ORDERS.items():
            tests = list(_against_first(_head(part, column, ranks), compare))
            p = np.array([row["p"] for row in tests])
            corrected = zip(tests, holm(p), np.minimum(1.0, len(p) * p), strict=True)
            for row, step_down, single_step in corrected:
                row |= {"p_holm": step_down, "p_bonferroni": single_step}
            rows += [board | {"by": by, "rows": n} | row for row in tests]
    frame = tidy(rows, COMPARISONS)
    return frame.astype({"rank": "Int64", "rows": "Int64", "statistic": float})


def _head(part: pd.DataFrame, column: str, ranks: int) -> pd.DataFrame:
    """The first teams in one order; the other order breaks ties."""
    other = next(c for c in ORDERS.values() if c != column)
    return part.sort_values([column, other], kind="stable").head(ranks)


def _against_first(order: pd.DataFrame, compare: Pairs) -> Iterator[dict]:
    first = order.iloc[0]
    for rank, row in enumerate(order.iloc[1:].itertuples(), start=2):
        yield {
            "rank": rank,
            "team": row.team,
            "submission": row.in_force,
            "winner": first["team"],
            "winner_submission": first["in_force"],
        } | compare(str(first["in_force"]), str(row.in_force))


class Pairs:
    """Compares pairs of submissions on the private rows of a log; see `winner_tests`."""

    def __init__(
        self,
        log: Log,
        metric: Metric,
        submissions: list[str],
        *,
        rng: np.random.Generator,
        draws: int,
        level: float,
    ) -> None:
        self._at = {submission: k for k, submission in enumerate(submissions)}
        self._metric, self._draws, self._level = metric, draws, level
        self._rows, self._risks = rows_and_risks(log, metric, submissions, draws=draws, rng=rng)

    def __call__(self, better: str, other: str) -> dict:
        """`advantage` of the first submission, `low`, `high`, `statistic`, `p` and `test`."""
        i, j = self._at[better], self._at[other]
        compare = self._by_losses if self._metric.has_losses else self._by_bootstrap
        return compare(self._rows[j] - self._rows[i], self._risks[i], self._risks[j])

    def _by_losses(self, differences: np.ndarray, first: float, second: float) -> dict:
        mean, half, statistic, p = paired_t(differences, self._level)
        unit = 1.0 / (first + second) if self._metric.root and first + second > 0.0 else 1.0
        return {
            "advantage": mean * unit,
            "low": (mean - half) * unit,
            "high": (mean + half) * unit,
            "statistic": statistic,
            "p": p,
            "test": "paired t",
        }

    def _by_bootstrap(self, gaps: np.ndarray, first: float, second: float) -> dict:
        low, high = np.quantile(gaps, [(1 - self._level) / 2, (1 + self._level) / 2])
        beyond = min((gaps <= 0).sum(), (gaps >= 0).sum())
        return {
            "advantage": second - first,
            "low": low,
            "high": high,
            "statistic": np.nan,
            "p": min(1.0, 2 * (1 + beyond) / (1 + self._draws)),
            "test": "bootstrap",
        }
