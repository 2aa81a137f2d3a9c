"""Sets of wanted sizes: drawn once, whole groups, classes in their shares."""

import numpy as np
import pandas as pd
import pytest

from shakedown import data
from shakedown.data.drawn_split import labels_of, with_split
from shakedown.interface import Cells, Challenge, Grouping, InputError

N = 90
X = np.random.default_rng(1).standard_normal((N, 3))
TOY = Challenge("toy", X, X[:, 0], np.arange(N).astype(str), np.array([*"abc"]), None)


def toy(**changes):
    return Challenge(**{**vars(TOY), **changes})


def rng():
    return np.random.default_rng(5)


def sizes_of(split):
    return tuple(int(np.sum(split == name)) for name in ("train", "public", "final"))


def test_sets_have_the_sizes_and_the_generator_decides():
    one = with_split(TOY, (40, 30, 20), rng=rng())
    assert sizes_of(one.split) == (40, 30, 20)
    assert one.notes[-1] == "Sets drawn at random: 40 train, 30 public, 20 final rows."
    assert (one.split == with_split(TOY, (40, 30, 20), rng=rng()).split).all()
    assert (one.split != with_split(TOY, (40, 30, 20), rng=np.random.default_rng(6)).split).any()
    assert TOY.split is None


def test_groups_stay_together_and_are_counted():
    codes = np.arange(N) // 3
    split = with_split(
        toy(group=Grouping("patient", codes, is_text=False)), (15, 10, 5), rng=rng()
    ).split
    assert sizes_of(split) == (45, 30, 15)
    for own in np.split(split, N // 3):
        assert (own == own[0]).all()


def test_cells_of_a_row_stay_together():
    cells = Cells(("one", "two"), np.arange(N) % 2, np.arange(N) // 2)
    split = labels_of(toy(cells=cells), (20, 15, 10), rng=rng())
    assert sizes_of(split) == (40, 30, 20)
    assert (split[::2] == split[1::2]).all()


@pytest.mark.parametrize("censored", [False, True])
def test_classes_and_events_have_about_their_share_of_each_set(censored):
    y = np.where(np.arange(N) % 3 == 0, 1.0, -1.0 if censored else 0.0)
    own = toy(y=y * (1 + np.arange(N) * censored), censored=censored)
    for seed in range(10):
        split = labels_of(own, (45, 27, 18), rng=np.random.default_rng(seed))
        for name, expected in (("train", 15), ("public", 9), ("final", 6)):
            assert abs(int(np.sum(y[split == name] == 1.0)) - expected) <= 1


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ((40, 30, 21), "wanted rows for train, public, final, 90 in all; got 40, 30, 21, which"),
        ((40, 30), "90 in all; got 40, 30, which are 70"),
        ((50, 31, 9), "wanted at least 10 rows in each set; got 9 in the set 'final'"),
        ((60, 30, 0), "90 in all; got 60, 30, 0, which are 90"),
    ],
)
def test_sizes_that_do_not_fit_are_named(sizes, message):
    with pytest.raises(InputError, match=message):
        with_split(TOY, sizes, rng=rng())


def test_a_table_has_the_sets_of_its_sizes(tmp_path):
    pd.DataFrame(X, columns=[*"abc"]).assign(y=X[:, 0] + np.sin(9.0 * X[:, 2])).to_csv(
        tmp_path / "t.csv", index=False
    )
    given = {"recipe": "table", "path": "t.csv", "response": "y", "sizes": [50, 20, 20]}
    given |= {"ignore": ["b"]}
    made = data.read("t", given, seed=1, folder=tmp_path)
    assert sizes_of(made.split) == (50, 20, 20)
    with pytest.raises(InputError, match="sizes and split are both set"):
        data.read("t", given | {"split": "c"}, seed=1, folder=tmp_path)
