"""Names in CSV files: no formulas, no gaps, and read back as they were."""

import pytest

from shakedown.data.formulas import defused, restored

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
