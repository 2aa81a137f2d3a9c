"""Fair coins."""

import numpy as np
import pytest
from scipy import stats

from shakedown import datasets
from shakedown.datasets.store import load, save
from shakedown.interface import InputError

RECIPE = {"recipe": "labels", "public": 4000, "final": 8000}


def test_labels_are_fair_coins_without_features():
    challenge = datasets.read("coins", RECIPE, seed=1)
    assert challenge.X.shape == (12000, 0)
    assert set(challenge.y) == {0.0, 1.0}
    assert (np.count_nonzero(challenge.split == "public"), len(challenge.y)) == (4000, 12000)
    # At a false-alarm rate of 1e-6: as many 1 as fair coins show, and as many changes.
    changes = np.count_nonzero(np.diff(challenge.y))
    for heads, tosses in ((int(challenge.y.sum()), 12000), (changes, 11999)):
        assert stats.binomtest(heads, tosses, 0.5).pvalue > 5e-7
    assert "12,000 labels by the toss of a fair coin, 4,000 of them public" in challenge.notes[0]


def test_another_name_or_seed_is_another_toss():
    first = datasets.read("coins", RECIPE, seed=1).y
    assert (first == datasets.read("coins", RECIPE, seed=1).y).all()
    for name, seed in (("other", 1), ("coins", 2)):
        assert (first != datasets.read(name, RECIPE, seed=seed).y).any()


def test_they_are_stored_and_read(tmp_path):
    challenge = datasets.read("coins", RECIPE, seed=1)
    save(challenge, tmp_path / "coins.npz")
    again = load(tmp_path / "coins.npz")
    np.testing.assert_array_equal(again.y, challenge.y)
    assert again.X.shape == (12000, 0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"public": 5}, "'public' must be a whole number of at least 10, got 5"),
        ({"final": 10.5}, "'final' must be a whole number of at least 10, got 10.5"),
        ({"final": None}, "the setting 'final' is missing"),
        ({"rows": 10}, "unknown setting 'rows'"),
    ],
)
def test_impossible_settings_are_refused(change, message):
    with pytest.raises(InputError, match=message):
        datasets.check("coins", RECIPE | change)
