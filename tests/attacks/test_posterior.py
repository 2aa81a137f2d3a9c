"""What an attacker knows of a response, against SciPy."""

import numpy as np
import pytest
from scipy import stats

from shakedown.attacks.posterior import bounded, chance_above, prior


def test_a_standardised_response_sums_to_0_and_its_squares_to_n_minus_1():
    mean, covariance = prior(5)
    np.testing.assert_array_equal(mean, np.zeros(5))
    np.testing.assert_allclose(covariance.sum(axis=0), 0.0, atol=1e-15)
    assert np.trace(covariance) == pytest.approx(4.0)


@pytest.mark.parametrize("x", [-3.0, 0.0, 0.5, 4.0])
def test_the_chance_above(x):
    assert chance_above(x) == pytest.approx(stats.norm.sf(x), rel=1e-12)


@pytest.mark.parametrize("bound", [-3.0, 0.0, 1.0, 2.5])
def test_a_bound_leaves_a_truncated_normal(bound):
    """In one direction: <y, p> = 2 y has mean 1 and variance 36."""
    m, S, p = np.array([0.5]), np.array([[9.0]]), np.array([2.0])
    bounded(m, S, p, S @ p, bound)
    left = stats.truncnorm(-np.inf, (bound - 1.0) / 6.0, loc=1.0, scale=6.0)
    assert 2.0 * m[0] == pytest.approx(left.mean(), rel=1e-9)
    assert 4.0 * S[0, 0] == pytest.approx(left.var(), rel=1e-9)
