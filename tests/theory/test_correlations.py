"""Bounds of the gain in a correlation, with a model of any strength or none."""

from collections import defaultdict
from math import exp, sqrt

import numpy as np
import pytest
from scipy import integrate, special, stats

from shakedown.leaderboard.disclosure import Disclosure
from shakedown.theory import correlations
from shakedown.theory.caps import mean_cosine_squared
from shakedown.theory.correlations import StandardisedCorrelation, chance, mean_gain
from shakedown.theory.proved import digests_within, proved_limits
from shakedown.theory.transcripts import Transcripts, board_transcripts

#: Chance that a test fails although a bound holds with equality, each.
FALSE_ALARM = 1e-6
BOUND = StandardisedCorrelation()


def digest(step, updates, files, floor=0.9):
    shown = Disclosure(
        step, falls=True, starts=True, updates=updates, every=files, floor=-floor, slack=0.0
    )
    return board_transcripts(shown, submissions=updates * files, start=0.0, floor_=-1.0)


def concentration(d, mean):
    """Of a von Mises-Fisher law with this mean, and none for 0."""
    low, high = 0.0, 1e6
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if mean_of(d, middle) < mean else (low, middle)
    return low


def mean_of(d, kappa):
    """I_{d/2} / I_{d/2-1}, by its continued fraction."""
    ratio = np.zeros_like(kappa, dtype=float)
    for k in range(4000, 0, -2):
        ratio = kappa / (d + k - 2 + kappa * ratio)
    return ratio


def directions(rows, mean, plays, rng):
    """Responses as unit vectors in n - 1 dimensions; the honest file is the first coordinate."""
    d = rows - 1
    if mean:
        law = stats.vonmises_fisher(np.eye(d)[0], concentration(d, mean), seed=rng)
        return law.rvs(plays)
    y = rng.standard_normal((plays, d))
    return y / np.linalg.norm(y, axis=1, keepdims=True)


def play(y, step, updates, files, way, rng, floor=0.9):
    """Transcripts of a digest that is played the same way against all responses.

    Each update has `files` files, which depend on the levels shown so far: a share of the honest
    file and a random direction.  Returns the responses of each transcript, by their numbers.
    """
    levels = int(round(floor / step))
    groups = {(0,): np.arange(len(y))}
    for _ in range(updates):
        after = defaultdict(list)
        for history, members in groups.items():
            best = np.zeros(len(members))
            for _ in range(files):
                file = rng.standard_normal(y.shape[1])
                file[0] = 0.0
                share = (0.0, 0.3 + 0.6 * rng.random(), min(step * (history[-1] + 1), 0.99))[way]
                file *= sqrt(1 - share**2) / np.linalg.norm(file)
                file[0] = share
                best = np.maximum(best, y[members] @ file)
            shown = np.maximum(np.minimum(np.floor(best / step + 1e-9), levels), history[-1])
            for level in np.unique(shown).astype(int):
                after[*history, int(level)].append(members[shown == level])
        groups = {history: np.concatenate(parts) for history, parts in after.items()}
    return list(groups.values())


def gains(y, transcripts):
    """Each response's gain with the file that is best for its transcript, found by the others."""
    made = np.zeros(len(y))
    for members in transcripts:
        halves = members[::2], members[1::2]
        for own, other in (halves, halves[::-1]):
            if not len(other):
                continue
            file = y[other].mean(axis=0)
            made[own] = y[own] @ file / np.linalg.norm(file)
    return made


@pytest.mark.parametrize("dimension", [9, 49, 208, 999])
def test_the_concentration_of_a_strength_is_not_too_large(dimension):
    """Amos 1974: I_(v+1)/I_v (k) <= k / (v + 1/2 + sqrt(k^2 + (v + 1/2)^2))."""
    rho = np.linspace(0.001, 0.999, 500)
    kappa = (dimension - 1) * rho / (1 - rho**2)
    mean = mean_of(dimension, kappa)
    assert (mean <= rho + 1e-12).all()
    assert (mean >= 0.8 * rho).all()


