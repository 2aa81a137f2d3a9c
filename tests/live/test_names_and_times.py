"""Running boards whose truth is named classes, or censored times."""

import numpy as np
import pandas as pd
import pytest
import yaml

from shakedown.cli import main
from shakedown.interface import InputError
from shakedown.live.export import export
from shakedown.live.live_board import LiveBoard
from shakedown.live.rules import Rules
from shakedown.live.submission_file import Refused
from shakedown.live.truth import Truth
from shakedown.live.truth_file import read_truth
from shakedown.metrics import find
from shakedown.replay.reading import read
from shakedown.replay.settings import ReplayEntry

ROWS, PUBLIC = 60, 30
NAMES = ["low", "mid", "high"]


def classes(seed=1):
    """A table of the truth, which has names of classes."""
    codes = np.random.default_rng(seed).permutation(np.arange(ROWS) % 3)
    return pd.DataFrame({
        "id": [f"r{k}" for k in range(ROWS)], "truth": np.array(NAMES)[codes],
        "set": np.where(np.arange(ROWS) < PUBLIC, "public", "final"),
    })  # fmt: skip


def times(seed=1):
    """A table of the truth, which has times and events."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame({
        "id": [f"r{k}" for k in range(ROWS)], "truth": rng.exponential(size=ROWS),
        "died": rng.random(ROWS) < 0.6,
        "set": np.where(np.arange(ROWS) < PUBLIC, "public", "final"),
    })  # fmt: skip


def truth_of(folder, table, **given):
    table.to_csv(folder / "truth.csv", index=False)
    return read_truth("truth.csv", seed=1, split="set", folder=folder, **given)[0]


def board(folder, truth, metric):
    rules = Rules.of("full_disclosure", metric, seed=3)
    return LiveBoard.create(f"sqlite:///{folder}/board.db", rules, truth)[0]


def test_a_truth_keeps_its_names_and_events(tmp_path):
    named = truth_of(tmp_path, classes(), classes=NAMES)
    assert named.classes == tuple(NAMES)
    np.testing.assert_array_equal(named.values, [NAMES.index(name) for name in classes()["truth"]])
    timed = truth_of(tmp_path, times(), event="died")
    assert timed.censored
    np.testing.assert_allclose(np.abs(timed.values), times()["truth"])
    np.testing.assert_array_equal(timed.values > 0, times()["died"])
    for own in (named, timed):
        again = Truth.stored(own.content)
        assert (again.classes, again.censored) == (own.classes, own.censored)
        np.testing.assert_array_equal(again.values, own.values)


@pytest.mark.parametrize("header", ["id,prediction\n", ""])
def test_files_may_name_classes_or_number_them(tmp_path, header):
    live = board(tmp_path, truth_of(tmp_path, classes(), classes=NAMES), "balanced_accuracy")
    drawn = np.random.default_rng(2).integers(3, size=ROWS)
    named = header + "".join(f"r{k},{NAMES[c]}\n" for k, c in enumerate(drawn))
    numbers = header + "".join(f"r{k}, {c}\n" for k, c in enumerate(drawn))
    mapping = {f"r{k}": NAMES[c] for k, c in enumerate(drawn)}
    scores = {live.submit("a", file).score for file in (named.encode(), numbers.encode(), mapping)}
    assert scores == {live.submit("a", drawn.astype(float)).score}
    with pytest.raises(Refused, match=r"line \d \(id 'r2'\): 'lov' is not a number"):
        live.submit("a", named.replace(f"r2,{NAMES[drawn[2]]}", "r2,lov").encode())


def test_participants_are_told_what_a_prediction_is(tmp_path):
    live = board(tmp_path, truth_of(tmp_path, classes(), classes=NAMES), "balanced_accuracy")
    assert live.sentences[0] == (
        "The classes are low (0), mid (1), high (2), by name or number. A prediction is a class."
    )
    (tmp_path / "times").mkdir()
    live = board(tmp_path / "times", truth_of(tmp_path, times(), event="died"), "c_index")
    assert "the one with the larger risk is predicted to have its event first" in live.sentences[0]


def test_risks_are_scored_against_censored_times(tmp_path):
    truth = truth_of(tmp_path, times(), event="died")
    live = board(tmp_path, truth, "c_index")
    risks = np.random.default_rng(2).standard_normal(ROWS)
    wanted = find("c_index").score(truth.values[:PUBLIC], risks[None, :PUBLIC])[0]
    assert live.submit("a", risks).score == pytest.approx(wanted)
    assert live.submit("a", -np.abs(truth.values)).score == 1.0


@pytest.mark.parametrize(
    ("table", "given", "metric"),
    [
        (times(), {"event": "died"}, "uno_c_index"),
        (classes(), {"classes": NAMES}, "balanced_accuracy"),
    ],
)
def test_an_exported_board_replays_with_the_same_scores(
    tmp_path, monkeypatch, table, given, metric
):
    live = board(tmp_path, truth_of(tmp_path, table, **given), metric)
    rng = np.random.default_rng(2)
    for _ in range(4):
        live.submit("a", rng.integers(3, size=ROWS).astype(float))
    live.close()
    monkeypatch.chdir(tmp_path)
    export(live, tmp_path / "out")
    config = yaml.safe_load((tmp_path / "out" / "replay.yaml").read_text())
    log = read("again", ReplayEntry(**config["replay"]), seed=1)
    np.testing.assert_array_equal(log.truth, live.truth.values)
    np.testing.assert_array_equal(log.public, live.truth.public)
    assert len(log.predictions) == 4


@pytest.mark.parametrize(
    ("table", "given", "metric", "message"),
    [
        (times(), {}, "c_index", "'c_index' scores censored times, and the truth has no column"),
        (times(), {"event": "died"}, "mse", "'mse' does not score censored times, and the truth"),
        (times(), {"event": "died", "classes": ["a", "b"]}, "c_index", "'classes' is set, too"),
        (times().assign(died=2), {"event": "died"}, "c_index", "60 rows cannot be used, .* with 2"),
        (times().assign(died=0), {"event": "died"}, "c_index", "public rows: wanted an event"),
        (classes(), {}, "kappa", "got 'low'.*name classes as 'classes'|row 1: wanted a number"),
        (classes(), {"classes": ["low", "mid"]}, "kappa", "'high' is none of the classes"),
        (classes(), {"classes": ["1", "0", "low"]}, "kappa", "'1' is a number, and would count"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path, table, given, metric, message):
    with pytest.raises(InputError, match=message):
        board(tmp_path, truth_of(tmp_path, table, **given), metric)


def test_the_command_takes_names_and_events(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    times().rename(columns={"truth": "days"}).to_csv("times.csv", index=False)
    classes().to_csv("classes.csv", index=False)
    create = ["board", "create", "--url", f"sqlite:///{tmp_path}/board.db"]
    create += ["--board", "general_ladder(eta=0.02)+baseline"]
    of_classes = ["--metric", "kappa", "--truth", "classes.csv", "--classes", "low,mid,high"]
    of_times = ["--metric", "c_index", "--truth", "times.csv", "--response", "days"]
    assert not main([*create, *of_classes, "--name", "classes"])
    assert not main([*create, *of_times, "--event", "died", "--name", "times"])
    said = capsys.readouterr()
    assert "A prediction is a risk" in said.out
    assert "The classes are low (0), mid (1), high (2)" in said.out
    assert "Note: Classes: 0 = low, 1 = mid, 2 = high." in said.err
