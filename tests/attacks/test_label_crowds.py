"""Crowds of labels: their literal twin, the moments that they rest on, and how far they get."""

from functools import partial

import numpy as np
import pytest

from shakedown.attacks import label_crowds
from shakedown.attacks.crowds import LIKELY, largest
from shakedown.attacks.label_crowds import LabelMoments, bounds_of, level_below, worth_of_crowds
from shakedown.seeding import stream
from shakedown.terms import Schedule, Terms
from tests.attacks.test_resubmission import gains, played, with_and_without_acceptance
from tests.reference import label_attacks as literal

played = partial(played, name="label_crowds")
COARSE = "digest(eta=0.05,floor=0.2,every=50,updates=10)"


@pytest.mark.parametrize(("every", "updates"), [(1, 60), (1, 9), (4, 9), (7, 20)])
def test_they_end_with_the_literal_ones(every, updates):
    n, k, seed = 40, 45, 2
    game, again, _, _ = played(
        f"digest(eta=0.03,floor=0.2,every={every},updates={updates})", seed, k, n=n
    )
    board = again.open()
    expected = literal.label_crowds(
        np.zeros(n), lambda file: board.submit(file[None]).released[0],
        np.random.Generator(np.random.SFC64(int(stream(seed, "attack").integers(2**63)))), k,
        share=56 / 102, start=board.terms.start, step=0.03, floor=0.2, every=every,
        updates=updates, weights=label_crowds.WEIGHTS, of_core=label_crowds.OF_CORE,
        of_file=label_crowds.OF_FILE, likely=LIKELY, spared=label_crowds.SPARED,
    )  # fmt: skip
    np.testing.assert_array_equal(game.models.public, expected)
    assert (game.models.public[-1] != game.honest.public[0]).any()


def belief(n, updates=0):
    """What two updates have told of n labels."""
    rng = np.random.default_rng(4)
    known = LabelMoments(np.full(n, -0.1), 0.99, updates)
    known.measure(-np.ones(n), 0.1 * n)
    for low, high in ((2.0, 9.0), (-np.inf, 5.0)):
        known.bound(*known.best(np.sign(rng.standard_normal((3, n)))), low, high)
    return known


@pytest.mark.parametrize("k", [0, 3, 20])
def test_the_largest_product_of_a_crowd_by_brute_force(k):
    """100,000 draws from the posterior, and 40 files with k labels of a core flipped in each."""
    n, count, rng = 60, 40, np.random.default_rng(1)
    known = belief(n)
    S = known.times(np.eye(n))
    np.testing.assert_allclose(known.variances(), np.diag(S))
    core = np.sign(rng.standard_normal(n))
    files = core[None].repeat(count, axis=0)
    for file in files:
        file[rng.choice(n, k, replace=False)] *= -1.0
    y = rng.multivariate_normal(known.m, S, 100_000)
    best = (y @ files.T).max(axis=1)
    if k == 0:  # equal files, which are never sent with others: one of them
        files = files[:1]
    mean, variance, q = known.best(files)
    assert best.mean() == pytest.approx(mean, abs=0.5)
    assert best.var() == pytest.approx(variance, rel=0.12)
    covariance = (y - y.mean(axis=0)).T @ (best - best.mean()) / len(y)
    np.testing.assert_allclose(covariance, q, atol=0.25)


@pytest.mark.parametrize("k", [0, 3, 20])
def test_what_a_crowd_is_expected_to_tell_is_that_of_many_such_crowds(k):
    """Moments of 4,000 files with k random labels flipped instead of the formulas."""
    n, rng = 60, np.random.default_rng(2)
    known, core = belief(n), np.sign(np.random.default_rng(3).standard_normal(n))
    covered = known.times(core[None])
    files = core[None].repeat(4000 if k else 1, axis=0)
    for file in files:
        file[rng.choice(n, k, replace=False)] *= -1.0
    mean, variance, q = known.best(files)
    e, v = largest(len(files))
    worth = worth_of_crowds(
        np.array([core @ covered[0]]), np.array([covered[0] @ covered[0]]),
        np.array([core @ known.m]), np.array([np.var(core * known.m)]),
        known.variances().sum(), n, np.array([k]), mean, LIKELY, e, v,
    )[0, 0]  # fmt: skip
    # At the mean a level passes with the probability 1/2: the density squared, by 1/4.
    assert worth == pytest.approx(q @ q / variance * 2.0 / np.pi, rel=0.05)


