"""A metric of the organiser's own that fails on some rows tells nothing by failing."""

import numpy as np
import pytest

from shakedown.interface import InputError
from shakedown.live.live_board import LiveBoard
from shakedown.live.rules import Rules
from shakedown.live.truth import Truth
from tests.live.test_live_board import PUBLIC, ROWS, submissions, truth


def spread_error(y, prediction, sample_weight=None):
    """The mean squared error; none for predictions that are all the same."""
    if np.ptp(prediction) == 0:
        raise ZeroDivisionError("no spread")
    return np.average((y - prediction) ** 2, weights=sample_weight)


def few_error(y, prediction, sample_weight=None):
    """The mean squared error; none with unequal weights, as in a bootstrap."""
    if sample_weight is not None and np.ptp(sample_weight) > 0:
        raise ValueError("unequal weights")
    return np.average((y - prediction) ** 2, weights=sample_weight)


def never_error(y, prediction, sample_weight=None):
    """Fails."""
    raise OSError("no model")


def board(path, metric, setting="kaggle"):
    rules = Rules.of(setting, f"{__name__}.{metric}", seed=3)
    return LiveBoard.create(f"sqlite:///{path}/board.db", rules, truth())[0]


def constant_on(rows):
    file = submissions(1)[0].copy()
    file[rows] = 0.25
    return file


@pytest.mark.parametrize("rows", [
    slice(0, PUBLIC), slice(PUBLIC, ROWS), slice(0, PUBLIC - 1), slice(0, ROWS),
])  # fmt: skip
def test_a_file_on_which_the_metric_fails_counts_wherever_it_does(rows, tmp_path):
    live = board(tmp_path, "spread_error")
    first = live.submit("a", submissions(1)[0])
    second = live.submit("a", constant_on(rows))
    assert second.number == 2
    if rows == slice(0, PUBLIC):
        assert second.score == first.score
    log = live.log()
    fails = [rows.start <= 0 and rows.stop >= PUBLIC, rows.start <= PUBLIC and rows.stop >= ROWS]
    assert list(log.loc[1, ["score_public", "score_final"]] == 1e300) == fails
    assert log.refused[1] == fails[0]
    again = LiveBoard.open(f"sqlite:///{tmp_path}/board.db")
    third = again.submit("a", submissions(2)[1], "third")
    assert third.number == 3
    assert live.submit("a", submissions(2)[1], "third") == third
    assert live.audit() == []


def test_a_file_on_which_the_metric_fails_only_with_weights_counts_too(tmp_path):
    live = board(tmp_path, "few_error", "bayesboot_ladder(posterior_odds=1,draws=10)")
    numbers = [live.submit("a", file).number for file in submissions(3)]
    assert numbers == [1, 2, 3]
    assert live.audit() == []


def test_a_metric_that_fails_on_the_truth_itself_is_refused(tmp_path):
    with pytest.raises(InputError, match="never_error.*truth"):
        board(tmp_path, "never_error")
    assert not (tmp_path / "board.db").exists()


def test_the_rules_say_so_for_such_metrics_only():
    said = "a file for which it cannot be computed counts, and is not judged"
    for metric, says in ((f"{__name__}.spread_error", True), ("mse", False)):
        text = " ".join(Rules.of("kaggle", metric).sentences)
        assert (said in text) == says


def test_a_truth_of_labels_can_have_a_metric_of_labels(tmp_path):
    labels = Truth.of(range(20), np.arange(20) % 2, np.arange(20) < 10)
    rules = Rules.of("kaggle", "sklearn.metrics.roc_auc_score", seed=1)
    live = LiveBoard.create(f"sqlite:///{tmp_path}/board.db", rules, labels)[0]
    assert live.submit("a", np.linspace(0, 1, 20)).number == 1
