"""Closed forms of the boosting attack: against all cases of small games, SciPy and simulation."""

from itertools import product
from math import pi, sqrt

import numpy as np
import pytest
from scipy import integrate, stats

from shakedown.interface import InputError
from shakedown.theory import boosting

#: Chance that a comparison with a simulation fails although all is right, each.
FALSE_ALARM = 1e-6
SMALL = [(1, 1), (1, 4), (2, 1), (2, 2), (3, 2), (2, 3), (4, 2), (3, 3), (2, 5)]  # k, n


def vote(wrong, *, mirrored):
    """Loss of the majority vote, a tie half wrong; from mistakes, bool, shape (..., k, n)."""
    losses = wrong.mean(axis=-1)[..., None]  # (..., k, 1)
    signs = 1 - 2 * wrong.astype(int)  # of a label that is right: 1
    if mirrored:  # [Z]: v = u if its accuracy is higher than 0.5, and otherwise v = 1 - u
        total = np.where(1 - losses > 0.5, signs, -signs).sum(axis=-2)
    else:  # [B], step 3: I = {i : l_i <= 1/2}
        total = np.where(losses <= 0.5, signs, 0).sum(axis=-2)
    return ((total < 0) + (total == 0) / 2).mean(axis=-1)


def every_game(k, n):
    return np.array(list(product([False, True], repeat=k * n))).reshape(-1, k, n)


@pytest.mark.parametrize(("k", "n"), SMALL)
def test_votes_are_exact_over_all_small_games(k, n):
    games = every_game(k, n)
    plain, mirrored = (vote(games, mirrored=m).mean() for m in (False, True))
    assert boosting.plain_vote_loss(k, n) == pytest.approx(plain, rel=1e-12)
    assert boosting.mirrored_vote_loss(k, n) == pytest.approx(mirrored, rel=1e-12)


@pytest.mark.parametrize(("k", "n"), SMALL)
def test_the_largest_deviation_is_exact_over_all_small_games(k, n):
    best = every_game(k, n).mean(axis=2).min(axis=1)
    assert boosting.largest_deviation(k, n) == pytest.approx(0.5 - best.mean(), abs=1e-14)


