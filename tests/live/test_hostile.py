"""What a hostile participant or a careless deployment may do to a board's memory, log and names."""

import multiprocessing
import os
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sqlalchemy import func, select

from shakedown.interface import InputError
from shakedown.live import audit, judging, quotas
from shakedown.live.live_board import LiveBoard
from shakedown.live.rules import Rules
from shakedown.live.submission_file import Refused
from shakedown.live.tables import AUDIT
from tests.live.test_live_board import board, submissions, truth
from tests.live.test_quotas import HOUR, Clock, made


def _entries(live):
    with live.reading() as (connection, _, _):
        return connection.execute(select(func.count(AUDIT.c.id))).scalar_one()


def _send_junk(live, team, times):
    for _ in range(times):
        with pytest.raises(Refused, match="wanted the columns"):
            live.submit(team, b"junk")


def test_refused_files_of_a_team_fill_the_log_at_a_bounded_rate(tmp_path):
    now = Clock()
    live = made(tmp_path, now=now)
    start = _entries(live)
    _send_junk(live, "eve", quotas.NOTED + 5)
    assert _entries(live) == start + quotas.NOTED
    _send_junk(live, "ada", 1)  # others' are noted all the same
    assert _entries(live) == start + quotas.NOTED + 1
    now.at += HOUR
    _send_junk(live, "eve", 1)
    assert _entries(live) == start + quotas.NOTED + 2
    with live.reading() as (connection, board_id, _):
        reasons = [reason.payload["reason"] for reason in audit.entries(connection, board_id)
                   if reason.kind == "reject"]  # fmt: skip
    assert [k for k, reason in enumerate(reasons) if "not listed" in reason] == [quotas.NOTED - 1]
    assert live.audit() == []


def test_refused_files_of_many_teams_fill_the_log_at_a_bounded_rate(tmp_path, monkeypatch):
    monkeypatch.setattr(quotas, "NOTED_OF_ALL", 6)
    live = made(tmp_path)
    start = _entries(live)
    for k in range(9):
        _send_junk(live, f"eve {k}", 1)
    assert _entries(live) == start + 6


def test_a_failure_in_one_thread_leaves_no_trace_in_another(tmp_path, monkeypatch):
    live, url = board(tmp_path, "kaggle"), f"sqlite:///{tmp_path}/board.db"
    other, files = LiveBoard.open(url), truth().values + np.array([[0.1], [0.9], [0.5]])
    append, forget, threads = audit.append, live._judge.forget, []

    def full(connection, board_id, event):
        if event.payload.get("key") == "lost":
            raise InputError("database: the disk is full.")
        append(connection, board_id, event)

    def late(team):
        monkeypatch.setattr(live._judge, "forget", forget)
        other.submit("a", files[1], "elsewhere")
        threads.append(threading.Thread(target=live.submit, args=("a", files[2], "here")))
        threads[0].start()
        threads[0].join(0.5)
        forget(team)

    monkeypatch.setattr(audit, "append", full)
    monkeypatch.setattr(live._judge, "forget", late)
    with pytest.raises(InputError, match="disk"):
        live.submit("a", files[0], "lost")
    threads[0].join()
    assert list(live.log().accepted) == [True, True]
    assert live.audit() == []


@pytest.mark.parametrize("defence", ["", "+distinct"])
def test_only_so_many_boards_are_kept_in_memory(defence, tmp_path, monkeypatch):
    monkeypatch.setattr(judging, "KEPT", 3)
    monkeypatch.setattr(judging, "KEPT_WITH_FILES", 2)
    live = board(tmp_path, f"ladderboot(alpha=0.15,b=10){defence}")
    for k, file in enumerate(submissions(15)):
        live.submit(f"team {k % 5}", file)
    assert len(live._judge._boards) == (2 if defence else 3)
    assert live.audit() == []


@pytest.mark.parametrize("close", ["ADA  Lovelace", "Ａda Lovelace", "ada lovelace"])
def test_no_team_is_registered_with_a_name_that_looks_like_anothers(close, tmp_path):
    live = board(tmp_path)
    live.register("Ada Lovelace")
    with pytest.raises(InputError, match="looks like that of team 'Ada Lovelace'"):
        live.register(close)
    live.register("Ada Lovelace")  # a new token
    live.submit(close, submissions(1)[0])  # a platform's names are its own
    live.register(close)


def _make(url, name):
    LiveBoard.create(url, Rules.of("kaggle", "mse", seed=1), truth(), name=name)


@pytest.mark.parametrize("_", range(3))
def test_boards_made_at_once_in_an_empty_database(database_url, _):
    names = ["one", "two", "three"]
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(_make, [database_url] * 3, names))
    for name in names:
        assert LiveBoard.open(database_url, name).audit() == []


def test_one_name_given_to_two_boards_at_once(database_url):
    def make(_):
        try:
            _make(database_url, "same")
        except InputError as e:
            return str(e)
        return ""

    with ThreadPoolExecutor(3) as pool:
        said = sorted(pool.map(make, range(3)))
    assert said[0] == ""
    assert all("exists in this database" in message for message in said[1:])


def test_a_challenge_has_one_truth(database_url):
    _make(database_url, "one")
    rules = Rules.of("kaggle", "mse", seed=1)
    with pytest.raises(InputError, match="challenge 'one' has another truth"):
        LiveBoard.create(database_url, rules, truth(5), name="two", challenge="one")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_board_that_is_open_when_workers_are_forked(database_url):
    _make(database_url, "board")
    live, files = LiveBoard.open(database_url), submissions(12)
    live.submit("a", files[0])

    def work(part):
        for k in range(part, 12, 3):
            live.submit("a", files[k], f"k{k}")

    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=work, args=(part,)) for part in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    assert len(live.log()) == 13
    assert live.audit() == []
