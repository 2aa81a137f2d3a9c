"""The last jump on signals whose answer is known."""

import numpy as np
import pytest

from .changepoints import last_jump, last_jump_of_at_most


def steps(lengths, levels, noise=0.0, seed=31):
    clean = np.repeat(np.asarray(levels, dtype=float), lengths)
    return clean + noise * np.random.default_rng(seed).normal(size=len(clean))


@pytest.mark.parametrize("noise", [0.0, 0.02])
def test_planted_jumps(noise):
    # Jumps are 50 sd of the noise or more: the segmentation cannot miss.
    signal = steps([7, 12, 9, 15], [5, 3, 2, 1], noise)
    assert last_jump(signal, 3) == 28


def test_one_jump_is_the_best_split():
    rng = np.random.default_rng(32)
    for _ in range(50):
        signal = rng.normal(size=25)
        left = np.arange(2, 24)  # both sides hold two points or more
        rest = [
            np.sum((signal[:t] - signal[:t].mean()) ** 2)
            + np.sum((signal[t:] - signal[t:].mean()) ** 2)
            for t in left
        ]
        assert last_jump(signal, 1) == left[np.argmin(rest)]


def test_fewer_jumps_than_there_are_find_the_largest():
    signal = steps([10, 10, 10], [9, 1, 0], 0.01)
    assert last_jump(signal, 1) == 10
    assert last_jump(signal, 2) == 20


def test_no_jumps_asked():
    assert last_jump([3.0, 1.0, 1.0, 1.0], 0) is None


def test_more_jumps_than_fit():
    signal = np.array([5.0, 5.1, 1.0, 1.1, 1.05])
    # Five points hold two segments of two points, so one jump.
    assert last_jump(signal, 4) == last_jump(signal, 1) == 2
    assert last_jump(signal[:3], 1) is None
    assert last_jump([], 1) is None


def test_ends_are_never_split_off():
    assert last_jump([0.0, 0.0, 0.0, 0.0, 0.0, 9.0], 1) == 4
    assert last_jump([0.0, 0.0, 0.0, 0.0, 0.0, 9.0], 1, min_size=1) == 5


def test_at_most_so_many_jumps():
    signal = steps([10, 10, 10], [9, 1, 0], 0.01)
    assert last_jump_of_at_most(signal, 0) is None
    assert last_jump_of_at_most(signal, 1) == 10
    # Told nine, the plain search splits noise; the penalty does not allow that.
    assert [last_jump_of_at_most(signal, most) for most in (2, 9)] == [20, 20]
    assert last_jump(signal, 9) != 20
    assert last_jump_of_at_most(signal[:3], 1) is None
