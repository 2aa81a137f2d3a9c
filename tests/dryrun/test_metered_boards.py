"""Metered boards that a dry run offers are proved, and can be run."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import shakedown
from shakedown.cli import main
from shakedown.dryrun.metered_boards import metered_boards
from shakedown.dryrun.plan import entries, plan
from shakedown.dryrun.playing import _is_played, planned
from shakedown.dryrun.proof import MOST
from shakedown.leaderboard.mechanism import mechanisms
from shakedown.live.live_board import LiveBoard
from shakedown.metrics import find
from shakedown.theory.proved import proved_limits
from tests.dryrun.asking import asked
from tests.dryrun.test_plan import challenge

MSE = find("mse")


@pytest.mark.parametrize(("metric", "n"), [("mse", 209), ("mse", 1000), ("pearson", 10_000)])
@pytest.mark.parametrize("accounts", [1, 4])
@pytest.mark.parametrize("size", [1.0, 5943.0])
def test_both_kinds_are_proved_for_any_number_of_files(metric, n, accounts, size):
    offered = metered_boards(find(metric), -0.05, n, 500, accounts, 0.25, size=size)
    mostly, average = mechanisms(offered)
    assert (mostly.chance, average.chance) == (0.25, None)
    limits = [
        proved_limits(board, metric, n, -0.05, MOST, accounts, quantile=0.25)
        for board in (mostly, average)
    ]
    assert limits == [(MOST, MOST), (MOST, 0)]
    for board in (mostly, average):
        assert board.files == 500 * accounts
        assert board.one_board == (accounts > 1)
        assert 0.99 * 0.05 < board.gain <= 0.05
        own = board.in_unit(size).gain
        assert float(f"{own:.3g}") == own


def test_a_board_that_tells_next_to_nothing_is_not_offered():
    (average,) = metered_boards(MSE, -0.05, 69, 500, quantile=0.25)
    assert "chance" not in average
    assert metered_boards(MSE, -0.05, 30, 500, quantile=0.25) == []
    for metric in ("mae", "rmse", "spearman"):
        assert metered_boards(find(metric), -0.05, 5000, 500, quantile=0.25) == []


def test_unequal_rows_leave_less_on_average_and_nothing_at_a_quantile():
    (board,) = mechanisms(metered_boards(MSE, -0.05, 1000, 500, 1, 0.25, row_variance=2.0))
    assert board.gain == 0.0125
    limits = proved_limits(board, MSE, 1000, -0.05, MOST, quantile=0.25, row_variance=2.0)
    assert limits == (MOST, None)
    assert metered_boards(find("pearson"), -0.05, 6000, 500, 1, 0.25, row_variance=2.0) == []


@pytest.mark.parametrize(
    ("metric", "threshold", "n", "c"),
    [("zero_one", -0.05, 1000, 1.0), ("brier", -0.05, 1000, 1.0), ("brier", -0.05, 5000, 2.8),
     ("log_loss", -0.025, 1000, 1.0), ("auroc", -0.05, 5000, 1.0)],
)  # fmt: skip
@pytest.mark.parametrize("accounts", [1, 4])
def test_boards_of_labels_are_proved_on_average(metric, threshold, n, c, accounts):
    offered = metered_boards(
        find(metric), threshold, n, 50 // accounts, accounts, 0.25, row_variance=c
    )
    (board,) = mechanisms(offered)
    assert board.chance is None
    assert board.one_board == (accounts > 1)
    limits = proved_limits(
        board, metric, n, threshold, MOST, accounts, quantile=0.25, row_variance=c
    )
    assert limits == (MOST, 0)
    if accounts == 1:  # precisions of boards add up
        assert (
            proved_limits(board, metric, n, threshold, 9, 2, quantile=0.25, row_variance=c).mean
            == 0
        )


def test_boards_of_labels_that_show_noise_alone_are_not_offered():
    assert metered_boards(find("zero_one"), -0.05, 209, 500, quantile=0.25) == []
    assert metered_boards(find("auroc"), -0.03, 1000, 50, quantile=0.25) == []
    for metric in ("zero_one", "log_loss", "auroc"):  # rows that are not independent
        assert metered_boards(find(metric), -0.05, 10_000, 9, 1, 0.25, row_variance=2.0) == []
        assert proved_limits(
            "metered(files=9,gain=0.05)", metric, 10_000, -0.05, 9, quantile=0.25, row_variance=2.0
        ).both is None  # fmt: skip
    assert metered_boards(find("brier"), -0.05, 900, 9, 1, 0.25, row_variance=900.0) == []
    seldom = "metered(chance=0.25,files=9,gain=0.05)"
    assert proved_limits(seldom, "auroc", 5000, -0.05, 9, quantile=0.25).both is None


def test_a_dry_run_of_labels_says_what_is_proved_on_average():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((600, 4))
    y = (X[:, 0] + rng.standard_normal(600) > 0.0).astype(float)
    run = shakedown.dry_run(
        X, y, metric="log_loss", submissions=20, largest_budget=20, minutes=0.2, jobs=1, seed=4,
        mechanisms=[{"name": "metered", "gain": 0.025, "files": 20}], fewest_replicates=12,
        most_replicates=12, honest_replicates=2,
    )  # fmt: skip
    row = run.limits.set_index("threat").loc["adversary"]
    assert (row["proved_mean"], row["proved_quantile"]) == (MOST, 0)
    assert "class_mean" in set(run.tables["frontier"]["attack"])


def meters_in(planned):
    return {
        name: sum(board["name"] == "metered" for board in entry["mechanisms"])
        for name, entry in planned.items()
    }


def test_only_attacks_that_learn_there_play_on_them():
    planned = plan(challenge(900, 5), asked(submissions=10))
    meters = meters_in(planned)
    assert meters["posterior_mean"] == 2
    assert meters["freedman"] == 0  # the posterior mean gets furthest
    assert meters["scan"] == meters["linear_probe"] == meters["reserve_holder"] == 0
    others = {len(e["mechanisms"]) - meters[name] for name, e in planned.items()}
    assert len(others) == 1


def test_fitted_models_play_on_them_where_the_answer_is_about_them():
    meters = meters_in(plan(challenge(900, 5), asked(submissions=10, threat="modeller")))
    assert meters["freedman"] == meters["step_forward_fresh"] == 2


def test_they_are_played_less_often():
    """In the first 13 replicates, and then in one of 16; other boards in all by modellers."""
    metered, plain = [], []
    for experiment in planned(challenge(900, 5), asked(submissions=10, threat="modeller"), 1):
        if experiment.name == "freedman":
            boards = {mechanism.name == "metered" for mechanism in experiment.mechanisms}
            assert len(boards) == 1
            numbers = [k for k in range(64) if _is_played(experiment, k)]
            (metered if boards.pop() else plain).append(numbers)
    assert plain == [list(range(64))]
    assert metered == [[*range(13), 16, 32, 48]]


def test_a_dry_run_may_have_no_board_that_modellers_play():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((90, 4))
    run = shakedown.dry_run(
        X, X[:, 0] + rng.standard_normal(90), submissions=20, largest_budget=20, minutes=0.01,
        mechanisms=[{"name": "metered", "gain": 0.1, "files": 20}], fewest_replicates=12,
        most_replicates=12, honest_replicates=2, jobs=1, seed=4,
    )  # fmt: skip
    assert set(run.limits["mechanism"]) == {"metered"}


def test_what_is_recommended_can_be_run(tmp_path, monkeypatch):
    """The gain is in the unit of the response, and the truth says its centre and its scale."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHAKEDOWN_DATABASE", "sqlite:///state.db")
    toy = challenge(900, 5, scale=7.0)
    offered = mechanisms(entries(toy, asked(submissions=100)))
    size = float(np.var(toy.y, ddof=1))
    setting = next(b for b in offered if b.name == "metered").in_unit(size).setting
    rests = {"metric": "mse", "public_rows": 300, "threshold": -0.05 * size, "share": 0.05,
             "spread": "variance"}  # fmt: skip
    content = {"recommended": {"setting": setting}, "rests_on": rests, "submissions": 100}
    Path("recommendation.json").write_text(json.dumps(content))
    sets = np.where(np.arange(900) < 300, "public", "final")
    frame = pd.DataFrame({"id": np.arange(900), "truth": toy.y, "set": sets})
    frame.to_csv("truth.csv", index=False)
    given = ("recommendation.json", "--truth", "truth.csv", "--split", "set")
    assert main(["board", "create", *given]) == 0
    board = LiveBoard.open("sqlite:///state.db")
    own = board.rules.mechanism
    assert own.release.unit == pytest.approx((toy.y[:300].mean(), toy.y[:300].std(ddof=1)))
    assert own.gain == pytest.approx(0.05 * size, rel=0.01)
    assert own.release.metering(300, is_correlation=False).degrees > 1.0
    answer = board.submit("a", 0.5 * toy.y)
    assert answer.standard_error > 0.0


