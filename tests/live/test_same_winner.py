"""The winner of the same files and seed is the same in an export, in its replay, and by itself."""

import re
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

import shakedown
from shakedown.cli import main
from shakedown.interface import InputError
from shakedown.live.export import export
from shakedown.live.live_board import LiveBoard
from shakedown.live.rules import Rules
from shakedown.live.truth import RowGroups, Truth
from shakedown.metrics import find
from shakedown.replay.winner import decision_of
from shakedown.replay.winner_rule import WinnerRule

ROWS, SEED = 120, 11
PUBLIC = np.arange(ROWS) < 40
IDS = [f"r{k:03}" for k in range(ROWS)]
NUMBERS = np.random.default_rng(2).standard_normal(ROWS)
LABELS = np.repeat((np.random.default_rng(3).random(ROWS // 2) < 0.3).astype(float), 2)
PAIRS = np.arange(ROWS) // 2
TEAMS = ("Ada", "Bob", "Cleo", "Dan")


def files(values):
    """A bad file and three that are about equal."""
    noise = np.random.default_rng(4).standard_normal((4, ROWS))
    noise *= np.array([[3.0], [0.8], [0.8], [0.8]])
    return values + noise


#: Values, groups, metric, keys of the rule, and what decides.
CASES = {
    "score": (NUMBERS, None, "mae", {"draws": 800}, "score"),
    "numbers": (NUMBERS, None, "rmse", {"second_metric": "mae", "tied": 50.0}, "second"),
    "time": (NUMBERS, None, "pearson", {"by_time": True, "tied": 1000.0}, "time"),
    "shared": (NUMBERS, None, "spearman", {"tied": 1e9, "draws": 500}, ""),
    "groups": (NUMBERS, PAIRS, "mse", {"second_metric": "ccc", "tied": 50.0}, "second"),
    "strata": (
        LABELS, None, "auroc", {"stratified": True, "second_metric": "aupr", "tied": 50.0},
        "second",
    ),
    "strata of groups": (
        LABELS, PAIRS, "auroc", {"stratified": True, "variant": "smoothed", "tied": 50.0}, "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_three_ways_to_the_same_decision(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    values, pairs, metric, keys, decided_by = CASES[name]
    sent = files(values)
    if name == "score":
        sent[1] = values + 0.1 * (sent[1] - values)
    groups = None if pairs is None else RowGroups("patient", pairs)
    of = Truth.of(IDS, values, PUBLIC, group=groups)
    rules = Rules.of("full_disclosure", metric, seed=SEED)
    live = LiveBoard.create("sqlite:///board.db", rules, of)[0]
    for k in (2, 0, 3, 1):  # the order in which they come
        live.submit(TEAMS[k], sent[k], "key")
    live.close()
    export(live, "final", rule=WinnerRule(**keys))
    exported = Path("final/winner.txt").read_text().strip()

    config = yaml.safe_load(Path("final/replay.yaml").read_text("utf-8"))
    assert config["replay"].get("winner") == keys
    given = {key: value for key, value in config["replay"].items() if key != "winner"}
    table, submissions = given.pop("table"), given.pop("submissions")
    mechanisms = [{"name": "full_disclosure"}]
    replay = shakedown.replay_log(
        table, submissions, seed=config["seed"], winner=keys, mechanisms=mechanisms,
        boards=["per_team"], **given,
    )  # fmt: skip
    rows = replay.tables["rank_intervals"]
    said = decision_of(rows, find(metric), WinnerRule(**keys), group=pairs is not None)
    assert said == exported
    if name == "groups":
        page = unescape(re.sub(r"<[^>]+>", "", replay.page()))
        assert f"By the winner’s rule, with Full-disclosure: {exported}" in page

    truth = pd.DataFrame({
        "id": IDS, "truth": values, "set": np.where(PUBLIC, "public", "final"),
        "patient": PAIRS,
    })  # fmt: skip
    order = pd.DataFrame({"team": [TEAMS[k] for k in (2, 0, 3, 1)], "time": range(4)})
    times = order.assign(time=pd.date_range("2026-01-01", periods=4).astype(str))
    won = shakedown.winner(
        truth, dict(zip(TEAMS, (dict(zip(IDS, file, strict=True)) for file in sent), strict=True)),
        metric=metric, second=keys.get("second_metric"), tied=keys.get("tied", 3.0),
        variant=keys.get("variant", "counts"), stratified=keys.get("stratified", False),
        times=times if keys.get("by_time") else None, group=None if pairs is None else "patient",
        draws=keys.get("draws", 10_000), seed=SEED,
    )  # fmt: skip
    assert won.sentence == exported.replace("private ", "final ")
    rows = rows.set_index("team")
    final = pd.read_csv("final/final.csv").set_index("team")
    for team in won.limits.itertuples():
        of_team = rows.loc[team.team]
        assert of_team["final_place"] == final.loc[team.team, "place"] == team.place
        assert of_team["k"] == pytest.approx(team.k, rel=1e-12)
        assert of_team["tied"] == final.loc[team.team, "tied"] == team.tied
        ends = of_team[["place_low", "place_high", "all_low", "all_high"]].astype(int).tolist()
        assert ends == [team.rank_low, team.rank_high, team.joint_low, team.joint_high]
    assert won.ranking.decided_by == decided_by
    assert (len(won.ranking.tied) > 1) == (decided_by != "score")


def test_what_does_not_fit_is_refused_before_anything_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rules = Rules.of("full_disclosure", "mse", seed=SEED)
    live = LiveBoard.create("sqlite:///board.db", rules, Truth.of(IDS, NUMBERS, PUBLIC))[0]
    live.submit("a", NUMBERS, "key")
    live.close()
    with pytest.raises(InputError, match=r"winner.stratified: 'mse' is no metric of classes"):
        export(live, "final", rule=WinnerRule(stratified=True))
    with pytest.raises(InputError, match="nonsense"):
        export(live, "final", rule=WinnerRule(second_metric="nonsense"))
    assert not Path("final").exists()


def test_the_command_takes_the_rule(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rules = Rules.of("full_disclosure", "auroc", seed=SEED)
    live = LiveBoard.create("sqlite:///board.db", rules, Truth.of(IDS, LABELS, PUBLIC))[0]
    for team, file in zip(TEAMS, files(LABELS), strict=True):
        live.submit(team, file, "key")
    live.close()
    command = ["board", "export", "final", "--url", "sqlite:///board.db"]
    for options, message in (
        (["--k", "three"], "--k: wanted a number, got 'three'"),
        (["--k", "0.5"], "tied: wanted a K of at least 1; got 0.5"),
        (["--draws", "10"], "draws: wanted 100 bootstrap samples or more; got 10"),
        (["--variant", "ttest"], "variant: wanted counts or smoothed; got 'ttest'"),
        (["--second", "nonsense"], "nonsense"),
    ):
        assert main([*command, *options])
        assert message in capsys.readouterr().err
        assert not Path("final").exists()
    assert not main([*command, "--second", "aupr", "--stratified", "--by-time"])
    config = yaml.safe_load(Path("final/replay.yaml").read_text("utf-8"))
    keys = {"second_metric": "aupr", "stratified": True, "by_time": True}
    assert config["replay"]["winner"] == keys
    assert Path("final/winner.txt").read_text("utf-8").endswith(".\n")
    assert "final/winner.txt" in capsys.readouterr().out
