"""A claim holds, does not hold, or is not run; and how sure that is."""

import numpy as np
import pytest
import yaml

from shakedown.claims import Tables, evaluate, load
from shakedown.claims.evaluation import COLUMNS
from tests.claims import studies
from tests.figures import frames

OF = {"experiment": "freedman", "dataset": "ad_like", "design": "permuted", "n_selected": 5}


def claim(id, measured, required, **more):
    return {
        "id": id, "source": "[C] Fig. 2", "statement": f"{id}.", "measured": measured,
        "required": required, **more,
    }  # fmt: skip


CLAIMS = [
    claim("holds", 'median("delta", mechanism="full_disclosure")', "< -0.05", of=OF, figure="fig2"),
    claim("holds_not", 'median("delta", mechanism="full_disclosure")', "> 0", of=OF, note="Why."),
    claim("not_run", 'median("delta", n_features=50)', "< 0", of={"experiment": "limits"},
          note="Needs a study."),
    claim("not_there", 'median("delta", mechanism="ladder", alpha=0.3)', "< 0", of=OF),
    claim("exact", 'value("submissions", mechanism="full_disclosure")', "= 300", of=OF),
    claim("arithmetic", "41 + 40 + 39", "= 121"),
    claim("never", 'crossing(median("delta", mechanism="full_disclosure", n_selected=each), '
          'below=-9, over="n_selected")', "none", of=OF),
    claim("traced", 'median(share("released", above=0.9, mechanism="full_disclosure"))', "> 0",
          of={"trace": "freedman"}),
    claim("nowhere", "0 / 0", "> 0"),
]  # fmt: skip


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    (folder / "claims.yaml").write_text(yaml.safe_dump(CLAIMS), encoding="utf-8")
    outcomes = frames.outcomes((*frames.FULL, *frames.LADDERS), largest_model=5, replicates=60)
    (folder / "traces").mkdir()
    tables = Tables(
        outcomes=studies.write(folder, freedman=outcomes),
        traces=studies.write(folder / "traces", freedman=frames.traces(n_features=40)),
    )
    return load(folder / "claims.yaml"), tables, outcomes


@pytest.fixture(scope="module")
def found(study):
    claims, tables, _ = study
    return evaluate(claims, tables, seed=1).set_index("claim", drop=False)


def test_a_row_per_claim(found):
    assert tuple(found.columns) == COLUMNS
    assert list(found["claim"]) == [c["id"] for c in CLAIMS]
    assert {c: str(found[c].dtype) for c in ("measured", "low", "high", "replicates")} == {
        "measured": "float64", "low": "float64", "high": "float64", "replicates": "Int64",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("id", "holds", "certain", "replicates"),
    [
        ("holds", "yes", "yes", 60),
        ("holds_not", "no", "yes", 60),
        ("not_run", "not run", None, None),
        ("not_there", "not run", None, None),
        ("exact", "yes", "yes", None),
        ("arithmetic", "no", "yes", None),
        ("never", "yes", "yes", 60),
        ("traced", "yes", None, 1),
        ("nowhere", "not run", None, None),
    ],
)
def test_answers(found, id, holds, certain, replicates):
    row = found.loc[id]
    assert row["holds"] == holds
    for column, wanted in (("certain", certain), ("replicates", replicates)):
        assert found[column].isna()[id] if wanted is None else row[column] == wanted


def test_what_was_measured_and_its_interval(found, study):
    chosen = study[2].query("mechanism == 'full_disclosure' and n_selected == 5").delta
    row = found.loc["holds"]
    assert row["measured"] == pytest.approx(chosen.median(), abs=1e-12)
    assert row["low"] < row["measured"] < row["high"]
    # The interval of order statistics, of the same level, is a like one.
    low, high = np.sort(chosen)[[21, 38]]
    assert row["low"] == pytest.approx(low, abs=0.5 * (high - low))
    assert row["high"] == pytest.approx(high, abs=0.5 * (high - low))


@pytest.mark.parametrize(("away", "holds"), [(0.3, "yes"), (-0.3, "no")])
def test_a_requirement_within_the_interval_is_uncertain(tmp_path, study, away, holds):
    _, tables, outcomes = study
    chosen = outcomes.query("mechanism == 'full_disclosure' and n_selected == 5").delta
    bound = chosen.mean() + away * chosen.sem()  # well within the interval of the mean
    entry = claim("unsure", 'mean("delta", mechanism="full_disclosure")', f"< {bound:.6f}", of=OF)
    path = tmp_path / "claims.yaml"
    path.write_text(yaml.safe_dump([entry]), encoding="utf-8")
    row = evaluate(load(path), tables, seed=1).iloc[0]
    assert (row["holds"], row["certain"]) == (holds, "no")


def test_notes_say_why_a_claim_is_not_run(found):
    assert found["note"]["holds_not"] == "Why."
    wanted = "Not run: the study has no outcomes of experiment 'limits'. Needs a study."
    assert found["note"]["not_run"] == wanted
    assert found["note"]["not_there"].startswith("Not run: experiment 'freedman' has no rows with ")
    assert found["note"]["nowhere"].startswith("Not run: there is nothing to measure")
    assert found.loc[["not_run", "not_there", "nowhere"], ["measured", "low"]].isna().all(axis=None)


def test_a_crossing_that_does_not_happen_is_infinite(found):
    assert found.loc["never", ["measured", "low", "high"]].tolist() == [np.inf] * 3


def test_exact_numbers_and_single_replicates_have_no_interval(found):
    ids = ["exact", "arithmetic", "traced"]
    assert found.loc[ids, ["low", "high"]].isna().all(axis=None)
    assert found["measured"]["exact"] == 300


def test_the_same_seed_gives_the_same_table_and_another_one_another(study, found):
    claims, tables, _ = study
    again = evaluate(claims[::-1], Tables(tables.outcomes, tables.traces), seed=1)
    again = again.set_index("claim", drop=False).loc[found.index]
    assert again.equals(found)
    other = evaluate(claims, tables, seed=2).set_index("claim")
    np.testing.assert_array_equal(other["measured"], found["measured"])
    assert other["low"]["holds"] != found["low"]["holds"]


def test_without_resamples_there_is_no_interval(study):
    claims, tables, _ = study
    row = evaluate(claims[:1], tables, seed=1, resamples=0).iloc[0]
    assert row["holds"] == "yes"
    assert np.isnan(row["low"])


def test_a_study_without_tables_answers_only_what_needs_none():
    claims = load(*studies.LEDGER)
    found = evaluate(claims, Tables(), seed=1)
    run = found[found["holds"] != "not run"]
    assert "critical_value_as_printed" in set(run["claim"])
    assert len(run) < 20
    assert run["replicates"].isna().all()
    assert found.loc[found["holds"] == "not run", "note"].str.startswith("Not run: the study").all()
