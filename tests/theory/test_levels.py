"""Bounds by level: the pooled maximum against optimisers, and adversaries of small boards."""

from math import sqrt

import numpy as np
import pytest
from scipy import optimize, stats

from shakedown.leaderboard.disclosure import Disclosure
from shakedown.theory.caps import mean_cosine_squared
from shakedown.theory.gains import RootSquaredError, SquaredError
from shakedown.theory.levels import Sphere, ending
from shakedown.theory.searches import largest
from shakedown.theory.suprema import supremum
from shakedown.theory.transcripts import Transcripts, board_transcripts
from tests.theory.small_boards import SmallBoard

#: Chance that a test fails although a bound holds with equality, each.
FALSE_ALARM = 1e-6


def digest(eta, updates, submissions, floor=0.5):
    shown = Disclosure(
        eta, falls=True, starts=True, updates=updates, every=submissions // updates, floor=floor,
        slack=0.0,
    )  # fmt: skip
    return board_transcripts(shown, submissions=submissions, start=1.0, floor_=floor)


def ladder(eta, submissions):
    shown = Disclosure(eta, falls=True, starts=True, slack=eta / 2.0)
    return board_transcripts(shown, submissions=submissions, start=1.0, floor_=0.0)


# The maximum over the shares of the levels


@pytest.mark.parametrize("square", [0.55, 0.65, 0.8, 1.0])
@pytest.mark.parametrize(("eta", "updates"), [(0.1, 3), (0.1, 10), (0.05, 5), (0.25, 2)])
def test_pooling_finds_the_maximum(square, eta, updates):
    """Against sequential quadratic programming, from the shares that pooling starts with."""
    told, rows = digest(eta, updates, 200), 60
    sphere = Sphere(told, rows)
    at = np.array([square])
    pooled = float(sphere.mean(at, at)[0])
    numbers, tails = np.exp(ending(told.up_to)), sphere._beyond(at)[0]

    def gain(shares):
        densities = np.maximum(shares, 1e-300) / numbers
        return square * float(shares @ mean_cosine_squared(np.log(densities), rows))

    levels = len(numbers)
    limits = [
        {"type": "ineq", "fun": lambda p, j=j: tails[j] - p[j + 1 :].sum()}
        for j in range(levels - 1)
    ] + [{"type": "eq", "fun": lambda p: p.sum() - 1.0}]
    sums = np.append(1.0 - tails, 1.0)  # the latest levels that the tails allow
    best = 0.0
    for start in (np.diff(sums, prepend=0.0), np.eye(levels)[0]):
        found = optimize.minimize(
            lambda p: -gain(p), np.clip(start, 1e-12, 1.0), bounds=[(0.0, 1.0)] * levels,
            constraints=limits, method="SLSQP", options={"maxiter": 500, "ftol": 1e-12},
        )  # fmt: skip
        shares = np.clip(found.x, 0.0, 1.0)
        feasible = all(shares[j + 1 :].sum() <= tails[j] + 1e-6 for j in range(levels - 1))
        if feasible and abs(shares.sum() - 1.0) < 1e-6:
            best = max(best, gain(shares))
    assert best <= pooled * (1.0 + 1e-4) + 1e-6
    assert best == pytest.approx(pooled, rel=0.02)


@pytest.mark.parametrize("square", [0.55, 0.7, 1.0])
def test_the_chance_is_that_of_a_linear_programme(square):
    """max sum_j min(P_j, M_j c) under the tails."""
    told, rows = digest(0.1, 4, 200), 60
    sphere, at = Sphere(told, rows), np.array([square])
    numbers, tails = np.exp(ending(told.up_to)), sphere._beyond(at)[0]
    levels = len(numbers)
    for cosine_squared in (0.05, 0.12, 0.2, 0.3):
        cap = (1.0 - stats.beta.cdf(cosine_squared, 0.5, (rows - 1) / 2)) / 2.0
        beyond = np.array([[j > i for j in range(levels)] for i in range(levels - 1)], float)
        zeros, one = np.zeros((levels - 1, levels)), np.eye(levels)
        found = optimize.linprog(
            np.append(np.zeros(levels), -np.ones(levels)),  # of P_j, and of min(P_j, M_j c)
            A_ub=np.vstack([np.hstack([beyond, zeros]), np.hstack([-one, one])]),
            b_ub=np.append(tails, np.zeros(levels)),
            A_eq=np.append(np.ones(levels), np.zeros(levels))[None],
            b_eq=[1.0],
            bounds=[(0.0, 1.0)] * levels + [(0.0, min(1.0, m * cap)) for m in numbers],
        )
        bound = sphere.chance(at, at, np.array([cosine_squared]))[0]
        assert bound == pytest.approx(-found.fun, rel=1e-6, abs=1e-9)


