"""Several responses: cells, their sets, permutations and correlations."""

from collections import Counter
from dataclasses import replace
from itertools import permutations

import numpy as np
import pandas as pd
import pytest

from shakedown import data
from shakedown.data.grouped import largest_group
from shakedown.data.several import cells_in_one, correlations, shuffled, standardised_by
from shakedown.data.splits import Splitter
from shakedown.data.store import load, save
from shakedown.interface import Cells, Challenge, Grouping, InputError
from tests.near import assert_equal_challenges

#: A correct `shuffled` fails the test of its orders with this probability.
FALSE_ALARM = 1e-6


def responses(rows=90, q=3, alike=0.6, seed=0):
    """Responses with this correlation; shape (rows, q)."""
    rng = np.random.default_rng(seed)
    shared = rng.standard_normal((rows, 1))
    return np.sqrt(alike) * shared + np.sqrt(1 - alike) * rng.standard_normal((rows, q))


def several(rows=90, q=3, alike=0.6, seed=0, missing=0, features=4, group=None):
    """A challenge of several responses, as `unfolded` makes it; some cells missing at random."""
    rng = np.random.default_rng(seed + 1000)
    Y = responses(rows, q, alike, seed)
    Y.ravel()[rng.choice(Y.size, missing, replace=False)] = np.nan
    Y = Y[np.isfinite(Y).any(axis=1)]
    at, of = np.nonzero(~np.isnan(Y))
    codes = at if group is None else group[at]
    X = rng.standard_normal((rows, features))
    return Challenge(
        "s", X[at], standardised_by(Y[at, of], of), at.astype(str),
        np.array([f"x{k}" for k in range(features)]),
        group=Grouping("row" if group is None else "patient", codes, True),
        cells=Cells(tuple(f"y{k}" for k in range(q)), of, at),
    )  # fmt: skip


def as_table(values, cells):
    """Values of cells by row and response; NaN where one is missing."""
    table = np.full((int(cells.rows.max()) + 1, len(cells.names)), np.nan)
    table[cells.rows, cells.responses] = values
    return table


