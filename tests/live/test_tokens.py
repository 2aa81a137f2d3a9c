"""Tokens, and connections that only read."""

import threading

import pytest

from shakedown.interface import InputError
from shakedown.live.database import connect, reading, transaction
from shakedown.live.live_board import LiveBoard
from shakedown.live.rules import Rules
from shakedown.live.tables import TEAMS
from shakedown.live.tokens import hashed, is_organiser_hash, is_signed, signature, team_of
from tests.live.test_live_board import board, truth


def test_a_token_is_that_of_one_team_until_it_gets_another(tmp_path):
    live = board(tmp_path)
    first, other = live.register("a"), live.register("b")
    live.submit("no token", live.truth.values)
    with live.reading() as (connection, board_id, _):
        assert team_of(connection, board_id, first).name == "a"
        assert team_of(connection, board_id, other).name == "b"
        for wrong in ("", first[:-1], first + "x", hashed(first), "é\ud800", "x" * 10_000):
            assert team_of(connection, board_id, wrong) is None
        assert not is_organiser_hash(connection, board_id, hashed(first))
    second = live.register("a")
    with live.reading() as (connection, board_id, _):
        assert team_of(connection, board_id, first) is None
        assert team_of(connection, board_id, second).name == "a"


def test_a_signature_is_that_of_one_file_by_one_team(tmp_path):
    live = board(tmp_path)
    token = live.register("a")
    live.register("b")
    live.submit("no token", live.truth.values)
    signed = signature(hashed(token), "c0ffee")
    wrong = (
        ("a", "c0ffef", signed), ("b", "c0ffee", signed), ("", "c0ffee", signed),
        ("a", "c0ffee", signed[:-1]), ("a", "c0ffee", ""), ("a", "c0ffee", "\ud800"),
        ("no token", "c0ffee", signature(hashed(""), "c0ffee")),
        ("a\0", "c0ffee", signed), ("\ud800", "c0ffee", signed),
    )  # fmt: skip
    with live.reading() as (connection, board_id, _):
        assert is_signed(connection, board_id, "a", "c0ffee", signed)
        for claim in wrong:
            assert not is_signed(connection, board_id, *claim)


def test_who_reads_waits_for_nobody_and_changes_nothing(tmp_path):
    board(tmp_path)
    engine = connect(f"sqlite:///{tmp_path}/board.db")
    done = threading.Event()

    def read():
        with reading(engine) as connection:
            connection.execute(TEAMS.select()).all()
            done.set()

    with transaction(engine) as connection:
        connection.execute(TEAMS.delete())
        other = threading.Thread(target=read)
        other.start()
        assert done.wait(30)
    other.join()


def test_a_reader_sees_one_state_and_cannot_write_to_postgresql(database_url):
    live, _ = LiveBoard.create(database_url, Rules.of("full_disclosure", "mse", seed=1), truth())
    with live.reading() as (connection, board_id, _):
        assert team_of(connection, board_id, "x") is None
        token = live.register("a")
        assert team_of(connection, board_id, token) is None
    with live.reading() as (connection, board_id, _):
        assert team_of(connection, board_id, token).name == "a"
    if database_url.startswith("postgresql"):
        with pytest.raises(InputError, match="refused"), live.reading() as (connection, *_):
            connection.execute(TEAMS.delete())
    live.register("b")  # the connection that comes back can write


def test_the_database_of_a_reader_may_be_gone(tmp_path):
    engine = connect(f"sqlite:///{tmp_path}/new.db", new=True)
    with pytest.raises(InputError, match="database: it"), reading(engine) as connection:
        connection.execute(TEAMS.select())
