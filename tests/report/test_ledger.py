"""Claims read as what they are: held, failed, undecided or not run."""

import pandas as pd
import pytest

from shakedown.claims.evaluation import COLUMNS
from shakedown.interface import InputError
from shakedown.report.ledger import NEEDS, VERDICTS, summed_up, tally, verdicts

_CLAIM = {
    "claim": "a",
    "source": "[C] Fig. 1",
    "statement": "It rises.",
    "measured": 0.25,
    "required": "> 0",
    "holds": "yes",
    "low": 0.2,
    "high": 0.3,
    "certain": "yes",
    "replicates": 1000,
    "figure": "fig1",
    "note": "",
    "seen": "",
}


def claims(*rows):
    return pd.DataFrame([_CLAIM | row for row in rows])


def one(**row):
    (found,) = verdicts(claims(row))
    return found


@pytest.mark.parametrize(
    ("holds", "certain", "verdict", "kind"),
    [
        ("yes", "yes", "holds", "yes"),
        ("yes", "no", "holds, within Monte Carlo error", "unsure"),
        ("yes", None, "holds", "yes"),
        ("no", "yes", "does not hold", "no"),
        ("no", "no", "does not hold, within Monte Carlo error", "unsure"),
        ("no", float("nan"), "does not hold", "no"),
        ("not run", None, "not run", "missing"),
    ],
)
def test_verdicts(holds, certain, verdict, kind):
    found = one(holds=holds, certain=certain)
    assert (found.verdict, found.kind) == (verdict, kind)


def test_marks_need_no_colour():
    marks = dict(VERDICTS.values())
    assert len(set(marks.values())) == len(marks) == 4


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ({}, "0.250 [0.200, 0.300] (1,000 replicates)"),
        ({"low": None, "high": None, "replicates": 1}, "0.250 (1 replicate)"),
        ({"low": None, "high": None, "replicates": None}, "0.250"),
        ({"measured": -28.0, "low": -30, "high": 1490}, "−28 [−30, 1,490] (1,000 replicates)"),
        (
            {"measured": float("inf"), "low": None, "replicates": None, "required": "= 794"},
            "never",
        ),
        (
            {"measured": float("inf"), "low": 794, "high": float("inf"), "replicates": 9},
            "∞ [794, ∞] (9 replicates)",
        ),
        ({"measured": float("-inf"), "low": None, "replicates": None}, "−∞"),
        ({"measured": -0.00034, "low": None, "replicates": None}, "−0.0003"),
        ({"measured": -1e-17, "low": None, "replicates": None}, "0.000"),
        ({"measured": None}, ""),
    ],
)
def test_measured(row, text):
    assert one(**row).measured == text


@pytest.mark.parametrize(
    ("given", "shown"),
    [("> -0.05", "> −0.05"), ("<= 1", "≤ 1"), (">= -.3", "≥ −.3"), ("between -1 and 1", None)],
)
def test_required(given, shown):
    assert one(required=given).required == (shown or "between −1 and 1")


def test_nothing_is_shown_where_there_is_nothing():
    found = one(note=float("nan"), figure=None)
    assert (found.note, found.figure) == ("", "")


@pytest.mark.parametrize(
    ("study", "holds", "note"),
    [
        ("default", "no", "We ask for all. It falls."),
        ("default", "yes", "We ask for all. It falls."),
        ("mine", "no", "We ask for all. In the default study: It falls."),
        ("mine", "yes", "We ask for all."),
        ("mine", "not run", "We ask for all."),
    ],
)
def test_what_was_seen_in_the_default_study_is_told_as_that(study, holds, note):
    rows = claims({"holds": holds, "note": "We ask for all.", "seen": "It falls."})
    assert verdicts(rows, study=study)[0].note == note
    assert verdicts(rows.assign(seen=None), study=study)[0].note == "We ask for all."


def test_counts():
    rows = [{"holds": "yes"}] * 3 + [{"holds": "yes", "certain": "no"}] * 2
    assert tally(verdicts(claims(*rows))) == (
        "5 of 5 statements hold (two of them within Monte Carlo error) and zero do not."
    )
    assert summed_up(verdicts(claims(*rows))) == "5 hold"
    rows += [{"holds": "no"}, {"holds": "no", "certain": "no"}, {"holds": "not run"}]
    assert tally(verdicts(claims(*rows))).startswith("5 of 7 statements hold (two of them ")
    assert summed_up(verdicts(claims(*rows))) == (
        "5 hold, 1 does not, 1 misses within error, 1 not run"
    )
    assert summed_up([]) == ""


def test_the_columns_are_those_of_an_evaluation():
    assert set(NEEDS) <= set(COLUMNS)


def test_a_missing_column_is_named():
    with pytest.raises(InputError, match="the claims lack the columns low, certain; they have cl"):
        verdicts(claims({}).drop(columns=["low", "certain"]))


def test_an_unknown_answer_is_named():
    with pytest.raises(InputError, match="claim 'a': holds must be yes, no or not run, got 'may'"):
        one(holds="may")