def test_both_ways_of_keeping_the_posterior_agree():
    low_rank, matrix = belief(30), belief(30, updates=30)
    np.testing.assert_allclose(matrix.m, low_rank.m)
    np.testing.assert_allclose(matrix.times(np.eye(30)), low_rank.times(np.eye(30)), atol=1e-12)
    np.testing.assert_allclose(matrix.variances(), low_rank.variances())


@pytest.mark.parametrize("updates", [0, 30])
def test_flipped_files_are_those_of_the_order(updates):
    """The first 1, 4 and 15 labels of an order flipped, and S times each of the files."""
    known, rng = belief(30, updates), np.random.default_rng(5)
    file, order = np.sign(rng.standard_normal(30)), rng.permutation(30)
    files, covered = known.times_flipped(file, order, np.array([1, 4, 15]))
    for row, size in zip(files, (1, 4, 15), strict=True):
        np.testing.assert_array_equal(np.flatnonzero(row != file), np.sort(order[:size]))
    np.testing.assert_allclose(covered, known.times(files), atol=1e-12)


def test_levels_bound_the_number_of_right_labels():
    """Of 40 labels, products are even; a loss of .3 is 12 wrong labels, and the product 16."""
    terms = Terms("zero_one", begins=True, start=0.45, step=0.1, schedule=Schedule(5, 4, 0.2))
    assert level_below(0.45, terms) == pytest.approx((0.4, 3))
    assert level_below(0.4, terms) == pytest.approx((0.3, 2))
    assert level_below(0.2, terms)[1] == 0
    assert bounds_of(0.4, 0.4, terms, 40) == (-np.inf, 15.0)
    assert bounds_of(0.4, 0.3, terms, 40) == (15.0, 23.0)
    assert bounds_of(0.4, 0.2, terms, 40) == (23.0, np.inf)


@pytest.mark.parametrize(("n", "least"), [(71, 0.042), (209, 0.003)])
def test_how_far_they_get_on_a_coarse_digest(n, least):
    """Medians after 500 files: .085 and .010, where the label climb has .042 and 0.

    Means of 60: .077 and .013 with standard errors of .005 and .002, those of the climb .054 and
    .006 with .005 and .003.  Each least is three or more of them below.
    """
    ours = -gains(COARSE, 500, 60, n=n, name="label_crowds")
    assert np.mean(ours) > 1.4 * least
    assert np.median(ours) > least


def test_they_learn_from_the_shown_scores_alone():
    games = with_and_without_acceptance("label_crowds", COARSE, 300)
    np.testing.assert_array_equal(*games)
    assert games[0].any()


def test_points_within_an_interval_change_nothing():
    setting = "digest(eta=0.05,floor=0.2,every=9,updates=8)"
    every, _, _, _ = played(setting, 3, 80)
    few, _, _, _ = played(setting, 3, 80, points=[4, 9, 40, 80])
    np.testing.assert_array_equal(few.models.public, every.models.public[[3, 8, 39, 79]])
    # What is left after the last whole interval tells nothing.
    assert every.models.n_selected.tolist() == [9 * min(t // 9, 8) for t in range(1, 81)]


@pytest.mark.parametrize("setting", ["full_disclosure", "ladder(alpha=0.15)+baseline"])
def test_boards_without_updates_are_left_alone(setting):
    game, _, _, _ = played(setting, 0, 20)
    assert not game.models.public.any()
    assert not game.models.n_selected.any()
