"""Logs of challenges whose truth is a class."""

import numpy as np
import pandas as pd
import pytest

from shakedown.interface import InputError
from shakedown.replay.class_numbers import ClassNumbers
from tests.replay.logs import messages_of, read_log

CLASSES = ["control", "case"]


def table(rows=60, *, seed=1):
    """The class of each row, and files of probabilities that get better."""
    rng = np.random.default_rng(seed)
    case = np.arange(rows) % 3 == 0
    frame = pd.DataFrame(
        {"id": [f"r{i}" for i in range(rows)], "truth": np.where(case, *CLASSES[::-1])}
    )
    frame["set"] = np.where(np.arange(rows) % 2, "public", "private")
    for k in range(4):
        frame[f"s{k + 1}"] = (1 / (1 + np.exp(-k * case - rng.standard_normal(rows)))).round(4)
    return frame.astype(object)


@pytest.mark.parametrize("metric", ["auroc", "zero_one"])
def test_names_of_classes_score_as_their_numbers(tmp_path, metric):
    named = read_log(tmp_path, table(), classes=CLASSES, metric=metric)
    numbered = table()
    numbered["truth"] = (numbered["truth"] == "case").astype(int)
    plain = read_log(tmp_path, numbered, metric=metric)
    np.testing.assert_array_equal(named.truth, plain.truth)
    np.testing.assert_array_equal(named.predictions, plain.predictions)


def test_files_may_name_the_classes_that_they_predict(tmp_path):
    frame = table()
    frame["s5"] = np.where(np.arange(60) % 2, *CLASSES)
    log = read_log(tmp_path, frame, classes=CLASSES, metric="zero_one")
    np.testing.assert_array_equal(log.predictions[-1], 1 - np.arange(60) % 2)


def test_what_is_no_class_and_no_number_is_a_missing_prediction(tmp_path):
    frame = table()
    frame.loc[7, "s2"] = "cas"
    log = read_log(tmp_path, frame, classes=CLASSES, metric="auroc", missing="fill_median")
    (message,) = messages_of(log, "not_a_number").itertuples()
    assert message.submission == "s2"
    assert "'cas'" in message.done
    frame["truth"] = "control"
    with pytest.raises(InputError):
        read_log(tmp_path, frame, classes=CLASSES, metric="auroc")


def test_cells_are_numbered_in_the_order_of_the_classes():
    numbers = ClassNumbers(["low", "mid", "2"])
    given = [numbers.number(text) for text in ("mid", "low", "0.25", "2", "", "odd")]
    np.testing.assert_array_equal(given, [1.0, 0.0, 0.25, 2.0, np.nan, np.nan])


def test_a_class_that_is_another_number_is_refused():
    """A cell with 1.0 would else count as the class after that called 1."""
    with pytest.raises(InputError, match="'1' is a number, and would count as 0. Leave 'classes'"):
        ClassNumbers(["1", "2"])
    assert ClassNumbers(["0", "1.0"]).number("1") == 1.0


def test_a_class_may_be_called_none(tmp_path):
    frame = table().replace({"truth": {"control": "none"}})
    frame["s5"] = frame["truth"]
    log = read_log(tmp_path, frame, classes=["none", "case"], metric="balanced_accuracy")
    np.testing.assert_array_equal(log.truth, np.arange(60) % 3 == 0)


def test_labels_by_group_need_not_be_two(tmp_path):
    """As under a plain 0/1 loss, in which a label that the truth does not have is wrong."""
    frame = table()
    frame["truth"], frame["patient"] = np.arange(60) % 3, np.arange(60) // 3
    frame["s4"] = frame["s4"].astype(float).round(1)
    files = [f"s{k}" for k in range(1, 5)]
    frame[files] = (4 * frame[files].astype(float)).round() / 2
    log = read_log(tmp_path, frame, metric="zero_one by group", group="patient")
    assert len(log.predictions) == 4


@pytest.mark.parametrize(
    ("metric", "value", "why"),
    [
        ("log_loss", 1.5, "wanted probabilities from 0 to 1, got 1.5"),
        ("balanced_accuracy", 0.5, "wanted classes, which are whole numbers here, got 0.5"),
    ],
)
def test_files_of_another_kind_are_not_played(tmp_path, metric, value, why):
    frame = table()
    files = [f"s{k + 1}" for k in range(4)]
    frame[files] = (frame[files].astype(float) > 0.5).astype(object) * 1
    frame.loc[5, "s3"] = value
    log = read_log(tmp_path, frame, classes=CLASSES, metric=metric)
    assert len(log.predictions) == 3
    (message,) = messages_of(log, "no_score").itertuples()
    assert (message.submission, message.done) == ("s3", f"No {metric}: {why}; not played.")
