"""The numbers that checks say, by hand."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from shakedown.dryrun.assumptions.checks.few_values import steps_of
from shakedown.dryrun.assumptions.checks.groups import _is_tested
from shakedown.dryrun.assumptions.checks.heavy_tails import ROWS, HeavyTails, chance_of
from shakedown.dryrun.assumptions.checks.near_duplicates import _alike, _links
from shakedown.dryrun.assumptions.checks.unequal_variance import _chance, scaled
from shakedown.dryrun.assumptions.columns import Column, columns
from shakedown.dryrun.assumptions.residuals import PENALTIES, residuals
from shakedown.dryrun.assumptions.sample import Sample
from shakedown.interface import Grouping
from tests.data.test_several import several
from tests.dryrun.assumptions.tables import challenge, found


@pytest.mark.parametrize(
    ("values", "steps"),
    [
        ([5.0, 6.0, 8.0, 9.0], 4),
        ([0.1, 0.2, 0.4], 3),
        ([-1.0, 1.0], 1),
        ([0.0, 1.0, 2.5], None),
        ([3.0], None),
    ],
)
def test_steps_of_a_grid_that_need_not_begin_at_0(values, steps):
    assert steps_of(np.array(values)) == steps


def test_rows_that_are_alike_in_part_count_in_part():
    """8 rows of each group with the intraclass correlation r count as 8 / (1 + 7 r)."""
    rng = np.random.default_rng(1)
    group = rng.permutation(np.repeat(np.arange(40), 8))
    y = 0.7 * rng.standard_normal(40)[group] + rng.standard_normal(320)
    table = challenge(y, rng.standard_normal((320, 4)), groupings=[Grouping("v", group, False)])
    finding = found(table)["groups"]
    assert 0.15 < finding["value"] < 0.6
    assert finding["found"] == int(320 / (1 + 7 * finding["value"])) > 40


@pytest.mark.parametrize(
    ("groups", "degree", "tested"), [(2, 0, True), (5, 3, False), (6, 3, True)]
)
def test_what_a_curve_leaves_of_the_groups_is_at_least_two(groups, degree, tested):
    codes = np.resize(np.arange(groups), 60)
    assert _is_tested(Column("v", codes, groups, False, degree)) is tested


@pytest.mark.parametrize("rows", [ROWS - 1, ROWS])
def test_outliers_are_looked_for_from_20_rows_on(rows):
    rng = np.random.default_rng(2)
    y = 1e-3 * rng.standard_normal(rows)
    y[3] = 1.0
    finding = HeavyTails().look(Sample(challenge(y, np.empty((rows, 0))), 30))
    assert (finding is not None) == (rows >= ROWS)
    if finding is not None:
        assert "a row is worth 0.3 at most" in finding.cure  # 3 squared of 30 rows


def test_without_noise_there_are_no_outliers():
    assert HeavyTails().look(Sample(challenge(np.ones(60), np.empty((60, 0))), 20)) is None


def test_rows_without_noise_are_left_out_where_variances_are_made_equal():
    rng = np.random.default_rng(3)
    codes = np.resize(np.arange(2), 200)
    residuals = np.where(codes == 0, 0.0, rng.standard_normal(200))
    column = Column("v", codes, 2, False)
    sample = SimpleNamespace(
        residuals=residuals, predictions=np.zeros(200), columns=[column], n=200, count=200,
        units=None, of_units=np.bincount,
    )  # fmt: skip
    left = scaled(sample)
    assert (len(left), np.mean(left**2)) == (100, pytest.approx(1.0))
    # Where nothing varies, no variance can be told from another.
    sample.residuals = np.zeros(200)
    assert _chance(sample, codes) is None


def test_few_of_many_numbers_are_near_by_chance():
    """5.4 of two million pairs are expected; 30 or more are once in 10**12 tables."""
    rng = np.random.default_rng(4)
    assert len(_links(rng.standard_normal((2000, 1)), rng)) < 30


def test_near_duplicates_are_as_alike_if_the_response_is_turned_over():
    rng = np.random.default_rng(5)
    features, first = rng.standard_normal((60, 3)), np.arange(60)
    features = np.concatenate([features, features[:20]])
    y = rng.standard_normal(80)
    y[60:] = y[:20] + 0.5 * rng.standard_normal(20)
    cluster = np.concatenate([first, first[:20]])
    up, down = (_alike(features, sign * y, first, cluster) for sign in (1.0, -1.0))
    assert up == pytest.approx(down, rel=1e-9)
    assert up[1] > 0.5


def test_a_series_counts_as_its_correlation_says():
    rng = np.random.default_rng(6)
    noise = rng.standard_normal(300)
    for t in range(1, 300):
        noise[t] += 0.6 * noise[t - 1]
    finding = found(challenge(noise, rng.standard_normal((300, 3))))["serial_order"]
    lag = finding["value"]
    assert 0.4 < lag < 0.8
    assert finding["found"] == int(300 * (1 - lag) / (1 + lag)) > 20


def test_rows_without_a_value_belong_to_no_other():
    codes = np.array([0, 1, -1, 0, 1, -1, 2, 2, -1])
    table = challenge(np.arange(9.0), np.empty((9, 0)), groupings=[Grouping("v", codes, True)])
    (column,) = columns(table)
    same = column.codes[:, None] == column.codes
    assert (same == ((codes[:, None] == codes) & (codes >= 0) | np.eye(9, dtype=bool))).all()
    assert (column.levels, sorted(column.counts)) == (3, [1, 1, 1, 2, 2, 2])


@pytest.mark.parametrize(("rows", "features"), [(40, 3), (40, 0), (20, 50)])
def test_residuals_are_those_of_the_ridge_regression_that_predicts_left_out_rows_best(
    rows, features
):
    rng = np.random.default_rng(rows + features)
    X = rng.standard_normal((rows, features)) * 5.0 + 1.0
    y = X[:, :1].sum(axis=1) + rng.standard_normal(rows)
    scaled_X, centred = (X - X.mean(axis=0)) / X.std(axis=0), y - y.mean()
    squares = scaled_X @ scaled_X.T
    mean = np.trace(squares) / max(1, min(rows, features))  # of the eigenvalues above 0
    alone = 1.0 - 1.0 / rows  # where nothing is fitted but the mean
    tried = [(np.mean((centred / alone) ** 2), centred / np.sqrt(alone), np.zeros(rows))]
    for penalty in PENALTIES[:-1] if features else ():
        hat = squares @ np.linalg.inv(squares + penalty * mean * np.eye(rows))
        rest, left_out = centred - hat @ centred, 1.0 - np.diag(hat)
        own = left_out - 1.0 / rows  # the mean is estimated too
        loss = np.mean((rest / own) ** 2)
        tried.append((loss, rest / np.sqrt(own), centred - rest / left_out))
    _, *wanted = min(tried, key=lambda entry: entry[0])
    left, predictions = residuals(X, y)
    np.testing.assert_allclose(left, wanted[0], rtol=1e-6)
    np.testing.assert_allclose(predictions, wanted[1], atol=1e-6)


@pytest.mark.parametrize("features", [2, 60])
def test_predictions_of_a_group_are_those_of_models_that_were_fitted_without_it(features):
    """Ridge regressions of centred columns; the penalty is the one that predicts groups best."""
    rng = np.random.default_rng(features)
    units = rng.permutation(np.repeat(np.arange(12), [1, 1, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5]))
    signal = rng.standard_normal((40, 1))
    X = signal + rng.standard_normal((40, features))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = 2.0 * signal[:, 0] + rng.standard_normal(12)[units]
    y -= y.mean()
    values = np.linalg.svd(X, compute_uv=False) ** 2
    mean, losses, predicted = values.mean() if features < 40 else values.sum() / 40, [], []
    for penalty in PENALTIES[:-1]:
        grams = X.T @ X + penalty * mean * np.eye(features)
        hat = X @ np.linalg.solve(grams, X.T)
        away = np.empty(40)
        out = np.empty(40)
        for k in range(12):
            own = units == k
            rest = X[~own]
            b = np.linalg.solve(rest.T @ rest + penalty * mean * np.eye(features), rest.T @ y[~own])
            out[own] = X[own] @ b
            block = np.eye(own.sum()) - hat[np.ix_(own, own)] - 1.0 / 40
            away[own] = np.linalg.solve(block, (y - hat @ y)[own])
        losses.append(np.mean(away**2))
        predicted.append(out)
    assert min(losses) < np.mean(y**2)
    _, predictions = residuals(X, y, units)
    np.testing.assert_allclose(predictions, predicted[int(np.argmin(losses))], atol=1e-6)
    alone = residuals(X, y, np.arange(40))
    np.testing.assert_array_equal(alone, residuals(X, y))


def test_the_chance_of_a_kurtosis_is_that_of_scipy():
    values = np.random.default_rng(7).standard_t(6, 80)
    found = stats.kurtosis(values, fisher=False)
    wanted = stats.kurtosistest(values, alternative="greater").pvalue
    assert chance_of(found, 80) == pytest.approx(wanted)


@pytest.mark.parametrize(("q", "alike"), [(1, 0.9), (4, 0.0), (4, 0.9)])
def test_correlated_rows_tell_less_of_the_kurtosis(q, alike):
    """Its variance among 400 tables is that of as many independent numbers as it says."""
    kurtoses, worth = [], []
    for seed in range(400):
        if q == 1:
            rng = np.random.default_rng(seed)
            shared = np.repeat(rng.standard_normal(40), 5)
            y = np.sqrt(alike) * shared + np.sqrt(1 - alike) * rng.standard_normal(200)
            table = challenge(y, np.empty((200, 0)))
            group = Grouping("patient", np.repeat(np.arange(40), 5), True)
            sample = Sample(replace(table, group=group), 60)
        else:
            sample = Sample(several(rows=50, q=q, alike=alike, seed=seed, features=0), 60)
        kurtoses.append(stats.kurtosis(sample.residuals))
        worth.append(sample.worth * 200)
    n = np.mean(worth)
    wanted = 24.0 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3) * (n + 5))
    assert np.var(kurtoses) == pytest.approx(wanted, rel=0.5)
