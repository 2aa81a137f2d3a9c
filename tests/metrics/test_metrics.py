"""Metrics against SciPy, scikit-learn and the plain formulas."""

import numpy as np
import pytest
import sklearn.metrics
from scipy import stats

from shakedown.interface import InputError
from shakedown.metrics import (
    CONCORDANCE,
    METRICS,
    check_standardised,
    concordance_risk,
    correlation_risk,
    find,
    of_function,
)
from tests.kinds import fitting
from tests.reference.metrics import METRICS as LITERAL

BY_PATH = ["sklearn.metrics.r2_score", "sklearn.metrics.mean_absolute_error"]


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    y = np.round(rng.standard_normal(40), 1)  # with ties
    return y, np.round(y + rng.standard_normal((6, 40)), 1)


@pytest.mark.parametrize("name", LITERAL)
def test_scores_are_the_textbook_ones(name, data):
    y, predictions = fitting(find(name), *data)
    outside = {
        "mse": lambda p: sklearn.metrics.mean_squared_error(y, p),
        "brier": lambda p: sklearn.metrics.mean_squared_error(y, p),
        "integrated_brier": lambda p: sklearn.metrics.mean_squared_error(y, p),
        "rmse": lambda p: sklearn.metrics.root_mean_squared_error(y, p),
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


@pytest.mark.parametrize("name", [*METRICS, *BY_PATH])
def test_better_predictions_get_better_scores(name):
    """Noise of rising size, 400 rows: neighbours differ by more than 10 standard errors."""
    rng = np.random.default_rng(1)
    y = rng.standard_normal(400)
    predictions = y + rng.standard_normal((5, 400)) * [[0.1], [0.4], [1.0], [2.5], [6.0]]
    metric = find(name)
    y, predictions = fitting(metric, y, predictions)
    scores = metric.score(y, predictions)
    assert (np.diff(scores) < 0 if metric.larger_is_better else np.diff(scores) > 0).all()
    assert (np.diff(metric.judge(metric.prepare(y), predictions)[1]) > 0).all()  # risks
    # Scored better on the public rows than it deserves: overfit.
    assert metric.delta(scores[0], scores[1]) < 0 < metric.delta(scores[1], scores[0])


@pytest.mark.parametrize(
    ("name", "degree"),
    [
        ("mse", 2),
        ("rmse", 1),
        ("mae", 1),
        ("zero_one", 0),
        ("pearson", 0),
        ("spearman", 0),
        ("ccc", 0),
        ("kendall", 0),
        ("cosine", 0),
        ("r2", 0),
        ("nrmse", 0),
        ("rae", 0),
        ("smape", 0),
        ("sklearn.metrics.mean_squared_error", 2),
        ("sklearn.metrics.root_mean_squared_error", 1),
        ("sklearn.metrics.mean_absolute_error", 1),
        ("sklearn.metrics.median_absolute_error", 1),
        ("sklearn.metrics.mean_pinball_loss", 1),
        ("sklearn.metrics.r2_score", 0),
        ("sklearn.metrics.explained_variance_score", 0),
        ("sklearn.metrics.mean_absolute_percentage_error", 0),
    ],
)
def test_the_degree_is_the_power_of_a_change_of_units(name, degree):
    rng = np.random.default_rng(2)
    y = rng.standard_normal(40)
    predictions = y + rng.standard_normal((6, 40))
    metric = find(name)
    assert metric.degree == degree
    for c in (0.01, 3.0, 700.0):
        scaled = metric.score(c * y, c * predictions)
        np.testing.assert_allclose(scaled, c**degree * metric.score(y, predictions))


def test_half_a_power_is_found():
    def root_of_the_mean_error(y, prediction, sample_weight=None):
        return np.average(abs(y - prediction), weights=sample_weight) ** 0.5

    own = of_function("own_loss", root_of_the_mean_error)
    assert own.degree == 0.5
    assert (own.unit, own.spread) == ("units of the response to the power of 0.5", "")


def test_what_a_score_is_measured_in_and_what_it_is_a_share_of():
    measures = {
        name: (find(name).unit, find(name).spread) for name in ("mse", "rmse", "mae", "ccc")
    }
    assert measures == {
        "mse": ("squared units of the response", "variance"),
        "rmse": ("units of the response", "standard deviation"),
        "mae": ("units of the response", "standard deviation"),
        "ccc": ("", ""),
    }


@pytest.mark.parametrize(
    "own",
    [
        lambda e: np.mean(np.where(e < 1, e**2 / 2, e - 0.5)),  # Huber's: no power fits
        lambda e: np.mean(e) + 1.0,
        lambda e: np.mean(e) ** 0.45,  # a power, but neither whole nor half
        lambda e: 0.0,
        lambda e: np.nan,
        lambda e: -1.0 if np.mean(e) > 0.5 else 1.0,  # a sign is no power
    ],
)
def test_a_metric_without_a_degree_is_named_with_a_cure(own):
    metric = of_function("own_loss", lambda y, p, sample_weight=None: own(abs(y - p)))
    message = "metric 'own_loss': wanted one that scales with a power of .* Use another"
    with pytest.raises(InputError, match=message):
        _ = metric.degree


@pytest.mark.parametrize("name", ["mean_squared_log_error", "accuracy_score"])
def test_a_metric_that_takes_no_standardised_response_is_refused(name):
    metric = find(f"sklearn.metrics.{name}")
    message = f"metric 'sklearn.metrics.{name}': wanted one that accepts .*Choose another metric"
    for refuse in (check_standardised, lambda m: m.degree):
        with pytest.raises(InputError, match=message):
            refuse(metric)
    check_standardised(find("mse"))
    check_standardised(find("sklearn.metrics.r2_score"))


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
        ("specificity", r"metric 'specificity' is not known. Wanted one of \['aupr', 'auroc'"),
        ("accuracy", "metric 'accuracy' is not known. Write zero_one, which is 1 - accuracy."),
        ("AUC", "not known. Write auroc."),
        ("roc_auc_score", "not known. Write auroc."),
        ("PR-AUC", "not known. Write aupr."),
        ("average_precision", "not known. Write aupr."),
        ("neg_log_loss", "not known. Write log_loss."),
        ("logloss", "not known. Write log_loss."),
        ("brier_score_loss", "not known. Write brier."),
        ("balanced_accuracy_score", "not known. Write balanced_accuracy."),
        ("f1_score", "not known. Write f1."),
        ("f1_macro", "not known. Write macro_f1."),
        ("matthews_corrcoef", "not known. Write mcc."),
        ("cohen_kappa_score", "not known. Write kappa, whose weights are quadratic."),
        ("quadratic weighted kappa", "not known. Write kappa."),
        ("R2", "metric 'R2' is not known. Write r2."),
        ("r2_score", "metric 'r2_score' is not known. Write r2."),
        ("R²", "not known. Write r2."),
        ("R-squared", "not known. Write r2."),
        ("coefficient of determination", "not known. Write r2."),
        ("kendalltau", "not known. Write kendall."),
        ("Kendall's tau-b", "not known. Write kendall."),
        ("cosine similarity", "not known. Write cosine."),
        ("normalized RMSE", "not known. Write nrmse."),
        ("relative_absolute", "not known. Write rae."),
        ("symmetric MAPE", "not known. Write smape."),
        ("spearmanr", "not known. Write spearman."),
        ("mean_absolute", "not known. Write mae."),
        ("medae", "not known. Write sklearn.metrics.median_absolute_error."),
        ("neg_mean_squared_error", "not known. Write mse."),
        ("neg_root_mean_squared_error", "not known. Write rmse."),
        ("MAPE", "not known. Write sklearn.metrics.mean_absolute_percentage_error."),
        ("explained variance", "not known. Write sklearn.metrics.explained_variance_score."),
        ("msee", "metric 'msee' is not known. Did you mean 'mse'?"),
        ("sklearn.metrics.no_such", "cannot be imported"),
        ("sklearn.metrics.max_error", "needs a parameter `sample_weight`"),
        ("sklearn.metrics.confusion_matrix", "cannot tell whether larger is better"),
    ],
)
def test_metrics_that_cannot_be_used_are_refused(name, message):
    with pytest.raises(InputError, match=message):
        find(name)