@pytest.mark.parametrize("rho", [0.0, 0.05, 0.3, 0.8])
@pytest.mark.parametrize("rows", [10, 60, 1000])
def test_the_luck_of_the_honest_file_is_integrated(rows, rho):
    d = rows - 1
    kappa = (d - 1) * rho / (1 - rho**2)
    a, weight = correlations._luck(rho, rows)
    assert weight @ a == pytest.approx(mean_of(d, kappa), abs=1e-6)
    top = float(a[np.argmax(weight)])

    def density(x):
        ln = kappa * (x - top) + (d - 3) / 2 * (np.log1p(-x * x) - np.log1p(-top * top))
        return np.exp(ln)

    ends = max(-1.0, top - 15 / sqrt(d)), min(1.0, top + 15 / sqrt(d))
    whole = integrate.quad(density, *ends, points=[top])[0]
    part = integrate.quad(
        lambda x: density(x) * sqrt(x * x + (1 - x * x) * 0.01), *ends, points=[top, 0.0]
    )[0]
    assert weight @ np.sqrt(a * a + (1 - a * a) * 0.01) == pytest.approx(part / whole, abs=1e-6)


def test_what_is_left_after_luck_falls_with_the_strength():
    for rows in (10, 100, 2000):
        table = correlations._with_luck_given_away((0.0, 0.001, 0.01, 0.1, 0.5), rows)
        assert (np.diff(table, axis=0) <= 1e-9).all()
        assert table[0, 0] == pytest.approx(  # E|a| of a direction in n - 1 dimensions
            exp(special.gammaln((rows - 1) / 2) - special.gammaln(rows / 2)) / sqrt(np.pi), rel=1e-3
        )


@pytest.mark.parametrize("gain", [0.003, 0.02, 0.05, 0.2, 0.6])
def test_the_fewest_deviations_of_a_file_are_found(gain):
    rho = correlations.strengths(209)[::5]
    q = np.linspace(1e-6, 2.0, 400_001)
    found = correlations._fewest_deviations(gain, rho)
    assert (np.diff(found) >= 0.0).all()
    for k in range(len(rho)):
        first, other = (gain + rho[k] * q) / np.sqrt(2 * q), gain - rho[k] * (1 - q)
        within = np.minimum(q, 1.0)
        together = np.where(q < 1.0, gain / np.sqrt(within * (2 - within)), other)
        least = np.maximum(first, together).min()
        assert found[k] == pytest.approx(least, abs=1e-4)
        assert found[k] <= least
        # What is added for q < 1 follows from the two conditions of a file.
        assert (np.maximum(first, other) <= np.maximum(first, together) + 1e-12).all()


def test_a_worthless_file_is_no_baseline():
    """Its opposite gains over it by luck; over a constant, only as any file does."""
    rng = np.random.default_rng(3)
    y = directions(100, 0.0, 200_000, rng)
    over_itself = np.mean(-2.0 * y[:, 0] > 0.1)
    over_the_better = np.mean(-y[:, 0] - np.maximum(y[:, 0], 0.0) > 0.1)
    bound = chance(Transcripts(0.0), 100, 0.1)
    assert over_the_better < bound < over_itself


@pytest.mark.parametrize("rows", [10, 50, 209, 1000])
def test_counts_bound_caps_of_the_sphere(rows):
    """Without a model the best of N equal shares are caps."""
    for number in (2, 3, 10, 1000):
        cap = sqrt(float(mean_cosine_squared(-np.log(number), rows - 1)))
        bound = mean_gain(Transcripts(np.log(number)), rows)
        assert cap <= bound <= 1.35 * cap + 0.2 * (rows == 10)


