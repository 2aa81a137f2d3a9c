"""The shortcut for small changes of labels: the same as submitting each by itself."""

from functools import cached_property, partial

import numpy as np
import pytest

from shakedown.leaderboard import hill_climb
from shakedown.leaderboard.board import Board
from shakedown.leaderboard.gates import PairedTest
from shakedown.leaderboard.mechanism import Mechanism, mechanism
from shakedown.leaderboard.releases import Rounded
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream

STREAMS = partial(stream, 5)


class CoarseLadder(Mechanism):
    """A Ladder that shows less than it decides by: an accepted change need not lower the score."""

    name = "coarse_ladder"
    label = "Coarse Ladder"

    @cached_property
    def gate(self):
        return PairedTest(0.3, rounds_best=True)  # a few more different labels are too many

    @cached_property
    def release(self):
        return Rounded(0.1)


EVERY = [
    mechanism("full_disclosure"),
    mechanism("kaggle"),
    mechanism("general_ladder", eta=0.05),
    mechanism("general_ladder", eta=0.03),  # no multiple of 1/n
    mechanism("simplified_ladder", eta=0.05),
    mechanism("parameter_free_ladder"),
    mechanism("ladder", alpha=0.4),
    CoarseLadder(),
    mechanism("ladder", alpha=0.6),  # a margin below 0: worse ones can be accepted
    mechanism("ladderboot", alpha=0.3, b=5),
    mechanism("bayesboot_ladder", posterior_odds=1.0, draws=50),
]
n = 60


def board_and_start(mechanism, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n).astype(float)
    board = Board(Scorer(find("zero_one"), y), mechanism, STREAMS)
    start = rng.integers(0, 2, n).astype(float)
    lowest = float(board.submit(start[None]).released[0])
    return board, start, lowest, rng


def moves_of(rng, m=40, size=4):
    moves = np.array([rng.permutation(n)[:size] for _ in range(m)])
    moves[rng.random((m, size)) < 0.3] = -1
    return moves


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("mechanism", EVERY, ids=repr)
def test_a_climb_is_what_single_submissions_are(mechanism, seed):
    ours, labels, lowest, rng = board_and_start(mechanism, seed)
    other, their_labels, _, _ = board_and_start(mechanism, seed)
    for _ in range(3):
        moves = moves_of(rng)
        climbed = ours.climb(labels, moves, lowest)
        singly = other._climb_one_by_one(their_labels, moves, lowest)
        for mine, single in zip(climbed, singly, strict=True):
            np.testing.assert_array_equal(mine, single)
        np.testing.assert_array_equal(labels, their_labels)
        lowest = min(lowest, float(climbed.shown.min()))
        assert ours.state.risk == other.state.risk
        np.testing.assert_array_equal(ours.state.row, other.state.row)
        assert (ours.counts, ours.shown) == (other.counts, other.shown)
    probe = rng.integers(0, 2, (5, n)).astype(float)
    np.testing.assert_array_equal(ours.submit(probe), other.submit(probe))


@pytest.mark.parametrize("mechanism", EVERY[:6], ids=repr)
def test_a_base_that_is_not_in_force_is_no_harm(mechanism):
    """Labels that were never submitted, and a lowest score that the board never showed."""
    ours, _, _, rng = board_and_start(mechanism, 1)
    other, _, _, _ = board_and_start(mechanism, 1)
    labels = rng.integers(0, 2, n).astype(float)
    theirs, moves = labels.copy(), moves_of(rng)
    climbed = ours.climb(labels, moves, 0.45)
    singly = other._climb_one_by_one(theirs, moves, 0.45)
    for mine, single in zip(climbed, singly, strict=True):
        np.testing.assert_array_equal(mine, single)
    np.testing.assert_array_equal(ours.state.row, other.state.row)
    assert ours.state.risk == other.state.risk


def test_the_shortcut_takes_what_it_can():
    zero_one, mse = find("zero_one"), find("mse")
    known = {
        repr(mechanism)
        for mechanism in EVERY
        if hill_climb.numbers_of(mechanism, zero_one, n) is not None
    }
    assert known == {repr(mechanism) for mechanism in EVERY[:9]}
    assert all(hill_climb.numbers_of(mechanism, mse, n) is None for mechanism in EVERY)
