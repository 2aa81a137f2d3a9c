"""Dry runs of several responses: from Python, and as the command asks for them."""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import shakedown
from shakedown.checkout import project
from shakedown.cli.arguments import parsed
from shakedown.cli.dryrun import asked, typed_again
from shakedown.config import complete
from shakedown.config.dryrun import check
from shakedown.data.several import cells_in_one
from shakedown.data.splits import Splitter
from shakedown.dryrun.noise import findings_for, noise_factor
from shakedown.dryrun.settings import DryRunEntry
from shakedown.dryrun.thresholds import unit
from shakedown.dryrun.usefulness import honest
from shakedown.interface import InputError
from shakedown.metrics import find
from tests.data.test_several import several

FEW = {
    "submissions": 20,
    "largest_budget": 20,
    "minutes": 0.01,
    "jobs": 1,
    "fewest_replicates": 12,
    "most_replicates": 12,
    "honest_replicates": 2,
    "mechanisms": [{"name": "full_disclosure"}, {"name": "general_ladder", "eta": 0.05}],
    "seed": 4,
}
NAMES = ["att_1", "att_2", "att_3"]


def frame(rows=66):
    rng = np.random.default_rng(8)
    table = pd.DataFrame(rng.standard_normal((rows, 4)), columns=["x1", "x2", "x3", "x4"])
    shared = table["x1"] + rng.standard_normal(rows)
    return table.assign(**{
        name: 100.0 * (shared + 0.5 * rng.standard_normal(rows)) for name in NAMES
    })  # fmt: skip


