"""Metrics against SciPy, scikit-learn and the plain formulas."""

import numpy as np
import pytest
import sklearn.metrics
from scipy import stats

from shakedown.interface import InputError
from shakedown.metrics import METRICS, find
from tests.reference.metrics import METRICS as LITERAL


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    y = np.round(rng.standard_normal(40), 1)  # with ties
    return y, np.round(y + rng.standard_normal((6, 40)), 1)


@pytest.mark.parametrize("name", METRICS)
def test_scores_are_the_textbook_ones(name, data):
    y, predictions = data
    if name == "zero_one":
        y, predictions = (y > 0) * 1.0, (predictions > 0) * 1.0
    outside = {
        "mse": lambda p: sklearn.metrics.mean_squared_error(y, p),
        "mae": lambda p: sklearn.metrics.mean_absolute_error(y, p),
        "zero_one": lambda p: sklearn.metrics.zero_one_loss(y, p),
        "pearson": lambda p: stats.pearsonr(y, p).statistic,
        "spearman": lambda p: stats.spearmanr(y, p).statistic,
        "ccc": lambda p: (
            2 * np.cov(y, p, ddof=0)[0, 1] / (y.var() + p.var() + (y.mean() - p.mean()) ** 2)
        ),
    }[name]
    scores = find(name).score(y, predictions)
    np.testing.assert_allclose(scores, [outside(p) for p in predictions], atol=1e-13)
    np.testing.assert_allclose(scores, [LITERAL[name].score(y, p) for p in predictions], atol=1e-13)
    assert find(name).larger_is_better == LITERAL[name].larger_is_better


def test_an_offset_costs_no_digits(data):
    y, predictions = data
    shifted = find("pearson").score(y + 1e7, predictions - 1e7)
    np.testing.assert_allclose(shifted, find("pearson").score(y, predictions), atol=1e-7)


def test_a_constant_prediction_has_no_correlation(data):
    y, _ = data
    for name in ("pearson", "spearman"):
        assert np.isnan(find(name).score(y, np.full((1, 40), 0.1))).all()
    assert find("ccc").score(y, np.full((1, 40), 0.1)) == 0.0


def test_a_small_scale_is_no_constant(data):
    y, predictions = data
    small, plain = (find("pearson").score(y, c * predictions) for c in (1e-13, 1.0))
    np.testing.assert_allclose(small, plain)


@pytest.mark.parametrize("name", [*METRICS, "sklearn.metrics.r2_score"])
def test_delta_is_negative_where_public_looks_better_than_final(name):
    metric = find(name)
    better, worse = (0.9, 0.2) if metric.larger_is_better else (0.2, 0.9)
    assert metric.delta(better, worse) < 0 < metric.delta(worse, better)


def test_a_scikit_learn_metric_by_its_path(data):
    y, predictions = data
    r2 = find("sklearn.metrics.r2_score")
    assert r2.larger_is_better
    assert not find("sklearn.metrics.mean_pinball_loss").larger_is_better
    np.testing.assert_allclose(
        r2.score(y, predictions), [sklearn.metrics.r2_score(y, p) for p in predictions]
    )


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("msee", r"metric 'msee': wanted one of \['ccc', 'mae'.*cannot be imported"),
        ("sklearn.metrics.no_such", "cannot be imported"),
        ("sklearn.metrics.max_error", "must take `sample_weight`"),
        ("sklearn.metrics.confusion_matrix", "cannot tell whether larger is better"),
    ],
)
def test_metrics_that_cannot_be_used_are_refused(name, message):
    with pytest.raises(InputError, match=message):
        find(name)
