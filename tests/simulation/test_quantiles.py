"""Order statistics that bound a quantile, against SciPy's binomial distribution."""

import numpy as np
import pytest
from scipy import stats

from shakedown.simulation.quantiles import quantile_interval, ranks


@pytest.mark.parametrize("n", [1, 5, 6, 40, 61, 400])
@pytest.mark.parametrize("tau", [0.05, 0.2, 0.5, 0.9])
def test_ranks_are_the_narrowest_that_hold(n, tau):
    low, high = ranks(n, tau)
    below = lambda r: stats.binom.cdf(r - 1, n, tau)  # noqa: E731  P(value r exceeds the quantile)
    above = lambda s: stats.binom.sf(s - 1, n, tau)  # noqa: E731  P(value s lies below it)
    assert below(low) <= 0.025 < below(low + 1)
    assert above(high) <= 0.025 < above(high - 1)


def test_too_few_values_bound_nothing():
    assert quantile_interval(np.arange(5.0), 0.5) == (2.0, -np.inf, np.inf)
    estimate, low, high = quantile_interval(np.arange(40.0), 0.05)
    assert (estimate, low) == (pytest.approx(1.95), -np.inf)
    assert high < 10


def test_the_ends_of_an_interval_are_the_values_at_these_ranks():
    values = np.arange(1.0, 41.0)
    low, high = ranks(40, 0.5)
    assert quantile_interval(values, 0.5) == (20.5, low, high)
    assert 1 < low < 20 < high < 40
