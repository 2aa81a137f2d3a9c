"""A made-up submission log and what boards would have shown, in the shape of real ones."""

from __future__ import annotations

import numpy as np
import pandas as pd

from shakedown.leaderboard.mechanism import MECHANISMS, of_setting
from shakedown.metrics import find
from shakedown.replay.log import Log

FULL = "full_disclosure"
LADDER = "ladder(alpha=0.15)"
BOOT = "ladderboot(alpha=0.15,b=10)"
PLAYED = (FULL, LADDER, BOOT)
#: As many as a study of the papers' mechanisms has.
MANY = (
    FULL, "kaggle", "parameter_free_ladder", *(f"ladder(alpha={a})" for a in (0.01, 0.15, 0.5)),
    *(f"ladderboot(alpha={a},b={b})" for a in (0.01, 0.15) for b in (10, 100)),
)  # fmt: skip


def setting(name: str) -> str:
    """The id of a mechanism with the parameters of its first example."""
    mechanism = MECHANISMS.classes[name]
    return mechanism(**mechanism.examples[0]).setting


def log(*, m=60, teams=12, n=400, public=0.3, seed=7, name="trial", noise=None) -> Log:
    """Teams that get better, whose errors are half their own and half everybody's.

    `noise` are the errors' standard deviations, one per submission; else they fall with time.
    """
    rng = np.random.default_rng(seed)
    truth = rng.normal(3.0, 2.0, n)
    team = np.array([f"team {k + 1:02d}" for k in rng.integers(teams, size=m)])
    team[:teams] = [f"team {k + 1:02d}" for k in range(teams)]
    if noise is None:
        noise = rng.uniform(0.9, 1.3, m) * np.linspace(1.3, 1.0, m)
    errors = np.sqrt(0.5) * (rng.standard_normal(n) + rng.standard_normal((m, n)))
    frame = pd.DataFrame(
        {
            "submission": [f"s{k + 1:03d}" for k in range(m)],
            "team": team,
            "order": np.arange(1, m + 1),
            "time": pd.date_range("2015-01-01", periods=m, freq="D"),
        }
    )
    frame.insert(3, "order_in_team", frame.groupby("team").cumcount() + 1)
    return Log(
        name=name,
        rows=np.array([f"row{i}" for i in range(n)]),
        truth=truth,
        public=np.arange(n) < round(public * n),
        predictions=truth + np.asarray(noise)[:, None] * errors,
        submissions=frame,
        messages=messages(),
    )


def messages() -> pd.DataFrame:
    return pd.DataFrame(
        [
            ("s001", "team 01", "missing_cells", 3, "3 missing predictions filled with the mean.",
             True),
            ("x1", "team 02", "too_few_predictions", 1, "Left out: it predicts 5 of 400 rows.",
             False),
            (None, None, "constant_rows", 2, "2 rows without a truth dropped.", None),
        ],
        columns=["submission", "team", "rule", "count", "done", "played"],
    )  # fmt: skip


def played(log: Log, metric: str = "mse", boards=PLAYED, *, per_rank=False, seed=3):
    """What boards would have shown, and the final standings.

    Not the engine's boards: a ladder here accepts what is better by half a standard error, and a
    bootstrap adds normal noise.
    """
    judge = find(metric)
    rng = np.random.default_rng(seed)
    public = judge.score(log.truth[log.public], log.predictions[:, log.public])
    private = judge.score(log.truth[~log.public], log.predictions[:, ~log.public])
    step = 0.5 * abs(np.median(public)) / np.sqrt(log.public.sum())
    tables, ends = [], []
    for board in boards:
        for kind in ("per_team", "per_rank")[: 1 + per_rank]:
            named = {"setting": board, "boards": kind}
            frame, end = _play(log, judge, public, private, board, step, rng)
            tables.append(frame.assign(**named))
            ends.append(end.assign(**named))
    seen = pd.concat(tables, ignore_index=True)
    standings = pd.concat(ends, ignore_index=True)
    return seen.astype({"setting": "category"}), standings.astype({"setting": "category"})


def _play(log, judge, public, private, board, step, rng):
    mechanism = of_setting(board)
    always = mechanism.replaces_always
    noise = 0.1 * np.std(public) / np.sqrt(mechanism.b) if mechanism.is_noisy else 0.0
    best: dict[str, int] = {}
    shown: dict[str, float] = {}
    rows = []
    for k, row in enumerate(log.submissions.itertuples()):
        risk = judge.sign * public
        team = row.team
        margin = 0.0 if always else step
        accepted = team not in best or risk[k] < risk[best[team]] - margin
        if accepted:
            best[team] = k
        shown[team] = public[best[team]] + noise * rng.standard_normal()
        teams = sorted(shown, key=lambda t: judge.sign * shown[t])
        rows.append(
            {"submission": row.submission, "team": team, "order": row.order,
             "order_in_team": row.order_in_team, "time": row.time, "score_public": public[k],
             "score_private": private[k], "released": public[k] if always else shown[team],
             "on_board": shown[team],
             "accepted": accepted, "changed": accepted,
             "in_force": log.submissions["submission"].iloc[best[team]],
             "place": teams.index(team) + 1, "teams": len(teams)}
        )  # fmt: skip
    force = [best[t] for t in shown]
    end = pd.DataFrame(
        {
            "team": list(shown),
            "released": [shown[t] for t in shown],
            "in_force": log.submissions["submission"].to_numpy()[force],
            "score_public": public[force],
            "score_private": private[force],
        }
    )
    for column, values in (("place", "released"), ("private_place", "score_private")):
        end[column] = (judge.sign * end[values]).rank(method="min").astype(int)
    return pd.DataFrame(rows), end.sort_values("place").reset_index(drop=True)
