"""One rule for whatever is wrong in a log, and one message each time."""

import numpy as np
import pytest

from shakedown.replay.rules import MISSING, RULES

from .logs import SCHEMA, listing, read_log, table, told


def only(log, rule):
    """The one message of a rule."""
    (row,) = told(log, rule).to_dict("records")
    return row


def test_the_schema_offers_the_policies_that_there_are():
    assert tuple(SCHEMA["$defs"]["replay"]["properties"]["missing"]["enum"]) == MISSING


def test_a_submission_that_lacks_predictions_is_not_played(tmp_path):
    rows = table()
    rows.loc[[2, 5], "s2"] = None
    log = read_log(tmp_path, rows, listing())
    assert log.submissions["submission"].tolist() == ["s1", "s3", "s4", "s5", "s6"]
    assert log.submissions["order_in_team"].tolist() == [1, 2, 1, 3, 2]
    row = only(log, "missing")
    assert (row["submission"], row["team"], row["count"], row["played"]) == ("s2", "two", 2, False)
    assert row["done"] == "2 of 40 predictions missing; not played."


def test_or_they_are_filled_with_what_the_complete_ones_say(tmp_path):
    rows = table()
    rows.loc[[2, 5], "s2"] = None
    rows.loc[:20, "s3"] = None  # 21 of 40: more than half
    log = read_log(tmp_path, rows, listing(), missing="fill_median")
    complete = rows[["s1", "s4", "s5", "s6"]].astype(float)
    np.testing.assert_allclose(log.predictions[1, [2, 5]], complete.median(axis=1)[[2, 5]])
    assert log.submissions["submission"].tolist() == ["s1", "s2", "s4", "s5", "s6"]
    filled, left = told(log, "missing").to_dict("records")
    assert (filled["submission"], filled["played"]) == ("s2", True)
    assert "filled with the row's median over the 4 complete submissions" in filled["done"]
    assert (left["submission"], left["played"]) == ("s3", False)
    assert "more than half" in left["done"]


@pytest.mark.parametrize(
    ("cell", "rule"),
    [("inf", "not_finite"), ("-Infinity", "not_finite"), ("1,5", "not_a_number"),
     ("see text", "not_a_number")],
)  # fmt: skip
def test_what_is_no_finite_number_counts_as_missing(tmp_path, cell, rule):
    rows = table()
    rows.loc[4, "s5"] = cell
    log = read_log(tmp_path, rows, listing(), missing="fill_median")
    assert only(log, rule)["submission"] == "s5"
    assert only(log, "missing")["count"] == 1
    assert np.isfinite(log.predictions).all()


def test_a_constant_submission_is_played_where_it_has_a_score(tmp_path):
    rows = table()
    rows["s4"] = 10
    log = read_log(tmp_path, rows, listing(), metric="mse")
    assert only(log, "constant")["played"]
    log = read_log(tmp_path, rows, listing(), metric="spearman")
    row = only(log, "no_score")
    assert not row["played"]
    assert row["done"] == (
        "No spearman on the public and the private rows, as its predictions are all the same "
        "there; not played."
    )
    rows["s4"] = [10] * 20 + list(range(20))
    row = only(read_log(tmp_path, rows, listing(), metric="pearson"), "no_score")
    assert "on the public rows" in row["done"]


def test_a_submission_that_a_function_refuses_is_not_played(tmp_path):
    rows = table()
    rows["truth"] = rows["truth"].astype(float).abs()
    rows.iloc[:, 3:] = rows.iloc[:, 3:].astype(float).abs()
    rows.loc[0, "s6"] = -1.5
    log = read_log(tmp_path, rows, listing(), metric="sklearn.metrics.mean_squared_log_error")
    assert only(log, "no_score")["submission"] == "s6"
    assert len(log.predictions) == 5


def test_the_same_predictions_are_played_and_told(tmp_path):
    rows = table()
    rows["s4"] = rows["s1"]
    rows["s5"] = rows["s1"]
    log = read_log(tmp_path, rows, listing())
    assert len(log.predictions) == 6
    other, own = told(log, "same_predictions")["done"]
    assert other == "The same predictions as 's1' of team 'one'; played."
    assert own == "The same predictions as 's1' of the same team; played."