def test_a_misspelt_metric_is_named_with_the_right_one():
    with pytest.raises(InputError, match="metric 'RMSE' is not known. Did you mean 'rmse'?"):
        find("RMSE")


@pytest.mark.parametrize("name", ["pearson", "ccc"])
def test_weighted_correlations_are_those_of_repeated_rows(name):
    rng = np.random.default_rng(4)
    y, prediction = rng.standard_normal((2, 12)) + 3.0
    times = rng.integers(0, 4, 12)
    weights = 0.5 * times
    sums = [weights @ values for values in (y, y * y, prediction, prediction**2, y * prediction)]
    risk = correlation_risk(find(name).formula, weights.sum(), *sums)
    repeated = find(name).score(np.repeat(y, times), np.repeat(prediction, times)[None])[0]
    assert risk == pytest.approx(-repeated, rel=1e-9)
    # A sample with one row only.
    assert correlation_risk(find(name).formula, 1.0, 2.0, 4.0, 2.0, 4.0, 4.0) == 0.0


def test_one_sum_of_both_squares_suffices_for_lins_correlation():
    rng = np.random.default_rng(8)
    for shift in (0.0, 3.0):
        w, y, p = rng.random(20), rng.standard_normal(20), rng.standard_normal(20) + shift
        wy, wp, wyy, wpp, wyp = (w @ values for values in (y, p, y * y, p * p, y * p))
        risk = concordance_risk(w.sum(), wy, wp, wyy + wpp, wyp)
        assert risk == pytest.approx(
            correlation_risk(CONCORDANCE, w.sum(), wy, wyy, wp, wpp, wyp), rel=1e-12
        )
    assert concordance_risk(1.0, 2.0, 2.0, 8.0, 4.0) == 0.0


@pytest.mark.parametrize("name", ["pearson", "ccc"])
def test_predictions_whose_squares_overflow_have_no_correlation(name):
    y = np.random.default_rng(4).standard_normal(12)
    with np.errstate(over="ignore", invalid="ignore"):
        assert np.isnan(find(name).score(y, 1e200 * y[None])).all()
