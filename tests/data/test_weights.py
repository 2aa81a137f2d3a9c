"""Weights of rows: read from a table, kept, cut into sets, and used by scores."""

import numpy as np
import pandas as pd
import pytest

from shakedown import data
from shakedown.data.grouped import of_groups
from shakedown.data.splits import Splitter
from shakedown.data.store import load, save
from shakedown.data.weights import on_rows, on_table
from shakedown.interface import InputError
from shakedown.metrics import find
from shakedown.simulation.replicate import measure
from tests.near import assert_equal_challenges


def frame(rows=90, seed=1):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.standard_normal((rows, 3)), columns=["a", "b", "c"])
    table["y"] = table["a"] + rng.standard_normal(rows)
    table["patient"] = [f"P{i // 3}" for i in range(rows)]
    return table.assign(w=rng.integers(0, 5, rows) / 2)


def read(tmp_path, table, **options):
    table.to_csv(tmp_path / "t.csv", index=False)
    given = {"recipe": "table", "path": str(tmp_path / "t.csv"), "response": "y", "weight": "w"}
    return data.read("mine", given | options, seed=1)


def test_a_column_of_weights_is_no_feature_and_is_kept(tmp_path):
    table = frame()
    mine = read(tmp_path, table, ignore=["patient"])
    assert mine.features.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(mine.weights, table["w"])
    assert "By 'w', rows have weights of 0 to 2." in mine.notes
    save(mine, tmp_path / "t.npz")
    assert_equal_challenges(load(tmp_path / "t.npz"), mine)
    np.testing.assert_array_equal(load(tmp_path / "t.npz").weights, mine.weights)
    without = read(tmp_path, table.drop(columns="w"), ignore=["patient"], weight=None)
    assert without.weights is None
    save(without, tmp_path / "t.npz")
    assert load(tmp_path / "t.npz").weights is None


def test_weights_follow_their_rows(tmp_path):
    table = frame()
    table.loc[[3, 50], "y"] = np.nan
    mine = read(tmp_path, table, ignore=["patient"], missing="drop_rows")
    np.testing.assert_array_equal(mine.weights, table["w"].drop([3, 50]))
    for split in (Splitter(mine, design, seed=1).split(0) for design in ("permuted", "splits")):
        lengths = [len(split.view.y_train), len(split.y_public), len(split.y_final)]
        assert [len(w) for w in split.view.weights] == lengths
        assert sorted(np.concatenate(split.view.weights)) == sorted(mine.weights)


def test_each_cell_of_a_row_has_its_weight(tmp_path):
    table = frame().drop(columns="patient")
    table["z"] = table["y"] + np.arange(90.0)
    table.loc[5, "z"] = np.nan
    mine = read(tmp_path, table, response=["y", "z"])
    np.testing.assert_array_equal(mine.weights, table["w"].to_numpy()[mine.cells.rows])
    assert of_groups(mine).weights is None


def test_a_second_table_may_have_the_column_too(tmp_path):
    table = frame().drop(columns="patient").assign(id=range(90))
    table[["id", "y", "w"]].to_csv(tmp_path / "o.csv", index=False)
    mine = read(
        tmp_path, table.drop(columns="y"),
        response=None, id="id", response_table=str(tmp_path / "o.csv"),
    )  # fmt: skip
    assert mine.cells is None
    np.testing.assert_array_equal(mine.weights, table["w"])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([np.nan], "1 row has none there that can be used, first row '7' with no value"),
        ([-0.5, np.nan], "2 rows have none there that can be used, first row '7' with -0.5"),
        ([np.inf], "first row '7' with inf"),
        (["much"], "column 'w', row 7: 'much' is not a number. A weight must be a number of 0 or"),
    ],
)
def test_a_weight_that_is_none_is_refused(tmp_path, values, message):
    table = frame().astype({"w": object})
    table.loc[6 : 5 + len(values), "w"] = values
    with pytest.raises(InputError, match=message):
        read(tmp_path, table, group="patient")


def test_weights_that_are_all_0_are_refused(tmp_path):
    with pytest.raises(InputError, match="'w' is set as 'weight', and is 0 in every row"):
        read(tmp_path, frame().assign(w=0), group="patient")
    table = frame().assign(set=["train", "public", "final"] * 30)
    table.loc[table["set"] == "public", "w"] = 0
    mine = read(tmp_path, table, split="set", ignore=["patient"])
    with pytest.raises(InputError, match="public set: all weights of its rows are 0, so it has n"):
        Splitter(mine, "permuted", seed=1).split(0)


