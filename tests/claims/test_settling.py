"""How many replicates would settle a claim, compared with the exact test for each number."""

import numpy as np
import pytest
import xarray as xr
from scipy import stats

from shakedown.claims import median, quantile, share
from shakedown.claims.intervals import Measured
from shakedown.claims.requirement import Requirement
from shakedown.claims.settling import settling


def replicates(values):
    return xr.DataArray(np.asarray(values, float), dims="replicate")


@pytest.mark.parametrize(
    ("required", "replicates_needed", "tie"),
    [
        ("> 0.2", 400, 0.3),  # twice as near
        ("< 0.4", 400, 0.3),
        ("between 0.2 and 1", 400, 0.3),
        ("between 0.25 and 0.4", 1600, 0.3),  # the nearer end decides
        ("> 0.3", None, 0.2),
        ("< 0.3", None, 0.2),
    ],
)
def test_an_interval_gets_narrower_as_one_over_the_root(required, replicates_needed, tie):
    measured = Measured(0.3, 0.1, 0.5, 100)
    found = settling(Requirement.parse(required), measured, 100)
    assert found.tie == pytest.approx(tie, rel=1e-9)
    if replicates_needed is None:
        assert found.replicates is None
    else:
        assert replicates_needed <= found.replicates <= 1.01 * replicates_needed


@pytest.mark.parametrize(("hits", "n", "bound"), [(0, 30, 0.05), (3, 30, 0.2), (10, 20, 0.6)])
def test_a_share_is_settled_where_the_exact_test_says(hits, n, bound):
    measured = share(replicates([1] * hits + [0] * (n - hits)) > 0)
    found = settling(Requirement.parse(f"<= {bound}"), measured, n)
    # With these multiples of n, the share of whole hits stays the same.
    exact = next(
        n * k
        for k in range(1, 200)
        if stats.binomtest(hits * k, n * k).proportion_ci(0.95, "exact").high <= bound
    )
    assert exact - n < found.replicates <= exact


def test_a_share_of_none_takes_72_replicates_to_be_below_a_twentieth():
    first = next(n for n in range(30, 200) if stats.binomtest(0, n).proportion_ci().high <= 0.05)
    found = settling(Requirement.parse("<= 0.05"), share(replicates([0] * 30) > 0), 30)
    assert found.replicates == first == 72


def test_a_high_quantile_takes_as_many_replicates_as_give_it_a_bound():
    values = replicates(np.linspace(0, 0.5, 30))
    found = settling(Requirement.parse("<= 1"), quantile(values, 0.95), 30)
    tail = next(n for n in range(30, 200) if 0.95**n <= 0.025)
    assert found.replicates == tail == 72


def test_a_median_takes_about_as_many_replicates_as_a_normal_approximation_says():
    values = replicates(stats.norm.ppf((np.arange(200) + 0.5) / 200, loc=0.1))
    measured = median(values)
    found = settling(Requirement.parse("> 0"), measured, 200)
    # Its standard error is sqrt(pi / 2 / n), and 1.96 of these must be .1.
    assert found.replicates == pytest.approx(1.96**2 * np.pi / 2 / 0.01, rel=0.15)
