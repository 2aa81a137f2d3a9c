"""What files cost on a meter: closed forms, and the meter itself."""

import numpy as np
import pytest

from shakedown.leaderboard.charges import (
    degrees,
    degrees_at_random,
    first_within,
    independent,
    prices,
    sd_within,
    spectrum,
)


def drawn(m, n, seed=1):
    return np.random.default_rng(seed).standard_normal((m, n)) / n


@pytest.mark.parametrize("variance", [1.0, 0.6, 40.0])
@pytest.mark.parametrize(("m", "n"), [(7, 30), (30, 7)])
def test_degrees_are_those_of_a_ridge_regression(m, n, variance):
    u, sd = drawn(m, n), 0.03
    gram = variance * u @ u.T / sd**2
    wanted = np.trace(gram @ np.linalg.inv(np.eye(m) + gram))
    assert degrees(spectrum(u), sd, variance) == pytest.approx(wanted)
    assert prices(u, sd, variance).sum() == pytest.approx(wanted)


def test_files_without_anything_in_common_cost_the_same_each():
    u = 0.3 * np.eye(4, 20)
    each = 0.3**2 / (0.3**2 + 0.1**2)
    assert degrees(spectrum(u), 0.1) == pytest.approx(4 * each)
    assert prices(u, 0.1) == pytest.approx(np.full(4, each))


@pytest.mark.parametrize(("files", "rows"), [(8, 20), (40, 20), (40, 209), (8, 5_000)])
def test_random_files_as_large_as_the_noise(files, rows):
    drawn_ones = []
    for seed in range(40):
        u = np.random.default_rng(seed).standard_normal((files, rows))
        u -= u.mean(axis=1, keepdims=True)
        u /= np.linalg.norm(u, axis=1)[:, None]
        drawn_ones.append(degrees(spectrum(u), 1.0))
    assert degrees_at_random(files, rows) == pytest.approx(np.mean(drawn_ones), rel=0.015)


def test_a_repeated_file_averages_its_noise():
    u = np.repeat(0.3 * np.eye(1, 20), 5, axis=0)
    assert degrees(spectrum(u), 0.1) == pytest.approx(0.09 / (0.09 + 0.01 / 5))
    assert (np.diff(prices(u, 0.1)) < 0.0).all()
    assert independent(u) == 1


def test_exact_scores_cost_as_much_as_there_are_independent_files():
    u = drawn(6, 40)
    both = np.vstack([u, u[:3] + 2.0 * u[3:], np.zeros((1, 40))])
    assert independent(both) == 6
    assert independent(both * np.geomspace(1e-9, 1e9, 10)[:, None]) == 6
    assert independent(drawn(40, 6)) == 6
    assert independent(np.zeros((2, 5))) == 0
    assert degrees(spectrum(both), 1e-9) == pytest.approx(6.0)


def test_the_least_noise_within_a_budget():
    values = spectrum(drawn(12, 40))
    sd = sd_within(values, 5.0)
    assert degrees(values, sd) <= 5.0 < degrees(values, 0.99999 * sd)
    assert sd_within(values, 12.0) == 0.0
    assert sd_within(values, 0.0) == np.inf


def test_the_first_files_within_a_budget():
    costs = np.array([0.5, 0.25, 0.25, 0.5])
    assert [first_within(costs, budget) for budget in (-1, 0.4, 0.5, 1, 1.4, 9)] == [
        0, 0, 1, 3, 3, 4,
    ]  # fmt: skip


def test_files_that_add_nothing_have_no_eigenvalue_whatever_the_unit():
    u = drawn(6, 40)
    both = np.vstack([u, u[:3] + 2.0 * u[3:]])
    assert sd_within(spectrum(both), 6.0) == 0.0
    tiny = degrees(spectrum(1e-14 * both), 1e-15)
    assert tiny == pytest.approx(degrees(spectrum(both), 0.1))
