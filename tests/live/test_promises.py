"""What a running board promises when many submit at once, and when a process dies."""

import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pandas as pd
import pytest

from shakedown.live.live_board import LiveBoard
from shakedown.live.rules import Rules
from tests.live.test_live_board import submissions, truth

ROOT = Path(__file__).parents[2]
SETTING = "ladderboot(alpha=0.15,b=10)+baseline"

#: Starts clients from a process that has imported and compiled what they need.
CLIENTS = get_context("forkserver")
CLIENTS.set_forkserver_preload(["tests.live.ready"])


def made(url, setting=SETTING, **rules):
    return LiveBoard.create(url, Rules.of(setting, "mse", seed=3, **rules), truth())[0]


def state(board):
    """All that depends on the teams' submissions, and not on how they interleave."""
    log = board.log().drop(columns=["received"])
    return log.sort_values(["team", "number"], ignore_index=True)


def files_of(team, number):
    return submissions(number, seed=100 + team)


def submit_all(url, teams, number):
    """Each team's submissions in order; the teams take turns."""
    board = LiveBoard.open(url)
    files = {team: files_of(team, number) for team in teams}
    for k in range(number):
        for team in teams:
            board.submit(f"team {team}", files[team][k], f"{team}-{k}")


def in_processes(url, processes, teams, number):
    shares = [list(range(teams))[k::processes] for k in range(processes)]
    with ProcessPoolExecutor(processes, mp_context=CLIENTS) as pool:
        jobs = [pool.submit(submit_all, url, share, number) for share in shares]
        for job in jobs:
            job.result()


@pytest.mark.slow
@pytest.mark.parametrize("number", [8, pytest.param(200, marks=pytest.mark.full)])
def test_many_processes_end_in_the_state_of_one(database_url, tmp_path, number):
    """50 teams, each with that number of submissions."""
    teams = 50
    made(database_url)
    in_processes(database_url, 8, teams, number)
    many = LiveBoard.open(database_url)
    assert len(state(many)) == teams * number
    # The audit plays all of them in one process.
    assert many.audit() == []
    # So does one that knows nothing of the order in which they came.
    few = range(0, teams, 10)
    alone = f"sqlite:///{tmp_path}/alone.db"
    made(alone)
    submit_all(alone, few, number)
    single, own = state(LiveBoard.open(alone)), state(many)
    own = own[own["team"].isin(single["team"])].reset_index(drop=True)
    pd.testing.assert_frame_equal(single, own)


def test_two_at_once_for_one_team_are_put_in_order(database_url):
    made(database_url)
    files = submissions(40)
    with ProcessPoolExecutor(2, mp_context=CLIENTS) as pool:
        for job in [pool.submit(_every_other, database_url, files, k) for k in (0, 1)]:
            job.result()
    board = LiveBoard.open(database_url)
    log = board.log()
    assert sorted(log["number"]) == list(range(1, 41))
    assert board.audit() == []


def _every_other(url, files, first):
    board = LiveBoard.open(url)
    for k in range(first, len(files), 2):
        board.submit("a", files[k], f"k{k}")


def test_one_key_sent_by_many_at_once_is_scored_once(database_url):
    made(database_url)
    file = submissions(1)[0]
    with ProcessPoolExecutor(4, mp_context=CLIENTS) as pool:
        answers = [pool.submit(_same, database_url, file) for _ in range(8)]
        results = {str(job.result()) for job in answers}
    assert len(results) == 1
    assert len(LiveBoard.open(database_url).log()) == 1


def _same(url, file):
    return LiveBoard.open(url).submit("a", file, "one")


@pytest.mark.slow
@pytest.mark.parametrize("kills", [25, pytest.param(200, marks=pytest.mark.full)])
@pytest.mark.parametrize("setting", [SETTING, "metered(gain=0.3,files=60)"])
def test_no_kill_loses_a_submission_or_scores_one_twice(database_url, tmp_path, setting, kills):
    """Kills at random moments; after each, the client goes on with what it knows."""
    board = made(database_url, setting)
    acknowledged = tmp_path / "acknowledged"
    command = [sys.executable, "-m", "tests.live.killed", database_url, acknowledged, str(kills)]
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    environment = os.environ | {"PYTHONPATH": path}
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    seen = [line.split() for line in acknowledged.read_text().splitlines()]
    log = LiveBoard.open(database_url).log()
    # Only the very last answer can be one that the client never saw.
    assert len(seen) <= len(log) <= len(seen) + 1
    assert len(seen) > kills / 2
    assert log["submission"].is_unique
    for (key, number, score), row in zip(seen, log.itertuples(), strict=False):
        assert (key, int(number)) == (row.submission, row.number)
        assert float(score) == float(f"{row.released:.6g}")
    assert board.audit() == []
