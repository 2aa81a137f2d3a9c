"""Who stands where: under each mechanism, under one that shows everything, and in private."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from shakedown.interface import InputError
from shakedown.metrics import Metric
from shakedown.replay.grouping import BOARD, each_board, need, reference, tidy
from shakedown.replay.log import Log
from shakedown.replay.resampling import resampled_scores

CHANGES = [*BOARD, "team", "place", "shared", "reference_place", "private_place", "change"]

AGREEMENT = [
    *BOARD, "teams", "top", "kendall", "spearman", "winner", "leaders", "same_leader",
    "private_winner", "winners", "same_winner", "moved", "tied", "left",
]  # fmt: skip

INTERVALS = [
    *BOARD, "team", "submission", "score_private", "private_place", "place_low", "place_high",
    "first", "draws",
]  # fmt: skip

_STANDINGS = (*BOARD, "team", "place", "in_force", "score_private", "private_place")


def rank_changes(standings: pd.DataFrame, *, top: int = 10) -> pd.DataFrame:
    """Places of the best teams under each mechanism, under one that shows every score, in private.

    Parameters
    ----------
    standings : DataFrame
        The final standings of a replay.
    top : int
        How many places count as the top.

    Returns
    -------
    DataFrame
        Per board (`mechanism`, `alpha`, `posterior_odds`, `eta`, `b`, `boards`) a row for each team
        that is in the top there, on the reference (see `grouping.reference`) or in private, in the
        order of `place`: `team`; `place` on the public board, and `shared`, how many teams have it
        (equal scores share the better place); `reference_place`, on the reference's board;
        `private_place` of the submission in force; `change`, the places that this board puts the
        team further up than the reference does, below 0 for further down, 0 where a shared place
        covers the reference's.

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
    held = reference(standings).set_index("team")["place"]
    rows = []
    for board, part in each_board(standings):
        part = part.assign(
            reference_place=part["team"].map(held).astype(int),
            shared=part.groupby("place")["place"].transform("size"),
        )
        best = (part[["place", "reference_place", "private_place"]] <= top).any(axis=1)
        for row in part[best.to_numpy(bool)].sort_values(["place", "private_place"]).itertuples():
            last = row.place + row.shared - 1
            places = {
                "place": row.place,
                "shared": row.shared,
                "reference_place": row.reference_place,
                "private_place": row.private_place,
                "change": row.reference_place - np.clip(row.reference_place, row.place, last),
            }
            rows.append(board | {"team": row.team} | places)
    whole = dict.fromkeys(CHANGES[len(BOARD) + 1 :], "Int64")
    return tidy(rows, CHANGES).astype(whole)


