"""The exact probability of the Bayesian bootstrap against closed forms and draws."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from .bayes import prob_better_mean_loss


@pytest.mark.parametrize(("a", "c"), [(1.0, 1.0), (1.0, 3.0), (2e-6, 5e-6), (1e-3, 1.0), (1e5, 1)])
def test_two_rows(a, c):
    # P(c E_2 < a E_1) = a / (a + c)
    assert prob_better_mean_loss([-a, c]) == pytest.approx(a / (a + c), abs=1e-10)


@pytest.mark.parametrize(
    "d", [(-1, 2, 3), (-3, -2, 1), (4, -1, -7), (1, -2, 3, -4, 5), (-1, 2, -3, 5, -7, 11, -13, 17)]
)
def test_distinct_rows_by_partial_fractions(d):
    # P(S < 0) is the sum over negative d_j of prod over k != j of d_j / (d_j - d_k), exactly.
    expected = Fraction(0)
    for j in range(len(d)):
        if d[j] < 0:
            term = Fraction(1)
            for k in range(len(d)):
                if k != j:
                    term *= Fraction(d[j], d[j] - d[k])
            expected += term
    assert prob_better_mean_loss(d) == pytest.approx(float(expected), abs=1e-10)


@pytest.mark.parametrize(("better", "worse", "same"), [(3, 2, 0), (30, 40, 9), (100, 90, 19)])
def test_zero_one_losses_are_a_beta_distribution(better, worse, same):
    # Gamma(worse) < Gamma(better) where worse/(worse + better) ~ Beta(worse, better) is below 1/2
    d = np.repeat([-1.0, 1.0, 0.0], [better, worse, same])
    expected = stats.beta.cdf(0.5, worse, better)
    assert prob_better_mean_loss(d) == pytest.approx(expected, abs=1e-10)


def test_certain_and_impossible():
    assert prob_better_mean_loss([-1.0, -2.0, 0.0]) == 1
    assert prob_better_mean_loss([1.0, 2.0, 0.0]) == 0
    assert prob_better_mean_loss([0.0, 0.0]) == 0  # equal is not better


def test_scale_and_sign():
    d = np.random.default_rng(21).standard_t(3, size=209)
    p = prob_better_mean_loss(d)
    assert 0 < p < 1
    assert prob_better_mean_loss(1e-7 * d) == pytest.approx(p, abs=1e-10)
    assert prob_better_mean_loss(-d) == pytest.approx(1 - p, abs=1e-10)


@pytest.mark.parametrize(("n", "shift"), [(3, 0.0), (20, 0.2), (209, -0.1)])
def test_draws(n, shift):
    rng = np.random.default_rng(22)
    d = shift + rng.normal(size=n) ** 3
    draws = 20_000
    k = int(np.sum(rng.dirichlet(np.ones(n), size=draws) @ d < 0))
    # False alarm: 1e-6.
    assert stats.binomtest(k, draws, prob_better_mean_loss(d)).pvalue > 1e-6