def played(*data, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return shakedown.dry_run(*data, **FEW | settings)


def limits_of(run):
    return run.limits.drop(columns=["dataset"], errors="ignore")


@pytest.mark.parametrize("metric", ["mse", "pearson by response", "pearson by row"])
def test_a_dry_run_answers_for_several_responses(metric):
    run = played(frame(), response="att_*", metric=metric)
    assert run.challenge.cells.names == tuple(NAMES)
    assert run.config["dryrun"]["metric"] == metric
    assert set(run.limits["mechanism"]) == {"full_disclosure", "general_ladder"}
    exact = run.limits[run.limits["mechanism"] == "full_disclosure"]
    assert (exact["safe_submissions"].dropna() >= 0).all()
    assert run.answer
    assert run.tables["utility"]["rank_correlation"].notna().all()
    assert "attackers send numbers for the directions" in str(run.recommendation)
    assert run.recommendation["rests_on"]["group"] == ""


def test_groups_of_rows_are_named_where_there_are_any():
    table = frame().assign(patient=lambda rows: np.arange(len(rows)) // 2)
    run = played(table, response="att_*", group="patient")
    assert run.recommendation["rests_on"]["group"] == "patient"


def test_attacks_on_a_correlation_play_under_its_mean_over_responses():
    run = played(frame(), response="att_*", metric="pearson by response")
    attacks = set(run.tables["frontier"]["attack"])
    assert {"linear_probe", "posterior_mean", "correlation_saving", "random_search"} <= attacks
    assert "finite_differences" not in attacks
    assert "need nothing but scores" not in str(run.recommendation)
    other = played(frame(), response="att_*", metric="2*pearson by response")
    assert "linear_probe" not in set(other.tables["frontier"]["attack"])
    assert "need nothing but scores" in str(other.recommendation)


def test_the_linear_probe_plays_under_a_mean_over_rows():
    run = played(frame(), response="att_*", metric="pearson by row")
    attacks = set(run.tables["frontier"]["attack"])
    assert {"linear_probe", "random_search", "finite_differences"} <= attacks
    assert "posterior_mean" not in attacks
    assert "played are the linear probe and those that need nothing but scores" in str(
        run.recommendation
    )


def test_values_in_an_array_are_those_in_columns():
    table = frame()
    X, Y = table[["x1", "x2", "x3", "x4"]], table[NAMES]
    named = played(table, response=NAMES)
    given = played(X, Y)
    pd.testing.assert_frame_equal(limits_of(given), limits_of(named))
    numbered = played(X.to_numpy(), Y.to_numpy())
    assert numbered.challenge.cells.names == ("y1", "y2", "y3")
    np.testing.assert_array_equal(numbered.challenge.y, named.challenge.y)
    pd.testing.assert_frame_equal(limits_of(numbered), limits_of(named))


def test_a_response_never_takes_the_place_of_a_feature():
    """Both are called y1."""
    table = frame()
    X = table[["x1", "x2"]].rename(columns={"x1": "y1"})
    run = played(X, table[NAMES[:2]].to_numpy())
    assert run.challenge.features.tolist() == ["y1", "x2"]
    assert run.challenge.cells.names == ("y1_", "y2")
    np.testing.assert_array_equal(run.challenge.X[::2, 0], table["x1"])


def test_a_column_is_one_response():
    table = frame()
    run = played(table[["x1", "x2"]], table[["att_1"]].to_numpy())
    assert run.challenge.cells is None


@pytest.mark.parametrize(
    ("data", "given", "message"),
    [
        ((frame(), frame()[NAMES].iloc[:7]), {}, "y: wanted 66 values, one for each row; got an a"),
        ((frame(),), {"response": "b*"}, "a data frame.*no column fits the pattern 'b"),
        ((frame(),), {"response": ["att_1", "b"]}, "no column 'b', which 'response' names"),
        ((frame(),), {}, "Which response"),
        ((frame(), frame()[NAMES]), {"response": "att_*"}, "y and response are both given"),
        ((frame(),), {"response_table": "o.csv"}, "response_table: wanted with the file of a tab"),
        (
            (frame(),),
            {"response": "x1", "metric": "pearson by row"},
            "a score by row needs several",
        ),
        (
            (frame(),),
            {"response": "att_*", "metric": "mse of att_4"},
            r"'att_4' is none of the responses 'att_1', 'att_2', 'att_3'",
        ),
    ],
)
def test_a_mistake_is_one_sentence(data, given, message):
    with pytest.raises(InputError, match=message):
        played(*data, **given)


@pytest.fixture
def tables(tmp_path, monkeypatch):
    """Tables in the working folder: all.csv, and its parts X.csv and Y.csv in another order."""
    monkeypatch.chdir(tmp_path)
    table = frame()
    table.insert(0, "id", [f"r{i}" for i in range(len(table))])
    table.to_csv("all.csv", index=False)
    table.drop(columns=NAMES).to_csv("X.csv", index=False)
    table[["id", *NAMES]].iloc[::-1].to_csv("Y.csv", index=False)
    table.rename(columns={"att_1": "a, b"}).to_csv("commas.csv", index=False)
    return tmp_path


ALL = ["all.csv", "--id", "id"]
ASKED = [
    ([*ALL, "--response", "att_1,att_3"], ["att_1", "att_3"]),
    ([*ALL, "--response", "att_1, att_2"], ["att_1", "att_2"]),
    ([*ALL, "--response", "att_*"], NAMES),
    ([*ALL, "--response", "att_3,att_[12]"], ["att_3", "att_1", "att_2"]),
    (["X.csv", "--response-table", "Y.csv", "--id", "id"], NAMES),
    (["X.csv", "--response-table", "Y.csv", "--id", "id", "--response", "att_2,att_1"],
     ["att_2", "att_1"]),
    (["commas.csv", "--id", "id", "--response", "a, b", "--ignore", "att_2,att_3"], None),
    (["commas.csv", "--id", "id", "--response", "a*,att_2", "--ignore", "att_3"], None),
]  # fmt: skip


@pytest.mark.parametrize(("words", "names"), ASKED[:6])
def test_the_command_names_several_responses(tables, words, names):
    config = asked(parsed(["dryrun", *words]))
    challenge, _ = check(config, project())
    assert list(challenge.cells.names) == names


def test_a_name_with_a_comma_is_one_response(tables):
    config = asked(parsed(["dryrun", *ASKED[6][0]]))
    challenge, _ = check(config, project())
    assert challenge.cells is None
    config = asked(parsed(["dryrun", *ASKED[7][0]]))
    with pytest.raises(InputError, match="'response' names 'att_2' more than once"):
        check(config, project())


@pytest.mark.parametrize(("words", "names"), ASKED[:7])
def test_what_was_typed_can_be_typed_again(tables, words, names):
    whole = complete(asked(parsed(["dryrun", *words])), base=project())
    text = typed_again(whole, minutes=12)
    assert text.startswith(f"shakedown dryrun {words[0]}")
    assert text.endswith("--minutes 12 --replace")
    if "--response-table" in words:
        assert "--response-table Y.csv" in text


def test_a_list_that_cannot_be_typed_is_not_told(tables):
    """Its name with a comma would be two."""
    whole = complete(asked(parsed(["dryrun", *ASKED[6][0]])), base=project())
    (dataset,) = whole["datasets"].values()
    dataset["response"] = ["a, b", "att_2"]
    assert typed_again(whole, minutes=12) == ""


def test_a_command_without_a_response_says_what_to_name(tables):
    with pytest.raises(InputError, match="Which response. Give --response COLUMN, several columns"):
        asked(parsed(["dryrun", "all.csv"]))
    assert asked(parsed(["dryrun", "X.csv", "--response-table", "Y.csv"]))["study"] == "X"


def test_the_command_and_the_function_play_the_same_table(tables):
    config = asked(parsed(["dryrun", "X.csv", "--response-table", "Y.csv", "--id", "id"]))
    challenge, _ = check(config, project())
    run = played("X.csv", response_table="Y.csv", id="id")
    np.testing.assert_array_equal(run.challenge.y, challenge.y)
    np.testing.assert_array_equal(run.challenge.X, challenge.X)
    assert Path(run.config["datasets"]["X"]["response_table"]).name == "Y.csv"


def test_correlated_responses_count_as_fewer_cells():
    """The noise factor is the largest eigenvalue of their correlations; proofs tell of it."""
    settings = DryRunEntry(submissions=100, largest_budget=100)
    alike, apart = several(rows=300, alike=0.9), several(rows=300, alike=0.0)
    assert noise_factor(alike, settings) == pytest.approx(cells_in_one(alike))
    assert noise_factor(alike, settings) == pytest.approx(2.8, abs=0.1)
    assert noise_factor(apart, settings) < 1.3
    first = findings_for(alike, settings)[0]
    assert (first["assumed"], first["found"]) == (300, int(300 / cells_in_one(alike)))
    assert not first["withholds"]
    group = np.repeat(np.arange(150), 2)
    both = several(rows=300, alike=0.9, group=group)
    assert noise_factor(both, settings) == pytest.approx(2.0 * cells_in_one(both))
    assert "rows belong together" not in first["sentence"]
    said = findings_for(both, settings)[0]["sentence"]
    assert "are correlated, and by 'patient' several rows belong together: proofs count" in said


def test_several_responses_have_no_unit():
    mine = several()
    assert unit(mine, find("mse")) == unit(mine, find("rmse")) == 1.0


def test_honest_models_are_fitted_to_each_response():
    """Of opposite effects no feature is worth less, and missing cells are left out."""
    mine = several(rows=240, missing=60, alike=0.2)
    view = Splitter(mine, "splits", seed=1).split(0).view
    models = honest.models(view, find("mse"), rng=np.random.default_rng(1))
    assert models.public.shape == (honest.SUBMISSIONS, len(view.X_public))
    assert np.isfinite(models.public).all()


def test_a_response_that_is_rarely_given_is_predicted_by_its_mean():
    """Fewer values than there are parts of the rows to which models are fitted."""
    mine = several(rows=120)
    keep = (mine.cells.responses != 1) | (mine.cells.rows % 12 == 0)
    at = np.flatnonzero(keep)
    cells = mine.cells._replace(responses=mine.cells.responses[at], rows=mine.cells.rows[at])
    rare = type(mine)(
        mine.name, mine.X[at], mine.y[at], mine.rows[at], mine.features,
        group=mine.group._replace(codes=mine.group.codes[at]), cells=cells,
    )  # fmt: skip
    for k in range(12):
        try:
            view = Splitter(rare, "splits", seed=k).split(0).view
        except InputError:  # too few in a set
            continue
        for seed in range(5):
            models = honest.models(view, find("mse"), rng=np.random.default_rng(seed))
            assert np.isfinite(models.final).all()
