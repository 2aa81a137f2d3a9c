"""Play a log on the boards of every mechanism."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.responses import with_unit
from shakedown.leaderboard.team_boards import BoardHistory, RankBoards, TeamBoards
from shakedown.metrics import Metric
from shakedown.replay.boards import belongs_to_accounts
from shakedown.replay.grouping import BOARD, each_board
from shakedown.replay.log import Log
from shakedown.seeding import stream

#: Classes by kind of leaderboard; [B] section 2.1 describes both kinds.
BY_KIND = {"per_team": TeamBoards, "per_rank": RankBoards}

#: Columns of the table `seen` and their types.
SEEN = {
    **dict.fromkeys((*BOARD, "submission", "team"), "category"),
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
    """Play a log: what each team would have seen.

    Parameters
    ----------
    log : Log
    metric : Metric
        Scores are in its own units; nothing is scaled.
    mechanisms : iterable of Mechanism
    boards : iterable of str
        Keys of `BY_KIND`: per_team, per_rank.
    seed : int
        The study's seed.

    Returns
    -------
    DataFrame
        One row per mechanism, kind of leaderboard and submission, in playing order; columns as
        `SEEN`.  `score_public` and `score_private` are the submission's own scores.  The other
        columns describe the leaderboard after the submission: `released`, the score released to
        the team; `on_board`, the team's score on the leaderboard (the best so far if the mechanism
        releases every submission's own score); `in_force`, the team's submission that counts;
        `place` of the team; `teams`, their number; `accepted`, whether the mechanism accepted the
        submission; `changed`, whether the score released to the team changed.  A team has no
        score, and is behind all others, as long as a defence refuses its files.  Boards for ranks
        belong to no account, so mechanisms with defences or a meter are played for teams alone.

    Raises
    ------
    InputError
        If a submission has no score, or a gate does not support the metric.
    """
    mechanisms = list(mechanisms)
    public = np.ascontiguousarray(log.predictions[:, log.public])
    on_public, on_private = (log.structure.on(metric, of) for of in (log.public, ~log.public))
    teams = log.submissions["team"].to_numpy(str)
    shared = log.submissions[["submission", "team", "order", "order_in_team", "time"]].assign(
        score_public=on_public.score(log.truth[log.public], public),
        score_private=on_private.score(log.truth[~log.public], log.predictions[:, ~log.public]),
    )
    frames = []
    for kind in boards:
        board = BY_KIND[kind](
            on_public, log.truth[log.public], public, teams, partial(stream, seed, "replay", kind)
        )
        for mechanism in mechanisms:
            if kind == "per_rank" and belongs_to_accounts(mechanism):
                continue  # see `boards.check_boards`
            played = board.play(with_unit(mechanism, log.truth[log.public], metric))
            frames.append(seen_of(played, shared, mechanism.setting, kind))
    return pd.concat(frames, ignore_index=True).astype(SEEN)


def seen_of(history: BoardHistory, shared: pd.DataFrame, setting: str, boards: str) -> pd.DataFrame:
    """The rows of `play` for one leaderboard.

    Parameters
    ----------
    history : BoardHistory
    shared : DataFrame
        The columns that do not depend on the leaderboard: `submission` to `score_private`.
    setting, boards : str
        The leaderboard.
    """
    frame = shared.assign(
        released=history.released,
        on_board=history.on_board,
        accepted=history.accepted,
        in_force=shared["submission"].to_numpy()[history.in_force],
        place=history.place,
        teams=history.teams,
    )
    before = frame.groupby("team", sort=False)["released"].shift()
    changed = (frame["released"] != before) & frame["released"].notna()
    return typed(frame.assign(changed=changed, setting=setting, boards=boards))


def typed(seen: pd.DataFrame) -> pd.DataFrame:
    """The table `seen` with the right column types."""
    return seen[list(SEEN)].astype(SEEN)


def standings(seen: pd.DataFrame, metric: Metric) -> pd.DataFrame:
    """The final standings.

    Parameters
    ----------
    seen : DataFrame
        As `play` returns it.
    metric : Metric

    Returns
    -------
    DataFrame
        One row per mechanism, kind of leaderboard and team, in order of place: `setting`,
        `boards`, `team`, `place`, `released` (the score on the leaderboard), `in_force` (the
        submission that counts), its `score_public` and `score_private`, `private_place` (by this
        private score) and `private_place_best`.  The last one is by the private score of each
        team's submission with the best public score (the latest if several are equal), as on a
        leaderboard that releases every score.  Teams with equal scores share the better place.
    """
    return pd.concat([_ended(part, metric) for _, part in each_board(seen)], ignore_index=True)


def _ended(seen: pd.DataFrame, metric: Metric) -> pd.DataFrame:
    """The standings of one leaderboard."""
    own = seen.set_index(seen["submission"].astype(str))[["score_public", "score_private"]]
    last = seen.drop_duplicates("team", keep="last").set_index("team", drop=False)
    number = (metric.sign * last["on_board"]).fillna(np.inf).to_numpy()
    # A place in `seen` is not final: later submissions of other teams can change it.
    if last["boards"].iloc[0] == "per_rank":
        ranks = final_ranks(seen)
        place = [ranks.index(team) + 1 for team in last["team"]]
    else:
        place = rankdata(number, method="min").astype(int)
    in_force = last["in_force"].astype(str).to_numpy()
    best = seen.assign(risk=metric.sign * seen["score_public"]).iloc[::-1]
    best = best.loc[best.groupby("team", observed=True)["risk"].idxmin()].set_index("team")
    ended = last[[*BOARD, "team"]].assign(
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
    """The final ranking of the teams on a leaderboard with one board per rank, best first."""
    ranks: list[str] = []
    placed = seen[seen["in_force"].astype(str) == seen["submission"].astype(str)]
    for team, place in zip(placed["team"], placed["place"], strict=True):
        if team in ranks:
            ranks.remove(team)
        ranks.insert(place - 1, team)
    return ranks
