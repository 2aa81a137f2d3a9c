"""What was found stands before the answer, and nothing is then called proved."""

import io
import json

import numpy as np
import pandas as pd
import pytest

import shakedown
from shakedown.dryrun.assumptions import why_unproved
from shakedown.dryrun.decision import written
from shakedown.dryrun.recommendation import concerning
from tests.report.pages import read, section

ONE_UPDATE = {"name": "digest", "eta": 0.5, "floor": 0.5, "every": 10, "updates": 1}
FEW = {
    "submissions": 20,
    "largest_budget": 20,
    "minutes": 0.01,
    "jobs": 1,
    "fewest_replicates": 24,
    "most_replicates": 24,
    "honest_replicates": 2,
    "mechanisms": [{"name": "full_disclosure"}, ONE_UPDATE],
    "threat": "null_adversary",
    "seed": 4,
}
COUNT = "By column 'patient', several rows belong together: count 20 independent rows, not 160."


def visits():
    """20 patients with 8 visits each, in random order; half of the variance is the patient's."""
    rng = np.random.default_rng(9)
    patient = rng.permutation(np.repeat(np.arange(20), 8))
    X = rng.standard_normal((160, 4))
    y = X[:, 0] + rng.standard_normal(20)[patient] + 0.5 * rng.standard_normal(160)
    y = (y - y.mean()) / y.std(ddof=1)
    names = [f"p{number}" for number in patient]
    return pd.DataFrame(X, columns=list("abcd")).assign(y=y, patient=names)


def proved(run):
    """What is proved of the digest, and why not."""
    rows = run.limits[run.limits["mechanism"] == "digest"]
    return rows["proved_submissions"].tolist(), set(rows["unproved"].astype(object).fillna(""))


@pytest.fixture(scope="module")
def untold():
    return shakedown.dry_run(visits().drop(columns="patient"), response="y", **FEW)


@pytest.fixture(scope="module")
def told():
    return shakedown.dry_run(visits(), response="y", ignore=["patient"], **FEW)


def test_without_the_column_a_digest_was_called_proved(untold):
    numbers, why = proved(untold)
    assert min(numbers) == 20_000
    assert why == {""}
    assert untold.recommendation["assumptions"] == []
    assert untold.recommendation["sentence"].startswith(untold.recommendation["headline"])
    assert "This is proved" in untold.answer


def test_the_column_withholds_it_and_its_number_comes_first(told):
    numbers, why = proved(told)
    assert all(pd.isna(number) for number in numbers)
    assert why == {"groups of rows"}
    full = told.limits[told.limits["mechanism"] == "full_disclosure"]
    assert set(full["unproved"].astype(object).fillna("")) == {
        ""
    }  # of which nothing is proved anyway
    assert told.answer.startswith(COUNT)
    assert "measured, not proved" in told.answer
    assert "Nothing is proved for data with groups of rows" in told.answer
    recommendation = json.loads(written(told.recommendation))
    assert (recommendation["unproved"], recommendation["would_hold"]) == ("groups of rows", None)
    (finding,) = recommendation["assumptions"]
    assert (finding["check"], finding["assumed"], finding["found"]) == ("groups", 160, 20)
    assert finding["withholds"]
    again = pd.read_csv(io.StringIO(told.limits.to_csv(index=False)))
    assert "groups of rows" in set(again["unproved"])


def test_the_page_has_it_right_below_the_answer(told, tmp_path):
    page = told.report(tmp_path / "page.html").read_text("utf-8")
    answer = read(section(page, "answer"))
    _, after = answer.split(told.recommendation["headline"])
    found, rest = after.split("What remains at risk")
    assert COUNT in found
    assert "Independent rows: 160 assumed, 20 found" in found
    assert "Nothing is proved for data with groups of rows" in found
    assert COUNT not in rest
    assert "withheld" in read(section(page, "threats"))


def test_of_modellers_only_dependence_is_told():
    noise = {"label": "Heavy tails", "sentence": "Tails.", "is_of_noise": True, "withholds": True}
    groups = {"label": "Groups", "sentence": "Few.", "is_of_noise": False, "withholds": True}
    assert concerning([groups, noise], "modeller") == [groups]
    assert concerning([groups, noise], "adversary") == [groups, noise]
    assert why_unproved([groups, noise]) == "groups and heavy tails"
    assert why_unproved([noise | {"withholds": False}]) == ""
