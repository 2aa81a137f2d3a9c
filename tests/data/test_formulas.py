"""Names in CSV files: no formulas, no gaps, and read back as they were."""

import csv

import numpy as np
import pandas as pd
import pytest

from shakedown.data.formulas import defused, defused_table, restored
from shakedown.simulation import outcomes

HOSTILE = ("=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "'=x", "''-", "NA", "none", "'NA", "\tx")
PLAIN = ("ada", "O'Hara", "'quoted'", "a=b", "1e5", "béa", "'", "''", "")


@pytest.mark.parametrize("text", HOSTILE)
def test_a_formula_gets_an_apostrophe(text):
    assert defused(text) == "'" + text


@pytest.mark.parametrize("text", PLAIN)
def test_other_names_are_left_alone(text):
    assert defused(text) == text
    assert restored(text) == text


@pytest.mark.parametrize("text", HOSTILE + PLAIN)
def test_the_name_comes_back(text):
    assert restored(defused(text)) == text


def test_a_table_has_no_formulas_and_comes_back_as_it_was(tmp_path):
    """Numbers stay numbers, also below zero, among texts and in categories."""
    frame = pd.DataFrame(
        {
            "team": [*HOSTILE, *PLAIN[:-1]],
            "score": np.linspace(-1, 1, len(HOSTILE) + len(PLAIN) - 1),
            "mixed": [-1.5, "=1", None, *[-2] * (len(HOSTILE) + len(PLAIN) - 4)],
        }
    )
    frame["feature"] = frame["team"].astype("category")
    path = tmp_path / "standings.csv"
    outcomes.write(frame, path)
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert not [r for r in rows if r["team"].startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert [r["team"] for r in rows] == [r["feature"] for r in rows]
    assert [float(r["score"]) for r in rows] == frame["score"].tolist()
    assert [r["mixed"] for r in rows[:4]] == ["-1.5", "'=1", "", "-2"]
    back = outcomes.read(path)
    assert back["team"].tolist() == back["feature"].tolist() == frame["team"].tolist()
    assert back["score"].tolist() == frame["score"].tolist()


def test_a_table_without_formulas_is_written_as_before():
    frame = pd.DataFrame({"team": ["ada", None], "n": [1, -2]})
    assert defused_table(frame) is frame
