"""Compare the places of teams on each board, on the reference board, and by private scores."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from shakedown.metrics import Metric
from shakedown.ranking.rank_sets import Spread, joint_rank_sets, rank_sets, spread_of
from shakedown.ranking.resampled_scores import resampled_scores
from shakedown.replay.grouping import BOARD, at_least, between, each_board, need, reference, tidy
from shakedown.replay.log import Log, rows_in
from shakedown.replay.winner import Tied
from shakedown.replay.winner_rule import WinnerRule

CHANGES = [*BOARD, "team", "place", "shared", "reference_place", "private_place", "change"]

AGREEMENT = [
    *BOARD, "teams", "top", "kendall", "spearman", "winner", "leaders", "same_leader",
    "private_winner", "winners", "same_winner", "moved", "tied", "left",
]  # fmt: skip

INTERVALS = [
    *BOARD, "team", "submission", "score_private", "private_place", "place_low", "place_high",
    "all_low", "all_high", "first", "k", "tied", "second", "final_place", "decided_by", "units",
    "draws",
]  # fmt: skip

STANDINGS = (*BOARD, "team", "place", "in_force", "score_private", "private_place")


def rank_changes(standings: pd.DataFrame, *, top: int = 10) -> pd.DataFrame:
    """Places of the top teams on each board, on the reference board, and by private scores.

    Parameters
    ----------
    standings : DataFrame
        The final standings of a replay.
    top : int
        Number of places that count as the top.

    Returns
    -------
    DataFrame
        One row per board (`setting`, `boards`) and team that is in the top on this board, on the
        reference board (see `grouping.reference`) or by private scores, in the order of `place`.
        Columns: `team`; `place` on this board; `shared`, the number of teams with this place (equal
        scores share the better place); `reference_place`; `private_place` of the submission in
        force; `change`, the number of places by which the team is higher than on the reference
        board (negative if lower; 0 if the shared places include the reference place).

    Raises
    ------
    InputError
        If a column or all rows are missing, or `top` is below 1.

    References
    ----------
    .. [B] A. Blum and M. Hardt, "The Ladder: A Reliable Leaderboard for Machine Learning
       Competitions", ICML, 2015, section 6.1.
    """
    _check(standings, top)
    reference_places = reference(standings).set_index("team")["place"]
    parts = []
    for _, part in each_board(standings):
        place, before = part["place"], part["team"].map(reference_places).astype(int)
        shared = part.groupby("place")["place"].transform("size")
        change = before - before.clip(place, place + shared - 1)
        part = part.assign(reference_place=before, shared=shared, change=change)
        best = (part[["place", "reference_place", "private_place"]] <= top).any(axis=1)
        parts.append(part[best.to_numpy(bool)].sort_values(["place", "private_place"]))
    return tidy(pd.concat(parts), CHANGES).astype(dict.fromkeys(CHANGES[len(BOARD) + 1 :], "Int64"))


def agreement(standings: pd.DataFrame, *, top: int = 10) -> pd.DataFrame:
    """Agreement of each board with the private order, and the winners.

    Parameters
    ----------
    standings, top
        As in `rank_changes`.

    Returns
    -------
    DataFrame
        One row per board.  Columns:

        - teams, their number; top, the smaller of `top` and teams.
        - kendall (tau-b) and spearman: rank correlations of public and private places over all
          teams; null if all public or all private places are equal.
        - winner: the team in the first place, or several, joined by " / "; leaders, their number;
          same_leader, whether all leaders of the reference board lead on this board.
        - private_winner: the team whose submission in force has the best private score, or several;
          winners, their number; same_winner, whether they are those of the reference board.
        - moved, tied and left: of the top teams of the reference board, the number that have
          another place (a shared place that includes the reference place does not count), that
          share their place, and that are no longer in the top.

    Raises
    ------
    InputError
        If a column or all rows are missing, or `top` is below 1.
    """
    from scipy import stats  # slow to import

    _check(standings, top)
    basis = reference(standings)
    heads = basis[(basis["place"] <= top).to_numpy(bool)].set_index("team")["place"]
    rows = []
    for board, part in each_board(standings):
        public, private = (
            part[c].to_numpy(float, na_value=np.nan) for c in ("place", "private_place")
        )
        varies = np.ptp(public) > 0 and np.ptp(private) > 0
        places = part.set_index("team")["place"]
        here = places.reindex(heads.index)
        last = here + places.value_counts().reindex(here).to_numpy() - 1
        rows.append(
            board
            | {
                "teams": len(part),
                "top": min(top, len(part)),
                "kendall": stats.kendalltau(public, private).statistic if varies else np.nan,
                "spearman": stats.spearmanr(public, private).statistic if varies else np.nan,
                "winner": " / ".join(leaders := _first(part, "place")),
                "leaders": len(leaders),
                "same_leader": set(_first(basis, "place")) <= set(leaders),
                "private_winner": " / ".join(winners := _first(part, "private_place")),
                "winners": len(winners),
                "same_winner": _first(basis, "private_place") == winners,
                "moved": int(((heads < here) | (heads > last)).sum()),
                "tied": int((last > here).sum()),
                "left": int((here > top).sum()),
            }
        )
    return tidy(rows, AGREEMENT)


def rank_intervals(
    log: Log,
    metric: Metric,
    standings: pd.DataFrame,
    *,
    rng_factory: Callable[..., np.random.Generator],
    rule: WinnerRule | None = None,
    draws: int = 1000,
    level: float = 0.95,
) -> pd.DataFrame:
    """Confidence sets for the private place of each team, and its place by the winner's rule.

    Parameters
    ----------
    log : Log
    metric : Metric
    standings : DataFrame
        The final standings of a replay of this log.
    rng_factory : callable
        Returns a generator for each purpose, such as ``partial(seeding.stream, seed)``.
    rule : WinnerRule, optional
        By default `WinnerRule()`; its number of samples does not count here.
    draws : int
        Number of bootstrap samples of the private rows, the same for all teams and boards.
    level : float
        Level of the sets, in (0, 1).

    Returns
    -------
    DataFrame
        One row per board and team, in the order of `private_place`.  Columns: `submission` in
        force; its `score_private`; `private_place`; `place_low` and `place_high`, the confidence
        set of that place; `all_low` and `all_high`, sets that hold for all teams at once; `first`,
        the share of the samples in which the team is first, alone or with others; `k`, the Bayes
        factor of the first team against this one, and whether it is small enough for a tie
        (`tied`); `second`, the private score by the second metric; `final_place` by the rule, and
        on every row of a board `decided_by`, what decided the first one: score, second, time, or
        nothing if it is shared; `units`, the number of independent private rows; `draws`.

    Raises
    ------
    InputError
        If a column or all rows are missing, a submission is not in the log, or `draws` or `level`
        are out of range.

    Notes
    -----
    See `ranking.rank_sets` and `ranking.rule`.  The samples are those of `ranking.final_ranking`
    with the same seed, so that both give the same decision.
    """
    need(standings, STANDINGS, "standings")
    between(0, 1, level=level)
    private = ~log.public
    used = list(dict.fromkeys(standings["in_force"].astype(str)))
    rows, bound = rows_in(log, used), log.structure.on(metric, private)
    tied = Tied.of(log, bound, rule or WinnerRule(), used, rows)
    scores = resampled_scores(
        bound, log.truth[private], log.predictions[rows][:, private], draws=draws,
        rng=rng_factory("ranking", "rows"), strata=tied.strata,
    )  # fmt: skip
    column = {submission: k for k, submission in enumerate(used)}
    units, known, parts = log.structure.units(private), {}, []
    for _, part in each_board(standings):
        part = part.sort_values(["private_place", "place"])
        files = part["in_force"].astype(str).tolist()
        own = tuple(column[s] for s in files)
        if own not in known:  # many boards end with the same files
            risks = metric.sign * part["score_private"].to_numpy(float)
            drawn = metric.sign * scores[:, own]
            spread = spread_of(risks, drawn, units, rng=rng_factory("ranking", "inflation"))
            in_samples = np.where(np.isfinite(drawn), drawn, risks)
            known[own] = _sets(risks, spread, level) | tied.columns(files, risks, in_samples)
            known[own]["first"] = (ranked(drawn) == 1).mean(axis=0)
        part = part.assign(**known[own], units=units, draws=draws)
        parts.append(part.rename(columns={"in_force": "submission"}))
    whole = (
        "private_place", "place_low", "place_high", "all_low", "all_high", "final_place", "units",
        "draws",
    )  # fmt: skip
    return tidy(pd.concat(parts), INTERVALS).astype(dict.fromkeys(whole, "Int64"))


def _sets(risks: np.ndarray, spread: Spread, level: float) -> dict[str, np.ndarray]:
    """The columns of confidence sets."""
    own, joint = (sets(risks, spread, level=level) for sets in (rank_sets, joint_rank_sets))
    return {
        "place_low": own.low, "place_high": own.high, "all_low": joint.low, "all_high": joint.high,
    }  # fmt: skip


def ranked(risks: np.ndarray) -> np.ndarray:
    """Places from 1 along the last axis, smallest first; ties share the best place.

    Undefined risks come last.
    """
    from scipy.stats import rankdata

    return rankdata(np.nan_to_num(risks, nan=np.inf), method="min", axis=-1).astype(int)


def _first(part: pd.DataFrame, place: str) -> list[str]:
    return sorted(part.loc[(part[place] == 1).to_numpy(bool), "team"].astype(str))


def _check(standings: pd.DataFrame, top: int) -> None:
    need(standings, STANDINGS, "standings")
    at_least(1, top=top)