@pytest.mark.parametrize("part", ["response", "id", "split", "group", "ignore"])
def test_a_column_has_one_role(tmp_path, part):
    with pytest.raises(InputError, match="column 'w' is set as"):
        read(tmp_path, frame(), **{part: ["w"] if part == "ignore" else "w"})


def test_a_metric_is_that_of_the_rows_of_a_set(tmp_path):
    mine = read(tmp_path, frame(), group="patient")
    split = Splitter(mine, "splits", seed=1).split(0)
    rng = np.random.default_rng(2)
    final = split.y_final + rng.standard_normal((2, len(split.y_final)))
    public = split.y_public + rng.standard_normal((2, len(split.y_public)))
    metric = find("weighted mse")
    w = split.view.weights

    def expected(y, files, weights):
        return [np.average((y - file) ** 2, weights=weights) for file in files]

    on_public, on_final = split.on(metric, "public"), split.on(metric, "final")
    np.testing.assert_allclose(
        on_public.score(split.y_public, public), expected(split.y_public, public, w[1])
    )
    np.testing.assert_allclose(
        on_final.score(split.y_final, final), expected(split.y_final, final, w[2])
    )
    rows = np.arange(3, 20)
    some = on_rows(metric, split.view, 2, rows)
    np.testing.assert_allclose(
        some.score(split.y_final[rows], final[:, rows]),
        expected(split.y_final[rows], final[:, rows], w[2][rows]),
    )
    assert int(some.groups.max()) + 1 == len(set(split.view.groups[2][rows].tolist()))
    none = np.flatnonzero(w[2] == 0.0)[:3]
    assert on_rows(metric, split.view, 2, none).weights.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("name", ["weighted rmse", "weighted pearson by group", "mse by group"])
def test_final_models_are_measured_on_the_weights_and_groups_of_their_set(tmp_path, name):
    mine = read(tmp_path, frame(), group="patient")
    split = Splitter(mine, "splits", seed=1).split(0)
    rng = np.random.default_rng(3)

    class Models:
        public = split.y_public + rng.standard_normal((2, len(split.y_public)))
        final = split.y_final + rng.standard_normal((2, len(split.y_final)))

    metric = find(name)
    public, final = measure(metric, split, Models)
    np.testing.assert_allclose(
        public, split.on(metric, "public").score(split.y_public, Models.public)
    )
    np.testing.assert_allclose(final, split.on(metric, "final").score(split.y_final, Models.final))
    for k, half in enumerate(measure(metric, split, Models, fresh=True)):
        rows = np.arange(k, len(split.y_final), 2)
        on_half = on_rows(metric, split.view, 2, rows)
        found = on_half.score(split.y_final[rows], Models.final[:, rows])
        np.testing.assert_allclose(half, np.nan_to_num(found))


def test_the_metric_of_a_dry_run_uses_the_weights(tmp_path):
    mine = read(tmp_path, frame(), group="patient")
    with pytest.raises(InputError, match="Write the metric as 'weighted mse', or name no column"):
        on_table(find("mse"), mine)
    bound = on_table(find("weighted pearson by group"), mine)
    np.testing.assert_array_equal(bound.weights, mine.weights)
    np.testing.assert_array_equal(bound.groups, mine.group.codes)
    without = read(tmp_path, frame().drop(columns="w"), weight=None, group="patient")
    assert on_table(find("mse"), without) is find("mse")
    with pytest.raises(InputError, match="needs a weight for each row"):
        on_table(find("weighted mse"), without)
    alone = read(tmp_path, frame().drop(columns=["w", "patient"]), weight=None)
    with pytest.raises(InputError, match="a score by group needs groups of rows"):
        on_table(find("mse by group"), alone)
    single = frame().assign(patient=range(90))
    for name in ("weighted pearson by group", "weighted mse by group with weight sqrt(n-1)"):
        with pytest.raises(InputError, match="each group of 'patient' has one row, so none has a"):
            on_table(find(name), read(tmp_path, single, group="patient"))
    on_table(find("weighted mse by group"), read(tmp_path, single, group="patient"))


def test_some_rows_of_a_set_without_groups(tmp_path):
    mine = read(tmp_path, frame(), ignore=["patient"])
    split = Splitter(mine, "splits", seed=1).split(0)
    some = on_rows(find("weighted mse"), split.view, 1, np.arange(5))
    assert some.groups is None
    np.testing.assert_array_equal(some.weights, split.view.weights[1][:5])
