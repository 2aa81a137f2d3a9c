"""Write what a challenge ends with: final scores, ranks, tests, and the log for a replay."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sqlalchemy import select

from shakedown.data.files import private, replacing
from shakedown.data.formulas import defused_table
from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.team_boards import team_history
from shakedown.live import clock
from shakedown.live.answers import shown_to
from shakedown.live.export_log import LISTING, log_of, with_truth, write_log
from shakedown.live.finals import named_files
from shakedown.live.live_board import LiveBoard
from shakedown.live.tables import BOARDS, TEAMS
from shakedown.replay.analyses import analyse
from shakedown.replay.games import seen_of, standings
from shakedown.replay.grouping import write_table
from shakedown.replay.log import Log
from shakedown.replay.sizes import Analyses
from shakedown.replay.winner import Tied, check_rule, decision_of
from shakedown.replay.winner_rule import WinnerRule

#: The file that says why there are no intervals and tests.
MISSING = "missing.txt"
#: The file that says who has won.
WINNER = "winner.txt"
#: Columns of the final ranking that say how sure a rank is, and those of a replay's table.
SETS = {
    "rank_low": "place_low", "rank_high": "place_high", "all_low": "all_low",
    "all_high": "all_high", "first": "first", "k": "k", "tied": "tied", "second": "second",
    "place": "final_place",
}  # fmt: skip
#: The kind of board: every team has one of its own, or all share one.
_KIND = "per_team"


def export(
    board: LiveBoard,
    folder: str | Path,
    *,
    while_open: bool = False,
    rule: WinnerRule | None = None,
) -> list[Path]:
    """Write the tables of a board, and its log in the format of a replay.

    Parameters
    ----------
    board : LiveBoard
    folder : str or Path
        A new or empty folder.
    while_open : bool
        Whether to do it although the board accepts submissions.
    rule : WinnerRule, optional
        How the winner is found; by default `WinnerRule()`.

    Returns
    -------
    list of Path
        - winner.txt: the decision in a sentence.
        - final.csv: one row per team, see `final_table`.
        - submissions.csv (submission, key, team, order, time, and what the board did), rows.parquet
          (id, truth, set, and the predictions of each submission) and replay.yaml: the log.  With
          several responses rows.parquet has a column for each, and the folder `files` a table of
          predictions for each submission; see `export_log`.
        - standings.csv, seen.parquet, and the tables of `replay.analyses`, as a replay writes them;
          missing.txt instead of the latter and of winner.txt, if there are too few rows or groups
          for them.

    Raises
    ------
    InputError
        If the board is open, has no submissions, or the folder is not empty; or the rule does not
        fit the metric or the truth.

    Notes
    -----
    Text in CSV files that a spreadsheet would take for a formula begins with an apostrophe.  The
    owner alone can read the files.
    """
    folder = Path(folder)
    if not while_open and not _is_closed(board):
        raise InputError(
            f"board '{board.name}' is open, and final scores must be unknown until it is closed: "
            "shakedown board close. Or add --while-open, and tell nobody."
        )
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} is not empty; wanted a new folder.")
    made = board.log()
    if made.empty:
        raise InputError(f"board '{board.name}' has no submissions; there is nothing to export.")
    rule = rule or WinnerRule()
    check_rule(rule, board.rules.judged_by)
    log = log_of(board, made)
    known = with_truth(log)
    Tied.of(known, known.structure.on(board.rules.judged_by, ~known.public), rule, [], [])
    seen = seen_by_teams(board, log, made)
    metric = board.rules.judged_by
    ended = with_named(board, standings(seen, metric), log, made)
    tables = {"standings": ended}
    missing = None
    if ended["team"].nunique() > 1:
        try:
            tables |= analyse(
                known, metric, seen, ended, sizes=Analyses(), seed=board.rules.seed, winner=rule
            )
        except InputError as e:  # final scores must not depend on the tests
            missing = f"There are no intervals and tests: {e}"
    with private():
        _write(board, folder, log, made, seen, tables, missing, rule)
    return sorted(folder.iterdir())


def _write(board, folder: Path, log: Log, made, seen, tables, missing: str | None, rule) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if missing is not None:
        (folder / MISSING).write_text(missing + "\n", "utf-8")
    for name, frame in tables.items():
        write_table(frame, folder / f"{name}.csv")
    write_table(seen, folder / "seen.parquet")
    intervals = tables.get("rank_intervals")
    ended = tables["standings"]
    _write_csv(final_table(board, log, made, seen, ended, intervals), folder / "final.csv")
    _write_csv(_listed(log, made), folder / LISTING)
    if intervals is not None:
        said = decision_of(intervals, board.rules.judged_by, rule, group=bool(log.structure.group))
        (folder / WINNER).write_text(said + "\n", "utf-8")
    write_log(board, folder, log, rule)


def seen_by_teams(board: LiveBoard, log: Log, made: pd.DataFrame) -> pd.DataFrame:
    """What teams saw: the table `seen` of a replay, from what the board did.

    On a board with a clock, `released` is what the board showed the team when the submission was
    received, but what it shows now after the team's last one.
    """
    rules = board.rules
    released = made["released"].to_numpy(float, copy=True)
    codes = np.unique(log.submissions["team"], return_inverse=True)[1]
    if rules.updates is not None:
        _by_clock(board, made, codes, released)
    history = team_history(
        of_setting(rules.setting), rules.judged_by, codes, released,
        made["accepted"].to_numpy(bool),
    )  # fmt: skip
    shared = log.submissions.assign(
        score_public=made["score_public"].to_numpy(float),
        score_private=made["score_final"].to_numpy(float),
    )
    return seen_of(history, shared, rules.setting, _KIND)


def with_named(board: LiveBoard, ended: pd.DataFrame, log: Log, made: pd.DataFrame) -> pd.DataFrame:
    """The standings of a replay, in which the file that a team has named as its final one counts.

    A replay knows no such files: there the one in force counts.
    """
    with board.reading() as (connection, board_id, _):
        named = named_files(connection, board_id)
    own = dict(
        zip(zip(made["team"], made["submission"], strict=True), range(len(made)), strict=True)
    )
    rows = ended.copy()
    for at, team in enumerate(rows["team"].astype(str)):
        if (k := own.get((team, named.get(team)))) is None:
            continue
        rows.loc[at, "in_force"] = log.submissions["submission"].iloc[k]
        rows.loc[at, "score_public"] = made["score_public"].iloc[k]
        rows.loc[at, "score_private"] = made["score_final"].iloc[k]
    risk = board.rules.judged_by.sign * rows["score_private"].to_numpy()
    return rows.assign(private_place=rankdata(risk, method="min").astype(int))


def _by_clock(board, made: pd.DataFrame, codes: np.ndarray, released: np.ndarray) -> None:
    """Replace released scores by what was shown at each time, and at the end."""
    updates, start = board.rules.updates, board.start
    times = made["received"].dt.tz_localize(None).astype("datetime64[us]").astype("int64")
    times = times.to_numpy()
    with board.reading() as (connection, board_id, at):
        for code in np.unique(codes):
            own = np.flatnonzero(codes == code)
            known = [clock.last_update(updates, int(times[t])) for t in own]
            before = [
                0 if update is None else np.searchsorted(times[own], update) for update in known
            ]
            moved = released[own]
            released[own] = [start if k == 0 else moved[k - 1] for k in before]
            name = str(made["team"].iloc[own[0]])
            team_id = connection.execute(
                select(TEAMS.c.id).where(TEAMS.c.board_id == board_id, TEAMS.c.name == name)
            ).scalar_one()
            released[own[-1]] = shown_to(connection, board.rules, start, team_id, at)


def final_table(
    board: LiveBoard,
    log: Log,
    made: pd.DataFrame,
    seen: pd.DataFrame,
    ended: pd.DataFrame,
    intervals: pd.DataFrame | None,
) -> pd.DataFrame:
    """The result of a challenge.

    Parameters
    ----------
    board : LiveBoard
    log, made, seen, ended
        From `log_of`, `LiveBoard.log`, `seen_by_teams` and `with_named`.
    intervals : DataFrame or None
        From `replay.ranks.rank_intervals`; None if there are none.

    Returns
    -------
    DataFrame
        One row per team, in the order of `rank`. Columns:

        - rank by the final score; rank_low, rank_high: its 95 % confidence set; all_low, all_high:
          sets that hold for all teams at once; first: share of bootstrap samples of the final rows
          in which the team leads; k: Bayes factor of the first team against this one, and tied,
          whether it is small enough; second, the score by the second metric; place by the rule.
        - team; submissions, their number; submission, key: the one that counts, and `named`,
          whether the team has named it as its final file. Otherwise it is the one in force: the
          last one that the board accepted, or the first if it accepted none (on a board that shows
          every score, the best shown).
        - score_final, score_public and delta (Δ, in the metric's unit, below 0 if the public score
          is too good) of that submission; shown, the team's score on the board.
        - best_public, best_public_key: the submission with the best public score (the latest of
          equal ones), with its best_score_public, best_score_final and best_delta.
    """
    metric = board.rules.judged_by
    with board.reading() as (connection, board_id, _):
        named = named_files(connection, board_id)
    keys = dict(zip(log.submissions["submission"], made["submission"], strict=True))
    own = seen.assign(
        submission=seen["submission"].astype(str),
        team=seen["team"].astype(str),
        risk=metric.sign * seen["score_public"],
    )
    last = own.iloc[::-1]
    best = last.loc[last.groupby("team")["risk"].idxmin()].set_index("team")
    result = ended.set_index(ended["team"].astype(str))
    team = result.index
    table = pd.DataFrame(
        {
            "rank": result["private_place"].astype(int),
            "team": team,
            "submissions": own["team"].value_counts().reindex(team),
            "submission": result["in_force"].astype(str),
            "key": result["in_force"].astype(str).map(keys),
            "named": team.isin(list(named)),
            "score_final": result["score_private"],
            "score_public": result["score_public"],
            "delta": metric.delta(result["score_public"], result["score_private"]),
            "shown": result["released"],
            "best_public": best["submission"].reindex(team),
            "best_public_key": best["submission"].map(keys).reindex(team),
            "best_score_public": best["score_public"].reindex(team),
            "best_score_final": best["score_private"].reindex(team),
        }
    )
    table["best_delta"] = metric.delta(table["best_score_public"], table["best_score_final"])
    within = pd.DataFrame(index=team, columns=[*SETS.values()], dtype=float)
    if len(team) == 1:
        whole = [column for column in within if column.endswith(("low", "high"))]
        within = within.fillna(1).astype(dict.fromkeys([*whole, "final_place"], int))
        within = within.astype({"tied": bool}).assign(second=np.nan)
    elif intervals is not None:
        within = intervals.set_index(intervals["team"].astype(str)).reindex(team)
    for at, (name, column) in enumerate(SETS.items(), 1):
        table.insert(at, name, within[column])
    table = table.reset_index(drop=True)
    return table.sort_values(["rank", "team"], ignore_index=True)


def _listed(log: Log, made: pd.DataFrame) -> pd.DataFrame:
    """The list of submissions of a replay, with what the board did."""
    table = log.submissions[["submission", "team", "order", "time"]].assign(
        time=[clock_text(time) for time in made["received"]]
    )
    table.insert(1, "key", made["submission"].to_numpy())
    columns = ["accepted", "refused", "released", "score_public", "score_final"]
    return table.join(made[columns])


def clock_text(at: pd.Timestamp) -> str:
    """A time with its microseconds."""
    return at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _is_closed(board: LiveBoard) -> bool:
    with board.reading() as (connection, board_id, at):
        closed = connection.execute(
            select(BOARDS.c.closed_at).where(BOARDS.c.id == board_id)
        ).scalar_one()
    return closed is not None or (board.rules.closes is not None and at >= board.rules.closes)


def _write_csv(frame: pd.DataFrame, path: Path) -> None:
    with replacing(path) as temporary:
        defused_table(frame).to_csv(temporary, index=False)
