"""The metrics against SciPy, scikit-learn and formulas worked out by hand."""

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import (
    accuracy_score,
    mean_absolute_error,
    mean_squared_error,
    root_mean_squared_error,
)

from .metrics import METRICS


@pytest.fixture
def pairs():
    rng = np.random.default_rng(11)
    y = rng.normal(size=40)
    return y, 0.5 * y + rng.normal(size=40)


@pytest.fixture
def tied_pairs():
    rng = np.random.default_rng(12)
    return rng.integers(5, size=40).astype(float), rng.integers(4, size=40).astype(float)


def test_mean_losses_agree_with_scikit_learn(pairs, tied_pairs):
    w = np.random.default_rng(13).exponential(size=40)
    for weights in (None, w):
        mse = METRICS["mse"].score(*pairs, weights)
        rmse = METRICS["rmse"].score(*pairs, weights)
        mae = METRICS["mae"].score(*pairs, weights)
        zero_one = METRICS["zero_one"].score(*tied_pairs, weights)
        assert mse == pytest.approx(mean_squared_error(*pairs, sample_weight=weights))
        assert rmse == pytest.approx(root_mean_squared_error(*pairs, sample_weight=weights))
        assert mae == pytest.approx(mean_absolute_error(*pairs, sample_weight=weights))
        assert zero_one == pytest.approx(1 - accuracy_score(*tied_pairs, sample_weight=weights))


def test_losses_row_by_row():
    y, prediction = np.array([0.0, 1.0, 2.0]), np.array([0.0, 3.0, -1.0])
    np.testing.assert_array_equal(METRICS["mse"].loss(y, prediction), [0, 4, 9])
    np.testing.assert_array_equal(METRICS["mae"].loss(y, prediction), [0, 2, 3])
    np.testing.assert_array_equal(METRICS["zero_one"].loss(y, prediction), [0, 1, 1])


def test_correlations_agree_with_scipy(pairs, tied_pairs):
    for data in (pairs, tied_pairs):
        pearson, spearman = METRICS["pearson"].score(*data), METRICS["spearman"].score(*data)
        assert pearson == pytest.approx(stats.pearsonr(*data).statistic, abs=1e-12)
        assert spearman == pytest.approx(stats.spearmanr(*data).statistic, abs=1e-12)


def test_ccc_of_a_straight_line():
    # p = a + b y has covariance b v and variance b^2 v, so CCC is a closed form.
    y = np.array([1.0, 2.0, 4.0, 9.0])
    a, b, v, mean = 0.5, 0.8, np.var(y), np.mean(y)
    expected = 2 * b * v / (v + b**2 * v + (a + (b - 1) * mean) ** 2)
    assert METRICS["ccc"].score(y, a + b * y) == pytest.approx(expected)
    assert METRICS["ccc"].score(y, y) == pytest.approx(1)
    assert METRICS["ccc"].score(y, 2 * mean - y) == pytest.approx(-1)


def test_ccc_by_hand():
    # means 1 and 2, variances 2/3 and 14/3, covariance 5/3: 2 (5/3) / (16/3 + 1) = 10/19
    y, prediction = np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 5.0])
    assert METRICS["ccc"].score(y, prediction) == pytest.approx(10 / 19)


@pytest.mark.parametrize("name", sorted(METRICS))
def test_whole_number_weights_repeat_rows(name, tied_pairs):
    metric = METRICS[name]
    counts = np.random.default_rng(14).integers(0, 4, size=40)
    # Ranks are those of the original rows, so Spearman repeats prepared pairs.
    y, prediction = metric.prepare(*tied_pairs)
    repeated = metric.prepared_score(np.repeat(y, counts), np.repeat(prediction, counts))
    assert metric.score(*tied_pairs, counts) == pytest.approx(repeated, abs=1e-12)


@pytest.mark.parametrize("name", sorted(METRICS))
def test_equal_weights_change_nothing(name, tied_pairs):
    metric = METRICS[name]
    unweighted = metric.score(*tied_pairs)
    assert metric.score(*tied_pairs, np.full(40, 0.3)) == pytest.approx(unweighted, abs=1e-12)


def test_spearman_weights_leave_the_ranks_alone():
    y, prediction = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 10.0, 5.0, 50.0])
    w = np.array([4.0, 1.0, 1.0, 2.0])
    ranks = np.array([1.0, 3.0, 2.0, 4.0])
    expected = METRICS["pearson"].score(y, ranks, w)
    assert METRICS["spearman"].score(y, prediction, w) == pytest.approx(expected)


def test_weighted_pearson_is_the_formula_of_the_paper(pairs):
    y, p = pairs
    w = np.random.default_rng(15).dirichlet(np.ones(40))
    top = np.sum(w * y * p) - np.sum(w * y) * np.sum(w * p)
    below = (np.sum(w * y**2) - np.sum(w * y) ** 2) * (np.sum(w * p**2) - np.sum(w * p) ** 2)
    assert METRICS["pearson"].score(y, p, w) == pytest.approx(top / np.sqrt(below))


def test_undefined_scores_are_nan():
    y, constant = np.array([1.0, 2.0, 4.0]), np.full(3, 0.1)
    assert np.isnan(METRICS["pearson"].score(y, constant))
    assert np.isnan(METRICS["spearman"].score(y, constant))
    # Lin's coefficient of one constant is 0; of two equal ones it is 0 / 0.
    assert METRICS["ccc"].score(y, constant) == pytest.approx(0, abs=1e-15)
    assert np.isnan(METRICS["ccc"].score(constant, constant))


def test_direction():
    for name in ("mse", "rmse", "mae", "zero_one"):
        assert not METRICS[name].larger_is_better
    for name in ("pearson", "spearman", "ccc"):
        assert METRICS[name].larger_is_better
