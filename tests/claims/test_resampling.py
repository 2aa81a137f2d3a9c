"""Statistics of counts equal those of samples that are written out."""

import numpy as np
import pytest
from scipy import stats

from shakedown.claims import resampling

RNG = np.random.default_rng(11)


def samples():
    """Samples with what can go wrong: ties, nulls, one value, an even and an odd number."""
    yield RNG.normal(size=40)
    yield RNG.integers(0, 4, size=33).astype(float)
    yield np.where(RNG.random(25) < 0.3, np.nan, RNG.normal(size=25))
    yield np.array([2.5, -1.0])


def written_out(x, counts):
    for row in counts:
        drawn = np.repeat(x, row)
        yield drawn[~np.isnan(drawn)]


@pytest.mark.parametrize(
    ("computed", "literal"),
    [
        (resampling.mean, np.mean),
        (resampling.sd, lambda x: np.std(x, ddof=1)),
        (lambda x, c: resampling.quantile(x, c, 0.5), np.median),
        (lambda x, c: resampling.quantile(x, c, 0.25), lambda x: np.quantile(x, 0.25)),
        (lambda x, c: resampling.quantile(x, c, 1.0), np.max),
        (lambda x, c: resampling.quantile(x, c, 0.0), np.min),
        (lambda x, c: resampling.share(x, c, below=0.5, above=None), lambda x: np.mean(x < 0.5)),
        (lambda x, c: resampling.share(x, c, below=None, above=1.0), lambda x: np.mean(x > 1.0)),
    ],
)
def test_counts_give_the_same_as_samples_written_out(computed, literal):
    for x in samples():
        counts = resampling.draw_counts(len(x), 30, seed=3)
        wanted = [literal(drawn) for drawn in written_out(x, counts)]
        np.testing.assert_allclose(computed(x, counts), wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("statistic", ["mean", "sd", "median"])
def test_no_value_gives_nan(statistic):
    found = {
        "mean": resampling.mean,
        "sd": resampling.sd,
        "median": lambda x, c: resampling.quantile(x, c, 0.5),
    }[statistic](np.full(5, np.nan), resampling.draw_counts(5, 2, seed=1))
    assert np.isnan(found).all()
    assert found.shape == (3,)


def test_a_large_mean_does_not_cost_digits():
    x = 1e9 + RNG.normal(size=50)
    found = resampling.sd(x, np.ones((1, 50), np.int32))
    np.testing.assert_allclose(found, np.std(x, ddof=1), rtol=1e-6)


def test_counts_are_of_the_sample_first_then_of_resamples_of_its_size():
    counts = resampling.draw_counts(20, 50, seed=1)
    assert counts.shape == (51, 20)
    assert (counts[0] == 1).all()
    assert (counts.sum(axis=1) == 20).all()
    assert len(np.unique(counts[1:], axis=0)) == 50
    np.testing.assert_array_equal(counts, resampling.draw_counts(20, 50, seed=1))
    assert (counts != resampling.draw_counts(20, 50, seed=2)).any()


def test_every_replicate_is_drawn_equally_often():
    counts = resampling.draw_counts(10, 2000, seed=5)[1:].sum(axis=0)
    # 20,000 draws over 10 replicates; false alarm 1e-6.
    assert stats.chisquare(counts).pvalue > 1e-6
