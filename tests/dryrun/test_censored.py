"""Dry runs of censored times."""

import warnings

import numpy as np
import pandas as pd
import pytest

import shakedown
from shakedown.checkout import project
from shakedown.cli.arguments import parsed
from shakedown.cli.dryrun import asked, typed_again
from shakedown.config import complete
from shakedown.config.dryrun import check
from shakedown.data.censored import risk_score
from shakedown.data.splits import Splitter
from shakedown.dryrun.noise import findings_for
from shakedown.dryrun.plan import entries
from shakedown.dryrun.settings import DryRunEntry
from shakedown.dryrun.usefulness import honest, improvements, teams
from shakedown.interface import InputError
from shakedown.metrics import find
from tests.dryrun.test_several import FEW

BOARDS = [
    {"name": "full_disclosure"},
    {"name": "general_ladder", "eta": 0.01},
    {"name": "bayesboot_ladder", "posterior_odds": 2.0, "draws": 20},
]


def frame(rows=150, seed=3, effect=1.5):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.standard_normal((rows, 4)), columns=["x1", "x2", "x3", "x4"])
    died = rng.exponential(size=rows) * np.exp(-effect * table["x1"])
    left = 2.0 * rng.exponential(size=rows)
    table["months"] = np.minimum(died, left).round(3) + 0.001
    return table.assign(died=died <= left)


def played(table, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return shakedown.dry_run(table, response="months", event="died", **FEW | settings)


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame().astype({"died": int}).to_csv("t.csv", index=False)
    return "t.csv"


@pytest.mark.parametrize("metric", [None, "uno_c_index", "iauc"])
def test_a_dry_run_answers(metric):
    run = played(frame(), metric=metric, mechanisms=BOARDS)
    name = metric or "c_index"
    assert run.config["dryrun"]["metric"] == name
    assert run.challenge.features.tolist() == ["x1", "x2", "x3", "x4"]
    assert set(run.limits["mechanism"]) == {board["name"] for board in BOARDS}
    assert run.limits["proved_submissions"].isna().all()
    assert run.limits["threshold"].unique().tolist() == [-0.016]
    attacks = set(run.tables["frontier"]["attack"].dropna())
    assert {"risk_probe", "random_search", "step_forward", "freedman", "best_of_many"} <= attacks
    utility = run.tables["utility"]
    assert (utility["sequence"] == "models").all()
    assert utility["honest_gain"].between(0.1, 0.5).all()
    assert utility[["rank_correlation", "lag", "climb_gain"]].notna().all(axis=None)
    assert utility["resolution_floor"].dropna().between(0.0, 0.5).all()


def test_without_a_signal_participants_are_simulated():
    run = played(frame(effect=0.0), mechanisms=BOARDS[:1])
    utility = run.tables["utility"]
    assert (utility["sequence"] == "noise").all()
    assert utility["rank_correlation"].gt(0.3).all()  # noise that decreases is seen


def test_events_may_be_an_array():
    table = frame()
    named = played(table, mechanisms=BOARDS[:1])
    given = shakedown.dry_run(
        table.drop(columns=["died", "months"]),
        table["months"],
        event=table["died"].to_numpy(),
        **FEW | {"mechanisms": BOARDS[:1]},
    )
    np.testing.assert_array_equal(named.challenge.y, given.challenge.y)
    pd.testing.assert_frame_equal(named.limits, given.limits)


@pytest.mark.parametrize("words", [[], ["--metric", "c_index"], ["--metric", "iauc"]])
def test_what_the_command_asks_for_can_be_typed_again(file, words):
    config = asked(parsed(["dryrun", file, "--time", "months", "--event", "died", *words]))
    mine, doubts = check(config, project())
    assert mine.censored
    assert doubts == []
    whole = complete(config, base=project())
    assert whole["dryrun"]["metric"] == (words or ["", "c_index"])[1]
    again = typed_again(whole, minutes=12)
    assert again.startswith("shakedown dryrun t.csv --response months --event died")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--event", "died", "--metric", "mse"], "'mse' does not score censored times, and data"),
        (
            ["--metric", "c_index", "--ignore", "died"],
            "has no column of events. Name it as 'event'",
        ),
        (["--event", "months"], "'months' is set as 'response' and as 'event'; remove one of them"),
        (
            ["--event", "died", "--metric", "c_index + r2"],
            "times can only be added to each other",
        ),
    ],
)
def test_what_does_not_fit_is_refused(file, words, message):
    with pytest.raises(InputError, match=message):
        check(asked(parsed(["dryrun", file, "--time", "months", *words])), project())


def table_of(file):
    config = asked(parsed(["dryrun", file, "--time", "months", "--event", "died"]))
    return check(config, project())[0]


def test_checks_of_the_noise_do_not_concern_times(file):
    """Times and risk scores are far from normal, which no proof needs."""
    settings = DryRunEntry(metric="c_index")
    assert findings_for(table_of(file), settings) == []


def test_honest_models_predict_risks_and_are_validated_by_times(file):
    mine, metric = table_of(file), find("c_index")
    split = Splitter(mine, "splits", seed=1).split(0)
    models = honest.models(split.view, metric, rng=np.random.default_rng(2))
    assert metric.score(split.y_final, models.final[-1:])[0] > 0.7
    assert honest.has_signal([models] * 3, [split] * 3)
    public, final = honest.numbers(split)
    np.testing.assert_array_equal(public, risk_score(split.y_public))
    simulated = honest.noise(split, correlation=0.5, rng=np.random.default_rng(3))
    scores = metric.score(split.y_final, simulated.final)
    assert scores[-1] > scores[0] + 0.1
    assert np.corrcoef(simulated.final[-1], final)[0, 1] > 0.4


def test_true_scores_rise_from_a_guess_to_1(file):
    mine, metric = table_of(file), find("c_index")
    known = teams.truth(metric, mine.y, rng=np.random.default_rng(4))
    assert known.start == pytest.approx(0.5, abs=0.02)
    r = np.array([0.0, 0.3, 1.0])
    scores = improvements.true_scores(metric, mine.y, r[1:], rng=np.random.default_rng(5))
    assert 0.55 < scores[0] < 0.75
    assert scores[1] == 1.0


def test_digests_begin_at_a_guess(file):
    """A digest down to 1/2 would show nothing, as all of them begin there."""
    mine = table_of(file)
    digests = [b for b in entries(mine, DryRunEntry(metric="iauc")) if b["name"] == "digest"]
    assert [board["floor"] for board in digests] == pytest.approx([0.75] * 2, abs=0.01)
    run = played(frame(), mechanisms=digests[:1])
    assert run.tables["utility"]["shown_error"].notna().all()
