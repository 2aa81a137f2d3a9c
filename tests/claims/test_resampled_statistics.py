"""Statistics of counts equal those of samples that are written out."""

import numpy as np
import pytest
from scipy import stats

from shakedown.claims import resampled_statistics
from shakedown.claims.resampled_statistics import resampled
from shakedown.simulation.quantiles import quantile_interval

RNG = np.random.default_rng(11)

#: What can go wrong: ties, nulls, two values, none at all.
SAMPLES = [
    RNG.normal(size=(3, 40)),
    RNG.integers(0, 4, size=(2, 33)).astype(float),
    np.where(RNG.random((4, 25)) < 0.3, np.nan, RNG.normal(size=(4, 25))),
    np.array([[2.5, -1.0]]),
]


def written_out(row, counts):
    for drawn in counts:
        values = np.repeat(row, drawn)
        yield values[~np.isnan(values)]


@pytest.mark.parametrize("x", SAMPLES, ids=["numbers", "ties", "nulls", "two"])
@pytest.mark.parametrize(
    ("function", "at", "literal"),
    [
        (resampled_statistics.mean, (), np.mean),
        (resampled_statistics.sd, (), lambda v: np.std(v, ddof=1)),
        *(
            (resampled_statistics.quantile, (p,), lambda v, p=p: np.quantile(v, p))
            for p in (0, 0.25, 0.5, 1)
        ),
    ],
)
def test_counts_give_the_same_as_samples_written_out(x, function, at, literal):
    counts = resampled(x.shape[1], number=30, seed=3)
    wanted = [[literal(values) for values in written_out(row, counts)] for row in x]
    np.testing.assert_allclose(function(x, counts, *at), wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    "function", [resampled_statistics.mean, resampled_statistics.sd, resampled_statistics.quantile]
)
def test_no_value_gives_nan(function):
    at = (0.5,) if function is resampled_statistics.quantile else ()
    result = function(np.full((1, 5), np.nan), resampled(5, number=2, seed=1), *at)
    assert result.shape == (1, 3)
    assert np.isnan(result).all()


def test_a_large_mean_does_not_cost_digits():
    x = 1e9 + RNG.normal(size=(1, 50))
    result = resampled_statistics.sd(x, np.ones((1, 50), np.int32))
    np.testing.assert_allclose(result, np.std(x, axis=1, ddof=1)[:, None], rtol=1e-6)


def test_counts_are_of_the_sample_first_then_of_resamples_of_its_size():
    counts = resampled(20, number=50, seed=1)
    assert counts.shape == (51, 20)
    assert (counts[0] == 1).all()
    assert (counts.sum(axis=1) == 20).all()
    assert len(np.unique(counts[1:], axis=0)) == 50
    np.testing.assert_array_equal(counts, resampled.__wrapped__(20, number=50, seed=1))
    assert (counts != resampled(20, number=50, seed=2)).any()


def test_every_replicate_is_drawn_equally_often():
    counts = resampled(10, number=2000, seed=5)[1:].sum(axis=0)
    # 20,000 draws over 10 replicates; false alarm 1e-6.
    assert stats.chisquare(counts).pvalue > 1e-6


@pytest.mark.parametrize("n", [8, 30, 100, 1000])
def test_medians_that_agree_in_all_resamples_have_an_exact_interval_without_width(n):
    """False alarm: about .975^200 = .6 % of samples at the edge, and none further from it."""
    x = (np.arange(n) < np.arange(n // 2)[:, None]).astype(float)  # 0 to n / 2 - 1 ones
    agree = (
        np.ptp(resampled_statistics.quantile(x, resampled(n, number=200, seed=4), 0.5), axis=1) == 0
    )
    widths = np.array([high - low for _, low, high in map(_exact_median, np.sort(x, axis=1))])
    assert agree[0]
    assert not agree[-1]
    assert (widths[agree] == 0).all()


def _exact_median(values):
    return quantile_interval(values, 0.5)
