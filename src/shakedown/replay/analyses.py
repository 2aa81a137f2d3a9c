"""Make the tables of all analyses of a replay."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd

from shakedown.metrics import Metric
from shakedown.replay.average_ranks import average_ranks
from shakedown.replay.by_response import by_response
from shakedown.replay.comparisons import winner_tests
from shakedown.replay.fresh_splits import fresh_splits
from shakedown.replay.learnt import learnt
from shakedown.replay.log import Log
from shakedown.replay.ranks import agreement, rank_changes, rank_intervals
from shakedown.replay.reported import reported_error, summarise_error
from shakedown.replay.resolution import resolution
from shakedown.replay.sizes import Analyses
from shakedown.replay.winner import FUNCTION_DRAWS, draws_of
from shakedown.replay.winner_rule import WinnerRule
from shakedown.seeding import stream

#: The tables in the order of the workflow.
TABLES = (
    "agreement", "ranks", "rank_intervals", "comparisons", "resolution", "splits", "errors",
    "learnt", "average_ranks", "by_response", "reported",
)  # fmt: skip

#: Smallest number of bootstrap samples per comparison with the winner.
TEST_DRAWS = 80


def analyse(
    log: Log,
    metric: Metric,
    seen: pd.DataFrame,
    standings: pd.DataFrame,
    *,
    sizes: Analyses,
    seed: int,
    rank_by: Sequence[str] | None = None,
    rank_ties: str = "average",
    winner: WinnerRule | None = None,
) -> dict[str, pd.DataFrame]:
    """Make the tables of all analyses of a replay.

    Parameters
    ----------
    log : Log
    metric : Metric
    seen, standings : DataFrame
        The tables of a replay of this log, from `games.play` and `games.standings`.
    sizes : Analyses
    seed : int
        The study's.
    rank_by, rank_ties
        The metrics and the rule for ties of `average_ranks`.
    winner : WinnerRule, optional
        By default `WinnerRule()`.

    Returns
    -------
    dict of str to DataFrame
        By name, in any order: the tables `TABLES`, which `agreement`, `rank_changes`,
        `rank_intervals`, `winner_tests`, `resolution`, `fresh_splits`, `summarise_error`, `learnt`,
        `average_ranks`, `by_response` and `reported_error` return.  They contain no true values and
        no predictions.

    Raises
    ------
    InputError
        If the tables do not belong to the log, or it has too few private or public rows.

    Notes
    -----
    A metric that is a Python function is called once per submission and bootstrap sample, so floors
    then use at most 200 samples, and so do places unless the rule asks for more.  Tests use at
    least 80 samples per comparison, because with fewer an adjusted p-value could not fall below
    .05.
    """
    rng_factory, winner = partial(stream, seed), winner or WinnerRule()
    top, draws = sizes.top, sizes.draws
    few = draws if metric.function is None else min(draws, FUNCTION_DRAWS)
    tests = max(draws, TEST_DRAWS * (top - 1))
    reported = reported_error(seen, metric)
    return {
        "agreement": agreement(standings, top=top),
        "ranks": rank_changes(standings, top=top),
        "rank_intervals": rank_intervals(
            log,
            metric,
            standings,
            rng_factory=rng_factory,
            rule=winner,
            draws=draws_of(winner, metric),
        ),
        "comparisons": winner_tests(
            log, metric, standings, rng_factory=rng_factory, ranks=top, draws=tests
        ),
        "resolution": resolution(
            log, metric, standings, rng_factory=rng_factory, top=top, draws=few
        ),
        "splits": fresh_splits(
            log, metric, rng_factory=rng_factory, repeats=sizes.splits, top=sizes.best
        ),
        "errors": summarise_error(reported),
        "learnt": learnt(log, metric, standings),
        "average_ranks": average_ranks(log, standings, rank_by or (), rank_ties),
        "by_response": by_response(log, metric, standings),
        "reported": reported,
    }
