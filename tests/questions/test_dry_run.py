"""`shakedown.dry_run`: what frames, arrays and files mean, and what an answer has.

That it is the command's answer is tested in tests/workflow/test_dryrun.py.
"""

import io
from contextlib import redirect_stderr

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from pandas.testing import assert_frame_equal

import shakedown
from shakedown.cli import main
from shakedown.dryrun.decision import written
from shakedown.questions.dry_run import WHOLE
from shakedown.questions.frames import as_file
from shakedown.report.dryrun import FIGURES
from shakedown.simulation.progress import Progress
from tests.report.test_page import Page

FEW = {
    "submissions": 20,
    "largest_budget": 20,
    "minutes": 0.01,
    "jobs": 1,
    "fewest_replicates": 12,
    "most_replicates": 12,
    "honest_replicates": 2,
    "mechanisms": [{"name": "full_disclosure"}, {"name": "ladder", "alpha": 0.01}],
    "seed": 4,
}


def numbers():
    rng = np.random.default_rng(8)
    X = rng.standard_normal((66, 4))
    return X, 3141.592653 + 10 * (X[:, 0] + rng.standard_normal(66))


def frame():
    X, y = numbers()
    return pd.DataFrame(X, columns=["x1", "x2", "x3", "x4"]).assign(y=y)


def told_by(**asked):
    """A dry run, and what it tells while it runs; `Progress` waits for nothing."""
    defaults = Progress.__init__.__kwdefaults__ | {"every": 0.0}
    with pytest.MonkeyPatch.context() as patch, redirect_stderr(io.StringIO()) as told:
        patch.setattr(Progress.__init__, "__kwdefaults__", defaults)
        return shakedown.dry_run(*numbers(), **FEW, **asked), told.getvalue()


@pytest.fixture(scope="module")
def run_and_told():
    return told_by(progress=False)


@pytest.fixture(scope="module")
def run(run_and_told):
    return run_and_told[0]


def test_an_answer_is_a_sentence_with_tables_and_figures(run):
    assert repr(run) == run.answer == run.recommendation["sentence"]
    assert run.answer.replace("'", "&#x27;") in run._repr_html_()
    assert set(run.tables) == {"limits", "frontier", "utility", "acceptance", "final_rows"}
    assert set(run.limits["mechanism"]) == {"full_disclosure", "ladder"}
    assert (run.limits[list(WHOLE)].dtypes == "Int64").all()
    assert run.limits["threshold"].unique() == pytest.approx([-0.05 * numbers()[1].var(ddof=1)])
    assert sorted(run.figures) == sorted(FIGURES)
    for name in run.figures:
        assert isinstance(run.figure(name), Figure)
        assert run.caption(name)
    with pytest.raises(shakedown.InputError, match="Did you mean 'safe_limits'?"):
        run.figure("safe_limit")


def test_the_page_answers_names_the_function_and_shows_no_response(run, tmp_path):
    text = run.report(tmp_path / "new/page.html").read_text("utf-8")
    Page(text)
    assert text.count("<figure") == len(FIGURES)
    assert "Read from a data frame: 66 rows" in text
    assert "shakedown reproduce" not in text
    assert "Draw this figure again" not in text
    assert "/tmp/tmp" not in text
    if run.recommendation["longer"]:
        assert f"shakedown.dry_run(..., minutes={run.recommendation['longer']['minutes']}" in text
    for value in numbers()[1]:
        assert f"{value:.3f}"[:7] not in text


@pytest.mark.parametrize("as_given", ["frame", "file", "series", "column"])
def test_frames_arrays_and_files_are_the_same_table(as_given, run, tmp_path):
    table = frame()
    if as_given == "frame":
        other = shakedown.dry_run(table, response="y", **FEW)
    elif as_given == "series":
        other = shakedown.dry_run(table.drop(columns="y"), table["y"].rename("size"), **FEW)
    elif as_given == "column":
        other = shakedown.dry_run(table.drop(columns="y"), table[["y"]].to_numpy(), **FEW)
    else:
        table.to_csv(tmp_path / "table.csv", index=False)
        other = shakedown.dry_run(tmp_path / "table.csv", response="y", **FEW)
    assert written(other.recommendation) == written(run.recommendation)
    for name, own in run.tables.items():
        assert_frame_equal(other.tables[name], own)


def test_a_seed_and_a_name_decide_the_random_numbers(run):
    for change in ({"seed": 5}, {"name": "other"}):
        other = shakedown.dry_run(*numbers(), **FEW | change)
        assert not other.tables["frontier"].equals(run.tables["frontier"])


def test_an_official_split_is_a_column_or_a_value_for_each_row():
    split = np.repeat(["train", "public", "final"], 22)
    run = shakedown.dry_run(*numbers(), split=split, id=np.arange(100, 166), **FEW)
    assert run.challenge.split.tolist() == split.tolist()
    assert run.challenge.rows.tolist() == [str(i) for i in range(100, 166)]
    table = frame().assign(set=split)
    by_name = shakedown.dry_run(table, response="y", split="set", **FEW)
    assert_frame_equal(by_name.limits, run.limits)


