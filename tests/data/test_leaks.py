"""A feature that gives the response away is found and named; an ordinary one is not."""

import numpy as np
import pytest
from scipy.stats import rankdata

from shakedown.data.leaks import _ranks, revealing
from shakedown.data.store import load, save
from shakedown.interface import InputError
from tests.data import tables

RNG = np.random.default_rng(4)
Y = RNG.standard_normal(120)
CLASSES = RNG.integers(0, 4, 120).astype(float)


def how(feature, y=Y):
    return revealing(np.array([feature], float), np.asarray(y, float)).get(0)


@pytest.mark.parametrize(
    ("feature", "relation"),
    [
        (Y, "a straight line"),
        (-1e200 * Y, "a straight line"),
        (1e-200 * Y + 3e-200, "a straight line"),
        (Y + 0.02 * RNG.standard_normal(120), "a straight line"),
        (np.exp(5 * Y), "the same order"),
        (-(Y**3), "the same order"),
        (np.where(np.arange(120) % 3, Y, np.nan), "a straight line"),
    ],
)
def test_a_copy_is_found(feature, relation):
    assert how(feature) == relation


def test_another_coding_is_found():
    assert how(np.array([2, 0, 3, 1])[CLASSES.astype(int)], CLASSES) == "another coding"


def test_a_coding_has_ten_rows_for_each_value():
    y = np.repeat([0.0, 1.0, 2.0], 10)
    other = np.array([1.0, 0.0, 2.0])[y.astype(int)]
    assert how(other, y) == "another coding"
    assert how(other[1:], y[1:]) is None
    assert how(np.array([1, 0])[CLASSES.astype(int) % 2], CLASSES % 2) == "a straight line"


@pytest.mark.parametrize(
    ("feature", "y"),
    [
        (Y + 0.1 * RNG.standard_normal(120), Y),
        (np.arange(120), Y),
        (np.repeat(np.arange(60), 2), np.repeat(Y[:60], 2)),  # each row twice: not a coding
        (np.array([2, 0, 3, 3])[CLASSES.astype(int)], CLASSES),  # it loses a class
        (np.where(np.arange(120) < 9, Y, np.nan), Y),  # too few rows to tell
        (np.where(np.arange(120) < 20, 1.0, np.nan), Y),
    ],
)
def test_an_ordinary_feature_is_not(feature, y):
    assert how(feature, y) is None


def leaking(path, *, holes=()):
    body = tables.rows(60, 3)
    header = ["id", "y", "x1", "x2"]
    for i, row in enumerate(body):
        row[2] = "" if i in holes else repr(3 - 2 * float(row[1]))
    return tables.write(path / "mine.csv", tables.text(header, body))


@pytest.mark.parametrize("holes", [(), range(0, 60, 4)])
def test_a_table_says_so_in_its_notes(tmp_path, holes):
    """Also if cells are missing, which medians would hide."""
    path = leaking(tmp_path, holes=holes)
    with pytest.warns(UserWarning, match="Possible leak"):
        challenge = tables.read(path, missing="impute_median")
    assert challenge.leaks == ("x1",)
    assert (
        "Possible leak: feature 'x1' gives the response 'y' away (a straight line). Add to "
        "'ignore', unless participants may know it."
    ) in challenge.notes
    save(challenge, tmp_path / "kept.npz")
    assert load(tmp_path / "kept.npz").leaks == ("x1",)


def test_a_leak_that_was_dropped_is_not_named(tmp_path):
    challenge = tables.read(leaking(tmp_path, holes=[3]), missing="drop_columns")
    assert challenge.leaks == ()
    assert not any("Possible leak" in note for note in challenge.notes)
    challenge = tables.read(leaking(tmp_path), ignore=["x1"])
    assert challenge.leaks == ()


@pytest.mark.parametrize("name", ["split", "Fold", "PARTITION", "set"])
def test_a_column_named_like_a_split_is_offered_as_the_split(tmp_path, name):
    header = ["id", "y", name, "x2"]
    path = tables.write(tmp_path / "mine.csv", tables.text(header, tables.rows(40, 3)))
    with pytest.warns(UserWarning, match=f"Column '{name}' is used as a feature"):
        assert "name it as 'split'" in tables.read(path).notes[1]
    tables.read(path, ignore=[name])
    body = [[*row[:2], "train", row[3]] for row in tables.rows(40, 3)]
    path = tables.write(tmp_path / "words.csv", tables.text(header, body))
    with pytest.raises(InputError, match=f"shakedown dryrun: --split {name}"):
        tables.read(path)


def test_ranks_of_ties_are_their_mean():
    values = np.random.default_rng(0).integers(0, 9, (4, 30)).astype(float)
    values[:, 20:] = np.nan
    ranks, distinct = _ranks(values, np.full(4, 20))
    np.testing.assert_array_equal(ranks[:, :20], rankdata(values[:, :20], axis=1))
    assert np.isnan(ranks[:, 20:]).all()
    assert distinct.tolist() == [len(set(row)) for row in values[:, :20].tolist()]
