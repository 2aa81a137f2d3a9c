"""Dry runs of scores by group and of weighted scores."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import shakedown
from shakedown.attacks.attack import ATTACKS
from shakedown.checkout import project
from shakedown.cli.arguments import parsed
from shakedown.cli.dryrun import asked, typed_again
from shakedown.config import complete
from shakedown.config.dryrun import check
from shakedown.data.splits import Splitter
from shakedown.data.weights import on_table
from shakedown.dryrun.noise import findings_for
from shakedown.dryrun.settings import DryRunEntry
from shakedown.dryrun.usefulness import honest
from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import Streams, stream
from shakedown.simulation.session import Session
from tests.data.test_grouped import challenge
from tests.data.test_several import several
from tests.dryrun.test_several import FEW


def frame(seed=8):
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(40), rng.integers(1, 4, 40))
    rows = len(codes)
    table = pd.DataFrame(rng.standard_normal((rows, 4)), columns=["x1", "x2", "x3", "x4"])
    table["y"] = 3.0 * (table["x1"] + rng.standard_normal(40)[codes] + rng.standard_normal(rows))
    table["subject"] = [f"S{code}" for code in codes]
    return table.assign(weight=rng.integers(0, 4, rows) / 2)


BOARDS = [
    *FEW["mechanisms"],
    {"name": "bayesboot_ladder", "posterior_odds": 2.0, "draws": 20},
    {"name": "digest", "eta": 0.5, "floor": 1.0, "updates": 4, "every": 5},
]
OF_LOSSES = [*BOARDS, {"name": "ladderboot", "alpha": 0.15, "b": 5}]


def played(table, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return shakedown.dry_run(table, response="y", **FEW | settings)


@pytest.mark.parametrize(
    ("metric", "columns", "boards"),
    [
        ("weighted rmse", {"weight": "weight"}, OF_LOSSES),
        ("mse by group with weight sqrt(n)", {"group": "subject"}, OF_LOSSES),
        ("weighted pearson by group", {"group": "subject", "weight": "weight"}, BOARDS[:3]),
    ],
)
def test_a_dry_run_answers(metric, columns, boards):
    table = frame()
    table = table[[c for c in table if c not in ("subject", "weight") or c in columns.values()]]
    run = played(table, metric=metric, mechanisms=boards, **columns)
    assert run.config["dryrun"]["metric"] == metric
    assert set(run.limits["mechanism"]) == {board["name"] for board in boards}
    assert run.limits["proved_submissions"].isna().all()
    label = find(metric).label
    assert f"Under the {label} the only attacks with arbitrary numbers" in run.answer
    assert run.tables["utility"]["rank_correlation"].notna().all()
    played_attacks = set(run.tables["frontier"]["attack"].dropna())
    assert "random_search" in played_attacks
    assert not played_attacks & {"linear_probe", "scan", "level_saving", "positional_weights"}


def test_a_weighted_score_has_the_unit_of_the_response():
    """Ten times the response, a hundred times the tolerated overfit."""
    table = frame().drop(columns="subject")
    runs = [
        played(table.assign(y=c * table["y"]), weight="weight", mechanisms=BOARDS[:1])
        for c in (1.0, 10.0)
    ]
    assert [run.config["dryrun"]["metric"] for run in runs] == ["weighted mse"] * 2
    first, second = (run.limits["threshold"].unique() for run in runs)
    np.testing.assert_allclose(second, 100.0 * first)
    np.testing.assert_allclose(first, -0.05 * table["y"].var())


def test_weights_may_be_an_array():
    table = frame().drop(columns="subject")
    named = played(table, weight="weight", mechanisms=BOARDS[:1])
    given = played(
        table.drop(columns="weight"), weight=table["weight"].to_numpy(), mechanisms=BOARDS[:1]
    )
    np.testing.assert_array_equal(named.challenge.weights, given.challenge.weights)
    pd.testing.assert_frame_equal(named.limits, given.limits)


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame().to_csv("t.csv", index=False)
    return "t.csv"


WORDS = ["--response", "y", "--group", "subject"]


@pytest.mark.parametrize(
    ("words", "metric"),
    [
        (["--weight", "weight"], "weighted mse"),
        (["--weight", "weight", "--metric", "rmse"], "weighted rmse"),
        (["--weight", "weight", "--metric", "weighted mae"], "weighted mae"),
        (["--ignore", "weight", "--metric", "mse by group with weight sqrt(n)"],
         "mse by group with weight sqrt(n)"),
    ],
)  # fmt: skip
def test_what_the_command_asks_for_can_be_typed_again(file, words, metric):
    config = asked(parsed(["dryrun", file, *WORDS, *words]))
    mine, _ = check(config, project())
    assert "weight" not in mine.features
    assert (mine.weights is not None) == (words[0] == "--weight")
    whole = complete(config, base=project())
    assert whole["dryrun"]["metric"] == metric
    again = typed_again(whole, minutes=12)
    assert again.startswith("shakedown dryrun t.csv")
    assert ("--weight weight" in again) == (words[0] == "--weight")


@pytest.mark.parametrize(
    ("table", "metric", "message"),
    [
        ({"weight": "weight"}, "mse", "metric 'mse' does not use the weights of the rows of 't'"),
        ({"ignore": ["weight"]}, "weighted mse", "a weighted score needs a weight for each row"),
        ({"ignore": ["weight", "subject"]}, "mse by group", "a score by group needs groups of row"),
        ({"weight": "weight"}, "weighted zero_one", "'weighted zero_one' compares labels"),
        ({"ignore": ["weight"]}, "zero_one by group", "'zero_one by group' compares labels"),
    ],
)
def test_a_configuration_that_does_not_fit_is_refused(file, table, metric, message):
    config = asked(parsed(["dryrun", file, "--response", "y"]))
    if "subject" not in table.get("ignore", ()):
        table = {**table, "group": "subject"}
    config["datasets"]["t"] |= table
    config["dryrun"]["metric"] = metric
    with pytest.raises(InputError, match=message):
        check(config, project())


def test_weights_that_change_nothing_are_refused():
    """All cells of a row have its weight, so within a row it cancels."""
    weights = np.repeat(np.arange(60) % 3 * 0.5, 3)
    mine = replace(several(rows=60), weights=weights)
    for metric in ("weighted pearson by row", "weighted 0.5*mse by row + 0.5*rmse by row"):
        with pytest.raises(InputError, match="change nothing, because all cells of a row have its"):
            on_table(find(metric), mine)
    on_table(find("weighted pearson by row"), replace(mine, weights=(weights > 0.0) * 2.0))
    for metric in ("weighted pearson", "weighted 0.5*mse by row + 0.5*mse"):
        on_table(find(metric), mine)


def ended(metric, attack="random_search", files=60):
    """The public file with which an attack ends, its groups and the public response."""
    split = Splitter(challenge(60, 4), "permuted", seed=1).split(0)
    scorer = Scorer(split.on(find(metric), "public"), split.y_public, undefined_is_zero=True)
    session = Session(scorer, of_setting("full_disclosure"), Streams(0))
    prepared = ATTACKS.make(attack, submissions=files, points=[files])
    prepared = prepared.prepare(split.view, None, stream(0, "attack"))
    prepared.play(session.open)
    file = prepared.play(session.open).models.public[-1]
    return file, split.view.groups[1], split


def test_adversaries_send_numbers_for_rows_where_groups_tell_nothing():
    """The correlation within a group of a file that is the same in all of it is 0."""
    for metric, is_of_rows in (("mse by group", False), ("pearson by group", True)):
        file, codes, split = ended(metric)
        varies = np.array([np.ptp(file[codes == g]) > 0 for g in range(codes.max() + 1)])
        assert (varies == is_of_rows).all()
        score = split.on(find(metric), "public").score(split.y_public, file[None])[0]
        zeros = split.on(find(metric), "public").score(split.y_public, 0.0 * file[None])[0]
        assert score > zeros + 0.1 if metric == "pearson by group" else score < zeros - 0.02
        settings = DryRunEntry(metric=metric)
        (stated, *_) = findings_for(challenge(60, 4), settings)
        unit = "row" if is_of_rows else "group"
        assert f"attackers send one number for each {unit}." in stated["sentence"]


def test_honest_models_are_validated_by_these_scores():
    rng = np.random.default_rng(1)
    mine = challenge(60, 4)
    weights = rng.integers(0, 2, len(mine.y)).astype(float)
    split = Splitter(replace(mine, weights=weights), "splits", seed=1).split(0)
    for name in ("weighted mse", "weighted pearson by group", "mse by group"):
        models = honest.models(split.view, find(name), rng=np.random.default_rng(2))
        scores = split.on(find(name), "final").score(split.y_final, models.final)
        assert np.isfinite(np.nan_to_num(scores)).all()
        assert models.public.shape == (honest.SUBMISSIONS, len(split.y_public))
