"""Strata of the winner's rule, and the keys that decide between tied files."""

import numpy as np
import pytest

from shakedown.interface import InputError
from shakedown.metrics import find
from shakedown.ranking.rule import Rule, keys_of, places, strata_of

LABELS = np.array([0.0, 0.0, 1.0, 1.0, 2.0])


def test_strata_are_classes_and_a_group_has_one():
    assert strata_of(find("macro_f1"), 3.0 * LABELS).tolist() == [0, 0, 1, 1, 2]
    whole = find("macro_f1").on(None, np.array([0, 0, 1, 2, 3]))
    assert strata_of(whole, LABELS).tolist() == [0, 0, 1, 1, 2]
    mixed = find("macro_f1").on(None, np.array([0, 0, 1, 2, 2]))
    with pytest.raises(InputError, match="wanted groups whose rows have one class; 1 of 3 groups"):
        strata_of(mixed, LABELS)
    with pytest.raises(InputError, match="stratified: 'mse' is no metric of classes"):
        strata_of(find("mse"), LABELS)


def test_a_file_without_a_second_score_or_a_time_comes_last():
    scores = np.array([0.5, np.nan, 0.9])
    keys = keys_of(find("pearson"), scores, ["b", None, "a"])
    np.testing.assert_array_equal(keys["second"], [-0.5, np.inf, -0.9])
    np.testing.assert_array_equal(keys["time"], [1, 2, 0])
    place, decided_by = places(np.array([0.1, 0.2, 0.3]), np.full(3, True), keys)
    assert (place.tolist(), decided_by) == ([2, 3, 1], "second")
    place, decided_by = places(np.array([0.1, 0.2, 0.3]), np.full(3, True), {})
    assert (place.tolist(), decided_by) == ([1, 1, 1], "")


def test_too_many_samples_are_refused():
    with pytest.raises(InputError, match="draws: wanted up to 1,000,000 bootstrap samples; got 2,"):
        Rule(draws=2_000_000)
