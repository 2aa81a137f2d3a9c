"""Files without a truth: tables, folders, logs; and what is said of those that cannot be used."""

import numpy as np
import pandas as pd
import pytest

from shakedown.interface import InputError
from shakedown.replay.sent_files import of_log, read_sent
from tests.replay.logs import listing, read_log, settings, table


def write(where, frame, name="files.csv"):
    frame.to_csv(where / name, index=False)
    return name


def read(where, **given):
    return read_sent(settings(**given), folder=where)


def test_a_column_for_each_file_but_ids_and_the_truth(tmp_path):
    frame = table(20).drop(columns="set")
    sent = read(tmp_path, table=write(tmp_path, frame))
    assert sent.names.tolist() == [f"s{k}" for k in range(1, 7)]
    assert set(sent.teams) == {"team"}
    np.testing.assert_array_equal(sent.predictions, frame[sent.names].to_numpy(float).T)
    assert (sent.left_out, sent.why, sent.truth) == (0, "", None)
    without = frame.drop(columns=["id", "truth"])
    again = read(tmp_path, table=write(tmp_path, without, "bare.csv"))
    np.testing.assert_array_equal(again.predictions, sent.predictions)


def test_a_list_says_teams_and_order(tmp_path):
    write(tmp_path, listing().iloc[::-1], "list.csv")
    sent = read(tmp_path, table=write(tmp_path, table(20)), submissions="list.csv", ignore=["set"])
    assert sent.names.tolist() == [f"s{k}" for k in range(1, 7)]
    assert sent.teams.tolist() == ["one", "two"] * 3


def test_a_folder_with_a_file_for_each_in_any_order_of_rows(tmp_path):
    frame, rng = table(20), np.random.default_rng(3)
    (tmp_path / "sent").mkdir()
    for name in ("s1", "s2", "s3"):
        part = frame[["id", name]].sample(frac=1, random_state=rng)
        write(tmp_path / "sent", part, f"{name}.csv")
    sent = read(tmp_path, folder="sent")
    rows = np.argsort(frame["id"].to_numpy(str))
    np.testing.assert_array_equal(
        sent.predictions, frame[["s1", "s2", "s3"]].to_numpy(float).T[:, rows]
    )


def test_the_public_rows_of_a_log(tmp_path):
    log = read_log(tmp_path, table(), listing())
    sent = of_log(log)
    assert sent.predictions.shape == (6, 20)
    np.testing.assert_array_equal(sent.truth, log.truth[log.public])


def test_a_file_with_gaps_is_left_out_and_named(tmp_path):
    frame = table(20).drop(columns="set")
    frame.loc[3, "s2"] = None
    frame["note"] = "good"
    sent = read(tmp_path, table=write(tmp_path, frame))
    assert sent.names.tolist() == ["s1", "s3", "s4", "s5", "s6"]
    assert sent.left_out == 2
    assert "missing" in sent.why or "not numeric" in sent.why


@pytest.mark.parametrize(
    ("frame", "given", "message"),
    [
        (table(2), {"ignore": ["set"]}, "wanted at least 3 rows; got 2"),
        (table(20)[["id", "truth"]], {}, "wanted a column for each file, besides ids and the"),
        (table(20)[["id", "set"]], {}, "none of 1 file can be used.*not numeric, such as 'public'"),
        (table(20), {"ignore": ["sat"]}, "no column 'sat', which 'ignore' names. Did you mean"),
        (table(20), {"id": "key"}, "no column 'key', which 'id' names"),
    ],
)
def test_an_error_says_what_was_wanted(frame, given, message, tmp_path):
    with pytest.raises(InputError, match=message):
        read(tmp_path, table=write(tmp_path, frame), **given)


def test_files_of_a_folder_need_ids(tmp_path):
    (tmp_path / "sent").mkdir()
    write(tmp_path / "sent", pd.DataFrame({"id": [None, None], "p": [1.0, 2.0]}))
    with pytest.raises(InputError, match="no file of sent has ids in column 'id'"):
        read(tmp_path, folder="sent")
    write(tmp_path / "sent", pd.DataFrame({"key": [1], "p": [1.0]}))
    with pytest.raises(InputError, match="no column 'id', which 'id' names"):
        read(tmp_path, folder="sent")


def test_a_cell_that_is_no_number_is_shown(tmp_path):
    frame = table(20).drop(columns="set")
    frame.loc[3, "s2"] = "bad"
    sent = read(tmp_path, table=write(tmp_path, frame))
    assert sent.left_out == 1
    frame = frame[["id", "truth", "s2"]]
    with pytest.raises(InputError, match="such as 'bad'"):
        read(tmp_path, table=write(tmp_path, frame))
