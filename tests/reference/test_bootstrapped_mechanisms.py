"""LadderBoot and the Bayesian bootstrap ([C] Algorithms 4 to 6) against closed forms.

What they decide and show as a whole is held against SciPy by the tests of gates and releases.

With the metric "mae" and y = 0, a prediction of positive numbers is its own loss vector.
"""

import numpy as np
import pytest
from scipy import stats

from .bayes import prob_better_mean_loss
from .games import FALSE_ALARM, flat, play, random_losses
from .mechanisms import AdaptiveLadderBoot, BayesBootLadder, BayesBootLadderBoot, LadderBoot
from .metrics import METRICS

# --- [C] Algorithm 4 ---


@pytest.mark.parametrize(("n", "b"), [(4, 1), (25, 7)])
def test_bootstrapped_release_of_a_mean_loss(n, b):
    rng = np.random.default_rng(52)
    best = rng.exponential(size=n)
    kurtosis = stats.kurtosis(best) / (b * n)  # a mean of b n independent rows
    for board in (
        LadderBoot(np.zeros(n), "mae", 0.01, b, rng=rng),
        BayesBootLadderBoot(np.zeros(n), "mae", 99, 2, b, rng=rng),
    ):
        play(board, [best] + [best + 1] * 1500)
        assert sum(board.accepted) == 1
        # The mean of the best so far, with variance sd_n^2 / (b n), drawn afresh every time.
        # Both within their sampling error; false alarm about 1e-6 each (normal approximation).
        z, size, variance = stats.norm.isf(FALSE_ALARM / 2), 1501, np.var(best) / (b * n)
        assert abs(np.mean(board.released) - np.mean(best)) < z * np.sqrt(variance / size)
        error = variance * np.sqrt((2 + kurtosis) / size)
        assert abs(np.var(board.released, ddof=1) - variance) < z * error


def test_bootstrapped_release_after_an_acceptance():
    y, rng = np.zeros(5), np.random.default_rng(53)
    for board in (
        LadderBoot(y, "mae", 0.15, 2, rng=rng),
        BayesBootLadderBoot(y, "mae", 1, 10, 2, rng=rng),
    ):
        play(board, [flat(0.37, 5), flat(0.21, 5), flat(0.9, 5)])
        assert board.released == pytest.approx([0.37, 0.21, 0.21])  # losses without spread


# --- [C] discussion: a b that falls ---


def test_adaptive_ladderboot_is_ladderboot_with_the_b_of_the_submission():
    n, bs = 12, [5, 5, 5, 2, 2, 2, 1, 1, 1, 1, 1, 1]
    predictions = random_losses(np.random.default_rng(50), n, len(bs))
    falling = AdaptiveLadderBoot(np.zeros(n), "mae", 0.15, 5, 3, rng=np.random.default_rng(3))
    by_hand = LadderBoot(np.zeros(n), "mae", 0.15, 5, rng=np.random.default_rng(3))
    for prediction, b in zip(predictions, bs, strict=True):
        by_hand.b = b
        assert falling.submit(prediction) == by_hand.submit(prediction)
        assert falling.b == b
    assert falling.accepted == by_hand.accepted


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