def test_what_is_doubtful_is_a_warning():
    X, y = numbers()
    X[:, 1] = 2 * y
    with pytest.warns(UserWarning, match="gives the response away|x2"):
        run = shakedown.dry_run(X, y, **FEW)
    assert run.challenge.leaks == ("x2",)


@pytest.mark.parametrize(
    ("metric", "label", "tolerated"),
    [("r2", "R²", -0.05), ("kendall", "Kendall correlation", -0.03), ("nrmse", "NRMSE", -0.025)],
)
def test_a_metric_that_is_a_function_has_an_answer(metric, label, tolerated, tmp_path):
    boards = [{"name": "full_disclosure"}, {"name": "general_ladder", "eta": 0.05}]
    run = shakedown.dry_run(*numbers(), **FEW | {"metric": metric, "mechanisms": boards})
    assert run.limits["threshold"].unique().tolist() == [tolerated]
    assert run.limits["metric"].unique().tolist() == [metric]
    safe = run.limits.loc[run.limits["threat"] == "adversary", "safe_submissions"]
    assert (safe < 20).tolist() == [True, True]  # 22 public rows are soon overfit
    assert label in run.report(tmp_path / "page.html").read_text("utf-8")


def test_progress_is_told_if_it_is_asked_for(run_and_told):
    for asked, told in ((True, told_by(progress=True)[1]), (False, run_and_told[1])):
        assert ("table, job 1 of 1: 3 plays, about" in told) == asked
        assert ("honest participants / table" in told) == asked


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": None}, "Give `response`, the name of its column"),
        ({"response": "y"}, "y and response are both given"),
        ({"y": None, "response": "z"}, r"Data set table \(a data frame\): no column 'z'"),
        ({"y": [1.0, 2.0]}, r"y: wanted 66 values, one for each row; got an array of shape \(2,\)"),
        ({"split": ["public"] * 65}, "split: wanted 66 values"),
        ({"split": ["other"] * 66}, "66 rows with a label other than train, public"),
        ({"submissions": 0}, "dryrun.submissions: wanted a whole number of at least 1"),
        ({"metric": "msee"}, "Did you mean 'mse'?"),
        ({"minuts": 3}, "'minuts' is not known. Did you mean 'minutes'?"),
        ({"thresholds": 0.05}, "thresholds"),
        ({"data": np.zeros(3)}, r"data: wanted a path, a DataFrame or an array .* of shape \(3,\)"),
        ({"data": [[1.0], [1.0, 2.0]]}, r"data: wanted a path, a DataFrame or .*; got list\.$"),
        ({"data": "no.csv", "y": None, "response": "y"}, r"Data set no \(no.csv\): no such file"),
        ({"data": "no.csv"}, "y: wanted the name of a column of no.csv, got ndarray"),
        ({"data": pd.DataFrame([[1, 2]] * 66, columns=["a", "a"])}, "'a' more than once"),
    ],
)
def test_a_mistake_is_one_sentence(change, message):
    X, y = numbers()
    arguments = {"data": X, "y": y} | FEW | change
    with pytest.raises(shakedown.InputError, match=message) as raised:
        shakedown.dry_run(arguments.pop("data"), arguments.pop("y"), **arguments)
    assert "/tmp/tmp" not in str(raised.value)


def test_cells_of_any_kind_are_texts_in_the_file_and_numbers_stay_numbers():
    mixed = pd.Series([1, "b", None], dtype=object)
    table = pd.DataFrame(
        {"a": mixed, "x": [1.5, np.nan, 2.5], "c": pd.Categorical(["u", "v", "u"])}
    )
    with as_file(table, "t") as path:
        read = pd.read_parquet(path)
    assert read["a"].tolist()[:2] == ["1", "b"]
    assert read["a"].isna().tolist() == [False, False, True]
    assert read["c"].tolist() == ["u", "v", "u"]
    assert read["x"].dtype == float
    assert not path.exists()


def test_numbers_of_numpy_are_numbers(run):
    few = FEW | {"submissions": np.int64(20), "minutes": np.float32(0.01), "seed": np.int64(4)}
    other = shakedown.dry_run(*numbers(), thresholds=-0.05 * numbers()[1].var(ddof=1), **few)
    assert_frame_equal(other.limits, run.limits)


def test_the_command_prints_the_answer(run, tmp_path, monkeypatch, capsys):
    """Its jobs are those of the function here."""
    monkeypatch.chdir(tmp_path)
    frame().to_csv("mine.csv", index=False)

    def play(path, study, **given):
        (path.parent / "recommendation.json").write_text(written(run.recommendation), "utf-8")

    monkeypatch.setattr("shakedown.cli.engine.run", play)
    assert main(["dryrun", "mine.csv", "--response", "y"]) == 0
    page = tmp_path / "results/mine/report.html"
    assert capsys.readouterr().out == f"{run}\nReport: {page}\n"
