"""Exponentials and indices from bit generators side by side."""

import numpy as np
import pytest
from scipy import stats

from shakedown.leaderboard.bootstrap.bits import (
    MOST_IN_16_BITS,
    draw_exponentials,
    draw_indices,
    refused_below,
    room_for_indices,
    side_by_side,
)
from shakedown.leaderboard.bootstrap.vectors import WIDTH
from tests.reference.xoshiro import SideBySide

# Chance that a correct implementation fails one of the random tests below.
FALSE_ALARM = 1e-6


@pytest.fixture(scope="module")
def draws():
    """5000 rows of 224, two from each of 14 words of each generator; shape (5000, 224)."""
    states = side_by_side(np.random.default_rng(3))
    out = np.empty((5000, 14 * 2 * WIDTH))
    for row in out:
        draw_exponentials(states, row)
    return out


def test_they_are_exponential(draws):
    assert stats.kstest(draws.ravel(), "expon").pvalue > FALSE_ALARM
    cells = np.floor(-np.expm1(-draws.ravel()) * 1000).astype(int)
    assert stats.chisquare(np.bincount(cells, minlength=1000)).pvalue > FALSE_ALARM


@pytest.mark.parametrize(("power", "moment", "next_moment"), [(1, 1, 2), (2, 2, 24), (3, 6, 720)])
def test_their_moments(draws, power, moment, next_moment):
    error = np.sqrt((next_moment - moment**2) / draws.size)
    assert abs(np.mean(draws**power) - moment) < stats.norm.isf(FALSE_ALARM / 2) * error


@pytest.mark.parametrize("beyond", [5.0, 7.697, 10.0])
def test_their_tail(draws, beyond):
    beyond_it = draws[draws > beyond] - beyond
    test = stats.binomtest(len(beyond_it), draws.size, np.exp(-beyond))
    assert test.pvalue > FALSE_ALARM
    assert stats.kstest(beyond_it, "expon").pvalue > FALSE_ALARM


def test_neither_generators_nor_draws_depend_on_each_other(draws):
    m, n = draws.shape
    for sums, k in ((draws.sum(axis=0), m), (draws.sum(axis=1), n)):
        assert stats.kstest(sums, stats.gamma(k).cdf).pvalue > FALSE_ALARM
    z = stats.norm.isf(FALSE_ALARM / 2)
    for a, b in ((draws[1:], draws[:-1]), (draws[:, 1:], draws[:, :-1])):
        assert abs(np.mean((a - 1) * (b - 1))) < z / np.sqrt(a.size)  # products have variance 1


def halves(words):
    """The lower halves of some words, and then the upper ones."""
    return [word % 2**32 for word in words] + [word >> 32 for word in words]


def test_each_comes_from_half_a_word():
    states = side_by_side(np.random.default_rng(4))
    alone = SideBySide(states)
    out = np.empty(3 * 2 * WIDTH)
    for _ in range(50):
        draw_exponentials(states, out)
        drawn = [half for _ in range(3) for half in halves(alone.words())]
        midpoints = (np.array(drawn, float) + 0.5) * 2.0**-32
        np.testing.assert_allclose(out, -np.log(midpoints), rtol=1e-9, atol=0)
    np.testing.assert_array_equal(states, alone.states)


def test_the_smallest_and_the_largest():
    ones = np.uint64(2**64 - 1)
    states = np.ones((4, WIDTH), np.uint64)
    states[:, 0] = 0, 5, 7, 0  # the next word is 0
    states[:, 1] = ones, 5, 7, 1  # all its bits are 1
    out = np.empty(2 * WIDTH)
    draw_exponentials(states, out)
    expected = [33 * np.log(2), -np.log1p(-(2.0**-33))]
    np.testing.assert_allclose(out[:2], expected, rtol=1e-9, atol=0)
    np.testing.assert_allclose(out[WIDTH : WIDTH + 2], expected, rtol=1e-9, atol=0)


def test_same_seed_same_draws_other_seed_others():
    def first(seed):
        out = np.empty(2 * WIDTH)
        draw_exponentials(side_by_side(np.random.default_rng(seed)), out)
        return out

    np.testing.assert_array_equal(first(1), first(1))
    assert not np.isin(first(1), first(2)).any()
    assert len(set(first(1))) == 2 * WIDTH


@pytest.mark.parametrize("n", [2, 3, 209, MOST_IN_16_BITS, MOST_IN_16_BITS + 1])
def test_rows_that_are_drawn_side_by_side_are_uniform(n):
    states = side_by_side(np.random.default_rng(6))
    rows = room_for_indices(64_000, n)
    draw_indices(states, n, refused_below(n, rows), rows)
    assert stats.chisquare(np.bincount(rows, minlength=n)).pvalue > FALSE_ALARM
    pairs = rows.astype(np.int64).reshape(-1, 2) % 2  # two of each word
    both = np.bincount(pairs[:, 0] * 2 + pairs[:, 1], minlength=4)
    shares = np.bincount(np.arange(n) % 2) / n
    expected = np.outer(shares, shares).ravel() * both.sum()
    assert stats.chisquare(both, expected).pvalue > FALSE_ALARM


def test_room_for_indices():
    few, many = room_for_indices(209, 209), room_for_indices(2048, MOST_IN_16_BITS + 1)
    assert (few.dtype, few.shape) == (np.uint16, (224,))
    assert (many.dtype, many.shape) == (np.uint32, (2048,))
    assert room_for_indices(1, MOST_IN_16_BITS).dtype == np.uint16


@pytest.mark.parametrize("n", [1, 2, 209, 2**23 + 1])
@pytest.mark.parametrize(("kind", "values"), [(np.uint16, 2**16), (np.uint32, 2**32)])
def test_what_the_values_of_a_part_leave_over_is_refused(n, kind, values):
    assert refused_below(n, np.empty(1, kind)) == values % n


@pytest.mark.parametrize("kind", [np.uint16, np.uint32])
def test_a_block_with_a_refused_row_is_drawn_again(kind):
    states = side_by_side(np.random.default_rng(7))
    alone = SideBySide(states)
    values, at_once = 2 ** (8 * kind().itemsize), 64 // kind().itemsize
    refused = values // at_once  # of a block, one on the average
    rows = np.empty(60 * at_once, kind)
    draw_indices(states, 209, np.uint64(refused), rows)
    expected, again = [], 0
    while len(expected) < len(rows):
        block = [int(part) for part in np.array(alone.words(), np.uint64).view(kind)]
        if all(part * 209 % values >= refused for part in block):
            expected += [part * 209 // values for part in block]
        else:
            again += 1
    assert again > 60
    assert rows.tolist() == expected
    np.testing.assert_array_equal(states, alone.states)
