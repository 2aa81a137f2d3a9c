"""Reading a submission log: what is played, in which order, and what is said of the rest."""

import unicodedata

import numpy as np
import pandas as pd
import pytest

from shakedown.interface import InputError
from shakedown.replay.cleaning import RULES, Messages
from shakedown.replay.log import load, save
from shakedown.replay.reading import check, read

from .logs import listing, messages_of, read_log, settings, table


def names(log):
    return log.submissions["submission"].tolist()


def test_a_clean_log_is_read_as_it_stands(tmp_path):
    rows = table()
    log = read_log(tmp_path, rows, listing())
    assert log.rows.tolist() == rows["id"].tolist()
    np.testing.assert_array_equal(log.truth, rows["truth"].astype(float))
    np.testing.assert_array_equal(log.public, rows["set"] == "public")
    np.testing.assert_array_equal(log.predictions, rows.iloc[:, 3:].T.astype(float))
    assert names(log) == [f"s{k}" for k in range(1, 7)]
    assert log.submissions["team"].tolist() == ["one", "two"] * 3
    assert log.submissions["order"].tolist() == [1, 2, 3, 4, 5, 6]
    assert log.submissions["order_in_team"].tolist() == [1, 1, 2, 2, 3, 3]
    assert log.submissions["time"].iloc[2] == pd.Timestamp("2025-01-03")
    assert log.messages.empty


def test_a_log_survives_the_disk(tmp_path):
    rows = table()
    rows.loc[3, "s2"] = None
    log = read_log(tmp_path, rows, listing())
    save(log, tmp_path / "log.npz")
    first = (tmp_path / "log.npz").read_bytes()
    again = load(tmp_path / "log.npz")
    for key in ("rows", "truth", "public", "predictions"):
        np.testing.assert_array_equal(getattr(again, key), getattr(log, key))
    pd.testing.assert_frame_equal(again.submissions, log.submissions)
    pd.testing.assert_frame_equal(again.messages, log.messages)
    save(again, tmp_path / "log.npz")
    assert (tmp_path / "log.npz").read_bytes() == first
    with pytest.raises(InputError, match="does not exist"):
        load(tmp_path / "no.npz")
    (tmp_path / "log.npz").write_bytes(b"PK")
    with pytest.raises(InputError, match="is not a submission log"):
        load(tmp_path / "log.npz")


def test_files_of_their_own_give_the_same_log(tmp_path):
    rows = table()
    (tmp_path / "sent").mkdir()
    for name in names(read_log(tmp_path, rows, listing())):
        shuffled = rows[["id", name]].rename(columns={name: "guess"}).sample(frac=1, random_state=2)
        shuffled.to_csv(tmp_path / f"sent/{name}.csv.gz", index=False)
    wide = read_log(tmp_path, rows, listing())
    long = read_log(tmp_path, rows[["id", "truth", "set"]], listing(), folder="sent")
    np.testing.assert_array_equal(long.predictions, wide.predictions)
    pd.testing.assert_frame_equal(long.submissions, wide.submissions)
    assert long.messages.empty


@pytest.mark.parametrize(
    ("column", "values", "order"),
    [
        ("order", [6, 5, 4, 3, 2, 1], "654321"),
        ("order", ["1", "1", "2", "2", "x", "3"], "123465"),
        ("time", ["2025-01-09", "2025-01-02 10:00", "2025-01-02 09:59", None, "2024", "1 May 2025"],
         "532164"),
        ("time", [1.5e9, 1.4e9, 3, 2, None, 1], "643215"),
    ],
)  # fmt: skip
def test_the_playing_order_is_by_order_or_time(tmp_path, column, values, order):
    listed = listing().drop(columns="time").assign(**{column: values})
    log = read_log(tmp_path, table(), listed)
    assert names(log) == [f"s{k}" for k in order]
    unordered = {"x": ["s5"], None: ["s4" if values[0] == "2025-01-09" else "s5"]}
    wanted = next((unordered[key] for key in ("x", None) if key in values), [])
    assert messages_of(log, "no_order")["submission"].tolist() == wanted


