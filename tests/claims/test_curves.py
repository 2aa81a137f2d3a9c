"""What is read off numbers along an axis, and off a trace."""

import numpy as np
import pytest
from xarray import DataArray

from shakedown.claims import places
from shakedown.claims.curves import crossing, exponent, slope
from shakedown.claims.study import Submissions

K = [10.0, 100.0, 1000.0]


def along_k(*values, of="k"):
    return DataArray(np.array([values]), {of: K}, ["resample", of])


def test_a_line_has_its_slope():
    assert slope(along_k(*(3 * np.array(K) - 2)), "k") == pytest.approx(3.0)
    noisy = [1.0, 4.0, 2.0]
    assert slope(along_k(*noisy), "k") == pytest.approx(np.polyfit(K, noisy, 1)[0])
    assert np.isnan(slope(along_k(*noisy)[:, :1], "k"))


def test_a_power_law_has_its_exponent():
    assert exponent(along_k(*(0.2 * np.sqrt(K))), "k") == pytest.approx(0.5)
    assert np.isnan(exponent(along_k(1.0, 0.0, 2.0), "k"))


def test_a_crossing_is_the_first_place_along_the_axis():
    x = along_k(0.0, -0.1, -0.2)
    assert crossing(x < -0.05, "k").values.tolist() == [100.0]
    assert crossing(x < -0.3, "k").values.tolist() == [np.inf]
    read = DataArray([70.0, 50.0, 60.0], {"k": K}, ["k"])
    assert crossing(x < -0.05, "k", read).values.tolist() == [50.0]
    both = DataArray([[[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0]]], {"k": K}, ["resample", "b", "k"])
    assert crossing(both < 0, "k").values.tolist() == [[1000.0, 10.0]]


@pytest.mark.parametrize(
    ("function", "number"),
    [
        (places.last_jump, 5),
        (places.last_accepted, 5),
        (places.found_jump, 5),
        (places.first_pick, 2),
        (places.last_pick, 7),
        (places.longest_run, 3),
        (places.jump_size, 0.2),
    ],
)
def test_places_in_a_trace_count_submissions_from_one(function, number):
    submissions = Submissions(
        released=np.array([0.9, 0.9, 0.8, 0.8, 0.5, 0.5, 0.5, 0.5]),
        accepted=np.array([1, 0, 1, 0, 1, 0, 0, 0]),
        selected=np.array([0, 1, 0, 0, 1, 1, 1, 0]),
    )
    assert function(submissions) == pytest.approx(number)


def test_a_trace_in_which_nothing_happens_has_no_places():
    flat = Submissions(np.full(5, 0.7), np.zeros(5), np.zeros(5))
    assert places.last_jump(flat) == 1
    for function in (places.last_accepted, places.found_jump, places.first_pick, places.last_pick):
        assert np.isnan(function(flat))
    assert np.isnan(places.jump_size(flat))
    assert places.longest_run(flat) == 0
