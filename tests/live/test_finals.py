"""A team names its final file; the final table counts it, in the export and on the page."""

import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import pytest

from shakedown.cli import main
from shakedown.interface import InputError
from shakedown.live import quotas
from shakedown.live.export import export
from shakedown.live.finals import final_table
from shakedown.live.live_board import LiveBoard
from shakedown.live.submission_file import Refused
from shakedown.live.tokens import HasToken
from tests.live.test_database import MADE_BEFORE, change
from tests.live.test_export import SHOWING, ended
from tests.live.test_live_board import board, submissions, truth
from tests.live.test_quotas import HOUR, Clock, made


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def table_of(live):
    with live.reading() as (connection, board_id, _):
        return final_table(connection, board_id, live.rules)


def final_scores(files):
    of = truth()
    return ((files - of.values) ** 2)[:, ~of.public].mean(axis=1)


def test_the_file_that_a_team_names_counts(tmp_path):
    live, files = board(tmp_path), submissions(8)
    for k, file in enumerate(files):
        live.submit("ab"[k % 2], file, f"k{k}")
    assert live.name_final("a", "k0") == 1
    assert live.name_final("a", "k2") == 2  # the last one counts
    live.close()
    wanted = final_scores(files)[2]
    (row,) = [row for row in table_of(live) if row.team == "a"]
    assert row.score == float(f"{wanted:.6g}")
    export(live, "final")
    table = pd.read_csv("final/final.csv").set_index("team")
    assert table.loc["a", "key"] == "k2"
    assert table["named"].tolist() == [team == "a" for team in table.index]
    assert table.loc["a", "score_final"] == pytest.approx(wanted, rel=1e-12)
    assert live.audit() == []
    assert live.copy_to("sqlite:///copy.db") == []
    copied = LiveBoard.open("sqlite:///copy.db")
    assert table_of(copied) == table_of(live)


@pytest.mark.parametrize("setting", SHOWING)
def test_the_published_table_ranks_as_the_export(setting, tmp_path):
    live = ended(tmp_path, setting)
    export(live, "final")
    table = pd.read_csv("final/final.csv", keep_default_na=False)
    rows = table_of(live)
    assert [row.place for row in rows] == table["rank"].tolist()
    assert [row.team for row in rows] == [name.removeprefix("'") for name in table["team"]]
    assert [row.score for row in rows] == [float(f"{s:.6g}") for s in table["score_final"]]


def test_ranks_of_named_files_and_their_tests_follow_from_them(tmp_path):
    live, files = board(tmp_path, "full_disclosure"), submissions(12)
    for k, file in enumerate(files):
        live.submit("abc"[k % 3], file, f"k{k}")
    worst = {team: max(range(t, 12, 3), key=lambda k: final_scores(files)[k])
             for t, team in enumerate("abc")}  # fmt: skip
    for team, k in worst.items():
        live.name_final(team, f"k{k}")
    live.close()
    export(live, "final")
    table = pd.read_csv("final/final.csv")
    order = sorted(worst, key=lambda team: final_scores(files)[worst[team]])
    assert table["team"].tolist() == order
    assert table["key"].tolist() == [f"k{worst[team]}" for team in order]
    tested = pd.read_csv("final/comparisons.csv")
    used = {f"s{k + 1:02}" for k in worst.values()}
    assert set(tested["submission"]) | set(tested["winner_submission"]) <= used


def test_what_cannot_be_named(tmp_path):
    now = Clock()
    live = made(tmp_path, now=now, opens="2026-03-28T00:00", closes="2026-03-29T00:00")
    live.submit("a", submissions(2)[0], "k0")
    live.submit("b", submissions(2)[1], "other")
    before = live.head()
    for key in ("no", "other", "a\x00"):
        with pytest.raises(Refused, match="has no submission"):
            live.name_final("a", key)
    assert live.head() == before
    live.name_final("a", "k0")
    after = live.head()
    live.name_final("a", "k0")  # says nothing new
    assert live.head() == after
    now.set("2026-03-29T00:00")
    with pytest.raises(Refused, match="The board closed .* No final file was named"):
        live.name_final("a", "k0")
    assert live.audit() == []


def test_namings_fill_the_log_at_a_bounded_rate(tmp_path):
    now = Clock()
    live = made(tmp_path, now=now)
    for k, file in enumerate(submissions(2)):
        live.submit("a", file, f"k{k}")
    for k in range(quotas.NOTED):
        live.name_final("a", f"k{k % 2}")
    with pytest.raises(Refused, match="within the hour"):
        live.name_final("a", "k0")
    now.at += HOUR
    live.name_final("a", "k0")


def test_only_a_closed_board_is_published_and_the_audit_knows_it(tmp_path):
    live = board(tmp_path)
    live.submit("a", submissions(1)[0])
    with pytest.raises(InputError, match="is not closed, and final scores must be unknown"):
        live.publish()
    live.close()
    for _ in range(2):
        live.publish()
    assert live.audit() == []
    with closing(sqlite3.connect(tmp_path / "board.db")) as tables:
        assert tables.execute("select count(*) from audit where kind = 'publish'").fetchone() == (
            1,
        )
        tables.execute("update boards set published_at = null")
        tables.commit()
    assert live.audit() == ["table boards: row 1 differs."]


def test_a_board_made_before_names_publishes_and_gives_receipts(tmp_path):
    change(tmp_path / "board.db", MADE_BEFORE.read_text("utf-8"))
    live = LiveBoard.open(f"sqlite:///{tmp_path}/board.db", "ladder")
    file = np.round(8 * (np.random.default_rng(9).normal(size=24) / 4)) / 8
    receipt = live.submit("ada", file, "key0")
    assert live.name_final("ada", "key0") == 1
    live.close()
    live.publish()
    assert {row.team: row.score for row in table_of(live)} == {"ada": 0.6375, "eve": 0.09375}
    assert live.audit([receipt.head]) == []


def test_the_commands(tmp_path, capsys):
    live = board(tmp_path)
    live.submit("Team Ada", submissions(1)[0], "ada-2")
    assert main(["board", "final", "Team Ada", "ada-2"]) == 0
    said = capsys.readouterr().out
    assert "is its submission 1, 'ada-2'" in said
    assert live.head()[0] in said
    assert main(["board", "final", "Team Ada", "ada-3"]) == 2
    assert main(["board", "publish"]) == 2
    assert "is not closed" in capsys.readouterr().err
    assert main(["board", "close"]) == 0
    assert main(["board", "publish"]) == 0
    assert "for everybody" in capsys.readouterr().out


def test_a_token_that_would_end_is_asked_for_first(tmp_path, capsys, monkeypatch):
    live = board(tmp_path)
    live.submit("Team Ada", submissions(1)[0])
    assert main(["board", "register", "Team Ada"]) == 0  # it has none yet
    token = capsys.readouterr().out
    with pytest.raises(HasToken):
        live.register("Team Ada", renew=False)
    assert main(["board", "register", "Team Ada"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "has a token. A new one would end it" in err
    assert "--new-token" in err

    class Terminal:
        def __init__(self, answer):
            self.answer = answer

        def isatty(self):
            return True

        def readline(self):
            return self.answer

    monkeypatch.setattr("sys.stdin", Terminal("\n"))
    assert main(["board", "register", "Team Ada"]) == 2
    assert "keeps its token" in capsys.readouterr().err
    monkeypatch.setattr("sys.stdin", Terminal("y\n"))
    assert main(["board", "register", "Team Ada"]) == 0
    assert capsys.readouterr().out not in ("", token)