def test_rows_that_cannot_count_are_left_out(tmp_path):
    rows = table(44)
    rows.loc[0, "id"] = None
    rows.loc[1] = rows.loc[40]  # identical to a later one
    rows.loc[2, "id"] = "r42"  # another row has it
    rows.loc[3, "truth"] = "unknown"
    rows.loc[4, "truth"] = "inf"
    rows.loc[5, "truth"] = None
    rows.loc[6, "set"] = "ignored"
    log = read_log(tmp_path, rows, listing())
    counts = dict(zip(log.messages["rule"], log.messages["count"], strict=True))
    assert counts == {
        "row_without_id": 1, "row_repeated": 1, "row_conflicting": 2, "truth_missing": 3,
        "row_neither": 1,
    }  # fmt: skip
    assert log.rows.tolist() == ["r41", *(f"r{i}" for i in (*range(8, 41), 43, 44))]
    assert log.messages["played"].isna().all()


def test_ids_of_a_submission_that_are_unknown_or_stand_twice(tmp_path):
    rows = table()
    (tmp_path / "sent").mkdir()
    for name in ("s1", "s2", "s3"):
        rows[["id", name]].to_csv(tmp_path / f"sent/{name}.csv", index=False)
    with open(tmp_path / "sent/s1.csv", "a") as file:
        file.write(f"r99,1\nr1,{rows.loc[0, 's1']}\n")
    with open(tmp_path / "sent/s2.csv", "a") as file:
        file.write("r1,1e9\n")
    (tmp_path / "sent/notes.txt").write_text("hello")
    log = read_log(tmp_path, rows[["id", "truth", "set"]], listing(3), folder="sent")
    assert log.submissions["submission"].tolist() == ["s1", "s3"]
    np.testing.assert_array_equal(log.predictions[0], rows["s1"].astype(float))
    assert only(log, "id_unknown")["count"] == 1
    assert only(log, "id_repeated")["submission"] == "s1"
    assert (only(log, "id_conflicting")["submission"], only(log, "missing")["count"]) == ("s2", 1)
    assert "notes.txt" in only(log, "unreadable")["done"]


def test_a_file_names_its_column_or_has_but_one(tmp_path):
    rows = table()
    (tmp_path / "sent").mkdir()
    rows[["id", "s1", "s2"]].to_csv(tmp_path / "sent/s1.csv", index=False)
    rows[["id", "s2"]].to_csv(tmp_path / "sent/s2.csv", index=False)
    given = {"listed": listing(2), "folder": "sent"}
    log = read_log(tmp_path, rows[["id", "truth", "set"]], **given)
    assert log.submissions["submission"].tolist() == ["s2"]
    assert "wanted one column besides 'id'; got 's1', 's2'" in only(log, "unreadable")["done"]
    log = read_log(tmp_path, rows[["id", "truth", "set"]], prediction="s2", **given)
    assert len(log.predictions) == 2


def test_list_and_predictions_need_not_agree(tmp_path):
    listed = listing()
    listed.loc[1, "team"] = None
    listed.loc[2, "submission"] = "lost"
    listed.loc[6] = ["s1", "two", "2025-02-01"]
    listed.loc[7] = [None, "two", "2025-02-02"]
    log = read_log(tmp_path, table(), listed)
    assert log.submissions["submission"].tolist() == ["s1", "s2", "s4", "s5", "s6"]
    assert log.submissions["team"].tolist() == ["one", "s2", "two", "one", "two"]
    assert only(log, "not_listed")["submission"] == "s3"
    lost, nameless = told(log, "no_predictions").to_dict("records")
    assert (lost["submission"], lost["team"], lost["played"]) == ("lost", "one", False)
    assert nameless["submission"] is None
    assert only(log, "listed_twice")["submission"] == "s1"
    assert only(log, "no_team")["team"] == "s2"


def test_every_message_is_of_a_rule_that_the_page_can_tell(tmp_path):
    rows = table()
    rows.loc[0, "s1"] = "?"
    log = read_log(tmp_path, rows.drop(columns="set"))
    assert set(log.messages["rule"]) <= set(RULES)
    assert (log.messages["count"] > 0).all()
    assert log.messages["done"].str.endswith(".").all()
