"""Files that hold a truth can be read by their owner alone, whatever the usual mode is."""

import os
import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import pytest

from shakedown.cli import main
from shakedown.interface import InputError
from shakedown.live.backup import backup
from shakedown.live.export import export, log_of
from shakedown.live.live_board import LiveBoard
from shakedown.replay import log as replay_log
from tests.live.test_live_board import board, submissions


@pytest.fixture(autouse=True)
def readable_by_all():
    """The mode that most systems give to new files."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def open_to_others(paths):
    return [path.name for path in paths if path.stat().st_mode & 0o077]


@pytest.fixture
def live(tmp_path):
    made = board(tmp_path)
    for k, file in enumerate(submissions(4)):
        made.submit("ab"[k % 2], file)
    return made


def test_a_database_made_from_python(live, tmp_path):
    with closing(sqlite3.connect(tmp_path / "board.db")) as connection:
        connection.execute("BEGIN")
        assert {path.name for path in tmp_path.iterdir()} >= {"board.db", "board.db-wal"}
        assert open_to_others(tmp_path.iterdir()) == []


def test_a_copy_an_export_and_a_replay_from_python(live, tmp_path):
    live.copy_to(f"sqlite:///{tmp_path}/copy.db")
    written = export(live, tmp_path / "final", while_open=True)
    replay_log.save(log_of(live, live.log()), tmp_path / "log.npz")
    places = [tmp_path / "copy.db", tmp_path / "final", *written, tmp_path / "log.npz"]
    assert open_to_others(places) == []


def test_a_backup_as_documented(live, tmp_path, capsys):
    url = f"sqlite:///{tmp_path}/board.db"
    with closing(sqlite3.connect(tmp_path / "board.db")) as busy:
        busy.execute("BEGIN")  # someone reads meanwhile
        busy.execute("SELECT * FROM boards").fetchall()
        assert main(["board", "backup", str(tmp_path / "backup.db"), "--url", url]) == 0
    assert "for you alone" in capsys.readouterr().out
    assert open_to_others([tmp_path / "backup.db"]) == []
    copied = LiveBoard.open(f"sqlite:///{tmp_path}/backup.db")
    assert copied.audit() == []
    pd.testing.assert_frame_equal(copied.log(), live.log())
    assert copied.submit("a", np.zeros(40)).number == 3
    assert not list(tmp_path.glob(".*"))


def test_backups_that_cannot_be_made(live, tmp_path):
    url = f"sqlite:///{tmp_path}/board.db"
    with pytest.raises(InputError, match="board.db exists. Give a new file"):
        backup(url, tmp_path / "board.db")
    with pytest.raises(InputError, match="cannot be written"):
        backup(url, tmp_path / "no" / "backup.db")
    with pytest.raises(InputError, match="pg_dump"):
        backup("postgresql://user@host/challenge", tmp_path / "backup.db")
    with pytest.raises(InputError, match="there is no file"):
        backup(f"sqlite:///{tmp_path}/none.db", tmp_path / "backup.db")
