"""Crowds of files: their literal twin, the moments that they rest on, and how far they get."""

from functools import partial

import numpy as np
import pytest
from scipy import stats

from shakedown.attacks.attack import ATTACKS
from shakedown.attacks.crowds import Belief, Crowd, largest, next_level, truncated
from shakedown.attacks.models import LeastSquares
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream
from shakedown.simulation.session import Session
from shakedown.terms import Schedule
from tests.attacks.test_adversaries import Silent, attacked, holder, response, signs
from tests.reference import number_attacks as literal


@pytest.mark.parametrize("honest", [0, 2])
@pytest.mark.parametrize(("metric", "every"), [("pearson", 1), ("pearson", 4), ("spearman", 4)])
def test_they_end_with_the_literal_ones(metric, every, honest):
    n, k, seed = 40, 30, 2
    view, y = holder(seed, n)
    setting = f"digest(eta=0.05,floor=0.6,every={every},updates=7)"

    def session():
        scorer = Scorer(find(metric), y, undefined_is_zero=True)
        return Session(scorer, of_setting(setting), partial(stream, seed))

    attack = ATTACKS.make("crowds", submissions=k, points=[*range(1, k + 1)], honest=honest)
    prepared = attack.prepare(view, LeastSquares(), stream(seed, "attack"))
    game, board = prepared.play(session().open), session().open()
    drawn = signs(seed, k, n)
    if metric == "spearman":
        at = np.arange(1, n + 1)
        drawn = drawn * at[np.argsort(np.cos((at + 0.618) ** 2))]
    expected = literal.crowds(
        drawn, lambda file: board.submit(file[None]).released[0], prepared.honest,
        residual=prepared.residual, start=board.terms.start, step=0.05, floor=0.6, every=every,
        updates=7,
    )  # fmt: skip
    # The largest of several is read off a grid.
    np.testing.assert_allclose(game.models.public, expected, atol=2e-3)
    assert game.models.n_selected[-1] >= 6


@pytest.mark.parametrize("count", [1, 2, 50, 500])
def test_the_largest_of_several_has_these_moments(count):
    """Those of an integral over its density; one is standard normal."""
    x = stats.norm
    density = lambda z: count * x.pdf(z) * x.cdf(z) ** (count - 1)  # noqa: E731
    grid = np.linspace(-9, 9, 200_001)
    weights = density(grid) * (grid[1] - grid[0])
    mean, variance = largest(count)
    assert mean == pytest.approx(weights @ grid, abs=1e-4)
    assert variance == pytest.approx(weights @ (grid - weights @ grid) ** 2, abs=1e-4)


@pytest.mark.parametrize(("low", "high"), [(-np.inf, 0.5), (0.2, 0.4), (1.5, np.inf), (-2, -1)])
def test_the_moments_of_a_truncated_normal_variable(low, high):
    known = stats.truncnorm(low, high)
    assert truncated(low, high) == pytest.approx((known.mean(), known.var()), abs=1e-6)


def test_the_largest_product_of_a_crowd_by_brute_force():
    """200,000 responses; a product of 40 files, whose own directions are orthogonal."""
    rng = np.random.default_rng(1)
    n, count = 60, 40
    belief = Belief(np.zeros(n), 1.0)
    belief.learn(0.0, float(n - 1), rng.permutation(np.r_[np.ones(30), -np.ones(30)]), 6.0, 12.0)
    own = belief.unknown(rng.standard_normal((count, n)))
    shared, own = own[0], own - np.outer(own @ own[0], own[0])
    own = np.linalg.qr(np.vstack([belief.m, np.ones(n), shared, own[1:]]).T)[0].T[3:]
    known = belief.m / np.sqrt(belief.m @ belief.m)
    crowd = Crowd(0.6 * known + 0.5 * shared, own, np.sqrt(1 - 0.36 - 0.25))
    mean, variance, q = crowd.best(belief)
    S = np.array([belief.times(e) for e in np.eye(n)])
    y = rng.multivariate_normal(belief.m, S, 200_000)
    best = (y @ (crowd.core + crowd.apart * own).T).max(axis=1)
    assert best.mean() == pytest.approx(mean, abs=0.01)
    assert best.var() == pytest.approx(variance, rel=0.02)
    covariance = (y - y.mean(axis=0)).T @ (best - best.mean()) / len(y)
    np.testing.assert_allclose(covariance, q, atol=0.015)