@pytest.mark.parametrize(("k", "n"), [(40, 200), (301, 101)])
def test_votes_are_those_of_a_simulation(k, n):
    rng = np.random.default_rng(11)
    games = rng.integers(0, 2, (400, k, n), dtype=np.int8).astype(bool)
    away = stats.t.isf(FALSE_ALARM / 2, 399)
    for mirrored, of in ((False, boosting.plain_vote_loss), (True, boosting.mirrored_vote_loss)):
        losses = vote(games, mirrored=mirrored)
        error = losses.std(ddof=1) / sqrt(len(losses))
        assert abs(losses.mean() - of(k, n)) < away * error
        # A wrong number of voters would be seen.
        assert abs(losses.mean() - of(k // 2, n)) > 2 * away * error


@pytest.mark.parametrize("n", [1000, 4000])
@pytest.mark.parametrize("share", [0.1, 1.0, 3.0])
def test_votes_approach_their_limits(share, n):
    k = int(share * n)
    for exact, limit in (
        (boosting.plain_vote_loss, boosting.plain_vote_asymptote),
        (boosting.mirrored_vote_loss, boosting.mirrored_vote_asymptote),
    ):
        # Even n: of the draws, sqrt(2 / (pi n)) of all, every one votes and none knows anything.
        assert exact(k, n) == pytest.approx(limit(k, n), abs=0.15 / sqrt(n))
        assert abs(exact(25 * k, 25 * n) - limit(k, n)) < abs(exact(k, n) - limit(k, n)) / 4


def test_the_limits_are_those_of_the_papers():
    """[Z] Fig. 1: .8 right after 10^3 submissions on 1,000 labels.  [B] Theorem 5.1: sqrt(k/n)."""
    assert 1 - boosting.mirrored_vote_loss(1000, 1000) == pytest.approx(0.8, abs=0.02)
    assert boosting.mirrored_vote_asymptote(1000, 1000) == stats.norm.sf(sqrt(2 / pi))
    for k in (1, 4, 16):
        plain = 0.5 - boosting.plain_vote_asymptote(k, 10**6)
        mirrored = 0.5 - boosting.mirrored_vote_asymptote(k, 10**6)
        assert plain == pytest.approx(sqrt(k / 2e6) / pi, rel=1e-4)
        assert mirrored == pytest.approx(sqrt(k / 1e6) / pi, rel=1e-4)


@pytest.mark.parametrize("n", [1, 2, 3, 10, 51, 1000, 4001])
def test_the_mean_distance_of_a_walk(n):
    mistakes = np.arange(n + 1)
    distance = stats.binom.pmf(mistakes, n, 0.5) @ np.abs(n - 2 * mistakes)
    assert boosting._mean_distance(n) == pytest.approx(distance, rel=1e-10)
    kept = stats.binom.cdf(n // 2, n, 0.5)
    assert boosting._chance_kept(n) == pytest.approx(kept, rel=1e-10)


def test_the_largest_of_few_normal_numbers_is_known():
    """1 / sqrt(pi) of two, 3 / (2 sqrt(pi)) of three."""
    for k, largest in ((1, 0.0), (2, 1 / sqrt(pi)), (3, 1.5 / sqrt(pi))):
        deviation = boosting.normal_largest_deviation(k, 25)
        assert deviation == pytest.approx(largest / 10, abs=1e-9)


@pytest.mark.parametrize("k", [10, 1000, 10**6])
def test_the_largest_normal_number_against_its_density(k):
    def moment(x):
        return x * k * np.exp(stats.norm.logpdf(x) + (k - 1) * stats.norm.logcdf(x))

    mean = integrate.quad(moment, -10, 10, points=[0, 2, 4, 6], limit=500)[0]
    assert boosting.normal_largest_deviation(k, 100) == pytest.approx(mean / 20, rel=1e-6)


def test_the_largest_deviation_approaches_the_normal_one_and_stays_below_the_leading_term():
    for k in (2, 30, 1000, 10**6):
        normal = boosting.normal_largest_deviation(k, 40_000)
        assert boosting.largest_deviation(k, 40_000) == pytest.approx(normal, rel=2e-3)
        assert normal < boosting.largest_deviation_asymptote(k, 40_000)
    shares = [
        boosting.normal_largest_deviation(k, 100) / boosting.largest_deviation_asymptote(k, 100)
        for k in (10, 10**3, 10**6, 10**9)
    ]
    assert (np.diff(shares) > 0).all()
    assert shares[-1] > 0.94


def test_the_largest_deviation_is_that_of_a_simulation():
    k, n = 300, 1000
    best = np.random.default_rng(5).binomial(n, 0.5, (4000, k)).min(axis=1) / n
    error = best.std(ddof=1) / sqrt(len(best))
    away = abs(0.5 - best.mean() - boosting.largest_deviation(k, n))
    assert away < stats.t.isf(FALSE_ALARM / 2, len(best) - 1) * error


@pytest.mark.parametrize(
    "of",
    [
        boosting.plain_vote_loss,
        boosting.mirrored_vote_loss,
        boosting.largest_deviation,
        boosting.normal_largest_deviation,
        boosting.largest_deviation_asymptote,
    ],
)
def test_counts_that_are_none_are_refused(of):
    with pytest.raises(InputError, match="`k` must be a whole number of 1 or more; got 0"):
        of(0, 10)
    with pytest.raises(InputError, match="`n` must be a whole number of 1 or more; got 2.5"):
        of(10, 2.5)


@pytest.mark.parametrize("of", [boosting.plain_vote_asymptote, boosting.mirrored_vote_asymptote])
def test_limits_take_numbers_above_0(of):
    with pytest.raises(InputError, match="`k` must be a number above 0; got -1"):
        of(-1, 10)
