"""Metrics of a user's own: a class by its import path, and what it has to say."""

import numpy as np
import pytest

from shakedown.interface import InputError
from shakedown.leaderboard.board import Board
from shakedown.leaderboard.mechanism import mechanism
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import MEAN_LOSS, SQUARED, Metric, check_standardised, find
from shakedown.seeding import stream

HERE = __name__


class OwnShare(Metric):
    """Share of the predictions within 1 of the response."""

    label = "Share within 1"
    larger_is_better = True

    def function(self, y, prediction, sample_weight=None):
        return np.average(abs(y - prediction) <= 1, weights=sample_weight)


class HalvedError(Metric):
    """The mean squared error under another name, by the compiled formula."""

    label = "Own error"
    short = "OE"
    larger_is_better = False
    formula = MEAN_LOSS
    loss = SQUARED


class Undecided(Metric):
    label = "Undecided"

    def function(self, y, prediction, sample_weight=None):
        return 0.0


class Unweighted(Metric):
    label = "Unweighted"
    larger_is_better = True

    def function(self, y, prediction):
        return 0.0


class Nameless(Metric):
    larger_is_better = True


class Empty(Metric):
    label = "Empty"
    larger_is_better = True


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    y = rng.standard_normal(40)
    return y, y + rng.standard_normal((6, 40))


def test_a_class_of_ones_own_by_its_path(data):
    y, predictions = data
    metric = find(f"{HERE}.OwnShare")
    assert (metric.label, metric.short, metric.axis) == ("Share within 1",) * 3
    assert metric.name == metric.id == f"{HERE}.OwnShare"
    assert metric.delta_axis == "ΔShare within 1 = final − public\n(below 0: overfit)"
    expected = [np.mean(abs(y - p) <= 1) for p in predictions]
    np.testing.assert_allclose(metric.score(y, predictions), expected)


def test_every_kind_of_board_plays_it(data):
    y, predictions = data
    scorer = Scorer(find(f"{HERE}.OwnShare"), y)
    for entry in (
        {"name": "full_disclosure"},
        {"name": "general_ladder", "eta": 0.1},
        {"name": "bayesboot_ladderboot", "posterior_odds": 2.0, "b": 3},
    ):
        board = Board(scorer, mechanism(**entry), lambda *axes: stream(1, *axes))
        shown = board.submit(predictions).released
        assert ((shown >= 0) & (shown <= 1)).all()


def test_a_class_may_use_a_compiled_formula(data):
    own = find(f"{HERE}.HalvedError")
    np.testing.assert_array_equal(own.score(*data), find("mse").score(*data))
    assert (own.short, own.axis, own.degree) == ("OE", "Own error", 2)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Undecided", "cannot tell whether larger is better. Add `larger_is_better = True`"),
        ("Unweighted", "needs a parameter `sample_weight`"),
        ("Empty", "has no `function` and no `formula`. Write the method"),
        ("Nameless", 'has no label for readers. Add to the class: `label = "Namele'),
        ("data", "cannot tell whether larger is better. By scikit-learn's rule"),
        ("np.ndarray", "cannot be imported"),
        ("InputError", "wanted a class derived from shakedown.metrics.metric.Metric, got"),
    ],
)
def test_a_class_that_cannot_be_used_is_refused(name, message):
    with pytest.raises(InputError, match=f"metric '{HERE}.{name}'.*{message}"):
        find(f"{HERE}.{name}")


def test_a_function_must_take_a_standardised_response():
    refusing = find("sklearn.metrics.mean_squared_log_error")
    with pytest.raises(InputError, match="The designs standardise the response"):
        check_standardised(refusing)
    check_standardised(find("sklearn.metrics.r2_score"))


def test_a_formula_is_not_called_to_be_checked(monkeypatch):
    def never(*_):
        raise AssertionError

    monkeypatch.setattr("shakedown.metrics.functions.computed", never)
    check_standardised(find("mse"))
