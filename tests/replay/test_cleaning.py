"""One rule for whatever is wrong in a log, and one message each time."""

import numpy as np
import pandas as pd
import pytest

from shakedown.config.nodes import node
from shakedown.interface import SMALLEST_SPREAD, InputError
from shakedown.metrics import find
from shakedown.replay.cleaning import MISSING, RULES, _why_no_score
from shakedown.replay.settings import ReplayEntry

from .logs import listing, messages_of, read_log, table

NAMES = [f"s{k}" for k in range(1, 7)]


def only(log, rule):
    """The one message of a rule."""
    (row,) = messages_of(log, rule).to_dict("records")
    return row


def test_the_schema_offers_the_policies_that_there_are():
    assert tuple(node(ReplayEntry)["properties"]["missing"]["enum"]) == MISSING


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
    filled, left = messages_of(log, "missing").to_dict("records")
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
    assert only(log, "constant")["count"] == 1
    log = read_log(tmp_path, rows, listing(), metric="spearman")
    row = only(log, "no_score")
    assert not row["played"]
    assert row["done"] == (
        "No spearman on the public and the private rows, because its predictions are all equal "
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
    other, own = messages_of(log, "same_predictions")["done"]
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


def test_a_row_is_left_out_for_one_reason(tmp_path):
    rows = table(44)
    rows.loc[3, "truth"] = None
    rows.loc[4] = rows.loc[3]  # without a truth too
    rows.loc[5, "set"] = "ignored"
    rows.loc[5, "truth"] = None
    log = read_log(tmp_path, rows, listing())
    counts = dict(zip(log.messages["rule"], log.messages["count"], strict=True))
    assert counts == {"row_repeated": 1, "truth_missing": 2}


def test_half_of_the_predictions_may_be_filled(tmp_path):
    rows = table(40)
    rows.loc[:19, "s1"] = None
    rows.loc[:20, "s2"] = None
    log = read_log(tmp_path, rows, missing="fill_median")
    assert "s1" in set(log.submissions["submission"])
    assert "s2" not in set(log.submissions["submission"])
    others = rows.loc[:19, ["s3", "s4", "s5", "s6"]].astype(float)
    first = log.predictions[log.submissions["submission"].tolist().index("s1")]
    np.testing.assert_array_equal(first[:20], others.median(axis=1))


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
    lost, nameless = messages_of(log, "no_predictions").to_dict("records")
    assert (lost["submission"], lost["team"], lost["played"]) == ("lost", "one", False)
    assert pd.isna(nameless["submission"])
    assert only(log, "listed_twice")["submission"] == "s1"
    assert only(log, "no_team")["team"] == "s2"


def test_a_listed_submission_that_could_not_be_read_is_told_once(tmp_path):
    """Not again as one without predictions, whatever was said of others."""
    rows = table()
    (tmp_path / "sent").mkdir()
    rows[["id", "s1"]].to_csv(tmp_path / "sent/s1.csv", index=False)
    rows[["id", "s1", "s2"]].to_csv(tmp_path / "sent/s2.csv", index=False)
    log = read_log(tmp_path, rows[["id", "truth", "set"]], listing(3), folder="sent")
    assert only(log, "unreadable")["submission"] == "s2"
    assert only(log, "no_predictions")["submission"] == "s3"


def test_every_message_is_of_a_rule_that_the_page_can_tell(tmp_path):
    rows = table()
    rows.loc[0, "s1"] = "?"
    log = read_log(tmp_path, rows.drop(columns="set"))
    assert set(log.messages["rule"]) <= set(RULES)
    assert (log.messages["count"] > 0).all()
    assert log.messages["done"].str.endswith(".").all()


def test_the_zero_one_loss_wants_labels(tmp_path):
    rows = table(60)
    with pytest.raises(
        InputError, match=r"'zero_one'.*labels.*'truth'.*not whole, such as.*'metric'"
    ):
        read_log(tmp_path, rows, listing(), metric="zero_one")
    rows[NAMES] = np.tile(np.arange(60)[:, None], 6)
    rows["truth"] = np.arange(60)
    with pytest.raises(InputError, match=r"60 different values in 60 rows.*'metric'"):
        read_log(tmp_path, rows, listing(), metric="zero_one")
    rows["truth"] = [f"name {i}" for i in range(60)]
    with pytest.raises(InputError, match=r"60 different values in 60 rows"):
        read_log(tmp_path, rows, listing(), metric="zero_one")
    for values in (20, 30):  # few of them, or each of them in two rows
        rows["truth"] = np.arange(60) % values
        assert len(read_log(tmp_path, rows, listing(), metric="zero_one").predictions)


def test_predictions_that_are_no_label_are_told(tmp_path):
    rows = table()
    rows["truth"] = np.arange(40) % 2
    rows[NAMES] = np.tile(np.arange(40)[:, None] % 2, 6).astype(object)
    rows.loc[:2, "s2"] = 0.7
    log = read_log(tmp_path, rows, listing(), metric="zero_one")
    row = only(log, "label_unknown")
    assert (row["submission"], row["count"], row["played"]) == ("s2", 3, True)
    assert row["done"] == (
        "3 of 40 predictions are not a label of the truth, such as 0.7; each counts as wrong."
    )
    rows["truth"] = np.where(rows["truth"].astype(bool), "cat", "dog")
    rows[NAMES] = np.tile(rows[["truth"]].to_numpy(), 6)
    rows.loc[4, "s3"] = "cow"
    log = read_log(tmp_path, rows, listing(), metric="zero_one")
    assert only(log, "label_unknown")["submission"] == "s3"
    assert "such as 'cow'" in only(log, "label_unknown")["done"]
    rows = rows.replace({"dog": "1", "cow": "1.0"})  # labels are text if one of them is
    log = read_log(tmp_path, rows, listing(), metric="zero_one")
    assert len(log.rows) == 40
    assert "such as '1.0'" in only(log, "label_unknown")["done"]


def test_a_truth_with_decimal_commas_is_told_with_its_cure(tmp_path):
    rows = table(60)
    rows["truth"] = [f"50,{i:03d}" for i in range(60)]
    wanted = (
        r"0 public rows left of 0.*60 rows whose truth.*60 of them are not numeric, such as '50"
        r",000' in row 'r1'.*decimal point"
    )
    with pytest.raises(InputError, match=wanted):
        read_log(tmp_path, rows, listing())


def test_predictions_with_decimal_commas_are_told_with_their_cure(tmp_path):
    rows = table()
    rows.iloc[:, 3:] = "1,5"
    with pytest.raises(
        InputError, match=r"none of the 6 submissions.*not numeric, such as '1,5'.*point"
    ):
        read_log(tmp_path, rows, listing())


def test_public_ids_that_lost_their_zeros_are_told_with_their_cure(tmp_path):
    rows = table().drop(columns="set")
    rows["id"] = [f"{i:03d}" for i in range(40)]
    wanted = r"0 public rows.*15 ids .*match no row: '0', '1'.*look like '000'.*[Qq]uote"
    with pytest.raises(InputError, match=wanted):
        read_log(tmp_path, rows, listing(), public=list(range(15)))
    log = read_log(tmp_path, rows, listing(), public=[*range(5), *rows["id"].iloc[5:20]])
    assert only(log, "id_unknown")["count"] == 5
    assert "leading zeros" in only(log, "id_unknown")["done"]


def test_ids_of_files_that_lost_their_zeros_are_told(tmp_path):
    rows = table()
    (tmp_path / "sent").mkdir()
    padded = rows.assign(id=[f"{i:03d}" for i in range(40)])
    padded[["id", "s1"]].to_csv(tmp_path / "sent/s1.csv", index=False)
    rows["id"] = range(40)
    rows[["id", "s2"]].to_csv(tmp_path / "sent/s2.csv", index=False)
    plain = rows[["id", "truth", "set"]]
    log = read_log(tmp_path, plain, listing(2), folder="sent")
    done = only(log, "id_unknown")["done"]
    assert "'000'" in done
    assert "look like '0'" in done
    assert "leading zeros" in done
    (tmp_path / "sent/s2.csv").unlink()
    with pytest.raises(InputError, match=r"40 predictions.*'000'.*leading zeros"):
        read_log(tmp_path, plain, listing(2), folder="sent")


def test_a_submission_of_two_teams_is_told_with_both(tmp_path):
    listed = listing().assign(order=[1, 2, 3, 4, 5, 6])
    listed.loc[6] = ["s1", "two", "2025-02-01", 9]
    log = read_log(tmp_path, table(), listed)
    assert only(log, "listed_twice")["done"] == (
        "Twice in the list: line 2 (team 'one', order '1', time '2025-01-01') counts, line 8 (team "
        "'two', order '9', time '2025-02-01') does not."
    )
    assert log.submissions["team"].iloc[0] == "one"


@pytest.mark.parametrize(
    ("metric", "cell", "why"),
    [
        ("pearson", 1e50, "because its predictions are all equal there"),
        ("sklearn.metrics.mean_squared_log_error", -2, "mean_squared_log_error refuses it"),
        ("pearson", np.arange(40) * 1e-60, "because its predictions differ by less than 1e-50"),
    ],
)
def test_the_reason_for_no_score_is_the_right_one(tmp_path, metric, cell, why):
    rows = table()
    rows["truth"] = rows["truth"].astype(float).abs()
    rows.iloc[:, 3:] = rows.iloc[:, 3:].astype(float).abs()
    rows["s2"] = cell
    row = only(read_log(tmp_path, rows, listing(), metric=metric), "no_score")
    assert row["submission"] == "s2"
    assert why in row["done"]
    assert ("all equal" in row["done"]) == ("all equal" in why)
    assert row["done"].endswith("; not played.")


def test_a_constant_truth_is_the_reason_where_predictions_just_differ_enough():
    prediction = np.resize([0.0, SMALLEST_SPREAD], 20)
    assert find("pearson").score(np.arange(20.0), prediction[None])[0] != 0.0
    why = _why_no_score(find("pearson"), np.ones(20), prediction)
    assert why == ", because the truth is constant there"


def test_a_zipped_file_is_to_be_unpacked(tmp_path):
    rows = table()
    (tmp_path / "sent").mkdir()
    rows[["id", "s1"]].to_csv(tmp_path / "sent/s1.csv", index=False)
    rows[["id", "s2"]].to_csv(tmp_path / "sent/s2.csv.zip", index=False)
    rows[["id", "s3"]].to_csv(tmp_path / "packed.csv.zip", index=False)
    (tmp_path / "packed.csv.zip").rename(tmp_path / "sent/s3.csv")
    log = read_log(tmp_path, rows[["id", "truth", "set"]], listing(3), folder="sent")
    assert log.submissions["submission"].tolist() == ["s1"]
    packed = messages_of(log, "unreadable")["done"]
    assert len(packed) == 2
    assert packed.str.contains("Unpack it").all()
    assert messages_of(log, "unreadable")["submission"].tolist() == ["s2", "s3"]
    (tmp_path / "sent/s1.csv").unlink()
    with pytest.raises(InputError, match=r"none of the 2 submissions.*s2\.csv\.zip.*Unpack it"):
        read_log(tmp_path, rows[["id", "truth", "set"]], listing(3), folder="sent")


def test_what_was_done_is_told_in_a_line_whatever_the_cells_hold(tmp_path):
    rows = table()
    rows.loc[0, "truth"] = "a\nb\x1b[31m"
    rows.loc[1, "s1"] = "x" * 3000
    done = read_log(tmp_path, rows).messages["done"]
    assert done.str.contains(r"'a\nb\x1b[31m' in row 'r1'", regex=False).any()
    assert done.str.contains("xxx...", regex=False).any()
    assert done.str.len().max() < 600
    assert done.map(str.isprintable).all()