def test_levels_lie_between_what_is_shown_and_the_floor():
    schedule = Schedule(10, 5, 0.5)
    assert next_level(0.0, 0.1, schedule) == pytest.approx((0.1, 5))
    assert next_level(0.3, 0.1, schedule) == pytest.approx((0.4, 2))
    assert next_level(0.25, 0.1, schedule) == pytest.approx((0.3, 3))
    assert next_level(0.5, 0.1, schedule)[1] == 0


@pytest.mark.parametrize(("metric", "n", "least"), [
    ("pearson", 71, 0.18), ("pearson", 209, 0.09), ("ccc", 209, 0.09), ("spearman", 209, 0.07),
])  # fmt: skip
def test_how_far_they_get_on_a_digest(metric, n, least):
    """Medians of 20: .23, .125, .125 and .11, where the greedy climb has .14 and 0."""
    ends = []
    for seed in range(20):
        game, _ = attacked(
            "crowds", "digest(eta=0.1,floor=0.5,every=50,updates=10)", seed, 500, n=n,
            metric=metric, points=[500],
        )  # fmt: skip
        file = game.models.public[-1]
        ends.append(find(metric).score(response(seed, n), file[None])[0] if file.any() else 0.0)
    assert np.median(ends) > least


def test_ranks_of_random_directions_are_not_those_of_what_is_known():
    """Those of signs were, among equal ones: holders gained .007 in place of .055."""
    gains = []
    for seed in range(8):
        view, y = holder(seed, 80)
        scorer = Scorer(find("spearman"), y, undefined_is_zero=True)
        board = of_setting("digest(eta=0.06,floor=0.9,every=10,updates=10)")
        session = Session(scorer, board, partial(stream, seed))
        attack = ATTACKS.make("crowds", submissions=100, points=[100], honest=2)
        prepared = attack.prepare(view, LeastSquares(), stream(seed, "attack"))
        game = prepared.play(session.open)
        ends = np.array([game.models.public[-1], prepared.honest])
        after, before = find("spearman").score(y, ends)
        gains.append(after - before)
    assert np.mean(gains) > 0.03


def test_they_learn_from_the_shown_scores_alone():
    n, seed, submissions = 40, 3, 30
    view, y = holder(seed, n)
    scorer = Scorer(find("pearson"), y, undefined_is_zero=True)
    board = of_setting("digest(eta=0.05,floor=0.6,every=4,updates=7)")
    games = []
    for blinded in (False, True):
        session = Session(scorer, board, partial(stream, seed))
        attack = ATTACKS.make("crowds", submissions=submissions, points=[submissions])
        prepared = attack.prepare(view, None, stream(seed, "attack"))

        def opened(session=session, blinded=blinded):
            return Silent(session.open()) if blinded else session.open()

        games.append(prepared.play(opened).models.public)
    np.testing.assert_array_equal(*games)
    assert games[0].any()


def test_several_accounts_share_what_they_learn():
    ends = {}
    for accounts in (1, 4):
        ends[accounts] = []
        for seed in range(10):
            k = 200 * accounts
            game, session = attacked(
                "crowds", "digest(eta=0.1,floor=0.5,every=20,updates=10)", seed, k, n=100,
                metric="pearson", points=[k], accounts=accounts,
            )  # fmt: skip
            file = game.models.public[-1]
            score = find("pearson").score(response(seed, 100), file[None])[0] if file.any() else 0
            ends[accounts].append(score)
    assert np.median(ends[4]) > np.median(ends[1]) + 0.05
