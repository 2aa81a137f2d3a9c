"""Reported minus private scores: the right submission, the right sign, nothing lost."""

import numpy as np
import pandas as pd
import pytest

from shakedown.interface import InputError
from shakedown.metrics import find
from shakedown.replay.reported import REPORTED, SUMMARY, reported_error, summarise_error
from tests.replay import frames

LOG = frames.log()


def small():
    """One board, two teams: what is shown, and what is in force."""
    rows = [
        ("s1", "a", 1, 0.50, 0.60, "s1"),
        ("s2", "b", 2, 0.40, 0.35, "s2"),
        ("s3", "a", 3, 0.50, 0.20, "s1"),  # better in private, but not taken
        ("s4", "a", 4, 0.45, 0.70, "s4"),
    ]
    frame = pd.DataFrame(
        rows, columns=["submission", "team", "order", "on_board", "score_private", "in_force"]
    )
    return frame.assign(
        setting="kaggle", boards="per_team", order_in_team=[1, 1, 2, 3], time=pd.NaT
    )


def test_by_hand():
    table = reported_error(small(), find("mse"))
    assert list(table.columns) == REPORTED
    assert np.allclose(table["score_private"], [0.60, 0.35, 0.60, 0.70])
    assert np.allclose(table["error"], [-0.10, 0.05, -0.10, -0.25])
    assert np.allclose(table["delta"], table["error"])  # below 0 flatters a loss
    # Incumbent private score so far: a .60, .20, .20; b .35.
    assert np.allclose(table["leaderboard_error"], [0.10, 0.05, 0.30, 0.30])


def test_larger_is_better():
    table = reported_error(small(), find("ccc"))
    assert np.allclose(table["error"], [-0.10, 0.05, -0.10, -0.25])
    assert np.allclose(table["delta"], [0.10, -0.05, 0.10, 0.25])
    # Incumbent private score so far: a .60, .60, .70.
    assert np.allclose(table["leaderboard_error"], [0.10, 0.05, 0.10, 0.25])


def test_summary_by_hand():
    row = summarise_error(reported_error(small(), find("mse"))).iloc[0]
    assert set(row.index) == set(SUMMARY)
    assert row["submissions"] == 4
    assert row["median_error"] == pytest.approx(-0.10)
    assert row["mean_distance"] == pytest.approx(0.125)
    assert row["largest_distance"] == pytest.approx(0.25)
    assert row["final_distance"] == pytest.approx((0.25 + 0.05) / 2)
    assert row["flattered"] == pytest.approx(0.75)
    assert row["leaderboard_error"] == pytest.approx(0.30)


def test_a_correlation_that_looks_too_large_flatters():
    row = summarise_error(reported_error(small(), find("ccc"))).iloc[0]
    assert row["flattered"] == pytest.approx(0.25)  # .40 for .35
    assert row["median_error"] == pytest.approx(-0.10)


def test_every_board_and_submission_is_there():
    seen, _ = frames.played(LOG, per_rank=True)
    table = reported_error(seen.sample(frac=1, random_state=1), find("mse"))
    assert len(table) == len(seen)
    for _, part in table.groupby(["setting", "boards"], observed=True):
        assert part["order"].tolist() == list(range(1, 61))
        assert (part.groupby("team")["leaderboard_error"].diff().dropna() >= 0).all()
    assert len(summarise_error(table)) == 6


def test_where_nothing_is_shown_there_is_no_row():
    frame = small()
    frame.loc[1, "on_board"] = np.nan
    table = reported_error(frame, find("mse"))
    assert table["submission"].tolist() == ["s1", "s3", "s4"]


def test_errors_are_told():
    with pytest.raises(InputError, match="the table seen: wanted rows.*Replay the log again"):
        reported_error(small().drop(columns="in_force"), find("mse"))
    with pytest.raises(InputError, match="submission s9 is in force on a board"):
        reported_error(small().replace({"in_force": {"s4": "s9"}}), find("mse"))
    with pytest.raises(InputError, match="table of reported scores"):
        summarise_error(small())
