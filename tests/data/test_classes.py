"""Responses that name classes: read from tables, dealt to sets, and told in notes."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from shakedown import data
from shakedown.data.class_names import check_classes, codes_of
from shakedown.data.drawing import check_classes as check_response
from shakedown.data.drawing import sets_of, strata_of
from shakedown.data.splits import Splitter
from shakedown.interface import Cells, Challenge, Grouping, InputError
from shakedown.metrics import find
from shakedown.simulation.replicate import Experiment


def frame(rows=90, classes=("control", "case"), seed=1):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.standard_normal((rows, 3)), columns=["a", "b", "c"])
    return table.assign(status=np.array(classes)[rng.integers(0, len(classes), rows)])


def read(tmp_path, table, name="t.csv", **options):
    path = tmp_path / name
    table.to_parquet(path) if name.endswith("parquet") else table.to_csv(path, index=False)
    given = {"recipe": "table", "path": str(path), "response": "status"}
    return data.read("mine", given | options, seed=1)


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet"])
def test_names_of_classes_are_numbers_in_the_order_that_is_given(tmp_path, name):
    table = frame()
    for classes in (["control", "case"], ["case", "control"]):
        mine = read(tmp_path, table, name, classes=classes)
        expected = table["status"].map({label: k for k, label in enumerate(classes)})
        np.testing.assert_array_equal(mine.y, expected)
        assert mine.features.tolist() == ["a", "b", "c"]
    rows = table["status"].value_counts()
    note = f"0 = case ({rows['case']} rows), 1 = control ({rows['control']} rows)."
    assert f"Classes of 'status': {note}" in mine.notes


def test_classes_may_be_numbers_however_they_are_written(tmp_path):
    table = frame(classes=("1", "2"))
    np.testing.assert_array_equal(
        read(tmp_path, table, classes=["2.0", 1]).y, table["status"].map({"2": 0, "1": 1})
    )


def test_weights_and_several_responses_are_read_beside_classes(tmp_path):
    table = frame().assign(w=np.arange(90) / 90, other=frame(seed=2)["status"])
    names = ["control", "case"]
    mine = read(tmp_path, table, classes=names, weight="w", response=["status", "other"])
    of_first = mine.cells.responses == 0
    for rows, column in ((of_first, "status"), (~of_first, "other")):
        # Several responses are standardised: those above 0 are of the second class.
        np.testing.assert_array_equal(mine.y[rows] > 0.0, table[column] == "case")
    np.testing.assert_array_equal(mine.weights[of_first], table["w"])
    first = frame().drop(columns="status").assign(id=np.arange(90))
    second = table[["status", "other"]].assign(id=np.arange(90)).sample(frac=1, random_state=1)
    second.to_csv(tmp_path / "second.csv", index=False)
    joined = read(
        tmp_path, first, id="id", response_table=str(tmp_path / "second.csv"),
        classes=names, response=None,
    )  # fmt: skip
    np.testing.assert_array_equal(joined.y, mine.y)


@pytest.mark.parametrize("is_joined", [False, True])
def test_a_class_may_be_called_none(tmp_path, is_joined):
    """Which is a missing value elsewhere, in a second table of responses as in the first."""
    table = frame(classes=("none", "mild", "severe")).assign(id=np.arange(90))
    options = {"classes": ["none", "mild", "severe"], "id": "id"}
    if is_joined:
        table[["id", "status"]].to_csv(tmp_path / "second.csv", index=False)
        options["response_table"] = str(tmp_path / "second.csv")
    first = table.drop(columns="status") if is_joined else table
    want = table["status"].map({"none": 0, "mild": 1, "severe": 2})
    np.testing.assert_array_equal(read(tmp_path, first, **options).y, want)


def test_a_second_table_that_names_classes_says_how_to_list_them(tmp_path):
    table = frame(classes=("no event", "event")).assign(id=np.arange(90))
    table[["id", "status"]].to_csv(tmp_path / "second.csv", index=False)
    second = str(tmp_path / "second.csv")
    with pytest.raises(InputError, match=r"--classes '(no event,event|event,no event)'\)"):
        read(tmp_path, table.drop(columns="status"), id="id", response_table=second)


def test_a_missing_class_is_a_missing_response(tmp_path):
    table = frame()
    table.loc[3, "status"] = np.nan
    names = ["control", "case"]
    assert len(read(tmp_path, table, classes=names, missing="drop_rows").y) == 89
    with pytest.raises(InputError, match="'status' is missing in 1 row"):
        read(tmp_path, table, classes=names)


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({}, {}, r"If it names 2 classes, list them in their order .*--classes c\w+,c\w+\)"),
        ({3: "cotrol"}, {"classes": ["control", "case"]}, "row 4: 'cotrol' is none of the classes"),
        ({}, {"classes": ["control", "case", "dead"]}, "no row has the class 'dead'"),
        ({}, {"classes": ["control"]}, "wanted 2 to 30 different names in their order"),
        ({}, {"classes": ["control", "control"]}, "wanted 2 to 30 different names"),
    ],
)  # fmt: skip
def test_a_wrong_class_is_named_with_the_cure(tmp_path, change, options, message):
    table = frame()
    for row, value in change.items():
        table.loc[row, "status"] = value
    with pytest.raises(InputError, match=message):
        read(tmp_path, table, **options)


def test_many_names_are_not_taken_for_classes(tmp_path):
    table = frame().assign(status=[f"s{k}" for k in range(90)])
    with pytest.raises(InputError) as e:
        read(tmp_path, table)
    assert "classes" not in str(e.value)


def challenge(y, **given):
    n = len(y)
    X = np.random.default_rng(5).standard_normal((n, 3))
    return Challenge(
        "c", X, np.asarray(y, float), np.arange(n).astype(str), np.array(["a", "b", "c"]), **given
    )


@pytest.mark.parametrize("sizes", [None, (40, 25, 30), (20, 12, 10)])
@pytest.mark.parametrize("counts", [(60, 35), (88, 7), (40, 30, 20, 5)])
def test_each_class_is_dealt_to_the_sets_in_the_ratio_of_their_sizes(sizes, counts):
    y = np.repeat(np.arange(len(counts)), counts)
    mine = challenge(np.random.default_rng(1).permutation(y))
    metric = find("auroc") if len(counts) == 2 else find("auroc").model_copy()
    strata = np.unique(mine.y, return_inverse=True)[1]
    if len(counts) == 2:
        np.testing.assert_array_equal(strata_of(mine, metric), strata)
    drawn = [sets_of(mine, np.random.default_rng(k), sizes, strata) for k in range(20)]
    wanted = [32, 32, 31] if sizes is None else list(sizes)
    for sets in drawn:
        assert [len(rows) for rows in sets] == wanted
        assert len(np.unique(np.concatenate(sets))) == sum(wanted)
        for rows, size in zip(sets, wanted, strict=True):
            for k, count in enumerate(counts):
                # Rows are dealt one after another, so a class is off its share by less than 2.
                assert abs(np.sum(mine.y[rows] == k) - count * size / len(y)) < 2.0
    assert len({tuple(sets[1]) for sets in drawn}) == 20


def test_all_rows_are_dealt_with_the_same_probability():
    mine = challenge(np.repeat([0, 1], [70, 25]))
    strata, public = strata_of(mine, find("auroc")), np.zeros(95)
    for k in range(4000):
        public[sets_of(mine, np.random.default_rng(k), strata=strata)[1]] += 1
    for label in (0, 1):
        share = public[mine.y == label] / 4000
        # Six standard errors: a false alarm in about 2e-7 of tests.
        assert np.abs(share - share.mean()).max() < 6 * np.sqrt(0.25 / 4000)


def test_numbers_and_groups_are_not_dealt_by_class():
    y = np.arange(90.0) % 2
    assert strata_of(challenge(y), find("mse")) is None
    assert strata_of(challenge(y), find("auroc")) is not None


def test_splits_of_an_experiment_keep_the_share_of_a_rare_class():
    mine = challenge(np.repeat([0, 1], [81, 9]))
    for design in ("permuted", "splits"):
        splitter = Splitter(mine, design, seed=1, metric=find("auroc"))
        for replicate in range(20):
            split = splitter.split(replicate)
            assert all(
                np.sum(y == y.max()) == 3
                for y in (split.view.y_train, split.y_public, split.y_final)
            )


@pytest.mark.parametrize(
    ("y", "metric", "message"),
    [
        (np.arange(90.0), "auroc", "wants a response of two classes; got 90 values"),
        (np.arange(90) % 3, "auroc", "two classes; got 3 values"),
        (np.arange(90) % 3, "0.5*auroc + 0.5*pearson", "metric 'auroc' wants .* of two classes"),
    ],
)  # fmt: skip
def test_a_response_without_classes_is_refused(y, metric, message):
    with pytest.raises(InputError, match=message):
        check_response(find(metric), challenge(y))


def test_numbers_fit_metrics_of_numbers():
    check_response(find("mse"), challenge(np.arange(90.0)))
    check_response(find("auroc"), challenge(np.arange(90) % 2))


def of_two_responses():
    """Classes and numbers of the same rows."""
    rows = np.tile(np.arange(45), 2)
    y = np.concatenate([np.arange(45) % 2, np.arange(45.0)])
    cells = Cells(("cured", "dose"), np.repeat([0, 1], 45), rows)
    return replace(challenge(y), cells=cells)


def test_a_term_asks_for_classes_of_its_own_response_alone():
    check_response(find("0.5*auroc of cured + 0.5*pearson of dose"), of_two_responses())
    for metric in ("auroc of dose", "auroc by response"):
        with pytest.raises(InputError, match="'dose': metric 'auroc' wants a response of two"):
            check_response(find(metric), of_two_responses())


@pytest.mark.parametrize("metric", ["auroc", "kappa by row", "2*auroc"])
def test_classes_of_several_responses_are_not_scored_together(metric):
    with pytest.raises(InputError, match="several responses.* Write '(auroc|kappa) by response'"):
        check_response(find(metric), of_two_responses())


def test_cells_are_classes_missing_or_refused():
    class Source:
        def error(self, message):
            return InputError(message)

    given = codes_of(["b", "a", "", "NA", "b"], ["a", "b"], Source(), "y")
    np.testing.assert_array_equal(given, [1, 0, np.nan, np.nan, 1])
    check_classes(["a", "b"])


def test_shuffled_classes_of_groups_are_classes():
    """Not means of groups and differences from these, which no metric of classes can score."""
    y, codes = np.arange(90) % 3 // 2, np.arange(90) // 2
    grouped = replace(challenge(y), group=Grouping("patient", codes, is_text=False))
    settings = {"metric": "auroc", "mechanisms": [{"name": "full_disclosure"}]}
    settings["attack"] = {"name": "freedman", "largest_model": 1}
    for metric in ("auroc", "auroc by group", "kappa"):
        made = Experiment("e", settings | {"metric": metric}, grouped, "permuted", seed=1)
        for replicate in range(3):
            split = made.splitter.split(replicate)
            for part in (split.view.y_train, split.y_public, split.y_final):
                assert len(np.unique(part)) == 2
        assert len(list(made.plays(0))) == 1


def test_shuffled_classes_of_several_responses_in_groups_are_classes():
    rows = np.tile(np.arange(90), 2)
    y = np.concatenate([np.arange(90) % 3 // 2, np.arange(90) % 2])
    cells = Cells(("a", "b"), np.repeat([0, 1], 90), rows)
    group = Grouping("patient", rows // 2, is_text=False)
    both = replace(challenge(y), cells=cells, group=group)
    settings = {"metric": "auroc by response", "mechanisms": [{"name": "full_disclosure"}]}
    settings["attack"] = {"name": "freedman", "largest_model": 1}
    split = Experiment("e", settings, both, "permuted", seed=1).splitter.split(0)
    for k, part in enumerate((split.view.y_train, split.y_public, split.y_final)):
        for response in range(2):
            assert len(np.unique(part[split.view.cells[k].responses == response])) == 2
