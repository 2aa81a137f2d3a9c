"""Scaled rows: the sums are NumPy's, and so is the standard deviation."""

import numpy as np
import pytest

from shakedown.data.scaling import MOST_BLOCKS, _sum, blocks, standardised

LENGTHS = [1, 2, 7, 8, 9, 16, 17, 127, 128, 129, 137, 209, 256, 257, 300, 628, 1025, 5000, 12_345]


def rows(n, m=20):
    rng = np.random.default_rng(n)
    return rng.standard_normal((m, n)) * 10.0 ** rng.integers(-5, 5, (m, 1)) + rng.normal(
        size=(m, 1)
    )


@pytest.mark.parametrize("n", LENGTHS)
def test_sums_are_those_of_numpy_to_the_last_bit(n):
    x, sums = rows(n), np.empty(MOST_BLOCKS)
    assert [_sum(row, blocks(n), sums) for row in x] == x.sum(axis=1).tolist()


@pytest.mark.parametrize("n", [n for n in LENGTHS if n > 2])
def test_rows_are_scaled_as_with_numpy_to_the_last_bit(n):
    x = rows(n)
    centred = x - x.mean(axis=1, keepdims=True)
    np.testing.assert_array_equal(
        standardised(x), centred / centred.std(axis=1, ddof=1, keepdims=True)
    )


@pytest.mark.parametrize("n", [1, 128, 129, 5000, 10**6])
def test_blocks_add_up_to_all_values_and_leave_one_sum(n):
    lengths, additions = blocks(n).T
    assert lengths.sum() == n
    assert additions.sum() == len(lengths) - 1
    waiting = np.cumsum(1 - additions)
    assert waiting.min() == 1 == waiting[-1]


def test_what_is_given_stays_as_it_is():
    x = rows(30)
    before = x.copy()
    standardised(x)
    np.testing.assert_array_equal(x, before)
