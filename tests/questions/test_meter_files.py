"""`shakedown.meter_files`: known answers, and the command's answer as an object."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import shakedown
from shakedown.cli import main
from tests.report.test_page import Page


def apart(k=4, each=10):
    """Files that have nothing in common, each ±1 on rows of its own; shape (k each, k)."""
    return np.kron(np.eye(k), np.resize([1.0, -1.0], each)[:, None])


def test_files_with_nothing_in_common_cost_the_same_each():
    record = shakedown.meter_files(apart(), noise_sd=0.1).answer
    square = (2 / 40) ** 2 * 10  # |2 p / n|^2
    each = square / (square + 0.01)
    assert record["degrees"] == pytest.approx(4 * each)
    assert record["independent"] == 4
    assert record["gain_mean"] == pytest.approx((4 * each + 1) / 40)
    assert record["gain_95"] == pytest.approx(
        (np.sqrt(4 * each + 1) + np.sqrt(2 * np.log(20))) ** 2 / 40
    )
    assert record["exact_gain_mean"] == pytest.approx(5 / 40)
    assert [file["degrees"] for file in record["costly"]] == pytest.approx([each] * 4)
    assert [file["submission"] for file in record["costly"]] == ["x1", "x2", "x3", "x4"]


def test_what_keeps_the_gain():
    files = apart()
    square = (2 / 40) ** 2 * 10
    each = square / (square + 0.01)
    tolerated = (2.5 * each + 1) / 40
    metered = shakedown.meter_files(files, noise_sd=0.1, tolerated=-tolerated)
    needed = metered.answer["needed_mean"]
    assert needed["degrees"] == pytest.approx(2.5 * each)
    assert (needed["files"], needed["further"], needed["exact"]) == (2, 0, int(2.5 * each))
    quiet = shakedown.meter_files(files, noise_sd=needed["noise_sd"], tolerated=-tolerated)
    assert quiet.answer["gain_mean"] == pytest.approx(tolerated, rel=1e-5)
    assert quiet.answer["needed_mean"]["files"] >= 3
    wide = shakedown.meter_files(files, noise_sd=0.1, tolerated=-(6.5 * each + 1) / 40)
    assert wide.answer["needed_mean"]["files"] == 4
    assert wide.answer["needed_mean"]["further"] == 2
    limits = metered.limits.set_index("limit")
    assert list(limits.index) == list(needed)
    assert limits.loc["noise_sd", "in_95_percent"] == np.inf


def test_further_files_cost_what_the_last_quarter_did():
    rng = np.random.default_rng(8)
    same = np.repeat(rng.standard_normal((60, 1)), 8, axis=1)
    files = np.hstack([same, rng.standard_normal((60, 4))])
    metered = shakedown.meter_files(files, noise_sd=0.1, tolerated=-0.5)
    costs = metered.question.whole.prices
    assert costs[1:8].max() < 0.1 * costs[8:].min()
    left = 0.5 * 60 - 1 - costs.sum()
    assert metered.answer["needed_mean"]["further"] == int(left / costs[-3:].mean())
    costly = metered.answer["costly"]
    assert [file["order"] for file in costly] == (np.argsort(-costs)[:5] + 1).tolist()
    known = shakedown.meter_files(
        np.hstack([files, np.ones((60, 4))]), noise_sd=0.1, tolerated=-0.5
    )
    assert known.answer["needed_mean"]["further"] is None
    assert "no limit" in str(known)


def test_units_of_the_score_change_nothing():
    small = shakedown.meter_files(apart(), noise_sd=0.1, variance=0.6).answer
    large = shakedown.meter_files(20 * apart(), noise_sd=40, start=400, variance=240).answer
    assert large["degrees"] == pytest.approx(small["degrees"])
    assert large["gain_mean"] == pytest.approx(400 * small["gain_mean"])
    assert large["tolerated"] == 400 * small["tolerated"]


def test_correlations():
    files = apart() * [1.0, 5.0, 0.1, 2.0]
    record = shakedown.meter_files(files, noise_sd=0.2, metric="pearson").answer
    each = (1 / 39) / (1 / 39 + 0.04)
    assert record["degrees"] == pytest.approx(4 * each)
    assert record["gain_mean"] == pytest.approx(np.sqrt((4 * each + 1) / 39))


def test_other_rows_take_files_to_be_as_large_and_as_much_alike():
    """Twice the rows with the same content are as the same files for twice the rows."""
    rng = np.random.default_rng(5)
    files = rng.standard_normal((30, 4))
    twice = np.vstack([files, files])
    for metric in ("mse", "pearson"):
        given = {"noise_sd": 0.1, "metric": metric}
        told = shakedown.meter_files(files, rows=60, **given).answer
        made = shakedown.meter_files(twice, **given).answer
        assert told["degrees"] == pytest.approx(made["degrees"])
        assert told["gain_95"] == pytest.approx(made["gain_95"])
    assert "The files have 30 rows. For 60" in str(shakedown.meter_files(files, rows=60))


def test_each_team_has_a_meter_of_its_own():
    rng = np.random.default_rng(6)
    base = rng.standard_normal((50, 1))
    files = pd.DataFrame(base + 0.1 * rng.standard_normal((50, 6)), columns=list("abcdef"))
    listing = pd.DataFrame({"submission": list("fedcba"), "team": ["x", "y"] * 3})
    metered = shakedown.meter_files(files, listing, noise_sd=0.05)
    teams = metered.teams.set_index("team")
    assert list(teams.index) == ["x", "y"]
    alone = shakedown.meter_files(files[["f", "d", "b"]], noise_sd=0.05).answer
    assert teams.loc["x", "degrees"] == pytest.approx(alone["degrees"])
    assert teams.loc["x", "within_mean"] == alone["needed_mean"]["files"]
    # Files that resemble each other: several meters cost more than one.
    assert metered.answer["degrees"] < teams["degrees"].sum()
    assert metered.answer["costly"][0] == {
        "submission": "f", "team": "x", "order": 1,
        "degrees": pytest.approx(metered.answer["costly"][0]["degrees"]),
    }  # fmt: skip


def test_simulated_teams_are_those_of_a_dry_run_and_the_same_again():
    record = shakedown.meter_files("simulated", rows=60, submissions=5).answer
    assert record == shakedown.meter_files("simulated", rows=60, submissions=5).answer
    assert [team["files"] for team in record["teams"]] == [5] * 12
    other = shakedown.meter_files("simulated", rows=60, submissions=5, start=9.0).answer
    assert other["degrees"] == pytest.approx(record["degrees"])


@pytest.fixture
def written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(7)
    rows = pd.DataFrame({"id": range(40), "truth": rng.normal(size=40)})
    rows["set"] = ["public", "private"] * 20
    for name in "abc":
        rows[name] = rows["truth"] + rng.normal(size=40)
    rows.to_csv("log.csv", index=False)
    listing = pd.DataFrame({"submission": list("abc"), "team": ["x", "y", "x"]})
    listing.to_csv("list.csv", index=False)
    (tmp_path / "replay.yaml").write_text(
        "study: mine\nreplay: {table: log.csv, public: set, submissions: list.csv}\n"
    )
    (tmp_path / "other.yaml").write_text("study: mine\n")
    return rows


def test_the_command_prints_the_answer(written, capsys):
    options = [
        "--ignore",
        "set",
        "--listing",
        "list.csv",
        "--noise-sd",
        "0.2",
        "--tolerated",
        "-.1",
    ]
    given = {"ignore": ["set"], "listing": "list.csv", "noise_sd": 0.2, "tolerated": -0.1}
    metered = shakedown.meter_files("log.csv", **given)
    assert main(["leak", "--meter", "log.csv", *options]) == 0
    assert capsys.readouterr().out == f"{metered}\n"
    assert main(["leak", "--meter", "log.csv", *options, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == metered.answer
    frames = shakedown.meter_files(written, **given | {"listing": pd.read_csv("list.csv")})
    assert frames.answer == metered.answer


def test_a_log_has_its_public_rows_and_their_variance(written):
    record = shakedown.meter_files("replay.yaml").answer
    public = written[written["set"] == "public"]
    assert (record["files"], record["rows"]) == (3, 20)
    assert record["variance"] == pytest.approx(public["truth"].var())
    assert record["noise_sd"] == pytest.approx(0.005 * public["truth"].var())
    same = shakedown.meter_files(public[list("abc")], start=record["variance"]).answer
    assert same["degrees"] == pytest.approx(record["degrees"])


def test_the_page_says_what_the_command_says(tmp_path):
    metered = shakedown.meter_files(apart(), noise_sd=0.1)
    page = metered.page()
    Page(page)
    assert metered.sentence in page
    assert metered.report(tmp_path / "new/meter.html").read_text("utf-8") == page
    assert page.count("<figure") == 1
    tables = [
        re.findall("<th scope=.col.[^>]*>(.*?)</th>", table) for table in page.split("<table")
    ]
    heads = [row for row in tables if row]
    assert all(all(row) and len(set(row)) == len(row) for row in heads)  # each says what it holds
    texts = [text for text in map(str.strip, Page(page).texts) if text]
    assert texts[texts.index("exact scores of independent files") + 1] == "1"
    figure = metered.figure("degrees_by_file")
    assert isinstance(figure, Figure)
    lines = {line.get_label(): line for line in figure.axes[0].get_lines()}
    spent = lines["answers to the files"].get_ydata()
    assert spent[-1] == pytest.approx(metered.answer["degrees"])
    assert set(lines["on average"].get_ydata()) == {metered.answer["needed_mean"]["degrees"]}
    assert "within 0.05" in metered.caption("degrees_by_file")
    assert metered.sentence in metered._repr_html_()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--meter", "log.csv", "--board", "kaggle"], "--board describes a leaderboard, and --met"),
        (["--meter", "log.csv", "--shared"], "--shared describes a leaderboard"),
        (
            ["--meter", "log.csv", "--submissions", "5"],
            "--submissions belongs to --meter simulated",
        ),
        (["--meter", "log.csv", "--metric", "rmse"], "--metric: wanted one of mse, pearson with"),
        (["--meter", "log.csv", "--metric", "pearson", "--start", "2"], "belong to --metric mse"),
        (["--meter", "log.csv", "--noise-sd", "0"], "--noise-sd: wanted a number above 0; got 0"),
        (["--meter", "log.csv", "--variance", "-1"], "--variance: wanted a number above 0; got -1"),
        (["--meter", "log.csv", "--tolerated", "0.1"], "--tolerated: wanted a number below 0"),
        (["--meter", "log.csv", "--rows", "2"], "--rows: wanted at least 3 with --meter; got 2"),
        (["--meter", "simulated"], "--rows is needed with --meter simulated"),
        (["--meter", "simulated", "--rows", "9", "--listing", "list.csv"], "--listing belongs to"),
        (["--meter", "replay.yaml", "--id", "id"], "--listing, --id and --ignore: leave them out"),
        (["--meter", "other.yaml"], "other.yaml is that of something else: it has no key"),
        (["--meter", "nothing.csv"], "nothing.csv"),
        (["--rows", "209", "--noise-sd", "1"], "--noise-sd belongs to --meter; leave it out"),
        (["--updates", "3", "--step", "1"], "--rows is needed: the number of public rows"),
    ],
)
def test_a_mistake_is_one_sentence(words, message, written, capsys):
    assert main(["leak", *words]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert "Traceback" not in err


def test_a_mistake_names_arguments_as_python_does():
    with pytest.raises(shakedown.InputError, match="^noise_sd: wanted a number, got 'much'"):
        shakedown.meter_files(apart(), noise_sd="much")
