"""Running boards whose truth is a class: scores, and files that are no such predictions."""

import numpy as np
import pytest
from sklearn import metrics as sk

from shakedown.interface import InputError
from shakedown.live.live_board import LiveBoard
from shakedown.live.rules import Rules
from shakedown.live.submission_file import Refused
from shakedown.live.truth import Truth
from shakedown.metrics import find

ROWS, PUBLIC = 60, 30
Y = (np.arange(ROWS) % 3 == 0).astype(float)
IDS = [f"r{k}" for k in range(ROWS)]


def board(path, metric, y=Y):
    truth = Truth.of(IDS, y, np.arange(ROWS) < PUBLIC)
    return LiveBoard.create(
        f"sqlite:///{path}/board.db", Rules.of("full_disclosure", metric, seed=3), truth
    )[0]


def file(seed=1):
    """Probabilities that tell something."""
    return 1.0 / (1.0 + np.exp(-Y - np.random.default_rng(seed).standard_normal(ROWS)))


@pytest.mark.parametrize("metric", ["auroc", "aupr", "log_loss", "brier"])
def test_scores_are_those_of_the_public_rows(tmp_path, metric):
    outside = {
        "auroc": sk.roc_auc_score, "aupr": sk.average_precision_score,
        "log_loss": sk.log_loss, "brier": sk.brier_score_loss,
    }[metric]  # fmt: skip
    live = board(tmp_path, metric)
    assert live.submit("a", file()).score == pytest.approx(outside(Y[:PUBLIC], file()[:PUBLIC]))
    again = LiveBoard.open(f"sqlite:///{tmp_path}/board.db")
    assert again.submit("a", file(2)).score == pytest.approx(outside(Y[:PUBLIC], file(2)[:PUBLIC]))


@pytest.mark.parametrize(
    ("metric", "row", "value", "message"),
    [
        ("log_loss", 3, 1.5, "Log loss: wanted probabilities from 0 to 1, got 1.5"),
        ("brier", ROWS - 1, -0.1, "wanted probabilities from 0 to 1, got -0.1"),
        ("balanced_accuracy", 3, 0.5, "wanted classes, which are whole numbers here, got 0.5"),
        ("mcc", ROWS - 1, 0.25, "wanted classes, which are whole numbers here, got 0.25"),
    ],
)
def test_a_file_of_another_kind_is_refused_and_costs_nothing(tmp_path, metric, row, value, message):
    """Whether the row is public or not."""
    live, good = board(tmp_path, metric), np.round(file())
    bad = good.copy()
    bad[row] = value
    with pytest.raises(Refused, match=message):
        live.submit("a", bad)
    assert live.submit("a", good).number == 1
    assert live.submit("a", 1.0 - good).number == 2


def test_scores_need_no_limits(tmp_path):
    live = board(tmp_path, "auroc")
    assert live.submit("a", 100.0 * file() - 50.0).score == live.submit("a", file()).score


def test_a_truth_of_one_class_or_of_many_values_is_refused(tmp_path):
    one = Y.copy()
    one[:PUBLIC] = 0.0
    for k, y in enumerate((one, np.arange(ROWS) / 7.0)):
        (tmp_path / str(k)).mkdir()
        with pytest.raises(InputError, match="public values .*'auroc' wants .* of two classes"):
            board(tmp_path / str(k), "auroc", y)
    assert find("auroc").predicts == "scores"


@pytest.mark.parametrize(("metric", "score"), [("zero_one", 2 / 3), ("2*zero_one", 4 / 3)])
def test_labels_need_not_be_two(tmp_path, metric, score):
    live = board(tmp_path, metric, np.arange(ROWS) % 3.0)
    assert live.submit("a", np.zeros(ROWS)).score == pytest.approx(score, abs=1e-5)
