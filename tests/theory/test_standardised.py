"""Bounds for standardised responses: a known length and mean, with a model of any strength."""

from math import exp, log, sqrt

import numpy as np
import pytest
from scipy import special, stats

from shakedown.theory.gains import SquaredError
from shakedown.theory.halfspaces import ln_upper, log_concave_quantile
from shakedown.theory.searches import largest
from shakedown.theory.standardised import StandardisedRootSquaredError, StandardisedSquaredError
from shakedown.theory.transcripts import Transcripts
from shakedown.theory.worst_radius import standardised_mean
from tests.theory.small_boards import SmallBoard
from tests.theory.test_levels import digest

#: Chance that a test fails although a bound holds with equality, each.
FALSE_ALARM = 1e-6
MSE, RMSE = StandardisedSquaredError(), StandardisedRootSquaredError()


def responses(rows, strength, plays, rng):
    """Standardised responses with a model of R^2 about `strength`, and what they lack of it.

    Directions in the n - 1 dimensions that a mean of 0 leaves; the last coordinate is 0.
    """
    d = rows - 1
    y = np.zeros((plays, rows))
    if strength:
        length = sqrt(strength)
        concentration = d * length / (1.0 - strength)
        law = stats.vonmises_fisher(np.eye(d)[0], concentration, seed=rng)
        y[:, :d] = law.rvs(plays)
        length = special.ive(d / 2, concentration) / special.ive(d / 2 - 1, concentration)
    else:
        length = 0.0
        y[:, :d] = rng.standard_normal((plays, d))
        y /= np.linalg.norm(y, axis=1, keepdims=True)
    y *= sqrt(d)
    y[:, 0] -= sqrt(d) * length
    return y


@pytest.mark.parametrize("dimension", [2, 4, 9, 49, 208, 999])
def test_the_part_along_the_model_varies_little(dimension):
    """A' <= (1 - A^2) / d, from A' = 1 - A^2 - (d - 1) A / k."""
    d, k = dimension, np.geomspace(0.2 * dimension, 50.0 * dimension, 2000)
    a = special.ive(d / 2, k) / special.ive(d / 2 - 1, k)
    assert (a * a + d * a / k >= 1.0 - 1e-10).all()
    slope = 1.0 - a * a - (d - 1.0) * a / k
    assert (slope <= (1.0 - a**2) / d + 1e-9).all()


@pytest.mark.parametrize("strength", [0.0, 0.3, 0.6])
@pytest.mark.parametrize("rows", [10, 50])
def test_noise_in_every_direction_is_log_concave_enough(rows, strength):
    rng = np.random.default_rng(rows)
    e = responses(rows, strength, 200_000, rng)
    narrow = sqrt((rows - 4) / (rows - 1))
    for angle in np.linspace(0.0, np.pi, 7):
        x = e[:, 0] * np.cos(angle) + e[:, 1] * np.sin(angle)
        for distance in (0.5, 1.0, 2.0, 3.0):
            chance = min(1.0, exp(ln_upper(log_concave_quantile(distance * narrow))))
            assert np.sum(x > distance) <= stats.binom.isf(FALSE_ALARM, len(x), chance)


@pytest.mark.parametrize(
    ("rows", "eta", "updates", "files"), [(10, 0.25, 2, 1), (10, 0.1, 3, 5), (20, 0.1, 3, 2)]
)
@pytest.mark.parametrize("strength", [0.0, 0.3, 0.5])
def test_no_adversary_gains_more(rows, eta, updates, files, strength):
    rng = np.random.default_rng(rows * 100 + files)
    told = digest(eta, updates, updates * files)
    mean = MSE.bound(told, rows)
    for way in range(3):
        e = responses(rows, strength, 60_000, rng)
        gains, chosen = SmallBoard(told, updates, files, way).play(e, rng)
        error = gains.std(ddof=1) / sqrt(len(gains))
        assert gains.mean() <= mean + stats.norm.isf(FALSE_ALARM) * error
        for delta in (0.25, 0.05):
            high = MSE.bound(told, rows, delta)
            exceeded = np.sum(chosen(high) > high)
            assert exceeded <= stats.binom.isf(FALSE_ALARM, len(gains), delta)


@pytest.mark.parametrize(
    ("rows", "eta", "mean", "quantile"),
    [
        (209, 0.1, 17, 11),
        (209, 0.05, 7, 5),
        (50, 0.25, 2, 1),
        (69, 0.2, 3, 1),
        (1000, 0.02, 55, 50),
    ],
)
def test_known_numbers_of_updates(rows, eta, mean, quantile):
    """With any model, for a gain of .05: on average, and for three attackers in four."""

    def most(delta):
        return largest(lambda w: w <= 100 and MSE.keeps(digest(eta, w, 1000), rows, 0.05, delta))

    assert (most(None), most(0.25)) == (mean, quantile)


