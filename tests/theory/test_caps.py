"""Caps of spheres: against numerical integrals, simulated sets and closed forms."""

from math import exp, log, pi, sqrt

import numpy as np
import pytest
from scipy import integrate, special

from shakedown.theory.caps import ln_share, mean_cosine_squared

DIMENSIONS = [3, 4, 7, 10, 50, 207, 1000]


def density(dimension):
    """Of one coordinate of a uniform point of the unit sphere."""
    constant = exp(special.gammaln(dimension / 2) - special.gammaln((dimension - 1) / 2)) / sqrt(pi)
    return lambda t: constant * (1.0 - t * t) ** ((dimension - 3) / 2)


def between(function, low):
    """Integral from `low` to 1, in parts where the mass is."""
    ends = np.linspace(low, min(1.0, low + 0.5), 6)
    parts = [integrate.quad(function, a, b)[0] for a, b in zip(ends, ends[1:], strict=False)]
    return sum(parts) + integrate.quad(function, ends[-1], 1.0)[0]


@pytest.mark.parametrize("dimension", DIMENSIONS)
@pytest.mark.parametrize("cosine", [0.0, 0.05, 0.2, 0.5])
def test_share_and_mean_cosine_are_integrals(dimension, cosine):
    f = density(dimension)
    share = between(f, cosine)
    assert exp(ln_share(cosine**2, dimension)) == pytest.approx(share, rel=1e-6)
    mean = between(lambda t: t * f(t), cosine) / share
    assert sqrt(mean_cosine_squared(log(share), dimension)) == pytest.approx(mean, rel=1e-6)


def test_a_circle_and_a_sphere_by_hand():
    """On the ordinary sphere the height of a uniform point is uniform."""
    assert exp(ln_share(0.36, 3)) == pytest.approx(0.2)
    assert sqrt(mean_cosine_squared(log(0.2), 3)) == pytest.approx(0.8)


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_of_odd_numbers_a_cap_is_a_bound(dimension):
    assert ln_share(-0.1, dimension) == 0.0  # the whole sphere
    assert ln_share(1.0, dimension) == ln_share(2.0, dimension) == -np.inf
    far = 1.0 - np.geomspace(1e-6, 0.9, 400)
    assert (np.diff(ln_share(far, dimension)) > 0.0).all()  # also where floats end
    power = (dimension - 1) / 2
    assert (ln_share(far, dimension) <= power * np.log(1.0 - far) - log(2.0) + 1e-9).all()


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_shares_times_squared_means_are_concave(dimension):
    """So N equal shares are the most; at 1/2 the tangent goes on, to nothing at 1."""
    p = np.linspace(1e-4, 1.0, 4001)
    f = p * mean_cosine_squared(np.log(p), dimension)
    assert (np.diff(f, 2) <= 1e-12).all()
    assert f[-1] == pytest.approx(0.0, abs=1e-12)
    # The true function beyond 1/2: the mean of a cap and of its complement cancel.
    beyond = p[p > 0.5][:-1]
    true = (1.0 - beyond) ** 2 * mean_cosine_squared(np.log1p(-beyond), dimension) / beyond
    assert (true <= beyond * mean_cosine_squared(np.log(beyond), dimension) + 1e-12).all()
    # And over many orders of magnitude, as slopes that fall.
    p = np.geomspace(1e-250, 0.5, 2000)
    f = p * mean_cosine_squared(np.log(p), dimension)
    slopes = np.diff(f) / np.diff(p)
    assert (np.diff(slopes) <= 1e-9 * slopes[:-1]).all()


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_the_closed_form_lies_above_and_takes_over_without_a_step_down(dimension):
    nats = np.geomspace(0.7, 599.0, 500)
    squares = mean_cosine_squared(-nats, dimension)
    assert (squares <= -np.expm1(-2.0 * nats / (dimension - 1.0)) + 1e-11).all()
    around = mean_cosine_squared(-np.linspace(580.0, 640.0, 500), dimension)
    assert (np.diff(around) >= -1e-11).all()  # what floats lose
    assert mean_cosine_squared(-1e6, dimension) <= 1.0


@pytest.mark.parametrize("dimension", [3, 6, 10])
def test_no_random_set_points_further_than_a_cap(dimension):
    """Cells of random points, and unions of them; exact to the error of 200,000 points."""
    rng = np.random.default_rng(dimension)
    points = rng.standard_normal((200_000, dimension))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    for cells in (2, 3, 8, 40):
        centres = rng.standard_normal((cells, dimension))
        cell = (points @ centres.T).argmax(axis=1)
        for chosen in (cell == 0, cell < max(1, cells // 3), points[:, 0] > points[:, 1] + 0.4):
            if chosen.sum() < 100:
                continue
            share = chosen.mean()
            length = np.linalg.norm(points[chosen].mean(axis=0))
            # Six standard errors in every direction: a false alarm of 1e-8 for each.
            error = 6.0 / sqrt(chosen.sum())
            assert length <= sqrt(mean_cosine_squared(log(min(share, 0.5)), dimension)) + error
