"""Fair labels."""

import numpy as np
import pytest
from scipy import stats

from shakedown import data
from shakedown.data.store import load, save
from shakedown.interface import InputError

RECIPE = {"recipe": "labels", "public": 4000, "final": 8000}


def test_labels_are_fair_and_without_features():
    challenge = data.read("fair", RECIPE, seed=1)
    assert challenge.X.shape == (12000, 0)
    assert set(challenge.y) == {0.0, 1.0}
    assert (np.count_nonzero(challenge.split == "public"), len(challenge.y)) == (4000, 12000)
    # At a false-alarm rate of 1e-6: as many 1 as fair labels show, and as many changes.
    changes = np.count_nonzero(np.diff(challenge.y))
    for ones, labels in ((int(challenge.y.sum()), 12000), (changes, 11999)):
        assert stats.binomtest(ones, labels, 0.5).pvalue > 5e-7
    assert "12,000 labels, each 0 or 1 with chance 1/2, 4,000 of them public" in challenge.notes[0]


def test_another_name_or_seed_gives_other_labels():
    first = data.read("fair", RECIPE, seed=1).y
    assert (first == data.read("fair", RECIPE, seed=1).y).all()
    for name, seed in (("other", 1), ("fair", 2)):
        assert (first != data.read(name, RECIPE, seed=seed).y).any()


def test_they_are_stored_and_read(tmp_path):
    challenge = data.read("fair", RECIPE, seed=1)
    save(challenge, tmp_path / "fair.npz")
    again = load(tmp_path / "fair.npz")
    np.testing.assert_array_equal(again.y, challenge.y)
    assert again.X.shape == (12000, 0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"public": 5},
            "`public` must be a whole number of at least 10 and at most 10,000,000; got 5",
        ),
        (
            {"final": 10.5},
            "`final` must be a whole number of at least 10 and at most 10,000,000; got 10.5",
        ),
        ({"final": None}, "recipe 'labels' needs 'final'"),
        ({"rows": 10}, "has no parameter 'rows'"),
    ],
)
def test_impossible_settings_are_refused(change, message):
    with pytest.raises(InputError, match=message):
        data.check("fair", RECIPE | change)
