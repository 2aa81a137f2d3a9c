"""The numbers that checks say, by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from shakedown.dryrun.assumptions.checks.few_values import steps_of
from shakedown.dryrun.assumptions.checks.groups import _is_tested
from shakedown.dryrun.assumptions.checks.heavy_tails import ROWS, HeavyTails
from shakedown.dryrun.assumptions.checks.near_duplicates import _alike, _links
from shakedown.dryrun.assumptions.checks.unequal_variance import _chance, scaled
from shakedown.dryrun.assumptions.columns import Column, columns
from shakedown.dryrun.assumptions.residuals import PENALTIES, residuals
from shakedown.dryrun.assumptions.sample import Sample
from shakedown.interface import Grouping
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
        residuals=residuals, predictions=np.zeros(200), columns=[column], n=200
    )
    left = scaled(sample)
    assert (len(left), np.mean(left**2)) == (100, pytest.approx(1.0))
    # Where nothing varies, no variance can be told from another.
    assert _chance(np.zeros(200), codes) is None


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