@pytest.mark.parametrize("metric", ["zero_one", "brier", "log_loss", "auroc"])
def test_what_is_recommended_of_labels_can_be_run(metric, tmp_path, monkeypatch):
    """With the gain in the unit of labels 0 and 1, whose names the truth has."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHAKEDOWN_DATABASE", "sqlite:///state.db")
    rng, share = np.random.default_rng(2), 0.4
    y = (rng.random(9000) < share).astype(float)
    size = float(np.var(y, ddof=1)) if metric == "brier" else 1.0
    threshold = -0.025 if metric == "log_loss" else -0.05
    c = 0.25 / float(np.var(y, ddof=1)) if metric == "brier" else 1.0  # as `noise_factor` has it
    offered = metered_boards(find(metric), threshold, 6000, 50, 1, 0.25, c, size)
    setting = mechanisms(offered)[0].in_unit(size).setting
    rests = {"metric": metric, "public_rows": 6000, "threshold": threshold * size, "share": None,
             "spread": "variance"}  # fmt: skip
    content = {"recommended": {"setting": setting}, "rests_on": rests, "submissions": 50,
               "proved": False, "holds": "proved on average"}  # fmt: skip
    Path("recommendation.json").write_text(json.dumps(content))
    sets = np.where(np.arange(9000) < 6000, "public", "final")
    named = np.where(y > 0.0, "case", "control")
    pd.DataFrame({"id": np.arange(9000), "truth": named, "set": sets}).to_csv(
        "truth.csv", index=False
    )
    given = ("recommendation.json", "--truth", "truth.csv", "--classes", "control,case")
    assert main(["board", "create", *given]) == 0
    board = LiveBoard.open("sqlite:///state.db")
    assert board.rules.metric == metric
    assert board.rules.mechanism.gain == pytest.approx(-threshold * size, rel=0.01)
    answer = board.submit("a", np.round(0.6 * y + 0.4 * rng.random(9000)))
    assert 0.0 < answer.standard_error < 0.1
    assert answer.left == 49
