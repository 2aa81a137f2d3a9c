"""Intervals hold the truth as often as they say, and are no wider than they need be."""

import numpy as np
import pytest
from scipy import stats

from shakedown.claims import Tables, intervals, resampling
from shakedown.claims.language import parse
from shakedown.claims.nodes import Bench
from tests.claims import studies
from tests.figures import frames

TRIALS, N, POINTS = 250, 100, 12

# Few resamples and a finite sample cost some of the 95 %; nobody should notice below 92 %.  False
# alarm 1e-6 for a coverage of 92 %.
ENOUGH = stats.binom.ppf(1e-6, TRIALS, 0.92)


def covered(statistic, how):
    """In how many trials an interval holds 0, the truth of statistics of normal samples."""
    rng, hits, widths = np.random.default_rng(21), 0, []
    for trial in range(TRIALS):
        counts = resampling.draw_counts(N, 200, seed=trial)
        low, high = how(statistic(rng.normal(size=(POINTS, N)), counts))
        hits += low <= 0 <= high
        widths.append(high - low)
    return hits, np.mean(widths)


def median(x, counts):
    return resampling.quantile(x[0], counts, 0.5)


def means(x, counts):
    return np.stack([resampling.mean(row, counts) for row in x], axis=1)


@pytest.mark.parametrize("how", [intervals.middle, intervals.reflected])
def test_interval_of_a_median_holds_the_true_one(how):
    hits, width = covered(median, how)
    assert hits >= ENOUGH
    # As wide as theory says, 2 x 1.96 x 1.2533 / sqrt(n), and not as wide as one likes.
    assert 0.8 < width / (2 * 1.96 * 1.2533 / np.sqrt(N)) < 1.4


@pytest.mark.parametrize("extreme", [np.min, np.max])
def test_band_of_the_extreme_of_many_holds_the_true_one(extreme):
    hits, width = covered(means, lambda values: intervals.band(values, extreme))
    assert hits >= ENOUGH
    # A band around 12 means at once: 2 x 2.87 / sqrt(n) by theory.
    assert 0.8 < width / (2 * stats.norm.ppf(0.5 + 0.95 ** (1 / POINTS) / 2) / np.sqrt(N)) < 1.2


def test_without_the_band_it_does_not():
    hits, _ = covered(lambda x, c: means(x, c).min(axis=1), intervals.middle)
    assert hits < ENOUGH


def test_band_of_numbers_that_do_not_vary_is_their_extreme():
    values = np.tile([1.0, 3.0, 2.0], (4, 1))
    assert intervals.band(values, np.max) == (3, 3)
    assert intervals.band(values, np.min) == (1, 1)


def test_middle_is_of_resamples_themselves_where_some_are_infinite():
    values = np.array([447.0] * 150 + [794.0] * 40 + [np.inf] * 10)
    assert intervals.middle(values) == (447, np.inf)
    assert intervals.middle(values[:150]) == (447, 447)


@pytest.mark.parametrize("how", [intervals.middle, intervals.reflected])
def test_what_was_measured_lies_in_the_interval(how):
    for resampled in (np.linspace(1, 2, 201), np.linspace(-2, -1, 201)):
        low, high = how(np.concatenate([[0.0], resampled]))
        assert low <= 0 <= high


def test_reflection_takes_a_bias_off():
    values = np.concatenate([[0.0], np.linspace(-2, -1, 2001)])
    low, high = intervals.reflected(values)
    assert (low, high) == pytest.approx((-1.975, 1.975), abs=1e-3)


@pytest.mark.parametrize(
    ("expression", "chosen"),
    [
        ('median("delta", alpha=0.15, iterations=5)', "reflected"),
        ('smallest(median("delta", alpha=each, iterations=5))', "band"),
        ('1 - largest(median("delta", alpha=each, iterations=5))', "reflected"),
        ('average(median("delta", alpha=each, iterations=5))', "reflected"),
        ('count(median("delta", alpha=each, iterations=5), below=0)', "middle"),
        ('2 * crossing(median("delta", alpha=0.5, iterations=each), below=0, over="iterations")',
         "middle"),
        ('smallest(crossing(median("delta", alpha=each, iterations=each), below=0, '
         'over="iterations"))', "middle"),
    ],
)  # fmt: skip
def test_each_kind_of_number_has_its_interval(tmp_path, monkeypatch, expression, chosen):
    frame = frames.outcomes(frames.LADDERS, attack="step_forward", replicates=20)
    tables = Tables(outcomes=studies.write(tmp_path, step_forward=frame))
    node = parse(expression, {"experiment": "step_forward", "mechanism": "ladder"})
    bench = Bench(tables, resamples=20, seed=1)
    found = node.work_out(bench)
    low, high = intervals.interval(node, found, bench)
    assert low <= found.values[0] <= high
    monkeypatch.setattr(intervals, chosen, lambda *a: "this one")
    assert intervals.interval(node, found, bench) == "this one"