def test_without_tails_it_is_equal_shares():
    told = digest(0.1, 5, 500)
    at = np.array([0.3])  # below the floor: every level is reached anyway
    share = float(mean_cosine_squared(-told.nats, 209))
    assert Sphere(told, 209).mean(at, at)[0] == pytest.approx(0.3 * share)


def test_a_level_that_the_honest_file_has_already_is_reached_for_certain():
    sphere = Sphere(digest(0.1, 1, 1), 30)
    for square in (0.8, 0.9, sphere.told.risks[0]):
        assert sphere._beyond(np.array([square]))[0, 0] == 1.0
    assert sphere._beyond(np.array([0.92]))[0, 0] < 0.5


def test_intervals_lie_above_their_points():
    sphere = Sphere(digest(0.05, 6, 600), 100)
    ends = np.geomspace(0.4, 1.5, 60)
    over = sphere.mean(ends[:-1], ends[1:])
    for weight in (0.0, 0.3, 0.7, 1.0):
        inner = ends[:-1] * (1 - weight) + ends[1:] * weight
        assert (sphere.mean(inner, inner) <= over + 1e-12).all()


def test_a_supremum_is_found_from_above():
    def peak(x):
        return np.exp(-((np.log(x) - 0.3) ** 2) * 400.0)

    def upper(low, high):
        low = np.maximum(low, 1e-9)
        inside = (np.log(low) <= 0.3) & (np.log(high) >= 0.3)
        return np.where(inside, 1.0, np.maximum(peak(low), peak(high)))

    assert 1.0 <= supremum(upper, 0.01, 50.0) <= 1.001
    assert supremum(upper, 0.01, 1.0) == pytest.approx(peak(1.0), rel=2e-3)
    assert supremum(upper, 0.01, 50.0, enough=0.5) > 0.5
    assert supremum(upper, 0.01, 50.0, enough=1.5) <= 1.5


@pytest.mark.parametrize("enough", [1.0001, 1.0003, 1.0006])
def test_a_supremum_below_what_is_enough_is_found_to_be_below_it(enough):
    """Closer than the tolerance: of x up to 1, by bounds that are too large by their width."""

    def upper(low, high):
        return high + 0.1 * (high - low)

    assert 1.0 <= supremum(upper, 0.01, 1.0, enough=enough) <= enough
    assert supremum(upper, 0.01, 1.0, enough=0.9999) > 0.9999


# Known figures


@pytest.mark.parametrize(
    ("rows", "eta", "updates", "gain"),
    [(209, 0.1, 10, 0.0348), (50, 0.25, 1, 0.0153), (1000, 0.02, 16, 0.0259)],
)
def test_known_bounds_of_digests(rows, eta, updates, gain):
    """1,000 files."""
    told = digest(eta, updates, 1000)
    assert SquaredError(1.0).bound(told, rows) == pytest.approx(gain, abs=1.2e-4)
    assert SquaredError(1.0).keeps(told, rows, gain + 2e-4)
    assert not SquaredError(1.0).keeps(told, rows, gain - 2e-4)


@pytest.mark.parametrize(("eta", "submissions", "gain"), [(0.1, 1000, 0.0314), (0.05, 500, 0.0494)])
def test_known_bounds_of_ladders(eta, submissions, gain):
    """1,000 rows; the shown score is the nearest multiple, so an exact one may be worse by half."""
    told = ladder(eta, submissions)
    assert SquaredError(1.0).bound(told, 1000) == pytest.approx(gain, abs=2e-4)


@pytest.mark.parametrize(
    ("rows", "eta", "counted", "mean", "quantile"),
    [
        (209, 0.1, 6, 21, 18),
        (209, 0.05, 3, 7, 7),
        (50, 0.25, 2, 4, 2),
        (69, 0.2, 2, 4, 3),
        (1000, 0.02, 18, 57, 55),
    ],
)
def test_known_numbers_of_updates(rows, eta, counted, mean, quantile):
    """The most for a gain of .05: by the count alone, by level, and for three attackers in four."""
    bound = SquaredError(1.0)

    def most(keeps):
        return largest(lambda updates: updates <= 100 and keeps(digest(eta, updates, 1000)))

    assert most(lambda told: bound.keeps(Transcripts(told.nats), rows, 0.05)) == counted
    assert most(lambda told: bound.keeps(told, rows, 0.05)) == mean
    assert most(lambda told: bound.keeps(told, rows, 0.05, 0.25)) == quantile