def frame(missing=(), seed=1, rows=60):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.standard_normal((rows, 3)), columns=["a", "b", "c"])
    Y = responses(rows, 3, seed=seed) + table[["a"]].to_numpy()
    for k in range(3):
        table[f"y{k}"] = 10.0**k * Y[:, k]
    table.insert(0, "id", [f"r{i}" for i in range(rows)])
    for row, k in missing:
        table.loc[row, f"y{k}"] = np.nan
    return table.assign(set=["train", "public", "final"] * (rows // 3))


def read(tmp_path, table, **settings):
    table.to_csv(tmp_path / "t.csv", index=False)
    given = {"recipe": "table", "path": str(tmp_path / "t.csv"), "id": "id", "ignore": ["set"]}
    return data.read("mine", given | {"response": "y*"} | settings, seed=1)


MISSING = [(0, 0), (5, 1), (5, 2), (7, 0), (7, 1), (7, 2)]


def test_a_table_becomes_a_list_of_its_cells(tmp_path):
    """Each response has mean 0 and standard deviation 1, whatever its unit."""
    table = frame()
    mine = read(tmp_path, table)
    assert mine.cells.names == ("y0", "y1", "y2")
    Y = table[["y0", "y1", "y2"]].to_numpy()
    expected = (Y - Y.mean(axis=0)) / Y.std(axis=0, ddof=1)
    np.testing.assert_allclose(mine.y, expected.ravel(), atol=1e-12)
    np.testing.assert_array_equal(mine.X, np.repeat(table[["a", "b", "c"]], 3, axis=0))
    assert mine.rows.tolist() == np.repeat(table["id"], 3).tolist()
    np.testing.assert_array_equal(mine.cells.rows, np.repeat(np.arange(60), 3))
    np.testing.assert_array_equal(mine.cells.responses, np.tile(np.arange(3), 60))
    assert mine.group.name == "id"
    np.testing.assert_array_equal(mine.group.codes, mine.cells.rows)
    assert mine.notes[-1] == "3 responses of 60 rows: 180 cells. Each response is standardised."
    assert largest_group(mine) == 1


@pytest.mark.parametrize("policy", ["impute_median", "error", "drop_columns"])
def test_missing_cells_are_left_out_one_by_one(tmp_path, policy):
    """And never imputed; a row without any response needs `drop_rows`."""
    table = frame(MISSING)
    with pytest.raises(InputError, match=r"response 'y0, y1, y2' is missing in 1 row: 'r7'"):
        read(tmp_path, table, missing=policy)
    mine = read(tmp_path, table.drop(index=7), missing=policy)
    Y = table.drop(index=7)[["y0", "y1", "y2"]].to_numpy()
    expected = (Y - np.nanmean(Y, axis=0)) / np.nanstd(Y, axis=0, ddof=1)
    np.testing.assert_allclose(as_table(mine.y, mine.cells), expected, atol=1e-12)
    assert len(mine.y) == 59 * 3 - 3
    assert "174 cells; 3 missing cells left out" in mine.notes[-1]


def test_rows_without_any_response_are_dropped_on_demand(tmp_path):
    mine = read(tmp_path, frame(MISSING), missing="drop_rows")
    assert len(mine.y) == 59 * 3 - 3
    assert "r7" not in mine.rows.tolist()
    assert sorted(set(mine.cells.rows.tolist())) == list(range(59))


@pytest.mark.parametrize("settings", [{}, {"split": "set", "ignore": []}])
def test_a_saved_challenge_is_equal(tmp_path, settings):
    mine = read(tmp_path, frame(MISSING[:3]), **settings)
    save(mine, tmp_path / "s.npz")
    again = load(tmp_path / "s.npz")
    assert_equal_challenges(replace(again, X=np.array(again.X)), replace(mine, X=np.array(mine.X)))


def test_an_official_split_is_that_of_the_rows(tmp_path):
    table = frame(MISSING[:3])
    mine = read(tmp_path, table, split="set", ignore=[])
    of_row = dict(zip(table["id"], table["set"], strict=True))
    assert mine.split.tolist() == [of_row[row] for row in mine.rows.tolist()]
    view = Splitter(mine, "permuted", seed=1).split(0).view
    assert [int(cells.rows.max()) + 1 for cells in view.cells] == [20, 20, 20]
    assert [len(cells.rows) for cells in view.cells] == [59, 60, 58]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"y1": 3.0}, "the response 'y1' is 3 in every row; there is nothing to predict. Leave"),
        ({"y1": np.nan}, "the response 'y1' has no value; there is nothing to predict"),
        ({"y1": [1.0, 1.0 + 1e-60] * 30}, "the response 'y1' is 1 in every row"),
        ({"y1": [0.0, 1e-60] * 30}, "values of the response 'y1' differ by 1e-60 at most"),
        ({"y1": ["high"] * 60}, r"column 'y1', row 'r0' \(row 1\): 'high' is not a number"),
        ({"y1": [1e60] * 60}, r"column 'y1', row 'r0' is 1e\+60; wanted at most"),
    ],
)
def test_responses_that_cannot_be_predicted_are_refused(tmp_path, changes, message):
    with pytest.raises(InputError, match=message):
        read(tmp_path, frame().assign(**changes))


def test_a_response_that_is_constant_in_the_rows_that_are_left_is_refused(tmp_path):
    """It varies only in a row that is dropped for a missing feature."""
    table = frame().assign(y1=[1.0, *[0.0] * 59])
    table.loc[0, "a"] = np.nan
    with pytest.raises(InputError, match="the response 'y1' is 0 in every row"):
        read(tmp_path, table, missing="drop_rows")
    assert read(tmp_path, table, missing="impute_median").cells is not None


def test_a_response_that_is_constant_in_a_set_is_refused(tmp_path):
    table = frame()
    table["y1"] = np.where(table["set"] == "public", 2.0, table["y1"])
    mine = read(tmp_path, table, split="set", ignore=[])
    message = "data set 'mine', public set: the response 'y1' has .* in all of its rows, so it"
    with pytest.raises(InputError, match=message):
        Splitter(mine, "permuted", seed=1).split(0)
    table["y1"] = np.where(table["set"] == "public", np.nan, frame()["y1"])
    mine = read(tmp_path, table, split="set", ignore=[])
    with pytest.raises(InputError, match="public set: the response 'y1' has no value, so it has"):
        Splitter(mine, "permuted", seed=1).split(0)


