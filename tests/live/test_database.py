"""A database made before goes on, and one that this program cannot read is one sentence."""

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from shakedown.cli import main
from shakedown.interface import InputError
from shakedown.live import database
from shakedown.live.live_board import LiveBoard

#: Two boards with four submissions each, as the program of 23 November 2026 wrote them.
MADE_BEFORE = Path(__file__).with_name("boards_0001.sql")
SHOWN = {
    "ladder": [0.785714, 0.428571, 0.285714, 0.0714286],
    "ladderboot": [0.800781, 0.353795, 0.216518, 0.103571],
}


@pytest.fixture
def path(tmp_path):
    """The boards made before."""
    place = tmp_path / "board.db"
    change(place, MADE_BEFORE.read_text("utf-8"))
    return place


def change(place, script):
    with closing(sqlite3.connect(place)) as connection:
        connection.executescript(script)


def dumped(place):
    with closing(sqlite3.connect(place)) as connection:
        return [*connection.iterdump()]


@pytest.mark.parametrize("name", SHOWN)
def test_a_board_made_before_is_the_same_and_goes_on(path, name):
    board = LiveBoard.open(f"sqlite:///{path}", name)
    assert board.audit() == []
    for k, score in enumerate(SHOWN[name]):
        # Sent once more, a file gets its first answer.
        file = np.random.default_rng(9 + k).normal(size=24) / 4 + 0.25 * k * board.truth.values
        again = board.submit(("ada", "eve")[k % 2], np.round(8 * file) / 8, f"key{k}")
        assert again.score == score
        assert again.number == 1 + k // 2
    assert board.submit("ada", board.truth.values).number == 3
    assert board.audit() == []


def test_migrations_are_those_of_the_folder_in_their_order():
    scripts = Path(database.__file__).with_name("migrations").joinpath("versions").glob("*.py")
    assert tuple(sorted(path.name.partition("_")[0] for path in scripts)) == database.MIGRATIONS


@pytest.mark.parametrize("version", ["0005", "a3f0c2"])
def test_a_newer_database_is_refused_and_not_changed(path, version, capsys):
    change(path, f"UPDATE alembic_version SET version_num = '{version}'")
    before = dumped(path)
    arguments = ["board", "status", "--url", f"sqlite:///{path}", "--board", "ladder"]
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert f"its tables are of version {version}, and this is the program of version 0004" in said
    assert "pip install --upgrade" in said
    assert "Traceback" not in said
    assert dumped(path) == before


def test_a_newer_database_takes_no_copy(path, tmp_path):
    board = LiveBoard.open(f"sqlite:///{path}", "ladder")
    change(tmp_path / "newer.db", MADE_BEFORE.read_text("utf-8"))
    change(tmp_path / "newer.db", "UPDATE alembic_version SET version_num = '0005'")
    with pytest.raises(InputError, match="of version 0005"):
        board.copy_to(f"sqlite:///{tmp_path}/newer.db")


def test_the_database_of_another_program_is_refused(tmp_path):
    place = tmp_path / "chess.db"
    change(place, "CREATE TABLE boards (squares INTEGER)")
    with pytest.raises(InputError, match="another program made its table 'boards'") as refused:
        LiveBoard.open(f"sqlite:///{place}")
    assert "shakedown board create" in str(refused.value)