def test_equal_orders_go_by_time_and_then_line_by_line(tmp_path):
    listed = listing().assign(order=[2, 1, 2, 1, 1, 2])
    listed["time"] = ["2025-01-03", "2025-01-05", "2025-01-02", "2025-01-04", "2025-01-05", None]
    log = read_log(tmp_path, table(), listed)
    assert names(log) == ["s4", "s2", "s5", "s3", "s1", "s6"]
    (tied,) = messages_of(log, "order_tied")["count"]
    assert tied == 2  # s2 and s5


def test_columns_of_the_list_can_have_names_of_their_own(tmp_path):
    listed = listing().set_axis(["entry", "group", "sent"], axis=1)
    own = {"submission": "entry", "team": "group", "time": "sent"}
    log = read_log(tmp_path, table(), listed, columns=own)
    assert log.submissions["team"].tolist() == ["one", "two"] * 3
    with pytest.raises(InputError, match="no column 'submission'"):
        read_log(tmp_path, table(), listed)
    with pytest.raises(InputError, match=r"no column 'groop', which 'columns.team' names.*'group'"):
        read_log(tmp_path, table(), listed, columns={"submission": "entry", "team": "groop"})


def test_without_a_list_all_is_one_teams_in_the_order_of_the_table(tmp_path):
    log = read_log(tmp_path, table())
    assert set(log.submissions["team"]) == {"team"}
    assert names(log) == [f"s{k}" for k in range(1, 7)]
    assert messages_of(log, "no_list")["count"].tolist() == [6]


@pytest.mark.parametrize("how", ["column", "ids", "file"])
def test_public_rows_are_a_column_a_list_or_a_file(tmp_path, how):
    rows = table()
    public = rows.loc[rows["set"] == "public", "id"]
    given = {"column": "set", "ids": [*public, "r99"], "file": "public.csv"}[how]
    public.to_frame().to_csv(tmp_path / "public.csv", index=False)
    rows = rows if how == "column" else rows.drop(columns="set")
    log = read_log(tmp_path, rows, listing(), public=given)
    np.testing.assert_array_equal(log.public, np.isin(log.rows, public))
    assert messages_of(log, "id_unknown")["count"].tolist() == ([1] if how == "ids" else [])


def test_drawn_public_rows_depend_on_the_seed_alone(tmp_path):
    rows = table().drop(columns="set")
    log = read_log(tmp_path, rows, public_share=0.4)
    assert log.public.sum() == 16
    turned = read_log(tmp_path, rows.iloc[::-1], public_share=0.4)
    assert set(turned.rows[turned.public]) == set(log.rows[log.public])
    (count,) = messages_of(log, "public_drawn")["count"]
    assert count == 16
    assert read_log(tmp_path, rows, public_share=0.44).public.sum() == 18  # of 40: 17.6
    other = read("trial", settings(public_share=0.4), seed=2, folder=tmp_path)
    assert set(other.rows[other.public]) != set(log.rows[log.public])


def test_words_for_public_and_private(tmp_path):
    rows = table()
    words = ["Public", "leaderboard", "TRUE", "1", "yes"] * 4 + [
        "Private",
        "test",
        "false",
        "0",
    ] * 5
    log = read_log(tmp_path, rows.assign(set=words), listing())
    assert log.public.tolist() == [True] * 20 + [False] * 20


def test_labels_are_compared_as_text(tmp_path):
    rng = np.random.default_rng(3)
    rows = table()[["id", "set"]]
    rows.insert(1, "truth", rng.choice(["cat", "dog", "emu"], 40))
    for k in range(3):
        rows[f"s{k + 1}"] = np.where(rng.random(40) < 0.5, rows["truth"], "cow")
    rows.loc[0, "s3"] = None
    log = read_log(tmp_path, rows, listing(3), metric="zero_one")
    assert names(log) == ["s1", "s2"]
    wrong = (rows[["s1", "s2"]].to_numpy() != rows[["truth"]].to_numpy()).T
    np.testing.assert_array_equal(log.predictions != log.truth, wrong)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"table": "lgo.csv"}, r"lgo.csv\): no such file.*'log.csv'"),
        ({"id": "ID"}, "no column 'ID', which 'id' names. Did you mean 'id'"),
        ({"truth": "truht"}, "no column 'truht', which 'truth' names. Did you mean 'truth'"),
        ({"public": "sett"}, "no column and no file 'sett'"),
        ({"ignore": ["s9"]}, "no column 's9', which 'ignore' names"),
        ({"folder": "sent"}, "wanted a folder with a file for each submission"),
        ({"submissions": "none.csv"}, r"none.csv\): no such file"),
        ({"folder": "empty"}, "is empty; wanted"),
        ({"folder": "twice"}, "s1.csv and s1.tsv are both submission 's1'"),
    ],
)
def test_what_is_not_there_is_told_without_reading_the_rows(tmp_path, changes, message):
    table().to_csv(tmp_path / "log.csv", index=False)
    for name in ("empty", "twice"):
        (tmp_path / name).mkdir()
    for name in ("s1.csv", "s1.tsv"):
        (tmp_path / "twice" / name).write_text("id\n")
    with pytest.raises(InputError, match=message):
        check(settings(**{"public": "set", **changes}), folder=tmp_path)