def agreement(standings: pd.DataFrame, *, top: int = 10) -> pd.DataFrame:
    """How well each public board keeps the private order, and who wins.

    Parameters
    ----------
    standings : DataFrame
        The final standings of a replay.
    top : int
        How many places count as the top.

    Returns
    -------
    DataFrame
        One row per board: `teams`; `top` (the smaller of `top` and `teams`); `kendall` (tau-b) and
        `spearman`, the rank correlation of public and private places over all teams, null where
        one of them does not vary; `winner` on the public board, `leaders`, how many teams share
        that place (their names are joined by " / "), and `same_leader`, whether all that lead on
        the reference do so here; `private_winner`, the team whose submission in force is best in
        private, `winners`, how many share that, and `same_winner`, whether they are the
        reference's; `moved`, how many of the reference's top teams have another place here (a
        place that they share with others and that covers the reference's is none), `tied`, how many
        of them share their place, and `left`, how many of them are out of the top.

    Raises
    ------
    InputError
        If a column or all rows are missing, or `top` is below 1.
    """
    from scipy import stats  # slow to import

    _check(standings, top)
    held = reference(standings)
    heads = held[(held["place"] <= top).to_numpy(bool)].set_index("team")["place"]
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
                "same_leader": set(_first(held, "place")) <= set(leaders),
                "private_winner": " / ".join(winners := _first(part, "private_place")),
                "winners": len(winners),
                "same_winner": _first(held, "private_place") == winners,
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
    luck: Callable[..., np.random.Generator],
    draws: int = 1000,
    level: float = 0.95,
) -> pd.DataFrame:
    """In which private places the rows could have put each team, had they been others.

    Parameters
    ----------
    log : Log
    metric : Metric
    standings : DataFrame
        The final standings of a replay of this log.
    luck : callable
        Random numbers by the name of their purpose, as ``partial(seeding.stream, seed)``.
    draws : int
        Bootstrap samples of the private rows, the same for all teams and boards.
    level : float
        Of the intervals, in (0, 1).

    Returns
    -------
    DataFrame
        Per board and team, in the order of `private_place`: `submission` in force; its
        `score_private`; `private_place`; `place_low` to `place_high`, the percentile interval of
        that place; `first`, the share of the samples in which the team is first, alone or with
        others; `draws`.

    Raises
    ------
    InputError
        If a column or all rows are missing, a submission is not in the log, or `draws` or `level`
        are out of range.

    Notes
    -----
    Percentile intervals of ranks show how much the order owes to the rows.  They are a little too
    short for teams that are nearly equal, as a resampled order is more random than the one that
    was seen, and a team at the end of the list can only move one way.
    """
    need(standings, _STANDINGS, "standings")
    if not 0.0 < level < 1.0:
        raise InputError(f"`level` must lie in (0, 1), got {level}.")
    private = ~log.public
    used = list(dict.fromkeys(standings["in_force"].astype(str)))
    scores = resampled_scores(
        metric,
        log.truth[private],
        log.predictions[rows_in(log, used)][:, private],
        draws=draws,
        rng=luck("replay", "ranks"),
    )
    column = {submission: k for k, submission in enumerate(used)}
    tails = [(1 - level) / 2, (1 + level) / 2]
    rows = []
    for board, part in each_board(standings):
        part = part.sort_values(["private_place", "place"])
        own = scores[:, [column[s] for s in part["in_force"].astype(str)]]
        places = ranked(metric.sign * own)
        low, high = np.quantile(places, tails, axis=0, method="inverted_cdf")
        for k, row in enumerate(part.itertuples()):
            rows.append(
                board
                | {
                    "team": row.team,
                    "submission": row.in_force,
                    "score_private": row.score_private,
                    "private_place": row.private_place,
                    "place_low": low[k],
                    "place_high": high[k],
                    "first": (places[:, k] == 1).mean(),
                    "draws": draws,
                }
            )
    whole = dict.fromkeys(("private_place", "place_low", "place_high", "draws"), "Int64")
    return tidy(rows, INTERVALS).astype(whole)


def ranked(risks: np.ndarray) -> np.ndarray:
    """Places from 1 along the last axis, smallest first; those that tie share the first of theirs.

    An undefined risk comes last.
    """
    from scipy.stats import rankdata

    return rankdata(np.nan_to_num(risks, nan=np.inf), method="min", axis=-1).astype(int)


def rows_in(log: Log, submissions: list[str]) -> np.ndarray:
    """Where submissions stand in the log.

    Raises
    ------
    InputError
        If one of them is not in it.
    """
    at = {str(s): k for k, s in enumerate(log.submissions["submission"])}
    if unknown := [s for s in submissions if str(s) not in at]:
        raise InputError(
            f"log '{log.name}': wanted the submissions that stand in the tables of its replay; it "
            f"has no {', '.join(unknown[:5])}. Replay the log again."
        )
    return np.array([at[str(s)] for s in submissions], dtype=int)


def _first(part: pd.DataFrame, place: str) -> list[str]:
    return sorted(part.loc[(part[place] == 1).to_numpy(bool), "team"].astype(str))


def _check(standings: pd.DataFrame, top: int) -> None:
    need(standings, _STANDINGS, "standings")
    if top < 1:
        raise InputError(f"`top` must be 1 or more, got {top}.")
