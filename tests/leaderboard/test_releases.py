"""Releases: exact ones against the formula, noisy ones against their distribution."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from shakedown.leaderboard.bootstrap.resampling import poisson_table
from shakedown.leaderboard.releases import (
    Bootstrap,
    Constant,
    Exact,
    FallingBootstrap,
    Ranks,
    Rounded,
)
from shakedown.leaderboard.scorer import ScoredSubmissions
from shakedown.leaderboard.state import BoardState
from shakedown.metrics import find

# Chance that a correct implementation fails one of the random tests below.
FALSE_ALARM = 1e-6


def shown(release, rows, y, metric="mse", repeat=1, seed=0):
    """The release of one submission, many times; shape (repeat,)."""
    metric = find(metric)
    y = metric.prepare(y)
    batch = ScoredSubmissions(rows[None], np.zeros(1))
    best = BoardState(np.full(len(y), np.nan), np.inf)
    standing = np.zeros(repeat, np.int64)
    return release.show(batch, best, standing, metric, y, np.random.default_rng(seed))


@pytest.mark.parametrize("mean", [0.3, 6.8, 97.0, 995.0, 1e6])
def test_the_alias_table_is_the_poisson_distribution(mean):
    first, shift, cells = poisson_table(mean)
    cells = cells.astype(object)  # Python's integers
    k = len(cells)
    assert k == 2 ** (64 - shift)
    p = np.zeros(k)
    for cell in cells:  # what the table gives, exactly
        threshold, own, other = cell % 2**32, cell >> 32 & 0xFFFF, cell >> 48
        p[own] += threshold / 2**32 / k
        p[other] += (1 - threshold / 2**32) / k
    expected = stats.poisson.pmf(first + np.arange(k), mean)
    # A probability can add the rounding of all thresholds.
    np.testing.assert_allclose(p, expected, rtol=1e-8, atol=2.0**-33)
    assert abs(p - expected).sum() < 1e-9
    assert abs(1 - expected.sum()) < 1e-12 + 1e-15 * mean  # SciPy's own error grows


def test_exact_shows_the_submission_in_force():
    batch = ScoredSubmissions(np.zeros((3, 2)), np.array([0.5, 0.4, 0.7]))
    best = BoardState(np.zeros(2), 0.9)
    args = find("mse"), np.zeros(2), None
    assert Exact().show(batch, best, np.array([-1, 1, 1]), *args).tolist() == [0.9, 0.4, 0.4]


@pytest.mark.parametrize("metric", ["mse", "rmse", "pearson"])
@pytest.mark.parametrize("standing", [[2, 2, 0, 1], [0, -1, -1, 2], [-1, 2, 1, 1]])
def test_a_bootstrap_is_of_the_submission_in_force(metric, standing):
    """Of predictions whose score no resampling changes."""
    y = np.random.default_rng(3).standard_normal(30)
    predictions = {"pearson": [y, -y, -2 * y, 3 * y]}.get(metric, [y + k for k in (1, 2, 3, 4)])
    metric = find(metric)
    rows, risks = metric.judge(y, np.array(predictions))
    batch, best = ScoredSubmissions(rows[:3], risks[:3]), BoardState(rows[3], risks[3])
    rng = np.random.default_rng(1)
    released = Bootstrap(7).show(batch, best, np.array(standing), metric, y, rng)
    np.testing.assert_allclose(released, risks[standing], rtol=1e-12)


@pytest.mark.parametrize(
    ("step", "risk", "expected"),
    [
        (0.1, 0.8763, 0.9),
        (0.01, 0.8763, 0.88),
        (0.001, 0.8763, 0.876),  # the text's three examples
        (0.25, 0.375, 0.5),
        (0.25, 0.125, 0.0),  # halves to the even multiple
        (0.5, -0.75, -1.0),
        (None, 0.3, 0.25),
        # A half is a half on either side of the rounding of floats.
        (0.05, 0.525 + 1e-15, 0.5),
        (0.05, 0.525 - 1e-15, 0.5),
    ],
)
def test_rounding_is_to_the_nearest_multiple(step, risk, expected):
    batch = ScoredSubmissions(np.zeros((1, 4)), np.array([risk]))
    release = Rounded(step).show(
        batch, BoardState(np.zeros(4), np.inf), np.array([0]), find("mse"), np.zeros(4), None
    )
    assert release[0] == pytest.approx(expected, abs=1e-15)


def test_a_constant_board_shows_nothing():
    batch = ScoredSubmissions(np.zeros((2, 4)), np.array([0.3, 0.1]))
    release = Constant().show(
        batch, BoardState(np.zeros(4), np.inf), np.array([0, 1]), find("mse"), np.zeros(4), None
    )
    assert len(set(release)) == 1


RELEASES = Exact(), Rounded(0.5), Constant(), Ranks(0.5), Bootstrap(2), FallingBootstrap(2, 1)


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.name)
def test_a_release_says_whether_it_shows_the_score_in_force(release):
    """All rows have the loss 1 in one file and 3 in the other, so that no draw changes the mean."""
    losses = np.repeat([[1.0], [3.0]], 4, axis=1)
    batch = ScoredSubmissions(losses, losses.mean(axis=1), np.arange(2))
    best, rng = BoardState(losses[1], 3.0), np.random.default_rng(0)
    standing = np.array([0, -1])
    released = release.show(batch, best, standing, find("mse"), np.zeros(4), rng)
    # A board of ranks shows places, and keeps this number to itself.
    shows = release.name != "rank" and released.tolist() == [1.0, 3.0]
    assert release.shows_in_force == shows


@pytest.mark.parametrize("b", [1, 3, 10, 100, 1000])
@pytest.mark.parametrize("n", [10, 147])
def test_bootstrapped_mean_loss_has_the_right_mean_and_variance(n, b):
    losses = np.random.default_rng(n).exponential(size=n)
    repeat = 20_000
    released = shown(Bootstrap(b), losses, np.zeros(n), repeat=repeat)
    variance = losses.var() / (b * n)  # of the mean of b n draws with replacement
    z = stats.norm.isf(FALSE_ALARM / 2)
    assert abs(released.mean() - losses.mean()) < z * np.sqrt(variance / repeat)
    # The spread of a sample variance from its own fourth moment.
    spread = np.sqrt(np.var((released - losses.mean()) ** 2) / repeat)
    assert abs(np.mean((released - losses.mean()) ** 2) - variance) < z * spread


@pytest.mark.parametrize(
    ("metric", "b"),
    [("mse", 1), ("mse", 7), ("rmse", 1), ("rmse", 7), ("pearson", 5), ("ccc", 5), ("spearman", 5)],
)
def test_bootstrapped_scores_have_the_distribution_of_plain_resampling(metric, b):
    rng = np.random.default_rng(11)
    n, repeat = 12, 4000
    y = rng.standard_normal(n)
    prediction = y + rng.standard_normal(n)
    m = find(metric)
    rows = m.judge(y, prediction[None])[0][0]
    ours = m.sign * shown(Bootstrap(b), rows, y, metric, repeat)
    plain = np.empty(repeat)
    for r in range(repeat):
        draws = rng.integers(0, n, (b, n))
        if metric == "spearman":  # ranks are those of the whole set, not of the resample
            ranks = stats.rankdata([y, prediction], axis=1)
            plain[r] = np.mean([np.corrcoef(ranks[:, i])[0, 1] for i in draws])
        else:
            plain[r] = np.mean([m.score(y[i], prediction[i][None])[0] for i in draws])
    assert stats.ks_2samp(ours, plain, method="asymp").pvalue > FALSE_ALARM


@pytest.mark.parametrize("b", [1, 6])
@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_a_bootstrapped_root_is_a_mean_of_roots_of_one_resample_each(n, b):
    """All n^n resamples: mean and variance of the release are exact."""
    losses = np.random.default_rng(n).exponential(size=n) ** 2
    roots = np.sqrt([losses[list(rows)].mean() for rows in product(range(n), repeat=n)])
    repeat = 20_000
    released = shown(Bootstrap(b), losses, np.zeros(n), "rmse", repeat)
    variance = roots.var() / b
    z = stats.norm.isf(FALSE_ALARM / 2)
    assert abs(released.mean() - roots.mean()) < z * np.sqrt(variance / repeat)
    spread = np.sqrt(variance**2 * (2 + stats.kurtosis(roots) / b) / repeat)
    assert abs(released.var() - variance) < z * spread


@pytest.mark.parametrize("metric", ["mse", "rmse", "ccc"])
def test_dirichlet_weights_are_an_option(metric):
    rng = np.random.default_rng(12)
    n, repeat, b = 12, 4000, 3
    y = rng.standard_normal(n)
    m = find(metric)
    rows = m.judge(y, (y + rng.standard_normal(n))[None])[0][0]
    ours = m.sign * shown(Bootstrap(b, dirichlet=True), rows, y, metric, repeat)
    plain = np.empty(repeat)
    for r in range(repeat):
        scores = []
        for w in rng.dirichlet(np.ones(n), b):
            if metric != "ccc":
                scores.append((w @ rows) ** (0.5 if metric == "rmse" else 1.0))
            else:
                cov = w @ (y * rows) - (w @ y) * (w @ rows)
                spread = w @ y**2 - (w @ y) ** 2 + w @ rows**2 - (w @ rows) ** 2
                scores.append(2 * cov / (spread + (w @ y - w @ rows) ** 2))
        plain[r] = np.mean(scores)
    assert stats.ks_2samp(ours, plain, method="asymp").pvalue > FALSE_ALARM


@pytest.mark.parametrize(
    ("path", "name", "dirichlet"),
    [("mean_squared_error", "mse", False), ("root_mean_squared_error", "rmse", True)],
)
def test_any_metric_is_bootstrapped_the_slow_way(path, name, dirichlet):
    rng = np.random.default_rng(13)
    n, repeat = 12, 2000
    y = rng.standard_normal(n)
    prediction = y + rng.standard_normal(n)
    slow = shown(Bootstrap(2, dirichlet), prediction, y, f"sklearn.metrics.{path}", repeat)
    fast = shown(Bootstrap(2, dirichlet), (prediction - y) ** 2, y, name, repeat)
    assert stats.ks_2samp(slow, fast, method="asymp").pvalue > FALSE_ALARM


def test_every_rejected_submission_redraws_the_noise():
    losses = np.random.default_rng(1).exponential(size=30)
    released = shown(Bootstrap(10), losses, np.zeros(30), repeat=50)
    assert len(set(released)) == 50


def test_a_resample_without_spread_counts_as_no_correlation():
    y = np.array([0.0] * 9 + [1.0])
    released = shown(Bootstrap(1), y * 2 + 1, y, "pearson", repeat=2000)
    # (1 - 1/10)^10 of the resamples miss the one row that differs.
    missed = int((released == 0.0).sum())
    assert stats.binomtest(missed, 2000, 0.9**10).pvalue > FALSE_ALARM
    np.testing.assert_allclose(released[released != 0.0], -1.0)