def test_errors_where_nothing_sensible_can_be_done(tmp_path):
    rows = table()
    few, flat = rows.copy(), rows.copy()
    few.loc[9:19, "truth"] = None
    with pytest.raises(InputError, match="9 public rows left of 29"):
        read_log(tmp_path, few, listing())
    with pytest.raises(InputError, match="0 private rows left"):
        read_log(tmp_path, rows.assign(set="public"), listing())
    flat.iloc[:, 3:] = 1
    with pytest.raises(InputError, match=r"none of the 6 submissions can be played.*No pearson"):
        read_log(tmp_path, flat, listing(), metric="pearson")
    with open(tmp_path / "log.csv", "a") as file:
        file.write("r41,1,public,1,1\n")
    with pytest.raises(InputError, match="row 41 has 5 cells, but the header has 9"):
        read("trial", settings(public="set"), seed=1, folder=tmp_path)


def test_a_message_needs_a_rule():
    with pytest.raises(ValueError, match="no rule 'hope'"):
        Messages().add("hope", 1, "Hoped.")
    assert all(rule.endswith(".") for rule in RULES.values())


NFC, NFD = (unicodedata.normalize(form, "é") for form in ("NFC", "NFD"))


@pytest.mark.parametrize("asked", [NFC, NFD])
def test_names_and_ids_match_by_either_spelling(tmp_path, asked):
    rows = table()
    rows.loc[:4, "id"] = [f"{NFC}{i}" for i in range(5)]
    plain = read_log(tmp_path, rows, listing())
    (tmp_path / "sent").mkdir()
    for name in plain.submissions["submission"]:
        sent = rows[["id", name]].assign(id=rows["id"].str.replace(NFC, NFD))
        sent.columns = [f"{NFD}d", "p"]
        sent.to_csv(tmp_path / f"sent/{name}.csv", index=False)
    truth = rows[["id", "truth", "set"]].set_axis([f"{NFC}d", "truth", f"s{NFD}t"], axis=1)
    log = read_log(tmp_path, truth, listing(), folder="sent", id=f"{asked}d", public=f"s{asked}t")
    assert log.rows.tolist() == plain.rows.tolist()
    np.testing.assert_array_equal(log.public, plain.public)
    np.testing.assert_array_equal(log.predictions, plain.predictions)


@pytest.mark.parametrize("file", ["log", "list"])
def test_braces_in_a_path_are_refused(tmp_path, file):
    read_log(tmp_path, table(), listing())
    given = {"table": "log.csv", "submissions": "list.csv", "public": "set"}
    given = {key: value.replace(f"{file}.", f"{{{file}}}.") for key, value in given.items()}
    (tmp_path / f"{file}.csv").rename(tmp_path / f"{{{file}}}.csv")
    message = rf"Submission log \({{{file}}}\.csv\): braces in a path are wildcards to Snakemake"
    with pytest.raises(InputError, match=message):
        check(settings(**given), folder=tmp_path)


def test_labels_that_floats_cannot_tell_apart_are_refused(tmp_path):
    rows = table()
    rows["truth"] = [2**60 + i % 2 for i in range(len(rows))]
    with pytest.raises(InputError, match=r"column 'truth', rows 1 and 2: 115292150460684697"):
        read_log(tmp_path, rows, listing(), metric="zero_one")
