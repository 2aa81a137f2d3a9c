"""The faster ways in which a metric may score many files, or one file under many weights."""

import numpy as np
import pytest

from shakedown.dryrun.usefulness.judged_by import CarefulLogLoss
from shakedown.metrics import METRICS, find
from shakedown.metrics.classes import NUMBERS
from shakedown.metrics.pairs_of_draws import narrow
from tests.kinds import fitting

NAMES = [name for name in METRICS if find(name).function is not None]


@pytest.mark.parametrize("name", NAMES)
def test_all_ways_give_the_same_score(name):
    metric, rng = find(name), np.random.default_rng(1)
    y, files = fitting(metric, rng.standard_normal(40), rng.standard_normal((5, 40)).round(1))
    together = metric.scores_of(y, files)
    one_by_one = [metric.function(y, file) for file in files]
    np.testing.assert_allclose(together, one_by_one, rtol=1e-12)
    for file in files:
        score = metric.weighted(y, file)
        for weights in (*rng.standard_exponential((3, 40)), rng.integers(0, 3, 40).astype(float)):
            expected = metric.function(y, file, sample_weight=weights)
            assert score(weights) == pytest.approx(expected, rel=1e-12, nan_ok=True)
    # The file that was prepared is not changed by later ones, nor by the caller.
    kept, copy = metric.weighted(y, files[0]), files[0].copy()
    before = kept(np.ones(40))
    assert before == pytest.approx(metric.function(y, copy, sample_weight=np.ones(40)))


def test_those_that_bootstraps_call_often_are_quick():
    assert find("auroc").is_quick
    assert find("mse").is_quick
    assert not find("kendall").is_quick


AT_ONCE = [name for name in NAMES if find(name).response != NUMBERS]
AT_ONCE += ["r2", "nrmse", "cosine", "rae", "smape"]


@pytest.mark.parametrize("name", AT_ONCE)
@pytest.mark.parametrize("draws", [1, 300])
def test_scores_of_all_draws_at_once_are_those_of_each(name, draws):
    rng = np.random.default_rng(8)
    metric = find(name)
    latent = np.where(rng.random((2, 50)) < 0.3, 0.5, rng.standard_normal((2, 50)).round(1))
    y, files = fitting(metric, latent[0], latent[1:])
    weights = rng.integers(4, size=(draws, 50)).astype(float)
    weights[0, y == y.max()] = 0.0  # a class without weight
    for response in (y, np.full(50, y[0])):
        for p in (files[0], np.append(np.nan, files[0][1:])):
            found = metric.resampled_files(response, p[None])(weights)[:, 0]
            each = [metric.function(response, p, sample_weight=own) for own in weights]
            np.testing.assert_allclose(found, each, rtol=1e-12)


def test_a_careful_log_loss_of_all_draws_is_that_of_each():
    rng = np.random.default_rng(9)
    metric, y = CarefulLogLoss(), rng.integers(2, size=50) * 2.0 - 1.0
    p, weights = 3.0 * rng.standard_normal(50), rng.integers(4, size=(20, 50)).astype(float)
    each = [metric.function(y, p, sample_weight=own) for own in weights]
    np.testing.assert_allclose(metric.resampled(y, p)(weights), each, rtol=1e-12)


@pytest.mark.parametrize("name", ["c_index", "uno_c_index", "iauc"])
@pytest.mark.parametrize("draws", [1, 300])
def test_scores_of_times_of_all_draws_and_files_at_once_are_those_of_each(name, draws):
    rng = np.random.default_rng(8)
    metric, n = find(name), 50
    y = rng.integers(1, 12, n) * np.where(rng.random(n) < 0.6, 1.0, -1.0)
    files = np.vstack([rng.integers(9, size=(3, n)) / 3.0, rng.standard_normal(n), np.zeros(n)])
    files[1, 4] = np.nan
    whole = rng.integers(4, size=(draws, n)).astype(float)
    whole[0] = np.arange(n) == 7  # no pair
    for weights in (whole, rng.standard_exponential((draws, n)), 9_000.0 * whole):
        found = metric.resampled_files(y, files)(weights)
        one_by_one = [
            [metric.function(y, file, sample_weight=w) for file in files] for w in weights
        ]
        np.testing.assert_allclose(found, one_by_one, rtol=1e-11, atol=1e-13)
    assert found[0, 0] == 0.5
    assert np.isnan(found[:, 1]).all()


def test_sums_of_whole_weights_are_exact_and_narrow_only_where_they_fit():
    weights = np.array([[1.0, 2.0], [32_766.0, 3.0]])
    assert narrow(weights).dtype == np.int16
    assert narrow(weights + [[1.0, 0.0], [0.0, 0.0]]).dtype == float
    assert narrow(weights + 0.5).dtype == float


@pytest.mark.parametrize("draws", [1, 300])
def test_precisions_of_all_draws_and_files_at_once_are_those_of_each(draws):
    rng = np.random.default_rng(8)
    metric, n = find("aupr"), 50
    y = rng.integers(2, size=n).astype(float)
    files = np.vstack([rng.integers(9, size=(3, n)) / 3.0, rng.standard_normal(n), np.zeros(n)])
    whole = rng.integers(4, size=(draws, n)).astype(float)
    whole[0, y == 1] = 0.0  # a class without weight
    for weights in (whole, rng.standard_exponential((draws, n))):
        found = metric.resampled_files(y, files)(weights)
        one_by_one = [
            [metric.function(y, file, sample_weight=w) for file in files] for w in weights
        ]
        np.testing.assert_allclose(found, one_by_one, rtol=1e-12)
    files[1, 4] = np.nan
    found = metric.resampled_files(y, files)(whole)
    np.testing.assert_allclose(found[:, 0], metric.resampled(y, files[0])(whole), rtol=1e-12)


@pytest.mark.parametrize("draws", [1, 300])
def test_taus_of_all_draws_and_files_at_once_are_those_of_each(draws):
    rng = np.random.default_rng(8)
    metric, n = find("kendall"), 50
    y = rng.integers(9, size=n) / 3.0
    files = np.vstack([rng.integers(9, size=(3, n)) / 3.0, rng.standard_normal(n), np.zeros(n)])
    whole = rng.integers(4, size=(draws, n)).astype(float)
    whole[0] = np.arange(n) == 7
    for weights in (whole, rng.standard_exponential((draws, n))):
        found = metric.resampled_files(y, files)(weights)
        scorers = [metric.weighted(y, file) for file in files]
        one_by_one = [[score(w) for score in scorers] for w in weights]
        np.testing.assert_allclose(found, one_by_one, rtol=1e-11, atol=1e-13)
    assert (found[:, 4] == 0.0).all()
