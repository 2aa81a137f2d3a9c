"""LadderBoot and the Bayesian bootstrap ([C] Algorithms 4 to 6) against SciPy and closed forms.

With the metric "mae" and y = 0, a prediction of positive numbers is its own loss vector.
"""

import itertools

import numpy as np
import pytest
from scipy import stats

from .bayes import prob_better_mean_loss
from .games import FALSE_ALARM, flat, play, random_losses
from .mechanisms import BayesBootLadder, BayesBootLadderBoot, LadderBoot
from .metrics import METRICS

# --- [C] Algorithm 4 ---


@pytest.mark.parametrize("alpha", [0.01, 0.15, 0.5])
def test_ladderboot_decides_as_the_paired_t_test(alpha):
    rng = np.random.default_rng(49)
    n = 30
    predictions = random_losses(rng, n, 150, falling=0.004)
    board = play(LadderBoot(np.zeros(n), "mae", alpha, b=1, rng=rng), predictions)
    best = predictions[0]
    for losses, accepted in zip(predictions[1:], board.accepted[1:], strict=True):
        p = stats.ttest_rel(losses, best, alternative="less").pvalue
        assert abs(p - alpha) > 1e-9  # away from ties
        assert accepted == (p < alpha)
        if accepted:
            best = losses
    assert 2 < sum(board.accepted) < 148


@pytest.mark.parametrize("alpha", [0.01, 0.15, 0.5])
def test_null_submission_is_accepted_with_probability_alpha(alpha):
    # Normal loss differences: the t-test is exact.
    rng = np.random.default_rng(50)
    n, trials, wins = 20, 3000, 0
    y = np.zeros(n)
    for _ in range(trials):
        board = LadderBoot(y, "mae", alpha, b=1, rng=rng)
        wins += play(board, 1000 + 100 * rng.normal(size=(2, n))).accepted[1]
    assert stats.binomtest(wins, trials, alpha).pvalue > FALSE_ALARM


def assert_mean_and_variance(sample, mean, variance, excess_kurtosis):
    """Both within their sampling error; false alarm about 1e-6 each (normal approximation)."""
    size = len(sample)
    z = stats.norm.isf(FALSE_ALARM / 2)
    assert abs(np.mean(sample) - mean) < z * np.sqrt(variance / size)
    error = variance * np.sqrt((2 + excess_kurtosis) / size)
    assert abs(np.var(sample, ddof=1) - variance) < z * error


@pytest.mark.parametrize(("n", "b"), [(4, 1), (25, 7)])
def test_bootstrapped_release_of_a_mean_loss(n, b):
    rng = np.random.default_rng(52)
    best = rng.exponential(size=n)
    kurtosis = stats.kurtosis(best) / (b * n)  # a mean of b n independent rows
    for board in (
        LadderBoot(np.zeros(n), "mae", 0.01, b, rng=rng),
        BayesBootLadderBoot(np.zeros(n), "mae", 99, 2, b, rng=rng),
    ):
        play(board, [best] + [best + 1] * 3000)
        assert sum(board.accepted) == 1
        # The mean of the best so far, with variance sd_n^2 / (b n), drawn afresh every time.
        assert_mean_and_variance(board.released, np.mean(best), np.var(best) / (b * n), kurtosis)


def test_bootstrapped_release_after_an_acceptance():
    y, rng = np.zeros(5), np.random.default_rng(53)
    for board in (
        LadderBoot(y, "mae", 0.15, 2, rng=rng),
        BayesBootLadderBoot(y, "mae", 1, 10, 2, rng=rng),
    ):
        play(board, [flat(0.37, 5), flat(0.21, 5), flat(0.9, 5)])
        assert board.released == pytest.approx([0.37, 0.21, 0.21])  # losses without spread


# --- [C] Algorithms 5 and 6 ---


@pytest.mark.parametrize("shift", [-0.05, 0.0, 0.05])
def test_bayesian_share_is_the_exact_probability(shift):
    rng = np.random.default_rng(54)
    n, B = 40, 4000
    best = rng.exponential(size=n)
    new = np.abs(best + shift + 0.3 * rng.normal(size=n))
    board = play(BayesBootLadder(np.zeros(n), "mae", 1, B, rng=rng), [best, new])
    probability = prob_better_mean_loss(new - best)
    assert board.in_favour[0] is None
    assert stats.binomtest(board.in_favour[1], B, probability).pvalue > FALSE_ALARM


