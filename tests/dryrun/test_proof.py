"""Limits that are proved, beside those that are measured."""

import pandas as pd

from shakedown.dryrun.proof import at_least_proved


def limits(**columns):
    rows = {"safe_submissions": 300, "ci_low": 120, "ci_high": 600, "proved_submissions": 500}
    known = {key: pd.array([value], dtype="Int64") for key, value in (rows | columns).items()}
    return pd.DataFrame({**known, "censored": False})


def raised(most=1000, **columns):
    row = at_least_proved(limits(**columns), most).iloc[0]
    return row["safe_submissions"], row["ci_low"], row["censored"]


def test_a_proof_needs_no_plays():
    assert raised() == (500, 500, False)
    assert raised(ci_high=None) == (500, 500, False)


def test_nothing_is_safe_beyond_what_was_played():
    assert raised(most=400) == (400, 400, True)


def test_larger_limits_stay():
    assert raised(safe_submissions=900, ci_low=700, ci_high=950) == (900, 700, False)


def test_plays_that_contradict_a_proof_are_not_hidden():
    assert raised(ci_high=400) == (300, 120, False)


def test_where_nothing_is_proved_or_attacked_nothing_changes():
    assert raised(proved_submissions=None) == (300, 120, False)
    row = at_least_proved(limits(ci_low=None, safe_submissions=None, ci_high=None), 1000).iloc[0]
    assert row["ci_low"] is pd.NA
    assert row["safe_submissions"] is pd.NA