@pytest.mark.parametrize(
    ("rows", "step", "updates", "files"),
    [(12, 0.3, 1, 1), (12, 0.3, 3, 1), (30, 0.3, 2, 3), (30, 0.15, 3, 1), (100, 0.25, 2, 5)],
)
@pytest.mark.parametrize("mean", [0.0, 0.1, 0.3, 0.6])
def test_no_adversary_gains_more(rows, step, updates, files, mean):
    rng = np.random.default_rng(rows + files)
    told = digest(step, updates, files)
    bound = BOUND.bound(told, rows)
    plays = 40_000
    for way in range(3):
        y = directions(rows, mean, plays, rng)
        scores = gains(y, play(y, step, updates, files, way, rng))
        more = scores - mean
        error = more.std(ddof=1) / sqrt(plays)
        assert more.mean() <= bound + stats.norm.isf(FALSE_ALARM) * error
        honest = np.maximum(y[:, 0], 0.0)
        for gain in (0.05, 0.1, 0.3):
            most = chance(told, rows, gain)
            exceeded = int(np.sum(scores - honest > gain))
            assert exceeded <= stats.binom.isf(FALSE_ALARM, plays, most) or most >= 1.0


def test_an_adversary_comes_near_the_bound_of_one_bit():
    """Which half of the sphere y is in: the bound of two transcripts is nearly reached."""
    rng = np.random.default_rng(5)
    rows, plays = 50, 100_000
    y = directions(rows, 0.0, plays, rng)
    gained = np.abs(y[:, 3]).mean()
    bound = mean_gain(Transcripts(np.log(2.0)), rows)
    assert 0.95 * bound < gained < bound


@pytest.mark.parametrize("delta", [None, 0.25, 0.05])
@pytest.mark.parametrize("rows", [50, 1000])
def test_bounds_budgets_and_decisions_agree(rows, delta):
    told = digest(0.2, 5, 20)
    most = BOUND.bound(told, rows, delta)
    assert BOUND.keeps(told, rows, most * 1.01, delta)
    assert not BOUND.keeps(told, rows, most * 0.97, delta)
    assert BOUND.bound(told, 2 * rows, delta) < most
    assert most <= BOUND.bound(Transcripts(told.nats), rows, delta) + 1e-9
    nats = BOUND.count_budget(0.3, rows, delta)
    assert BOUND.bound(Transcripts(nats), rows, delta) <= 0.3 * 1.001
    assert BOUND.bound(Transcripts(nats * 1.1 + 0.7), rows, delta) > 0.3


def test_more_levels_updates_and_files_gain_no_less():
    def of(**changed):
        return BOUND.bound(digest(**{"step": 0.2, "updates": 4, "files": 20} | changed), 400)

    for changed in ({"step": 0.1}, {"updates": 8}, {"files": 100}, {"floor": 0.99}):
        assert of(**changed) >= of() * (1 - 1e-9)


def test_information_of_noisy_scores_is_bounded_too():
    for rows in (10, 200):
        assert BOUND.mean(1.0, rows) == pytest.approx(sqrt(2.0 / (rows - 4)))
        assert BOUND.mean(BOUND.budget(0.2, rows), rows) == pytest.approx(0.2)


def test_nothing_is_proved_with_few_rows_or_unequal_variance():
    assert BOUND.bound(digest(0.5, 1, 1), 9) == 1.0
    setting = "digest(eta=0.2,every=50,floor=0.7,updates=10)"
    given = {"most": 500, "quantile": 0.25}
    both = proved_limits(setting, "pearson", 1000, -0.05, **given)
    assert both == (500, 500)
    assert proved_limits(setting, "spearman", 1000, -0.05, **given) == (None, None)
    unequal = proved_limits(setting, "pearson", 1000, -0.05, row_variance=2.0, **given)
    assert unequal == (None, None)
    # Before the first update nothing is told; but of 100 rows any file may gain .05 by chance.
    assert proved_limits(setting, "pearson", 100, -0.05, **given) == (49, 0)


def test_digests_of_correlations_are_offered():
    offered = digests_within(1000, -0.05, 500, metric="pearson", quantile=0.25)
    assert offered
    for entry in offered:
        assert 0.0 < entry["floor"] < 1.0
        told = digest(entry["eta"], int(entry["updates"]), int(entry["every"]), entry["floor"])
        assert BOUND.bound(told, 1000) <= 0.05
        assert BOUND.bound(told, 1000, 0.25) <= 0.05
    assert digests_within(50, -0.05, 500, metric="pearson", quantile=0.25) == []
