"""Which columns are responses, and a second table that has them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from shakedown import data
from shakedown.interface import InputError
from tests.near import assert_equal_challenges

ROWS = 40


def frame(seed=1):
    """Ids, three responses of one stem and another, features and a split; no cell is missing."""
    rng = np.random.default_rng(seed)
    names = ["att_1", "att_2", "att_3", "mood", "a", "b", "c"]
    table = pd.DataFrame(rng.standard_normal((ROWS, len(names))).round(6), columns=names)
    table.insert(0, "id", [f"r{i}" for i in range(ROWS)])
    return table.assign(set=["train", "train", "public", "final"] * (ROWS // 4))


RESPONSES = ["att_1", "att_2", "att_3"]


def read(tmp_path, table, other=None, **settings):
    table.to_csv(tmp_path / "t.csv", index=False)
    given = {"recipe": "table", "path": str(tmp_path / "t.csv"), "id": "id", "split": "set"}
    if other is not None:
        other.to_csv(tmp_path / "other.csv", index=False)
        given["response_table"] = str(tmp_path / "other.csv")
    given |= {"ignore": ["mood"]} if "mood" in table else {}
    return data.read("mine", given | settings, seed=1)


def names_of(challenge):
    return list(challenge.cells.names)


@pytest.mark.parametrize(
    ("response", "names"),
    [
        ("att_*", ["att_1", "att_2", "att_3"]),
        ("att_[13]", ["att_1", "att_3"]),
        ("?oo*", ["mood"]),
        (["att_3", "att_1"], ["att_3", "att_1"]),
        (["mood", "att_*"], ["mood", "att_1", "att_2", "att_3"]),
        ([" att_1 ", "att_2"], ["att_1", "att_2"]),
    ],
)
def test_names_and_patterns_name_columns_in_their_order(tmp_path, response, names):
    mine = read(tmp_path, frame(), response=response, ignore=[])
    if len(names) == 1:
        assert mine.cells is None
    else:
        assert names_of(mine) == names
        assert len(mine.y) == ROWS * len(names)
    left = {"att_1", "att_2", "att_3", "mood", "a", "b", "c"} - set(names)
    assert set(mine.features.tolist()) == left


def test_one_name_in_a_list_is_a_single_response(tmp_path):
    alone, listed = (read(tmp_path, frame(), response=r, ignore=[]) for r in ("mood", ["mood"]))
    assert_equal_challenges(listed, alone)


def test_a_column_may_be_called_like_a_pattern(tmp_path):
    table = frame().rename(columns={"att_2": "att_*"})
    mine = read(tmp_path, table, response="att_*")
    assert mine.cells is None
    assert "att_1" in mine.features.tolist()


@pytest.mark.parametrize("role", [{"ignore": ["att_3", "mood"]}, {"group": "att_3"}])
def test_a_pattern_names_no_column_with_another_role(tmp_path, role):
    table = frame().assign(att_3=[f"g{i // 2}" for i in range(ROWS)])
    table["set"] = ["train"] * 20 + ["public"] * 10 + ["final"] * 10
    mine = read(tmp_path, table, response="att_*", **role)
    assert names_of(mine) == ["att_1", "att_2"]
    assert "att_3" not in mine.features.tolist()


def test_a_pattern_names_no_column_without_a_name(tmp_path):
    """As an index that a spreadsheet writes."""
    table = frame()
    table.insert(0, "", [""] * ROWS)
    other = table[["id", "", *RESPONSES]]
    for wanted in ("*", None):
        assert names_of(read(tmp_path, table, other, response=wanted)) == RESPONSES


def test_row_labels_of_pandas_are_no_response(tmp_path):
    table = frame()
    labelled = table[["id", *RESPONSES]].set_index(pd.Index(range(7, 7 + ROWS), name=None))
    labelled.insert(1, "__index_level_0__", labelled.index)
    labelled.to_parquet(tmp_path / "other.parquet", index=False)
    other = {"response_table": str(tmp_path / "other.parquet")}
    assert names_of(read(tmp_path, table, **other)) == RESPONSES
    assert names_of(read(tmp_path, table, response="*", **other)) == RESPONSES


def test_two_tables_are_one_table_whatever_the_order_of_their_rows(tmp_path):
    table = frame()
    other = table[["id", *RESPONSES]].sample(frac=1.0, random_state=3)
    assert other["id"].tolist() != table["id"].tolist()
    one = read(tmp_path, table, response="att_*")
    for wanted in (None, "att_*", RESPONSES):
        two = read(tmp_path, table.drop(columns=RESPONSES), other, response=wanted)
        assert_equal_challenges(replace(two, notes=()), replace(one, notes=()))
        assert any("Responses from" in note and "by 'id'" in note for note in two.notes)


def test_two_tables_with_missing_cells_are_one_table(tmp_path):
    table = frame()
    table.loc[[3, 17], "att_2"] = np.nan
    other = table[["id", *RESPONSES]].iloc[::-1]
    one = read(tmp_path, table, response="att_*")
    two = read(tmp_path, table.drop(columns=RESPONSES), other)
    assert_equal_challenges(replace(two, notes=()), replace(one, notes=()))


def test_a_column_of_the_first_table_with_the_name_of_a_response_is_no_feature(tmp_path):
    """It would tell the truth, or a former guess of it."""
    table = frame()
    mine = read(tmp_path, table, table[["id", "att_1", "att_2"]])
    assert mine.features.tolist() == ["att_3", "a", "b", "c"]
    assert any("2 columns left out, because the other table" in note for note in mine.notes)


def test_columns_of_the_other_table_that_are_not_used_are_noted(tmp_path):
    table = frame()
    other = table[["id", *RESPONSES, "a"]].assign(why="x")
    mine = read(tmp_path, table.drop(columns=RESPONSES), other, response=["att_1", "att_2"])
    assert names_of(mine) == ["att_1", "att_2"]
    assert any("not used: 'att_3', 'a', 'why'" in note for note in mine.notes)
    assert "a" in mine.features.tolist()  # that of the first table


def test_roles_of_the_first_table_are_no_responses_of_the_other(tmp_path):
    table = frame()
    mine = read(tmp_path, table.drop(columns=RESPONSES), table[["id", "set", "mood", *RESPONSES]])
    assert names_of(mine) == RESPONSES


def test_empty_rows_at_the_end_are_left_out_of_both_tables(tmp_path):
    """Spreadsheets append them."""
    table = frame()
    blank = pd.DataFrame([[np.nan] * len(table.columns)] * 2, columns=table.columns)
    long = pd.concat([table, blank])
    one = read(tmp_path, table, table[["id", *RESPONSES]])
    two = read(tmp_path, long, long[["id", *RESPONSES]])
    assert_equal_challenges(replace(two, notes=()), replace(one, notes=()))


def test_a_single_response_may_stand_in_another_table(tmp_path):
    table = frame()
    other = table[["id", "att_1"]].iloc[::-1]
    one = read(tmp_path, table.drop(columns=["att_2", "att_3"]), response="att_1")
    two = read(tmp_path, table.drop(columns=RESPONSES), other)
    assert two.cells is None
    assert_equal_challenges(replace(two, notes=()), replace(one, notes=()))


def spoilt(**cells):
    """The other table with these cells changed, by column and row."""
    other = frame()[["id", *RESPONSES]].astype(object)
    for column, (row, value) in cells.items():
        other.loc[row, column] = value
    return other


REFUSALS = [
    (spoilt(id=(4, "r3")), {}, "column 'id' has 1 id more than once: 'r3'. Give every row"),
    (spoilt(id=(4, "new")), {}, r"1 id of .*t.csv is not in .*other.csv: 'r4'. Wanted the"),
    (spoilt().iloc[2:], {}, r"2 ids of .*t.csv are not in .*other.csv: 'r0', 'r1'"),
    (
        pd.concat([spoilt(), spoilt(id=(0, "x")).iloc[:1]]),
        {},
        r"1 id of .*other.csv is not in .*t.csv: 'x'",
    ),
    (spoilt(id=(4, "")), {}, "column 'id' has no id in 1 row, first in row 5. Give every row"),
    (spoilt(att_2=(4, "high")), {}, "column 'att_2', row 'r4': 'high' is not a number. Correct"),
    (spoilt(att_2=(4, 1e60)), {}, "column 'att_2', row 'r4' is 1e"),
    (spoilt(), {"id": None}, "joined by ids, and no column of ids is named. Set 'id' to a column"),
    (spoilt(), {"id": "no"}, "no column 'no', which 'id' names"),
    (spoilt(), {"response": "b*"}, "no column fits the pattern 'b.*' of 'response'. The header"),
    (spoilt(), {"response": ["id", "att_1"]}, "'id' is set as 'response', and has another role"),
    (spoilt()[["id"]], {}, "no column is left as a response. Add the columns to predict"),
]


@pytest.mark.parametrize(("other", "changes", "message"), REFUSALS)
def test_tables_that_do_not_fit_are_refused(tmp_path, other, changes, message):
    with pytest.raises(InputError, match=message):
        read(tmp_path, frame().drop(columns=RESPONSES), other, **changes)


@pytest.mark.parametrize(
    ("response", "message"),
    [
        (None, "no response is named. Wanted the column to predict, or several, or a pattern"),
        ([], "no response is named"),
        ("at_*", "no column fits the pattern 'at_.*' of 'response'. .* Did you mean 'att_"),
        (["att_1", "att_*"], "'response' names 'att_1' more than once. Name each column once"),
        (["att_1", "att_1"], "'response' names 'att_1' more than once"),
        (["att_1", "atd_2"], "no column 'atd_2', which 'response' names. Did you mean 'att_2'"),
        (["att_1", "set"], "column 'set' is set as 'response' and as 'split'; remove one"),
        ("*", "no column is left as a feature"),
    ],
)
def test_responses_that_are_not_there_are_refused(tmp_path, response, message):
    with pytest.raises(InputError, match=message):
        read(tmp_path, frame(), response=response)


def test_repeated_ids_of_a_large_table_are_found_at_once(tmp_path):
    """Not in a time that grows with the square of the rows."""
    n = 30_000
    other = pd.DataFrame({"id": np.arange(n) // 2, "y": np.arange(n)})
    table = pd.DataFrame({"id": np.arange(n), "x": np.arange(n) % 7})
    with pytest.raises(InputError, match="column 'id' has 15,000 ids more than once"):
        read(tmp_path, table, other, split=None)


def test_features_called_like_the_response_are_noted(tmp_path):
    sentence = "2 features called like the response 'att_1': 'att_2', 'att_3'. If participants"
    with pytest.warns(UserWarning, match=sentence):
        mine = read(tmp_path, frame(), response="att_1")
    assert any(sentence in note and "('att_*')" in note for note in mine.notes)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("response", [["att_1", "att_2"], "a", "mood"])
def test_nothing_is_noted_of_several_responses_or_a_name_without_a_number(tmp_path, response):
    table = frame().rename(columns={"mood": "2019"}) if response == "mood" else frame()
    wanted = "2019" if response == "mood" else response
    read(tmp_path, table, response=wanted, ignore=[])
