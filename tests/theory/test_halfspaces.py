"""Half-spaces: the lemma on random partitions, its closed forms, and log-concave tails."""

from math import exp, log, pi, sqrt

import numpy as np
import pytest
from scipy import integrate, stats

from shakedown.theory.halfspaces import (
    largest_exceeded,
    ln_upper,
    log_concave_quantile,
    squared_mean,
)


def test_known_means():
    """Half a line has the mean sqrt(2 / pi); a single transcript tells nothing."""
    assert squared_mean(log(2)) == pytest.approx(2 / pi)
    assert squared_mean(0.0) == 0.0
    assert squared_mean(log(3003)) / 209 == pytest.approx(0.0641, abs=5e-5)
    for number in (4, 100, 10**6):
        z = stats.norm.isf(1 / number)
        tail = integrate.quad(lambda t: t * stats.norm.pdf(t), z, 40)[0] * number
        assert squared_mean(log(number)) == pytest.approx(tail**2, rel=1e-6)
    # There is no end to the number of transcripts, and it is below the logarithm.
    nats = np.geomspace(0.7, 1e5, 300)
    squares = np.array([squared_mean(amount) for amount in nats])
    assert (squares < 2.0 * nats).all()
    assert (np.diff(squares) > 0.0).all()
    assert squares[-1] == pytest.approx(2e5, rel=1e-3)


def test_shares_times_squared_means_are_concave_below_a_half_and_below_the_tangent_beyond():
    def f(p):
        return stats.norm.pdf(stats.norm.isf(p)) ** 2 / p

    p = np.linspace(1e-3, 0.5, 2000)
    assert (np.diff(f(p), 2) < 0.0).all()
    p = np.geomspace(1e-140, 0.5, 2000)
    slopes = np.diff(f(p)) / np.diff(p)
    assert (np.diff(slopes) <= 1e-9 * np.abs(slopes[:-1])).all()
    p = np.linspace(0.5, 1.0, 2000)
    assert (f(p) <= 2 / pi * (1.0 - p) + 1e-12).all()
    # What the proof of concavity needs: the inverse Mills ratio is close to its argument.
    z = np.linspace(0.0, 30.0, 3000)
    assert (np.exp(stats.norm.logpdf(z) - stats.norm.logsf(z)) - z < 1.0).all()


@pytest.mark.parametrize("rows", [1, 2, 5, 10])
@pytest.mark.parametrize("number", [2, 3, 7, 30])
def test_no_random_partition_gains_more(rows, number):
    """Cells of random points, and the mean of each: 400,000 draws."""
    rng = np.random.default_rng(100 * rows + number)
    e = rng.standard_normal((400_000, rows))
    centres, shifts = rng.standard_normal((number, rows)), rng.standard_normal(number)
    cell = (e @ centres.T + shifts).argmax(axis=1)
    learn, test = slice(None, 200_000), slice(200_000, None)
    means = np.array([
        e[learn][cell[learn] == k].mean(axis=0) if (cell[learn] == k).any() else np.zeros(rows)
        for k in range(number)
    ])  # fmt: skip
    v = means[cell[test]]
    gains = 2.0 * (e[test] * v).sum(axis=1) - (v**2).sum(axis=1)
    error = gains.std(ddof=1) / sqrt(len(gains))
    assert gains.mean() <= squared_mean(log(number)) + stats.norm.isf(1e-6) * error


def test_two_halves_of_a_line_reach_the_bound():
    e = np.random.default_rng(0).standard_normal(400_000)
    assert np.abs(e).mean() ** 2 == pytest.approx(squared_mean(log(2)), rel=0.01)


@pytest.mark.parametrize("number", [1, 10, 1000])
def test_the_largest_of_several_numbers(number):
    """Independent ones; with a chance of .25 and of .01."""
    for delta in (0.25, 0.01):
        z = largest_exceeded(log(number), delta)
        assert number * stats.norm.sf(z) == pytest.approx(delta)
        true = stats.norm.isf(-np.expm1(np.log1p(-delta) / number))
        assert true <= z < true + 0.4
    assert largest_exceeded(0.0, 0.75) == 0.0


CASES = {
    "normal": stats.norm(),
    "a flat one": stats.uniform(-sqrt(3), 2 * sqrt(3)),
    "half a normal": stats.truncnorm(0, np.inf),
    "a slice": stats.truncnorm(1.0, 1.5),
    "a far tail": stats.truncnorm(3.0, np.inf),
}


@pytest.mark.parametrize("law", list(CASES))
def test_what_is_more_log_concave_than_a_normal_number_has_a_smaller_tail(law):
    """Each is a normal number given an interval, or on one so short that it may as well be flat."""
    x = CASES[law]
    scale = 0.5 if law == "a flat one" else 1.0  # a short interval has any curvature
    for distance in np.linspace(0.05, 4.0, 40):
        tail = (
            x.sf(x.mean() + distance / scale) if law == "a flat one" else x.sf(x.mean() + distance)
        )
        assert tail <= exp(ln_upper(log_concave_quantile(distance))) + 1e-12


def test_far_out_the_log_concave_tail_is_the_normal_one():
    assert log_concave_quantile(5.0) == pytest.approx(5.0, abs=1e-6)
    assert log_concave_quantile(0.0) == -np.inf
    assert 2.7 < log_concave_quantile(3.0) <= 3.0
