"""Jump detection against ruptures."""

import numpy as np
import pytest
import ruptures

from shakedown.attacks.jumps import (
    best,
    binary_segmentation,
    last_change,
    last_of_at_most,
    last_of_known_number,
    last_penalised,
)


def ladder_like(rng, m, steps, noise):
    """Falling plateaus with noise, as a board with a bootstrapped release shows them."""
    at = np.sort(rng.choice(np.arange(1, m), steps, replace=False))
    level = np.zeros(m)
    for a in at:
        level[a:] -= rng.exponential()
    return level + noise * rng.standard_normal(m)


def plain(signal, jumps, min_segment):
    return binary_segmentation(signal, jumps, min_segment, np.zeros(len(signal) + 1), -np.inf)


@pytest.mark.parametrize("min_segment", [1, 2, 5])
def test_breaks_are_those_of_ruptures_built_in_cost(min_segment):
    rng = np.random.default_rng(min_segment)
    for _ in range(60):
        m, jumps = int(rng.integers(20, 60)), int(rng.integers(1, 6))
        signal = ladder_like(rng, m, jumps, noise=rng.choice([0.05, 0.5, 2.0]))
        search = ruptures.Binseg(model="l2", jump=1, min_size=min_segment).fit(signal)
        try:
            theirs = search.predict(n_bkps=jumps)[:-1]
        except ruptures.exceptions.BadSegmentationParameters:
            continue
        assert sorted(plain(signal, jumps, min_segment)) == theirs
        assert last_of_known_number(signal, jumps, min_segment) == theirs[-1]


def test_more_jumps_than_fit_give_those_that_do():
    signal = np.array([5.0, 5.1, 1.0, 1.1])
    assert last_of_known_number(signal, 3, 2) == 2
    assert last_of_known_number(signal, 3, 1) == 3


@pytest.mark.parametrize(("signal", "jumps"), [([1.0, 2.0, 3.0, 4.0], 0), ([1.0, 2.0], 1), ([], 1)])
def test_no_jump_to_find(signal, jumps):
    assert last_of_known_number(np.array(signal), jumps, 2) is None


@pytest.mark.parametrize(
    ("released", "expected"),
    [([3, 3, 2, 2, 1, 1], 4), ([3, 2], 1), ([3, 3, 3], None), ([3], None), ([], None)],
)
def test_last_change(released, expected):
    assert last_change(np.array(released, float)) == expected


class ModifiedBIC(ruptures.base.BaseCost):
    """The cost of a segment to R's changepoint: its sum of squares plus the log of its length."""

    model = ""
    min_size = 1

    def fit(self, signal):
        self.signal = signal
        return self

    def error(self, start, end):
        segment = self.signal[start:end]
        return ((segment - segment.mean()) ** 2).sum() + np.log(end - start)


@pytest.mark.parametrize("min_segment", [1, 2, 5])
def test_the_penalty_cuts_as_ruptures_does(min_segment):
    """Where the maximum is too large to matter."""
    rng = np.random.default_rng(20 + min_segment)
    count = 0
    for _ in range(40):
        m = int(rng.integers(20, 60))
        signal = ladder_like(rng, m, int(rng.integers(1, 6)), noise=rng.choice([0.05, 0.3]))
        noise = np.median(np.abs(np.diff(signal))) / (0.6744897501960817 * np.sqrt(2))
        search = ruptures.Binseg(custom_cost=ModifiedBIC(), jump=1, min_size=min_segment)
        theirs = search.fit(signal / noise).predict(pen=3 * np.log(m))[:-1]
        assert last_of_at_most(signal, m, min_segment) == (theirs[-1] if theirs else None)
        count += len(theirs)
    assert count > 40


def test_a_maximum_is_no_order():
    rng = np.random.default_rng(6)
    signal = np.repeat([3.0, 1.0, 0.0], 30) + 0.05 * rng.standard_normal(90)
    assert [last_of_at_most(signal, most) for most in (1, 2, 9, 40)] == [30, 60, 60, 60]
    assert last_of_known_number(signal, 9) > 60
    assert last_of_at_most(signal, 0) is None
    assert last_of_at_most(signal[:3], 1) is None
    assert last_of_at_most(np.array([2.0, 2.0, 2.0, 1.0, 1.0, 1.0]), 1) == 3


def test_without_the_oracle_a_clear_jump_is_found_and_noise_is_left_alone():
    rng = np.random.default_rng(3)
    signal = ladder_like(rng, 200, 0, 0.01)
    signal[120:] -= 0.5
    assert last_penalised(signal) == 120
    # Penalty 2 log m: a false alarm is rare, not impossible.
    alarms = sum(last_penalised(rng.standard_normal(200)) is not None for _ in range(50))
    assert alarms <= 10
    assert last_penalised(np.array([1.0, 2.0, 3.0])) is None
    assert last_penalised(np.array([2.0, 2.0, 2.0, 2.0, 1.0, 1.0])) == 4


def test_the_penalised_optimum_is_the_exact_one():
    """KernelCPD's optimum against ruptures' dynamic programming over all numbers of jumps."""
    rng = np.random.default_rng(4)
    for _ in range(10):
        signal = ladder_like(rng, 40, 2, 0.2)
        spread = np.median(np.abs(np.diff(signal))) / (0.6744897501960817 * np.sqrt(2))
        scaled = (signal - signal.mean()) / spread
        search = ruptures.Dynp(model="l2", jump=1, min_size=2).fit(scaled)
        best = min(
            (search.cost.sum_of_costs(bkps) + 2 * np.log(40) * (len(bkps) - 1), bkps)
            for bkps in ([40], *(search.predict(n_bkps=k) for k in range(1, 7)))
        )[1]
        assert last_penalised(signal) == (best[-2] if len(best) > 1 else None)


def test_of_equally_good_breaks_the_later_one_within_a_segment_counts():
    """Sums of these whole numbers are exact, and both breaks lower the squares by the same."""
    signal = np.array([0.0, 0.0, 3.0, 3.0, 0.0, 0.0])
    assert last_of_known_number(signal, 1) == 4
    breaks = ruptures.Binseg("l2", min_size=2, jump=1).fit(signal).predict(n_bkps=1)
    assert breaks[0] == 4


def test_of_equally_good_segments_the_earlier_one_is_split():
    signal = np.array([0.0, 0.0, 4.0, 4.0, 100.0, 100.0, 104.0, 104.0])
    assert plain(signal, 2, 2).tolist() == [4, 2]
    assert last_of_known_number(signal, 2) == 4
    breaks = ruptures.Binseg("l2", min_size=2, jump=1).fit(signal).predict(n_bkps=2)
    assert breaks == [2, 4, 8]


def test_the_best_of_equal_scores():
    assert best(np.array([0.5, 0.5]), True) is None
    assert best(np.array([0.5]), True) == 0
    assert best(np.array([0.2, 0.5, 0.5]), True) == 1
    assert best(np.array([0.5, 0.2, 0.2]), False) == 1


def test_as_many_breaks_as_there_can_be_fit_into_the_arrays():
    """Plain Python notices an index beyond the end of an array; compiled code does not."""
    signal = np.arange(6.0)
    none = np.zeros(7), -np.inf
    assert sorted(binary_segmentation.py_func(signal, 5, 1, *none)) == [1, 2, 3, 4, 5]
    assert sorted(binary_segmentation.py_func(signal, 2, 2, *none)) == [3]
