"""`shakedown.replay_log`: what frames and files mean, and what an answer has.

That it is the command's answer is tested in tests/workflow/test_replay.py.
"""

from pathlib import Path

import pandas as pd
import pytest
from matplotlib.figure import Figure
from pandas.testing import assert_frame_equal

import shakedown
from shakedown.cli import main
from shakedown.replay.grouping import write_table
from shakedown.report.replay import FIGURES
from tests.replay.logs import listing, table
from tests.report.test_page import Page

ROOT = Path(__file__).parents[2]
FEW = {
    "metric": "rmse",
    "mechanisms": [{"name": "full_disclosure"}, {"name": "ladder", "alpha": 0.01}],
    "analyses": {"splits": 3, "draws": 100},
    "seed": 5,
}


def frame():
    """A log with numbers as numbers."""
    rows = table()
    named = ("id", "set")
    return rows.astype({c: float for c in rows if c not in named})


@pytest.fixture(scope="module")
def replay():
    return shakedown.replay_log(frame(), listing(), public="set", **FEW)


def test_an_answer_is_a_sentence_with_tables_and_figures(replay):
    assert repr(replay) == replay.answer
    assert replay.answer == "Yes, on 2 of 4 leaderboards another team wins in private."
    assert (~replay.tables["agreement"]["same_winner"]).sum() == 2
    assert replay.answer in replay._repr_html_()
    assert len(replay.standings) == 4 * 2
    assert set(replay.limits["rows_of"]) == {"public", "private"}
    assert sorted(replay.figures) == sorted(FIGURES)
    for name in replay.figures:
        assert isinstance(replay.figure(name), Figure)
        assert replay.caption(name)


def test_the_page_says_the_answer_and_names_no_file(replay, tmp_path):
    text = replay.report(tmp_path / "page.html").read_text("utf-8")
    Page(text)
    assert f'<p class="sentence">{replay.answer}</p>' in text
    assert text.count("<figure") == len(FIGURES)
    assert "lie beside it" not in text
    assert "/tmp/tmp" not in text


@pytest.mark.parametrize("as_given", ["files", "mask", "ids"])
def test_frames_and_files_are_the_same_log(as_given, replay, tmp_path):
    rows, lines = frame(), listing()
    public = {"files": "set", "mask": rows["set"] == "public", "ids": rows["id"][:20]}[as_given]
    if as_given == "files":
        rows.to_csv(tmp_path / "log.csv", index=False)
        lines.to_csv(tmp_path / "list.csv", index=False)
        rows, lines = tmp_path / "log.csv", str(tmp_path / "list.csv")
    else:
        rows = rows.drop(columns="set")
        lines["time"] = pd.to_datetime(lines["time"])
    other = shakedown.replay_log(rows, lines, public=public, **FEW)
    for name, own in replay.tables.items():
        assert_frame_equal(other.tables[name], own)


def test_where_another_team_wins_the_answer_is_yes():
    log = ROOT / "tests/data/log.csv"
    columns = {"id": "patient", "truth": "progression", "public": "set"}
    replay = shakedown.replay_log(log, log.with_stem("log_submissions"), metric="rmse", **columns)
    agreement = replay.tables["agreement"]
    changed = (~agreement["same_winner"]).sum()
    assert changed == 1
    assert repr(replay) == (
        f"Yes, on {changed} of {len(agreement)} leaderboards another team wins in private."
    )


def test_one_team_cannot_lose():
    assert repr(shakedown.replay_log(frame(), public="set", **FEW)) == (
        "There is only one team, so no other can win."
    )


def test_what_became_of_the_rest_is_told():
    rows = frame()
    rows.loc[3, "s2"] = None
    replay = shakedown.replay_log(rows, listing(), public="set", **FEW)
    assert replay.log.messages["submission"].tolist() == ["s2"]
    assert "1 submission could not be played" in replay.page()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"truth": "y"}, r"Submission log \(a data frame\): no column 'y', which 'truth' names"),
        ({"publc": "set"}, "'publc' is not known. Did you mean 'public'?"),
        ({"public": [True, False]}, "public: wanted 40 values, one for each row"),
        ({"metric": "rmsee"}, "Did you mean 'rmse'?"),
        ({"submissions": "no.csv"}, r"Submission log \(no.csv\): no such file"),
        ({"submissions": listing().drop(columns="submission")}, "'columns.submission' names"),
        ({"mechanisms": [{"name": "rank_board"}]}, "shows only ranks"),
    ],
)
def test_a_mistake_is_one_sentence(change, message):
    with pytest.raises(shakedown.InputError, match=message) as raised:
        shakedown.replay_log(frame(), **{"submissions": listing(), "public": "set"} | FEW | change)
    assert "/tmp/tmp" not in str(raised.value)


def test_the_command_prints_the_answer(replay, tmp_path, monkeypatch, capsys):
    """Its jobs are those of the function here."""
    monkeypatch.chdir(tmp_path)
    frame().to_csv("log.csv", index=False)
    (tmp_path / "my.yaml").write_text("study: mine\nreplay: {table: log.csv, public: set}\n")

    def play(path, study, **given):
        for name in ("agreement", "comparisons"):
            write_table(replay.tables[name], tmp_path / f"results/mine/{name}.csv")

    monkeypatch.setattr("shakedown.cli.engine.run", play)
    assert main(["replay", "my.yaml"]) == 0
    page = tmp_path / "results/mine/report.html"
    assert capsys.readouterr().out == f"{replay}\nReport: {page}\n"
