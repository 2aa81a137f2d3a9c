"""Kendall's tau-b against SciPy and against all pairs of rows."""

import numpy as np
import pytest
from scipy import stats

from shakedown.leaderboard.board import Board
from shakedown.leaderboard.mechanism import mechanisms
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream

TAU = find("kendall")


def pair(seed, n, digits=1):
    """A response and a prediction; the fewer digits, the more ties."""
    y, noise = np.random.default_rng(seed).standard_normal((2, n))
    return y.round(digits), (y + noise).round(digits)


def by_pairs(y, p, w):
    """From the definition: each pair of rows counts as often as the product of its weights."""
    products = np.triu(np.outer(w, w), 1)
    dy, dp = (np.sign(values[:, None] - values) for values in (y, p))
    alike, apart_y, apart_p = ((products * part).sum() for part in (dy * dp, dy != 0.0, dp != 0.0))
    return alike / np.sqrt(apart_y * apart_p)


@pytest.mark.parametrize("digits", [0, 1, 12])
@pytest.mark.parametrize("n", [2, 3, 10, 300])
def test_it_is_that_of_scipy(n, digits):
    for seed in range(10):
        y, p = pair(seed, n, digits)
        if np.ptp(y) and np.ptp(p):
            assert TAU.function(y, p) == pytest.approx(stats.kendalltau(y, p).statistic, abs=1e-13)
            assert TAU.function(p, y) == pytest.approx(TAU.function(y, p), abs=1e-13)


def test_by_hand():
    """Of six pairs 4 are alike, 1 is not, and 1 is tied in the prediction: 3 / sqrt(6 x 5)."""
    y, p = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 1.0, 5.0, 4.0])
    assert TAU.function(y, p) == pytest.approx(3 / np.sqrt(30), rel=1e-15)
    assert TAU.function(y, y**3) == 1.0
    assert TAU.function(y, -y) == -1.0
    assert TAU.function(y, np.array([2.0, 1.0, 4.0, 3.0])) == pytest.approx(1 / 3)


@pytest.mark.parametrize("digits", [0, 1, 12])
def test_weights_are_those_of_pairs(digits):
    for seed in range(10):
        y, p = pair(seed, 25, digits)
        w = np.random.default_rng(seed).standard_exponential(25)
        assert TAU.function(y, p, sample_weight=w) == pytest.approx(by_pairs(y, p, w), abs=1e-13)
        assert TAU.function(y, p, sample_weight=9.0 * w) == pytest.approx(by_pairs(y, p, w))


def test_a_perfect_file_has_1_whatever_the_weights():
    for seed in range(20):
        y, _ = pair(seed, 40)
        w = np.random.default_rng(seed).standard_exponential(40)
        assert TAU.function(y, y, sample_weight=w) == pytest.approx(1.0, abs=1e-14)
        assert abs(TAU.function(y, y, sample_weight=w)) <= 1.0


def test_a_constant_has_none_and_a_constant_sample_counts_as_0():
    y, p = pair(1, 12)
    same = np.full(12, 0.1)
    assert np.isnan(
        [TAU.function(y, same), TAU.function(same, p), TAU.function(y[:1], p[:1])]
    ).all()
    one_row = np.eye(12)[3]
    assert TAU.function(y, p, sample_weight=one_row) == 0.0
    assert TAU.function(y, same, sample_weight=np.ones(12)) == 0.0


def test_other_kinds_of_arrays_are_taken():
    y, p = pair(2, 30)
    both = np.stack([y, p], axis=1)
    assert TAU.function(both[:, 0], both[:, 1]) == TAU.function(y, p)
    whole = np.arange(30)
    assert TAU.function(whole, (p * 10).astype(int)) == TAU.function(whole.astype(float), p * 10)


def test_a_board_with_a_baseline_starts_at_0():
    """Also in a replay, where a file without a score is refused."""
    y, p = pair(3, 40)
    (mechanism,) = mechanisms(
        [{"name": "general_ladder", "eta": 0.1, "defences": [{"name": "baseline"}]}]
    )
    for more in ({}, {"undefined_is_zero": True}):
        board = Board(Scorer(TAU, y, **more), mechanism, lambda *axes: stream(1, *axes))
        assert board.shown == 0.0
        receipt = board.submit(np.stack([-y, p]))
        assert receipt.accepted.tolist() == [False, True]
