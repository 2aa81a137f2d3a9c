"""Comparisons of two predictions against SciPy and the paper's formula."""

import numpy as np
import pytest
from scipy import stats

from shakedown.simulation.comparisons import REPLICATIONS, comparisons


@pytest.fixture
def challenge():
    rng = np.random.default_rng(0)
    y = rng.standard_normal(500)
    return y, {
        name: y + scale * rng.standard_normal(500)
        for name, scale in zip("abc", (1, 0.97, 0.9), strict=True)
    }


def test_all_probabilities_are_nearly_those_of_the_paired_t_test(challenge):
    """With 500 rows the mean difference is nearly normal; 5 standard errors of a share, and .01."""
    y, predictions = challenge
    table = comparisons(predictions, y, seed=1)
    assert table.index.tolist() == ["b", "c"]
    for before, name in ("ab", "bc"):
        losses = [(predictions[p] - y) ** 2 for p in (name, before)]
        p = stats.ttest_rel(*losses, alternative="less").pvalue
        error = 5 * np.sqrt(p * (1 - p) / REPLICATIONS) + 0.01
        for column in ("posterior", "resampled", "p_value"):
            assert abs(table.loc[name, column] - p) < error
        margin = np.sqrt(
            np.sum((losses[0] - losses[1] - np.mean(losses[0] - losses[1])) ** 2) / 499
        )
        assert table.loc[name, "margin"] == pytest.approx(margin / np.sqrt(500))


def test_a_prediction_is_no_better_than_itself_and_surely_better_than_a_poor_one(challenge):
    y, predictions = challenge
    same = comparisons({"a": predictions["a"], "again": predictions["a"]}, y, seed=1)
    assert same.loc["again"].tolist() == [0, 1, 1, 1]
    better = comparisons({"poor": -y, "good": 0.9 * y}, y, seed=1)
    assert better.loc["good", ["posterior", "resampled", "p_value"]].tolist() == [0, 0, 0]
    assert comparisons({"a": predictions["a"]}, y, seed=1).empty


def test_only_seed_draw_and_the_two_predictions_count(challenge):
    y, predictions = challenge
    table = comparisons(predictions, y, seed=1)
    fewer = comparisons({name: predictions[name] for name in "bc"}, y, seed=1)
    assert fewer.loc["c"].equals(table.loc["c"])
    for other in (comparisons(predictions, y, seed=2), comparisons(predictions, y, seed=1, draw=1)):
        assert (other["margin"] == table["margin"]).all()
        assert not other.loc["b"].equals(table.loc["b"])
