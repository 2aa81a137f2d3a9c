"""Playing a log: what each team would have seen on the boards of every mechanism."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from shakedown.leaderboard.catalogue import Mechanism
from shakedown.leaderboard.standings import Course, RankBoards, TeamBoards
from shakedown.metrics import Metric
from shakedown.replay.log import Log
from shakedown.replicate import mechanism_columns
from shakedown.seeding import stream

#: Kind of leaderboard -> its class; [B] section 2.1 names both.
BOARDS = {"per_team": TeamBoards, "per_rank": RankBoards}

#: The columns that name a mechanism with its settings, and the kind of its leaderboard.
SETTING = [
    "mechanism", "gate", "alpha", "posterior_odds", "eta", "release", "b", "boards",
]  # fmt: skip

#: Column of the table of all that was seen -> its type.
SEEN = {
    **dict.fromkeys(("mechanism", "gate"), "category"),
    **dict.fromkeys(("alpha", "posterior_odds", "eta"), "float64"),
    "release": "category",
    "b": "Int64",
    **dict.fromkeys(("boards", "submission", "team"), "category"),
    **dict.fromkeys(("order", "order_in_team"), "int64"),
    "time": "datetime64[ns]",
    **dict.fromkeys(("score_public", "score_private", "released", "on_board"), "float64"),
    **dict.fromkeys(("accepted", "changed"), "bool"),
    "in_force": "category",
    **dict.fromkeys(("place", "teams"), "int64"),
}


def play(
    log: Log, metric: Metric, mechanisms: Iterable[Mechanism], boards: Iterable[str], *, seed: int
) -> pd.DataFrame:
    """What each team would have seen.

    Parameters
    ----------
    log : Log
    metric : Metric
        Scores are in its own units: nothing is scaled.
    mechanisms : iterable of Mechanism
    boards : iterable of str
        Of `BOARDS`: per_team, per_rank.
    seed : int
        The study's seed.

    Returns
    -------
    DataFrame
        One row per mechanism, kind of leaderboard and submission, in playing order; columns as
        `SEEN`.  `score_public` and `score_private` are the submission's own.  `released` is the
        number that the team is shown after it, `on_board` the one beside the team on the
        leaderboard (they differ where a mechanism shows every submission its own number: the best
        one counts there), `in_force` the team's submission that counts from then on, `place` its
        place and `teams` how many teams there are by then.  `accepted` says whether the mechanism
        accepted the submission, `changed` whether the team was shown another number than before.

    Raises
    ------
    InputError
        If a submission has no score, or a gate cannot judge the metric.
    """
    mechanisms = list(mechanisms)
    public = np.ascontiguousarray(log.predictions[:, log.public])
    teams = log.submissions["team"].to_numpy(str)
    shared = log.submissions[["submission", "team", "order", "order_in_team", "time"]].assign(
        score_public=metric.score(log.truth[log.public], public),
        score_private=metric.score(log.truth[~log.public], log.predictions[:, ~log.public]),
    )
    frames = []
    for kind in boards:
        board = BOARDS[kind](
            metric, log.truth[log.public], public, teams, partial(stream, seed, "replay", kind)
        )
        for mechanism in mechanisms:
            frame = _told(board.play(mechanism), shared)
            described = {**mechanism_columns(mechanism), "boards": kind}
            for place, (column, value) in enumerate(described.items()):
                frame.insert(place, column, value)
            frames.append(frame)
    return typed(pd.concat(frames, ignore_index=True))


def _told(course: Course, shared: pd.DataFrame) -> pd.DataFrame:
    frame = shared.assign(
        released=course.released,
        on_board=course.on_board,
        accepted=course.accepted,
        in_force=shared["submission"].to_numpy()[course.in_force],
        place=course.place,
        teams=course.teams,
    )
    before = frame.groupby("team", sort=False)["released"].shift()
    frame.insert(frame.columns.get_loc("in_force"), "changed", frame["released"] != before)
    return frame


def typed(seen: pd.DataFrame) -> pd.DataFrame:
    """The table of all that was seen, with every column in its type."""
    return seen[list(SEEN)].astype(SEEN)


def standings(seen: pd.DataFrame, metric: Metric) -> pd.DataFrame:
    """Where the teams end.

    Parameters
    ----------
    seen : DataFrame
        As `play` returns it.
    metric : Metric

    Returns
    -------
    DataFrame
        One row per mechanism, kind of leaderboard and team, in order of the places: the columns
        that name them, `place`, `released` (the number on the leaderboard), `in_force` (the
        submission that counts), its `score_public` and `score_private`, `private_place` (by
        that private score) and `private_place_best` (by the private score of each team's
        submission with the best public score, the latest of equal ones, which is what a
        leaderboard that shows every score leads to).  Equal scores share the better place.
    """
    groups = seen.groupby(SETTING, observed=True, dropna=False, sort=False)
    return pd.concat([_ended(group, metric) for _, group in groups], ignore_index=True)


def _ended(seen: pd.DataFrame, metric: Metric) -> pd.DataFrame:
    """The standings of one leaderboard."""
    own = seen.set_index(seen["submission"].astype(str))[["score_public", "score_private"]]
    last = seen.drop_duplicates("team", keep="last").set_index("team", drop=False)
    number = metric.sign * last["on_board"].to_numpy()
    # A place in `seen` is of its time; other teams have moved since.
    if last["boards"].iloc[0] == "per_rank":
        ranks = final_ranks(seen)
        place = [ranks.index(team) + 1 for team in last["team"]]
    else:
        place = rankdata(number, method="min").astype(int)
    in_force = last["in_force"].astype(str).to_numpy()
    best = seen.assign(risk=metric.sign * seen["score_public"]).iloc[::-1]
    best = best.loc[best.groupby("team", observed=True)["risk"].idxmin()].set_index("team")
    ended = last[SETTING + ["team"]].assign(
        place=place,
        released=last["on_board"],
        in_force=in_force,
        score_public=own.loc[in_force, "score_public"].to_numpy(),
        score_private=own.loc[in_force, "score_private"].to_numpy(),
    )
    for column, scores in (
        ("private_place", ended["score_private"]),
        ("private_place_best", best["score_private"].reindex(ended.index)),
    ):
        ended[column] = rankdata(metric.sign * scores.to_numpy(), method="min").astype(int)
    return ended.reset_index(drop=True).sort_values(["place", "team"], ignore_index=True)


def final_ranks(seen: pd.DataFrame) -> list[str]:
    """The teams of one leaderboard of ranks in descending order, from the places they took."""
    ranks: list[str] = []
    placed = seen[seen["in_force"].astype(str) == seen["submission"].astype(str)]
    for team, place in zip(placed["team"], placed["place"], strict=True):
        if team in ranks:
            ranks.remove(team)
        ranks.insert(place - 1, team)
    return ranks
