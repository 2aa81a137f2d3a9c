"""Summary tables with numbers that a test can recognise."""

from __future__ import annotations

import pandas as pd

from shakedown.leaderboard.mechanism import mechanism

_PARAMETERS = ("alpha", "posterior_odds", "eta", "b")

_ROW = {
    "experiment": "step_forward",
    "dataset": "ad_like",
    "design": "permuted",
    "metric": "mse",
    "attack": "step_forward",
    "iteration_board": "fresh",
    "mechanism": "ladder",
    "gate": "paired_t_test",
    "alpha": None,
    "posterior_odds": None,
    "eta": None,
    "release": "rounded",
    "b": None,
    "n_features": 300,
    "n_selected": None,
    "iterations": 5,
    "submissions": 1490,
    "replicates": 1000,
    "median_delta": -0.14,
    "delta_low": -0.15,
    "delta_high": -0.13,
    "q1_delta": -0.2,
    "q3_delta": -0.1,
    "mean_delta": -0.141,
    "median_score_public": 0.85,
    "median_score_final": 0.99,
    "median_leaderboard_error": 0.16,
}


def summary(*rows: dict) -> pd.DataFrame:
    """One row for each dict, which says what differs from a step-forward attack on a Ladder."""
    frame = pd.DataFrame([_completed(_ROW | row) for row in rows])
    types = dict.fromkeys(("alpha", "posterior_odds", "eta"), "float64")
    counts = ("b", "n_selected", "point", "iterations", "submissions", "n_features")
    types |= dict.fromkeys(counts, "Int64")
    return frame.astype(types)


def _completed(row: dict) -> dict:
    """With the setting, unless it is given, and the point."""
    if row["mechanism"] == "ladder" and row["alpha"] is None:
        row = row | {"alpha": 0.15}
    parameters = {key: row[key] for key in _PARAMETERS if row[key] is not None}
    point = row["iterations"] or row["n_selected"]
    setting = row.get("setting") or mechanism(row["mechanism"], **parameters).setting
    return row | {"setting": setting, "point": point}


def row(median: float, half: float = 0.01, **more) -> dict:
    """A row with a median and an interval around it."""
    return {"median_delta": median, "delta_low": median - half, "delta_high": median + half} | more
