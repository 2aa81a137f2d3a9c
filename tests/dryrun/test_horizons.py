"""Dry runs of the integrated Brier score."""

import numpy as np
import pytest

from shakedown.checkout import project
from shakedown.cli.arguments import parsed
from shakedown.cli.dryrun import asked, typed_again
from shakedown.config import complete
from shakedown.config.dryrun import check
from shakedown.data.horizons import cut
from shakedown.data.splits import Splitter
from shakedown.dryrun.plan import entries
from shakedown.dryrun.settings import DryRunEntry
from shakedown.dryrun.thresholds import unit
from shakedown.dryrun.usefulness import honest
from shakedown.interface import InputError
from shakedown.metrics import find
from tests.dryrun.test_censored import file as file
from tests.dryrun.test_censored import frame, played

BOARDS = [
    {"name": "full_disclosure"},
    {"name": "general_ladder", "eta": 0.05},
    {"name": "ladder", "alpha": 0.05},
]
HORIZONS = [0.2, 0.5, 1.0]
TYPED = ["--time", "months", "--event", "died", "--horizons", "0.2,0.5,1"]
METRIC = find("integrated_brier")


def test_a_dry_run_answers_in_the_unit_of_the_score():
    run = played(frame(), horizons=HORIZONS, mechanisms=BOARDS)
    assert run.config["dryrun"]["metric"] == "integrated_brier"
    assert run.challenge.cells.names == ("0.2", "0.5", "1")
    assert run.limits["proved_submissions"].isna().all()
    size = unit(run.challenge, METRIC)
    assert 0.1 < size < 0.25  # the score of probabilities that are the same for all rows
    np.testing.assert_allclose(run.limits["threshold"].unique(), [-0.05 * size], rtol=1e-9)
    attacks = set(run.tables["frontier"]["attack"].dropna())
    assert {"random_search", "finite_differences", "step_forward", "best_of_many"} <= attacks
    utility = run.tables["utility"]
    assert (utility["sequence"] == "models").all()
    assert utility["honest_gain"].between(0.1 * size, 0.9 * size).all()
    assert utility[["rank_correlation", "lag", "climb_gain"]].notna().all(axis=None)


@pytest.mark.parametrize("metric", ["weighted auroc by response", "weighted brier"])
def test_a_weighted_score_of_classes_may_be_named(metric):
    run = played(frame(), horizons=HORIZONS, metric=metric, mechanisms=BOARDS[:1])
    assert run.config["dryrun"]["metric"] == metric
    assert run.tables["utility"]["honest_gain"].gt(0.0).all()


def test_one_horizon_will_do():
    run = played(frame(), horizons=[0.5], mechanisms=BOARDS[:1])
    assert run.limits["safe_submissions"].notna().any()


def test_patients_with_several_rows_stay_together():
    table = frame(240)
    table["patient"] = np.arange(240) // 2
    run = played(table, horizons=HORIZONS, group="patient", mechanisms=BOARDS[:1])
    assert run.challenge.group.name == "patient"


@pytest.mark.parametrize("words", [[], ["--metric", "weighted auroc by response"]])
def test_what_the_command_asks_for_can_be_typed_again(file, words):
    config = asked(parsed(["dryrun", file, *TYPED, *words]))
    mine, doubts = check(config, project())
    assert mine.horizons == (0.2, 0.5, 1.0)
    assert doubts == []
    whole = complete(config, base=project())
    assert whole["dryrun"]["metric"] == (words or ["", "integrated_brier"])[1]
    again = typed_again(whole, minutes=12)
    assert again.startswith("shakedown dryrun t.csv --response months --event died --horizons 0.2,")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--event", "died", "--metric", "integrated_brier"],
            "at time points, and data set 't' ha",
        ),
        (["--metric", "integrated_brier"], "Name the column of events as 'event' and the time"),
        (["--horizons", "1,2"], "horizons are set without an event"),
        ([*TYPED[2:], "--metric", "brier"], "cells count by weights that this metric does not use"),
        ([*TYPED[2:], "--metric", "c_index"], "or leave out 'horizons'"),
        (["--event", "died", "--horizons", "1,x"], "--horizons: wanted a number, got 'x'"),
        (
            ["--event", "died", "--horizons", "0.00001,1"],
            "horizon 1e-05: wanted rows with an event",
        ),
    ],
)
def test_what_does_not_fit_is_refused(file, words, message):
    with pytest.raises(InputError, match=message):
        check(asked(parsed(["dryrun", file, "--time", "months", *words])), project())


def test_honest_models_are_fitted_with_the_weights_and_predict_each_horizon(file):
    """Without weights they would predict the share of events among known rows, which is larger."""
    table = frame(3000)
    left = 0.5 * np.random.default_rng(4).exponential(size=3000) + 0.001
    table["died"] = (table["died"] & (table["months"] <= left)).astype(int)
    table["months"] = np.minimum(table["months"], left)
    table.to_csv(file, index=False)
    mine, _ = check(asked(parsed(["dryrun", file, *TYPED])), project())
    split = Splitter(mine, "splits", seed=1, metric=METRIC).split(0)
    models = honest.models(split.view, METRIC, rng=np.random.default_rng(2))
    metric = split.on(METRIC, "final")
    assert metric.score(split.y_final, models.final[-1:])[0] < 0.8
    cells, w = split.view.cells[2], split.view.weights[2]
    own = cells.responses == 2
    known = split.y_final[own].mean()  # the weighted mean is 0
    sent = np.average(models.final[-1][own], weights=w[own])
    assert known > 0.2
    assert abs(sent) < 0.5 * known
    assert honest.has_signal([models] * 3, [split] * 3, METRIC)


def test_nothing_is_called_proved_and_digests_are_offered(file):
    mine, _ = check(asked(parsed(["dryrun", file, *TYPED])), project())
    names = [board["name"] for board in entries(mine, DryRunEntry(metric="integrated_brier"))]
    assert "digest" in names
    assert "metered" not in names


def test_a_table_without_censoring_has_the_scores_of_its_labels():
    table = frame(150).assign(died=1)
    run = played(table, horizons=[0.5], mechanisms=BOARDS[:1])
    labels = cut(table["months"].to_numpy(), [0.5]).labels[0]
    assert unit(run.challenge, METRIC) == pytest.approx(labels.var(), rel=1e-12)
