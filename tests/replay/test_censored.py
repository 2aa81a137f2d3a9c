"""Logs of challenges whose truth is a censored time."""

import itertools

import numpy as np
import pandas as pd
import pytest

from shakedown import replay_log
from shakedown.interface import InputError
from tests.replay.logs import read_log

ROWS = 60


def table(*, seed=1):
    """Times with an event in about two rows of three, and files of risks that get better."""
    rng = np.random.default_rng(seed)
    risk = rng.standard_normal(ROWS)
    time = rng.exponential(np.exp(-risk)).round(3) + 0.001
    frame = pd.DataFrame({"id": [f"r{i}" for i in range(ROWS)], "truth": time})
    frame["died"] = (rng.random(ROWS) < 0.7).astype(int)
    frame["set"] = np.where(np.arange(ROWS) % 2, "public", "private")
    for k in range(4):
        frame[f"s{k + 1}"] = (k * risk + rng.standard_normal(ROWS)).round(4)
    return frame.astype(object)


def concordance(frame, column):
    """Harrell's index of the public rows, pair by pair."""
    good = total = 0.0
    public = frame[frame["set"] == "public"]
    rows = public[["truth", "died", column]].astype(float).to_numpy()
    for (t, d, a), (u, e, b) in itertools.permutations(rows, 2):
        if d and (t < u or (t == u and not e)):
            total += 1
            good += 1.0 if a > b else 0.5 if a == b else 0.0
    return good / total


@pytest.mark.parametrize("words", [None, ("true", "false")])
def test_a_time_is_read_with_its_event_and_scored(tmp_path, words):
    frame = given = table()
    if words:
        given = frame.assign(died=[words[0] if d else words[1] for d in frame["died"]])
    log = read_log(tmp_path, given, event="died", metric="c_index")
    signs = np.where(frame["died"] == 1, 1.0, -1.0)
    np.testing.assert_array_equal(log.truth, frame["truth"].astype(float) * signs)
    assert len(log.predictions) == 4
    replay = replay_log(
        frame, public="set", metric="c_index", event="died",
        mechanisms=[{"name": "full_disclosure"}], boards=["per_team"],
    )  # fmt: skip
    seen = replay.tables["seen"].sort_values("order")
    np.testing.assert_allclose(
        seen["score_public"], [concordance(frame, f"s{k + 1}") for k in range(4)]
    )


def test_a_row_without_an_event_has_no_truth(tmp_path):
    frame = table()
    frame.loc[[3, 4], "died"] = ""
    assert len(read_log(tmp_path, frame, event="died", metric="c_index").rows) == ROWS - 2


@pytest.mark.parametrize(
    ("changed", "given", "message"),
    [
        ({}, {"metric": "mse"}, "'mse' does not score censored times, and the log names a column"),
        ({}, {"event": None}, "'c_index' scores censored times, and the log has no column of ev"),
        ({}, {"classes": ["a", "b"]}, "'classes' and 'event' are both set"),
        ({"died": 2}, {}, "'died' is set as 'event', and 1 row cannot be used, .* 'r5' with 2"),
        ({"died": "dead"}, {}, "'died' is set as 'event', and holds 'dead' in row 'r5'"),
        ({"truth": -3}, {}, "'truth' has the times of 'event', and 1 row .* 'r5' with -3; wanted"),
    ],
)
def test_what_is_no_censored_time_is_refused(tmp_path, changed, given, message):
    frame = table()
    for column, value in changed.items():
        frame.loc[5, column] = value
    with pytest.raises(InputError, match=message):
        read_log(tmp_path, frame, **({"event": "died", "metric": "c_index"} | given))


def test_a_set_in_which_no_pair_has_a_known_order_is_refused(tmp_path):
    frame = table()
    frame.loc[frame["set"] == "public", "died"] = 0
    with pytest.raises(InputError, match="public values of the truth: wanted an event before"):
        read_log(tmp_path, frame, event="died", metric="c_index")
