"""Nothing is dropped in silence: every row and every submission is played or spoken of."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from shakedown.reading import read as read_yaml
from shakedown.replay.cleaning import RULES
from shakedown.replay.log import dropped_teams
from shakedown.replay.reading import read

from .logs import listing, read_log, settings, table

ROOT = Path(__file__).parents[2]
LEFT_OUT = {"row_without_id", "row_repeated", "row_conflicting", "truth_missing", "row_neither"}
CELLS = ["", "NA", "inf", "-inf", "1e400", "text", "1,2", "  3 ", "0x1F", "1e-5", "-0.0"]


def check_account(log, rows, submissions):
    """Hold a log against the ids of all rows and all submissions that there were."""
    left_out = log.messages[log.messages["rule"].isin(LEFT_OUT)]
    assert len(log.rows) + left_out["count"].sum() == rows
    played = set(log.submissions["submission"])
    spoken = log.messages[log.messages["submission"].notna()]
    refused = set(spoken.loc[~spoken["played"].astype(bool), "submission"])
    assert played | refused == set(submissions)
    assert not played & refused
    assert set(log.messages["rule"]) <= set(RULES)
    assert np.isfinite(log.predictions).all()
    assert np.isfinite(log.truth).all()
    assert min(log.public.sum(), (~log.public).sum()) >= 10
    assert log.predictions.shape == (len(log.submissions), len(log.rows))
    in_team = log.submissions.groupby("team")["order_in_team"]
    assert (in_team.apply(list).map(lambda k: k == list(range(1, len(k) + 1)))).all()


def spoilt(rng):
    """A log with some of everything that can be wrong."""
    rows, listed = table(60, 8, seed=int(rng.integers(1e6))), listing(8)
    for _ in range(rng.integers(12)):
        row, column = rng.integers(60), rows.columns[rng.integers(len(rows.columns))]
        rows.loc[row, column] = CELLS[rng.integers(len(CELLS))]
    if rng.random() < 0.3:
        rows[f"s{rng.integers(1, 9)}"] = 7.0
    if rng.random() < 0.3:
        rows["s3"] = rows["s1"]
    if rng.random() < 0.3:
        rows.loc[rng.integers(60), "id"] = rows.loc[rng.integers(60), "id"]
    if rng.random() < 0.3:
        rows = pd.concat([rows, rows.iloc[[rng.integers(60)]]], ignore_index=True)
    for _ in range(rng.integers(4)):
        line, column = rng.integers(8), listed.columns[rng.integers(3)]
        cells = ["", "2025-01-03", "2 May 2025"] if column == "time" else ["", "s1", "two", "never"]
        listed.loc[line, column] = rng.choice(cells)
    if rng.random() < 0.3:
        listed = listed.drop(columns=listed.columns[rng.integers(1, 3)])
    return rows, listed


@pytest.mark.parametrize("seed", range(60))
def test_whatever_is_wrong_all_is_accounted_for(tmp_path, seed):
    rng = np.random.default_rng(seed)
    rows, listed = spoilt(rng)
    given = {
        "missing": rng.choice(["leave_out", "fill_median"]).item(),
        "metric": rng.choice(["mse", "pearson", "zero_one"]).item(),
    }
    if given["metric"] == "zero_one":  # it wants labels
        numbers = ["truth", *rows.columns[3:]]
        rows[numbers] = rows[numbers].map(lambda v: v if isinstance(v, str) else round(v / 4))
    log = read_log(tmp_path, rows, listed if rng.random() < 0.8 else None, **given)
    named = rows.columns[3:]
    if not (log.messages["rule"] == "no_list").any() or (tmp_path / "list.csv").exists():
        named = {*named, *(name for name in listed["submission"] if name)}
    check_account(log, len(rows), named)


def test_the_example_is_accounted_for_and_shows_the_traps():
    config = read_yaml(ROOT / "config/replay.yaml")["replay"]
    log = read("example", settings(**config), seed=1, folder=ROOT)
    rows = pd.read_csv(ROOT / config["table"])
    listed = pd.read_csv(ROOT / config["submissions"])
    check_account(log, len(rows), {*rows.columns[3:], *listed["submission"]})
    assert set(log.messages["rule"]) == {
        "missing", "not_a_number", "not_finite", "constant", "same_predictions", "not_listed",
        "no_predictions",
    }  # fmt: skip
    assert log.submissions["team"].nunique() == 8


def test_a_team_whose_every_submission_was_dropped_is_named_with_the_reason(tmp_path):
    rows, listed = table(), listing()
    rows.loc[3, "s2"] = None
    rows["s4"] = 7.0
    rows = rows.drop(columns="s6")
    rows.loc[5, "s3"] = "many"  # of a team that has others
    twice = listed[listed["submission"] == "s2"]
    log = read_log(tmp_path, rows, pd.concat([listed, twice]), metric="pearson")
    assert set(log.submissions["team"]) == {"one"}
    dropped = dropped_teams(log)
    assert list(dropped.columns) == ["team", "submission", "rule", "reason"]
    assert dropped[["team", "submission", "rule"]].to_numpy().tolist() == [
        ["two", "s2", "missing"],
        ["two", "s4", "no_score"],
        ["two", "s6", "no_predictions"],
    ]
    assert dropped["reason"][0] == "1 of 40 predictions missing; not played."
    assert dropped_teams(read_log(tmp_path, table(), listing())).empty
