"""Exponentials from bit generators side by side."""

import numpy as np
import pytest
from scipy import stats

from shakedown.leaderboard.bits import (
    LANES,
    draw_exponentials,
    draw_indices,
    draw_words,
    next_word,
    refused_below,
    side_by_side,
)

# Chance that a correct implementation fails one of the random tests below.
FALSE_ALARM = 1e-6


@pytest.fixture(scope="module")
def draws():
    """5000 times one from each of 209 generators; shape (5000, 209)."""
    states = side_by_side(np.random.default_rng(3), 209)
    out = np.empty((5000, 209))
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


def test_each_comes_from_a_generator_of_its_own():
    states = side_by_side(np.random.default_rng(4), 37)
    alone = [column.copy() for column in states.T]
    out = np.empty(37)
    for _ in range(50):
        draw_exponentials(states, out)
        words = np.array([next_word(state) for state in alone], np.uint64)
        midpoints = ((words >> np.uint64(12)).astype(float) + 0.5) * 2.0**-52
        np.testing.assert_allclose(out, -np.log(midpoints), rtol=1e-15, atol=0)
    np.testing.assert_array_equal(states, np.transpose(alone))


def test_the_smallest_and_the_largest():
    ones = np.uint64(2**64 - 1)
    states = np.array([[0, ones], [5, 5], [7, 7], [0, 1]], np.uint64)  # next words: 0 and ones
    out = np.empty(2)
    draw_exponentials(states, out)
    np.testing.assert_allclose(out, [53 * np.log(2), 2.0**-53], rtol=1e-15, atol=0)


def test_same_seed_same_draws_other_seed_others():
    def first(seed):
        out = np.empty(20)
        draw_exponentials(side_by_side(np.random.default_rng(seed), 20), out)
        return out

    np.testing.assert_array_equal(first(1), first(1))
    assert not np.isin(first(1), first(2)).any()
    assert len(set(first(1))) == 20


def test_words_come_from_each_generator_in_turn():
    states = side_by_side(np.random.default_rng(5), LANES)
    alone = states.copy()
    words = np.zeros(3 * LANES, np.uint64)
    draw_words(states, words)
    for k in range(LANES):
        state = alone[:, k].copy()
        assert [next_word(state) for _ in range(3)] == words[k::LANES].tolist()


@pytest.mark.parametrize("n", [2, 3, 209])
def test_rows_that_are_drawn_side_by_side_are_uniform(n):
    states = side_by_side(np.random.default_rng(6), LANES)
    words, rows = np.empty(LANES, np.uint64), np.empty(2 * LANES, np.uint32)
    drawn = []
    for _ in range(100):
        draw_indices(states, n, refused_below(n), words, rows)
        drawn.append(rows.copy())
    rows = np.reshape(drawn, (-1, 2)).astype(np.int64)  # two of each word
    assert stats.chisquare(np.bincount(rows.ravel(), minlength=n)).pvalue > FALSE_ALARM
    both = np.bincount(rows[:, 0] % 2 * 2 + rows[:, 1] % 2, minlength=4)
    halves = np.bincount(np.arange(n) % 2) / n
    expected = np.outer(halves, halves).ravel() * len(rows)
    assert stats.chisquare(both, expected).pvalue > FALSE_ALARM


def test_a_block_with_a_refused_row_is_drawn_again():
    states = side_by_side(np.random.default_rng(7), LANES)
    same, words = states.copy(), np.empty(LANES, np.uint64)
    refused = np.uint64(2**27)  # each row one time in 32, a block of 64 six times in seven
    rows = np.empty(20 * 2 * LANES, np.uint32)
    draw_indices(states, 209, refused, words.copy(), rows)
    expected = []
    while len(expected) < len(rows):
        draw_words(same, words)
        halves = [half for word in words.tolist() for half in (word % 2**32, word >> 32)]
        if all(half * 209 % 2**32 >= refused for half in halves):
            expected += [half * 209 >> 32 for half in halves]
    assert rows.tolist() == expected
    np.testing.assert_array_equal(states, same)
