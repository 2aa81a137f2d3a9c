"""The call that all platform adapters share."""

import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from shakedown.interface import InputError
from shakedown.live import scoring
from shakedown.live.live_board import LiveBoard
from shakedown.live.rules import Rules
from shakedown.live.scoring import FILE_VARIABLE, NONE_YET, VARIABLE, address, score
from shakedown.live.submission_file import Refused
from shakedown.live.tokens import hashed, signature
from shakedown.live.truth import sha256
from tests.live.test_live_board import board, submissions, truth

pytestmark = pytest.mark.usefixtures("warm_process")

KEYS = {
    "version", "status", "message", "reason", "metric", "score", "shown", "number", "received",
    "next_update", "left", "left_today", "head",
}  # fmt: skip


@pytest.fixture
def url(tmp_path):
    board(tmp_path, per_team=2)
    return f"sqlite:///{tmp_path}/board.db"


@pytest.fixture(autouse=True)
def no_variables(monkeypatch):
    for name in (VARIABLE, FILE_VARIABLE):
        monkeypatch.delenv(name, raising=False)


def predictions(folder, k=0):
    path = folder / f"predictions{k}.csv"
    rows = "".join(f"r{row},{value!r}\n" for row, value in enumerate(submissions()[k].tolist()))
    path.write_text("id,prediction\n" + rows)
    return path


def test_a_retry_gets_the_same_answer_and_two_at_once_are_put_in_order(database_url, tmp_path):
    rules = Rules.of("ladderboot(alpha=0.15,b=10)", "mse", seed=3, per_team=2)
    LiveBoard.create(database_url, rules, truth())
    url = database_url
    keys = "a", "a", "b"
    files = [predictions(tmp_path, k) for k in (0, 0, 1)]
    with ThreadPoolExecutor(3) as pool:
        first, again, other = pool.map(lambda key, file: score(url, "5", key, file), keys, files)
    assert first == again
    assert {first["number"], other["number"]} == {1, 2}
    assert {first["left"], other["left"]} == {0, 1}
    assert (first["status"], first["shown"]) == ("scored", True)
    live = LiveBoard.open(url)
    assert first["score"] == live.submit("5", submissions()[0], "a").score
    assert live.audit() == []
    late = at_once(url, "5", "c", predictions(tmp_path, 2))
    assert (late["status"], late["reason"], late["score"]) == ("invalid", "limit", None)


def at_once(url, team, key, file, board=None, signature=None):
    """As `score`, without a process of its own."""
    return scoring._scored(url, team, key, str(file), board, signature)


def test_a_file_with_a_signature_is_that_of_the_team_or_not_counted(url, tmp_path):
    file = predictions(tmp_path)
    token = LiveBoard.open(url).register("5")
    signed = signature(hashed(token), sha256(file.read_bytes()))
    for team, text in (("5", signed[::-1]), ("6", signed)):
        refused = at_once(url, team, "a", file, signature=text)
        assert (refused["status"], refused["reason"]) == ("invalid", "signature")
    assert at_once(url, "5", "a", file, signature=signed)["number"] == 1


def test_every_result_has_the_same_keys_and_no_secret(url, tmp_path, capfd):
    file = predictions(tmp_path)
    secret = "postgresql://us3r:pa55@127.0.0.1:1/n0where"
    results = {
        "scored": score(url, "5", "a", file),
        "no file": at_once(url, "5", "b", tmp_path / "missing.csv"),
        "no database": score(url.replace("board.db", "other.db"), "5", "a", file),
        "nobody answers": at_once(secret, "5", "a", file),
        "no url": at_once(f"gopher://{tmp_path}", "5", "a", file),
        "no board": at_once(url, "5", "a", file, board="other"),
        "no name": at_once(url, " ", "c", file),
        "no address": score(None, "5", "a", file),
        "slow": score(url, "5", "a", file, seconds=0.01),
    }
    statuses = {name: (result["status"], result["reason"]) for name, result in results.items()}
    assert statuses == {
        "scored": ("scored", ""), "no file": ("invalid", "file"), "no database": ("error", "board"),
        "nobody answers": ("error", "database"), "no url": ("error", "board"),
        "no board": ("error", "board"), "no name": ("error", "board"),
        "no address": ("error", "address"), "slow": ("error", "time"),
    }  # fmt: skip
    out, err = capfd.readouterr()
    assert out + err == ""
    for result in results.values():
        assert set(result) == KEYS
        assert len(result["message"]) < 200
        text = json.dumps(result)
        for word in (str(tmp_path), "us3r", "pa55", "127.0.0.1", "n0where", "sqlite", "Traceback"):
            assert word not in text


def test_a_board_that_is_locked_is_given_up_and_counts_nothing(url, tmp_path):
    file = predictions(tmp_path)
    with closing(sqlite3.connect(tmp_path / "board.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert score(url, "5", "a", file, seconds=4)["reason"] == "time"
        other.execute("ROLLBACK")
    after = score(url, "5", "a", file)
    assert (after["status"], after["number"]) == ("scored", 1)
    assert LiveBoard.open(url).audit() == []


def test_what_the_core_says_of_a_place_is_left_out(url, tmp_path, monkeypatch):
    def refuse(self, team, file, key):
        raise Refused(f"{file}: bad ({url})", "content")

    file = predictions(tmp_path)
    monkeypatch.setattr(LiveBoard, "submit", refuse)
    result = at_once(url, "5", "a", file)
    assert result["message"] == "the file: bad (the file)"


def test_a_program_that_fails_is_an_error(url, tmp_path, monkeypatch):
    monkeypatch.setattr(scoring.sys, "executable", "/bin/false")
    assert score(url, "5", "a", predictions(tmp_path))["reason"] == "program"


@pytest.mark.parametrize(("metric", "worst"), [("mse", NONE_YET), ("pearson", -NONE_YET)])
def test_a_board_that_shows_nothing_yet_gives_the_worst_score(metric, worst, tmp_path):
    board(tmp_path, "full_disclosure", metric, opens="2020-01-01", closes="2999-01-01",
          updates=["2998-01-01"])  # fmt: skip
    result = at_once(f"sqlite:///{tmp_path}/board.db", "5", "a", predictions(tmp_path))
    assert (result["status"], result["shown"], result["score"]) == ("scored", False, worst)
    assert result["message"] == "The board shows no score before 2998-01-01T00:00:00Z."


def test_the_address_comes_from_a_variable_or_a_file_of_ones_own(tmp_path, monkeypatch):
    file = tmp_path / "secret"
    file.write_text("sqlite:///s3cret.db\n")
    monkeypatch.setenv(FILE_VARIABLE, str(file))
    for mode in (0o640, 0o604):
        file.chmod(mode)
        with pytest.raises(InputError, match="chmod 600") as caught:
            address()
        assert "s3cret" not in str(caught.value)
        assert str(tmp_path) not in str(caught.value)
    file.chmod(0o600)
    assert address() == "sqlite:///s3cret.db"
    monkeypatch.setenv(VARIABLE, "sqlite:///other.db")
    assert address() == "sqlite:///other.db"


@pytest.mark.parametrize(("content", "said"), [("", "is empty"), (None, "cannot be read")])
def test_a_file_without_an_address_is_an_error(content, said, tmp_path, monkeypatch):
    file = tmp_path / "secret"
    if content is not None:
        file.write_text(content)
        file.chmod(0o600)
    monkeypatch.setenv(FILE_VARIABLE, str(file))
    with pytest.raises(InputError, match=said):
        address()
