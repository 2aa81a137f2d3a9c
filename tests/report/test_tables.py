"""Tables for people: heads, digits, intervals, nothing said twice."""

import numpy as np
import pandas as pd
import pytest

from shakedown.report.tables import table
from tests.report.summaries import row, summary

SUMMARY = summary(row(-0.14, alpha=0.5), row(0.0314159, mechanism="ladderboot", alpha=0.5, b=1000))


def texts(laid_out):
    heads = [head for head, _ in laid_out.heads]
    return [dict(zip(heads, [c.text for c in cells], strict=True)) for cells in laid_out.rows]


def test_a_summary():
    laid_out = table(SUMMARY)
    first, second = texts(laid_out)
    assert first["Mechanism"].replace("\u00a0", " ") == "Ladder (α = 0.5)"
    assert second["Mechanism"].replace("\u00a0", " ") == "LadderBoot (α = 0.5, b = 1,000)"
    assert first["Median Δ"] == "−0.140"
    assert second["Median Δ"] == "0.031"
    assert first["95 % interval of the median Δ"] == "−0.150 to −0.130"
    assert ("Submissions", "1,490") in laid_out.shared
    assert "Gate" not in first
    assert "α" not in first
    assert "Features in the model (k)" not in first  # null throughout
    assert ("Data", "ad_like") in laid_out.shared
    assert ("Design", "permuted response") in laid_out.shared
    assert ("Metric", "MSE") in laid_out.shared


def test_a_single_row_keeps_its_columns():
    laid_out = table(SUMMARY.iloc[:1])
    assert laid_out.shared == []
    assert texts(laid_out)[0]["Data"] == "ad_like"


def test_bars_are_as_long_as_the_values():
    laid_out = table(SUMMARY, bar="median_delta")
    cells = [next(c for c in cells if c.bar) for cells in laid_out.rows]
    assert [c.bar for c in cells] == [100.0, pytest.approx(22.4)]
    assert [c.kind for c in cells] == ["number below", "number"]


def test_a_column_of_zeros_has_no_bars():
    frame = pd.DataFrame({"median_delta": [0.0, 0.0]})
    assert [cells[0].bar for cells in table(frame, bar="median_delta").rows] == [0.0, 0.0]


def test_numbers_of_all_kinds():
    frame = pd.DataFrame(
        {
            "measured": [0.123456, 12345.6, np.nan],
            "score_x": [np.inf, -np.inf, -0.0001],
            "holds": pd.array([True, False, None], dtype="boolean"),
            "n": pd.array([1000, -3, None], dtype="Int64"),
            "word": ["a", None, "<b>"],
        }
    )
    first, second, third = texts(table(frame))
    assert first == {
        "Measured": "0.1235",
        "Score x": "∞",
        "Holds": "yes",
        "N": "1,000",
        "Word": "a",
    }
    assert second == {
        "Measured": "1.235e+04",
        "Score x": "−∞",
        "Holds": "no",
        "N": "−3",
        "Word": "–",
    }
    assert {cell.kind for cell in table(frame).rows[2]} == {
        "missing",
        "number missing",
        "number",
        "short",
    }
    assert [cells[2].kind for cells in table(frame).rows[:2]] == ["yes", "no"]
    assert third == {"Measured": "–", "Score x": "0.000", "Holds": "–", "N": "–", "Word": "<b>"}


def test_intervals_of_limits():
    frame = pd.DataFrame({"ci_low": [199.0, np.nan], "ci_high": [794.0, np.nan]})
    assert texts(table(frame)) == [{"95 % interval": "199 to 794"}, {"95 % interval": "–"}]


def test_an_empty_table():
    laid_out = table(SUMMARY.iloc[:0])
    assert laid_out.rows == []


def test_an_unknown_head_keeps_its_capitals():
    frame = pd.DataFrame({"neighbours (AR(1), .9)": [1, 2], "my_own": [3, 4]})
    assert [head for head, _ in table(frame).heads] == ["Neighbours (AR(1), .9)", "My own"]


def test_a_mechanism_is_named_without_the_parameters_that_none_has():
    frame = pd.DataFrame(
        {
            "mechanism": ["ladder", "ladderboot"],
            "alpha": [0.5, 0.5],
            "b": pd.array([None, 100], dtype="Int64"),
            "a new board": ["-0.100 [-0.200, 0.010]", "0.000"],
        }
    )
    laid_out = table(frame)
    first, second = texts(laid_out)
    assert first["Mechanism"].replace("\u00a0", " ") == "Ladder (α = 0.5)"
    assert second["Mechanism"].replace("\u00a0", " ") == "LadderBoot (α = 0.5, b = 100)"
    assert first["A new board"] == "−0.100 [−0.200, 0.010]"
    assert laid_out.heads == [("Mechanism", False), ("A new board", True)]


def test_words_stay_words():
    frame = pd.DataFrame({"mechanism": ["my-own", "ladder"], "date": ["2016-07-01", "-0.1"]})
    assert texts(table(frame))[0] == {"Mechanism": "my-own", "Date": "2016-07-01"}
    assert not any(numeric for _, numeric in table(frame).heads)