@pytest.mark.parametrize("metric", ["mse", "rmse", "pearson", "spearman", "ccc"])
@pytest.mark.parametrize("make", [BayesBootLadder, BayesBootLadderBoot])
def test_fed_weights_decide(make, metric):
    """With weights from outside the decision is plain arithmetic."""
    rng = np.random.default_rng(55)
    n, B, m, odds = 15, 50, 12, 1.5
    y = rng.normal(size=n)
    predictions = 0.4 * y + rng.normal(size=(m, n))
    weights = rng.dirichlet(np.ones(n), size=(m - 1, B))
    boot = {"b": 2} if make is BayesBootLadderBoot else {}
    board = make(y, metric, odds, B, **boot, rng=rng, weights=weights)
    play(board, predictions)

    scorer = METRICS[metric]
    sign = 1 if scorer.larger_is_better else -1
    best = predictions[0]
    for t in range(1, m):
        delta = [
            scorer.score(y, predictions[t], w) - scorer.score(y, best, w) for w in weights[t - 1]
        ]
        k = int(np.sum(sign * np.array(delta) > 0))
        assert board.in_favour[t] == k
        assert board.accepted[t] == (k / max(B - k, 1e-300) >= odds)
        if board.accepted[t]:
            best = predictions[t]
        if make is BayesBootLadder:
            expected = np.rint(scorer.score(y, best) * n) / n
            assert board.released[t] == pytest.approx(expected, abs=1e-15)
    assert 1 < sum(board.accepted) < m


def test_own_weights_are_uniform_dirichlet():
    rng = np.random.default_rng(56)
    board = BayesBootLadder(np.zeros(6), "mae", 1, 5000, rng=rng)
    weights = next(board.weights)
    assert weights.shape == (5000, 6)
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    # A coordinate of Dirichlet(1, ..., 1) of n rows is Beta(1, n - 1).
    assert stats.kstest(weights[:, 2], stats.beta(1, 5).cdf).pvalue > FALSE_ALARM


def test_affine_copy_of_the_best_is_never_better_by_correlation():
    rng = np.random.default_rng(57)
    n = 30
    y = rng.normal(size=n)
    best = y + rng.normal(size=n)
    board = BayesBootLadder(y, "pearson", 1, 100, rng=rng)
    play(board, [best] + [rng.normal() + rng.uniform(0.1, 10) * best for _ in range(10)])
    assert board.in_favour[1:] == [0] * 10
    assert sum(board.accepted) == 1


@pytest.mark.parametrize("metric", ["mse", "rmse", "ccc"])
@pytest.mark.parametrize("b", [1, 4])
def test_bootstrapped_release_of_any_metric_by_enumeration(metric, b):
    """With four rows there are 256 resamples: mean and variance of a replication are exact."""
    rng = np.random.default_rng(58)
    y, best = np.array([0.3, -1.0, 2.0, 0.9]), np.array([0.6, -0.4, 0.7, 1.9])
    scorer = METRICS[metric]
    scores = np.array(
        [scorer.score(y[list(r)], best[list(r)]) for r in itertools.product(range(4), repeat=4)]
    )
    boards = [BayesBootLadderBoot(y, metric, 99, 2, b, rng=rng)]
    if metric == "rmse":
        boards.append(LadderBoot(y, metric, 0.15, b, rng=rng))
    for board in boards:
        released = [board.submit(best) for _ in range(2500)]
        kurtosis = stats.kurtosis(scores) / b
        assert_mean_and_variance(released, np.mean(scores), np.var(scores) / b, kurtosis)


@pytest.mark.parametrize("metric", ["pearson", "spearman"])
def test_bootstrapped_release_of_a_correlation(metric):
    """Resampling rows is weighting them with multinomial counts; Spearman keeps its ranks."""
    rng = np.random.default_rng(59)
    n, size = 20, 1500
    y = rng.normal(size=n)
    best = np.exp(y + rng.normal(size=n))
    board = BayesBootLadderBoot(y, metric, 99, 2, 1, rng=rng)
    released = [board.submit(best) for _ in range(size)]
    counts = rng.multinomial(n, np.full(n, 1 / n), size=size)
    pairs = (y, best) if metric == "pearson" else (stats.rankdata(y), stats.rankdata(best))
    weighted = [np.cov(*pairs, fweights=c) for c in counts]
    expected = [C[0, 1] / np.sqrt(C[0, 0] * C[1, 1]) for C in weighted]
    assert stats.ks_2samp(released, expected).pvalue > FALSE_ALARM