@pytest.mark.parametrize("whole", [0.0, 1.0])
def test_responses_that_add_up_to_a_constant_are_responses(tmp_path, whole):
    """Such as two shares: the mean of the standardised ones is 0 in every row, or nearly."""
    part = np.random.default_rng(3).integers(1, 8, 60) / 8.0
    table = frame().assign(y1=part, y2=whole - part).drop(columns="y0")
    mine = read(tmp_path, table)
    assert correlations(mine)[0, 1] == pytest.approx(-1.0)
    assert cells_in_one(mine) == pytest.approx(2.0)


def test_features_that_give_one_of_the_responses_away_are_found(tmp_path):
    table = frame()
    table["copy"] = 3.0 * table["y2"] + 1.0
    with pytest.warns(UserWarning, match="feature 'copy' gives the response 'y0, y1, y2' away"):
        assert read(tmp_path, table).leaks == ("copy",)


def test_a_column_of_groups_holds_the_cells_of_its_rows(tmp_path):
    table = frame().assign(patient=np.arange(60) // 2)
    mine = read(tmp_path, table, group="patient")
    assert mine.group.name == "patient"
    np.testing.assert_array_equal(mine.group.codes, mine.cells.rows // 2)
    assert largest_group(mine) == 2
    for design in ("splits", "permuted"):
        view = Splitter(mine, design, seed=1).split(0).view
        assert [int(codes.max()) + 1 for codes in view.groups] == [10, 10, 10]


@pytest.mark.parametrize("missing", [0, 25])
@pytest.mark.parametrize("design", ["splits", "permuted"])
def test_no_set_cuts_a_row_and_each_response_is_standardised_in_it(design, missing):
    mine = several(missing=missing)
    splitter = Splitter(mine, design, seed=1)
    for replicate in range(3):
        split = splitter.split(replicate)
        view = split.view
        whole = np.bincount(mine.cells.rows)
        sizes = [np.bincount(cells.rows) for cells in view.cells]
        assert sorted(np.concatenate(sizes).tolist()) == sorted(whole.tolist())
        assert abs(len(sizes[0]) - len(sizes[2])) <= 2
        for y, cells in zip((view.y_train, split.y_public, split.y_final), view.cells, strict=True):
            table = as_table(y, cells)
            np.testing.assert_allclose(np.nanmean(table, axis=0), 0.0, atol=1e-12)
            np.testing.assert_allclose(np.nanstd(table, axis=0, ddof=1), 1.0)


def test_features_have_the_sign_of_their_correlation_with_the_response():
    """In the training set; the same sign in all sets, and nothing else changes."""
    mine = several(rows=120, q=3, features=5)
    X, of = mine.X, mine.cells.responses
    opposed = np.where(of == 1, -1.0, 1.0)  # the first feature has another sign for y1
    y = standardised_by(mine.y + opposed * X[:, 0], of)
    mine = replace(mine, y=y)
    bare = replace(mine, cells=None)
    split, plain = (Splitter(c, "splits", seed=1).split(0) for c in (mine, bare))
    view, other = split.view, plain.view
    train = view.cells[0]
    signs = np.empty((3, 5))
    for k in range(3):
        own = train.responses == k
        inner = view.X_train[own].T @ view.y_train[own]
        assert (inner >= 0.0).all()
        signs[k] = np.sign(other.X_train[own].T @ view.y_train[own])
    assert signs[:, 0].tolist() == [1.0, -1.0, 1.0]
    for seen, usual, cells in zip(
        (view.X_train, view.X_public, view.X_final),
        (other.X_train, other.X_public, other.X_final),
        view.cells,
        strict=True,
    ):
        np.testing.assert_array_equal(seen, usual * signs[cells.responses])


def test_permuted_rows_move_as_a_whole():
    mine = several(rows=50)
    table = as_table(mine.y, mine.cells)
    groups = mine.cells.rows
    moved = as_table(shuffled(mine.y, mine.cells, groups, np.random.default_rng(1)), mine.cells)
    assert (moved != table).any(axis=1).sum() > 40
    assert Counter(map(tuple, moved)) == Counter(map(tuple, table))


def test_permuted_responses_stay_as_correlated():
    mine = several(alike=0.8)
    for replicate in range(3):
        split = Splitter(mine, "permuted", seed=1).split(replicate)
        first = Splitter(mine, "permuted", seed=1).split(0)
        for y, other, cells in (
            (split.y_public, first.y_public, split.view.cells[1]),
            (split.y_final, first.y_final, split.view.cells[2]),
        ):
            found, wanted = (np.corrcoef(as_table(v, cells).T) for v in (y, other))
            np.testing.assert_allclose(found, wanted, atol=1e-12)
        if replicate:
            assert not np.allclose(split.y_public, first.y_public)


def test_all_orders_of_rows_are_equally_likely():
    """Chi-square over the 6 orders of 3 rows of 2 responses."""
    from scipy.stats import chi2

    cells = Cells(("a", "b"), np.tile([0, 1], 3), np.repeat([0, 1, 2], 2))
    y, rng, counts = np.array([0.0, 10, 1, 11, 2, 12]), np.random.default_rng(5), Counter()
    for _ in range(6000):
        moved = shuffled(y, cells, cells.rows, rng)
        order = tuple(moved[::2].astype(int).tolist())
        assert moved[1::2].tolist() == [10 + k for k in order]
        counts[order] += 1
    assert set(counts) == set(permutations(range(3)))
    statistic = sum((count - 1000) ** 2 / 1000 for count in counts.values())
    assert statistic < chi2.isf(FALSE_ALARM, 5)


def test_each_response_keeps_its_values_where_cells_are_missing():
    mine, rng = several(missing=60), np.random.default_rng(6)
    alike = []
    for _ in range(20):
        moved = shuffled(mine.y, mine.cells, mine.cells.rows, rng)
        for k in range(3):
            own = mine.cells.responses == k
            np.testing.assert_array_equal(np.sort(moved[own]), np.sort(mine.y[own]))
        alike.append(correlations(replace(mine, y=moved))[0, 1])
    # Most rows move as a whole, so responses stay correlated.
    assert 0.4 < np.mean(alike) / correlations(mine)[0, 1] < 1.0


def test_rows_in_groups_move_in_the_same_way_for_all_responses():
    group = np.repeat(np.arange(30), 3)
    mine = several(alike=0.9, group=group)
    codes = mine.group.codes
    moved = shuffled(mine.y, mine.cells, codes, np.random.default_rng(7))
    before, after = (as_table(y, mine.cells) for y in (mine.y, moved))
    assert not np.allclose(before, after)
    found, wanted = np.corrcoef(after.T), np.corrcoef(before.T)
    np.testing.assert_allclose(found, wanted, atol=0.1)
    spoilt = several(alike=0.9, group=group, missing=5)
    with pytest.raises(InputError, match="several responses with missing cells, and rows in group"):
        shuffled(spoilt.y, spoilt.cells, spoilt.group.codes, np.random.default_rng(7))


@pytest.mark.parametrize("alike", [0.0, 0.3, 0.95])
def test_cells_in_one_is_the_largest_eigenvalue_of_the_correlations(alike):
    mine = several(rows=70, q=5, alike=alike)
    R = np.corrcoef(as_table(mine.y, mine.cells).T)
    np.testing.assert_allclose(correlations(mine), R, atol=1e-12)
    assert cells_in_one(mine) == pytest.approx(np.linalg.eigvalsh(R)[-1])


def test_correlations_with_missing_cells_are_near_those_without():
    whole, holed = several(rows=600), several(rows=600, missing=300)
    np.testing.assert_allclose(correlations(holed), correlations(whole), atol=0.1)
    np.testing.assert_allclose(np.diag(correlations(holed)), 1.0)
    assert cells_in_one(replace(whole, cells=None)) == 1.0