@pytest.mark.parametrize("rows", [10, 50, 209, 1000])
def test_they_lie_close_to_those_of_plain_noise(rows):
    """Where nothing is counted by level; a known length and mean help a little."""
    for nats in (1.0, 5.0, 20.0):
        plain = SquaredError(1.0)
        assert MSE.mean(nats, rows) == pytest.approx(plain.mean(nats, rows), rel=2.0 / rows)
        high = MSE.high(nats, rows, 0.25)
        if high < 0.5 and rows > 10:
            assert 0.9 < high / plain.high(nats, rows, 0.25) < 1.6
    assert MSE.mean(0.0, rows) == 0.0
    assert MSE.keeps(Transcripts(0.0), rows, 1e-9)


@pytest.mark.parametrize("bound", [MSE, RMSE])
@pytest.mark.parametrize("delta", [None, 0.25])
def test_what_is_kept_is_what_is_bounded(bound, delta):
    for rows, eta, updates in ((30, 0.1, 3), (209, 0.1, 10), (1000, 0.05, 20)):
        told = digest(eta, updates, 500)
        gain = bound.bound(told, rows, delta)
        assert bound.keeps(told, rows, gain * 1.01, delta)
        assert not bound.keeps(told, rows, gain * 0.97, delta)


@pytest.mark.parametrize("rows", [10, 209])
@pytest.mark.parametrize("delta", [None, 0.25])
@pytest.mark.parametrize("bound", [MSE, RMSE])
def test_a_budget_is_kept_and_a_little_more_is_not(bound, delta, rows):
    for gain in (0.05, 0.2):
        nats = bound.count_budget(gain, rows, delta)
        if nats > 0.0:
            assert bound.keeps(Transcripts(nats * 0.999), rows, gain, delta)
        more = max(nats * 1.02, 1e-3)
        if not (delta and more < log(2)):
            assert not bound.keeps(Transcripts(more), rows, gain, delta)


@pytest.mark.parametrize("rows", [5, 10, 209])
@pytest.mark.parametrize("delta", [0.05, 0.25])
def test_no_more_is_exceeded_than_the_gain_of_a_budget(rows, delta):
    for gain in {5: (2.0, 3.0), 10: (0.7, 0.8), 209: (0.3, 0.6)}[rows]:
        nats = MSE.budget(gain, rows, delta)
        assert nats > 0.0
        assert MSE.high(nats, rows, delta) <= gain * (1.0 + 1e-5)


@pytest.mark.parametrize("bound", [MSE, RMSE])
@pytest.mark.parametrize("delta", [None, 0.25])
def test_nats_of_a_board_that_is_not_counted_are_nats_too(bound, delta):
    assert bound.keeps(2.0, 209, 0.3, delta)
    assert not bound.keeps(200.0, 209, 0.3, delta)


@pytest.mark.parametrize("rows", [20, 209])
def test_a_board_that_tells_everything_gives_no_more_than_there_is_to_gain(rows):
    assert standardised_mean(Transcripts(1e6), rows) == pytest.approx((rows - 1) / rows)


def test_with_few_rows_little_is_proved():
    assert not RMSE.keeps(Transcripts(1.0), 9, 0.4)
    assert RMSE.keeps(Transcripts(1.0), 9, 1.0)
    assert not RMSE.keeps(Transcripts(1.0), 9, 0.4, 0.25)
    assert RMSE.high(1.0, 9) == RMSE.mean(1.0, 9) == 1.0
    assert MSE.bound(digest(0.25, 1, 5), 9) == pytest.approx(MSE.mean(log(3), 9))
    assert MSE.high(1.0, 9) == SquaredError(1.0, gaussian=False).high(1.0, 9)


@pytest.mark.parametrize("rows", [10, 209])
def test_without_a_model_a_fixed_file_gains_in_the_rmse_as_often_as_a_cap_says(rows):
    """The best length of the file, for each response; 4 standard errors."""
    rng, plays, delta = np.random.default_rng(rows), 20_000, 0.1
    y = responses(rows, 0.0, plays, rng)
    # A file v: its best multiple leaves y less its part along v.
    along = np.clip(y[:, 1], 0.0, None)
    start = np.sqrt((y**2).mean(axis=1))
    gains = start - np.sqrt(((y**2).sum(axis=1) - along**2) / rows)
    exceeded = np.mean(gains > RMSE.high(0.7, rows, exp(0.7) * delta))
    assert exceeded == pytest.approx(delta, abs=4 * sqrt(delta * (1 - delta) / plays))
