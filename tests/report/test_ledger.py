"""Claims read as what they are: held, failed, undecided or not run."""

import pandas as pd
import pytest

from shakedown.report.ledger import NO_CROSSING, by_verdict, ledger

_CLAIM = {
    "claim": "a",
    "source": "[C] Fig. 1",
    "kind": "statistical",
    "statement": "It rises.",
    "measured": 0.25,
    "required": "> 0",
    "holds": "yes",
    "low": 0.2,
    "high": 0.3,
    "certain": "yes",
    "replicates": 1000,
    "replicates_needed": None,
    "tie_within": None,
    "bound": "paper",
    "literal": None,
    "literal_measured": None,
    "literal_verdict": None,
    "figure": "fig1",
    "note": "",
    "seen": "",
}


def claims(*rows):
    return pd.DataFrame([_CLAIM | row for row in rows])


def row_of(study="default", **row):
    (entry,) = ledger(claims(row), study=study)
    return entry


@pytest.mark.parametrize(
    ("holds", "certain", "verdict"),
    [
        ("yes", "yes", "holds"),
        ("yes", "no", "undecided"),
        ("no", "yes", "fails"),
        ("no", "no", "undecided"),
        ("yes", None, "undecided"),
        ("not run", None, "not run"),
    ],
)
def test_verdicts(holds, certain, verdict):
    assert row_of(holds=holds, certain=certain)["verdict"] == verdict


@pytest.mark.parametrize(
    ("row", "measured", "interval"),
    [
        ({}, "0.250", "[0.200, 0.300]"),
        ({"low": None}, "0.250", ""),
        ({"measured": -28.0, "low": -30, "high": 1490}, "−28", "[−30, 1,490]"),
        ({"measured": float("inf"), "high": float("inf")}, NO_CROSSING, "[0.200, ∞]"),
        ({"measured": float("inf"), "low": float("inf"), "high": float("inf")}, NO_CROSSING, ""),
        ({"low": -float("inf"), "high": float("inf")}, "0.250", "[−∞, ∞]"),
        ({"measured": -0.00034, "low": None}, "−0.0003", ""),
        ({"measured": -1e-17, "low": None}, "0.000", ""),
        ({"measured": None, "low": None}, "", ""),
    ],
)
def test_numbers(row, measured, interval):
    assert (row_of(**row)["measured"], row_of(**row)["interval"]) == (measured, interval)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("> -0.05", "> −0.05"),
        ("<= 1", "≤ 1"),
        ("between -1 and 1", "between −1 and 1"),
        ("= 1240", "= 1,240"),
        ("> -1234567.0184", "> −1,234,567.0184"),
        ("= 794", "= 794"),
        ("none", NO_CROSSING),
    ],
)
def test_required(given, shown):
    entry = row_of(required=given, literal=given, literal_verdict="holds")
    assert (entry["required_class"] == "words") == (given == "none")  # takes several lines
    assert entry["required"] == entry["literal"] == shown


@pytest.mark.parametrize(
    ("needed", "within", "shown"),
    [
        (1587, 0.002, "About 1,600 replicates would settle it."),
        (72, 0.002, "About 72 replicates would settle it."),
        (84_600, 0.062, "About 85,000 replicates would settle it."),
        (
            None,
            0.002,
            "10,000,000 replicates would not settle it: it is within 0.002 of the bound.",
        ),
        (None, None, ""),
    ],
)
def test_what_would_settle_a_claim(needed, within, shown):
    entry = row_of(certain="no", replicates_needed=needed, tie_within=within)
    assert entry["settled"] == shown
    interval = "[0.200,\u00a00.300]"  # in one line
    below = interval + "<br>" + shown if shown else interval
    assert entry["below_measured"] == below


def test_a_chosen_bound_and_the_words_of_the_text():
    entry = row_of(bound="ours", literal="> -0.05", literal_measured=-0.1, literal_verdict="fails")
    assert bool(entry["is_chosen"])
    assert (entry["literal"], entry["literal_measured"]) == ("> −0.05", "−0.100")
    assert not row_of()["is_chosen"]
    below = "our bound<br>word for word: &gt; −0.05, measured −0.100; fails"
    assert entry["below_required"] == below
    same = row_of(literal="> 0", literal_measured=0.25, literal_verdict="undecided")
    assert same["below_required"] == "word for word: &gt; 0; undecided"
    assert (row_of(bound="ours")["below_required"], row_of()["below_required"]) == ("our bound", "")


def test_nothing_is_shown_where_there_is_nothing():
    entry = row_of(note=float("nan"), figure=None, replicates=None)
    assert (entry["note"], entry["figure"], entry["replicates"]) == ("", "", "")


@pytest.mark.parametrize(
    ("study", "holds", "seen"),
    [
        ("default", "yes", "It falls."),
        ("mine", "no", "It falls."),
        ("mine", "yes", ""),
        ("mine", "not run", ""),
    ],
)
def test_remarks_on_the_default_study_stand_in_others_beside_what_fails(study, holds, seen):
    assert row_of(study, holds=holds, seen="It falls.")["seen"] == seen


def test_claims_by_verdict():
    rows = [{"claim": "a"}, {"claim": "b", "certain": "no"}, {"claim": "c"}]
    parts = by_verdict(ledger(claims(*rows)))
    assert {verdict: [claim["claim"] for claim in part] for verdict, part in parts.items()} == {
        "holds": ["a", "c"],
        "undecided": ["b"],
    }
    assert ledger(None) == []


@pytest.mark.parametrize(
    ("row", "facets"),
    [
        ({}, (["[C]"], "holds", "the paper's", "none")),
        ({"figure": "fig2", "bound": "ours"}, (["[C]"], "holds", "ours", "fig2")),
        (
            {"source": "ours", "holds": "not run"},
            (["none"], "not checked", "the paper's", "none"),
        ),
        (
            {"source": "[B] Lemma 2; [Z]", "certain": "no"},
            (["[B]", "[Z]"], "undecided", "the paper's", "none"),
        ),
    ],
)
def test_a_claim_is_filtered_by_paper_verdict_bound_and_figure(row, facets):
    (entry,) = ledger(claims(row), figures=["fig2"])
    assert tuple(entry["facets"].values()) == facets
    assert list(entry["facets"]) == ["Paper", "Verdict", "Bound", "Figure"]
    assert entry["place"] == ('<a href="#figure-fig2">fig2</a>' if facets[3] == "fig2" else "–")


def test_claims_sort_by_what_was_measured_and_say_why_they_were_not_run():
    measured = [0.25, -1e-17, float("inf"), -float("inf"), None]
    keys = [row_of(measured=value)["measured_sort"] for value in measured]
    assert [float(key) for key in keys[:4]] == measured[:4]
    assert keys[4] == ""
    assert row_of(note="No outcomes.")["reason"] == ""
    assert row_of(note="No outcomes.", holds="not run")["reason"] == "No outcomes."