@pytest.mark.parametrize("delta", [None, 0.05, 0.25])
@pytest.mark.parametrize("bound", [SquaredError(1.0), SquaredError(0.7), RootSquaredError(1.0)])
def test_what_is_kept_is_what_is_bounded(bound, delta):
    for rows, eta, updates in ((30, 0.1, 3), (209, 0.1, 10), (1000, 0.05, 20)):
        told = digest(eta, updates, 500)
        gain = bound.bound(told, rows, delta)
        simple = bound.bound(Transcripts(told.nats), rows, delta)
        assert gain <= simple * (1.0 + 1e-9)
        assert bound.keeps(told, rows, gain * 1.005, delta)
        assert not bound.keeps(told, rows, gain * 0.98, delta)


@pytest.mark.parametrize("bound", [SquaredError(1.0), RootSquaredError(1.0)])
def test_levels_help_for_rare_gains_too(bound):
    """What is left to noise of extreme length is a share of the chance, however small that is."""
    told = digest(0.1, 10, 1000)
    assert bound.bound(told, 209, 1e-5) < 0.9 * bound.bound(Transcripts(told.nats), 209, 1e-5)


def test_more_rows_and_fewer_updates_are_safer():
    bound = SquaredError(1.0)
    rows = [bound.bound(digest(0.1, 8, 400), n) for n in (20, 50, 209, 1000)]
    assert rows == sorted(rows, reverse=True)
    updates = [bound.bound(digest(0.1, w, 400), 209) for w in (1, 2, 4, 8, 16)]
    assert updates == sorted(updates)


# Adversaries of small boards, who know everything but the noise


CASES = [
    (3, 0.25, 2, 1),
    (4, 0.25, 3, 4),
    (6, 0.1, 2, 3),
    (8, 0.25, 2, 20),
    (10, 0.1, 3, 5),
]


@pytest.mark.parametrize(("rows", "eta", "updates", "files"), CASES)
@pytest.mark.parametrize("variance", [0.6, 1.0])
def test_no_adversary_gains_more_from_normal_noise(rows, eta, updates, files, variance):
    """Several ways to send files, and the best last file for each transcript."""
    rng = np.random.default_rng(rows * 100 + files)
    told = digest(eta, updates, updates * files)
    bound = SquaredError(1.0)
    mean = bound.bound(told, rows)
    for way in range(4):
        e = sqrt(variance) * rng.standard_normal((60_000, rows))
        gains, chosen = SmallBoard(told, updates, files, way).play(e, rng)
        error = gains.std(ddof=1) / sqrt(len(gains))
        assert gains.mean() <= mean + stats.norm.isf(FALSE_ALARM) * error
        for delta in (0.25, 0.05):
            high = bound.bound(told, rows, delta)
            exceeded = np.sum(chosen(high) > high)
            assert exceeded <= stats.binom.isf(FALSE_ALARM, len(gains), delta)


@pytest.mark.parametrize(("rows", "eta", "updates", "files"), CASES)
@pytest.mark.parametrize("square", [0.55, 0.7, 1.0])
def test_no_adversary_gains_more_on_a_sphere(rows, eta, updates, files, square):
    """The length of the noise is known, too: the bound for this length."""
    rng = np.random.default_rng(rows * 100 + files + 1)
    told, at = digest(eta, updates, updates * files), np.array([square])
    sphere = Sphere(told, rows)
    mean = float(sphere.mean(at, at)[0])
    for way in range(4):
        e = rng.standard_normal((60_000, rows))
        e *= sqrt(rows * square) / np.linalg.norm(e, axis=1, keepdims=True)
        gains, chosen = SmallBoard(told, updates, files, way).play(e, rng)
        error = gains.std(ddof=1) / sqrt(len(gains))
        assert gains.mean() <= mean + stats.norm.isf(FALSE_ALARM) * error
        for gain in (0.3 * square, 0.6 * square):
            chance = sphere.chance(at, at, np.array([gain / square]))[0]
            exceeded = np.sum(chosen(gain) > gain * (1.0 + 1e-9))
            assert exceeded <= stats.binom.isf(FALSE_ALARM, len(gains), min(chance, 1 - 1e-12))


@pytest.mark.parametrize(("rows", "eta", "updates"), [(3, 0.25, 1), (3, 0.25, 3), (10, 0.1, 3)])
def test_the_adversaries_can_win(rows, eta, updates):
    """Of a smaller bound: they reach a fair part of it where each update has one file."""
    rng = np.random.default_rng(5)
    told, at = digest(eta, updates, updates), np.array([0.7])
    best = 0.0
    for way in range(4):
        e = rng.standard_normal((60_000, rows))
        e *= sqrt(rows * 0.7) / np.linalg.norm(e, axis=1, keepdims=True)
        best = max(best, SmallBoard(told, updates, 1, way).play(e, rng)[0].mean())
    bound = float(Sphere(told, rows).mean(at, at)[0])
    assert 0.3 * bound < best <= bound
