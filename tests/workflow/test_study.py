"""A tiny study from end to end, and what a second run of it makes again."""

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from shakedown.leaderboard.settings import USUAL_COLUMNS
from shakedown.simulation.outcomes import COLUMNS, SETTING

from .conftest import ROOT, Folder, copy_workflow
from .studies import tiny

pytestmark = pytest.mark.slow

# Figures of outcomes; and of traces and of releases, which need no played experiment.
SHEETS = ["draw_figures_outcomes", "draw_figures_traces"]
TABLES = ["results/tiny/outcomes/free.parquet", "results/tiny/outcomes/step.parquet"]


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A folder in which the tiny study was run, with a copy of the package of its own."""
    root = copy_workflow(tmp_path_factory.mktemp("copy"))
    folder = Folder(tmp_path_factory.mktemp("study"), root)
    run = folder.snakemake(config=folder.write(tiny()))
    assert run.returncode == 0, run.text
    assert "Its report: results/tiny/report.html" in run.text
    return folder


def again(folder, config):
    """Jobs that the next run with this configuration would have."""
    run = folder.snakemake("-n", config=folder.write(config))
    assert run.returncode == 0, run.text
    return run.jobs()


def test_a_second_run_has_nothing_to_do(played):
    assert again(played, tiny()) == {}


def test_everything_lies_where_the_contract_says(played):
    results = played.path / "results/tiny"
    chunks = [
        f"chunks/free/{dataset}/splits/{chunk}.parquet"
        for dataset in ("sim", "sugar")
        for chunk in (0, 1)
    ]
    files = {
        str(path.relative_to(results))
        for path in results.rglob("*")
        if path.is_file() and path.parts[len(results.parts)] != "logs"
    }
    checksums = {path for path in files if path.endswith(".sha256")}
    files -= checksums
    assert checksums == {str(Path(path).with_name(f".{Path(path).name}.sha256")) for path in files}
    assert files == {
        *chunks,
        *(f"datasets/{name}.npz" for name in ("sim", "sugar")),
        *(f"outcomes/{name}.parquet" for name in ("free", "step")),
        "settings.csv",
        "traces/step.parquet",
        *(f"summary/{name}.csv" for name in ("free", "step")),
        *("release_variability/steady.parquet", "checks.csv", "claims.csv", "sensitivity.csv"),
        *(
            f"figures/{name}.{kind}"
            for name in ("dots", "boxes", "spread")
            for kind in ("svg", "png", "txt")
        ),
        "report.html",
    }


def test_outcomes_have_every_row_that_was_asked_for(played):
    free = pd.read_parquet(played.path / TABLES[0])
    assert list(free.columns) == list(COLUMNS)
    # 2 data sets x 4 replicates x 5 mechanisms x models of 1 to 3 features
    assert len(free) == 2 * 4 * 5 * 3
    step = pd.read_parquet(played.path / TABLES[1])
    assert len(step) == 4 * 5 * 2
    assert set(step["iteration_board"]) == {"fresh"}
    assert set(step["point"]) == {1, 2}
    summary = pd.read_csv(played.path / "results/tiny/summary/free.csv")
    assert len(summary) == 2 * 5 * 3
    assert list(summary.columns[:13]) == [*SETTING[:7], *USUAL_COLUMNS, "n_features"]
    settings = pd.read_csv(played.path / "results/tiny/settings.csv")
    assert set(settings["setting"]) == set(free["setting"]) | set(step["setting"])
    assert set(summary["replicates"]) == {4}


def test_as_many_replicates_are_traced_as_asked_for_and_one_is_shown(played):
    trace = pd.read_parquet(played.path / "results/tiny/traces/step.parquet")
    # 5 mechanisms, 6 and then 5 features
    assert trace["replicate"].value_counts().to_dict() == dict.fromkeys(range(3), 5 * 11)
    caption = (played.path / "results/tiny/figures/dots.txt").read_text("utf-8")
    assert "in one replicate" in caption


def test_the_report_shows_figures_data_and_configuration(played):
    page = (played.path / "results/tiny/report.html").read_text("utf-8")
    caption = (played.path / "results/tiny/figures/boxes.txt").read_text("utf-8").strip()
    assert "4 replicates" in caption
    assert "seed 3" in caption
    for text in ("Diabetes data of Efron", "largest_model: 3", "figure-boxes", "figure-dots"):
        assert text in page
    assert 'study.yaml <span class="option">--only boxes</span></code>' in page


def test_snakemakes_own_report_holds_the_figures_with_captions(played):
    page = played.path / "provenance.html"
    run = played.snakemake("--report", page, config=played.write(tiny()))
    assert run.returncode == 0, run.text
    text = page.read_text("utf-8")
    assert "figures/dots.svg" in text
    for name in ("dots", "boxes"):
        caption = (played.path / f"results/tiny/figures/{name}.txt").read_text("utf-8").strip()
        assert caption[:30] in text, caption
    assert "Study tiny, seed 3." in text


def test_a_figure_is_a_target_that_needs_only_its_own_table(played, folder):
    """Also with the default profile, which asks for less to be printed."""
    profile = ("--workflow-profile", ROOT / "profiles/default")
    run = folder.snakemake("-n", *profile, "--", "boxes", config=folder.write(tiny()))
    assert run.returncode == 0, run.text
    assert "Host:" not in run.text
    assert run.jobs() == {
        "make_dataset": 2,
        "play_experiment": 4,
        "join_outcomes": 1,
        "draw_figures_outcomes": 1,
        "boxes": 1,
    }


def test_many_figures_of_the_same_table_have_a_job_of_their_own(folder):
    config = tiny()
    config["figures"] |= {f"boxes{i}": config["figures"]["boxes"] for i in range(3)}
    run = folder.snakemake("-n", config=folder.write(config))
    assert run.returncode == 0, run.text
    drawing = {job for job in run.jobs() if job.startswith("draw_figures")}
    assert drawing == {"draw_figures_outcomes_of_free", *SHEETS[1:]}


def test_small_experiments_share_a_job_while_it_is_short(folder):
    config = tiny(figures={}, claims=[], sensitivity={})
    step = config["experiments"]["step"]
    config["replicates_per_job"] = 10**6
    config["experiments"] |= {
        "second": step,
        "long": step | {"replicates": 10**6},  # much more than a job plays
        "on_sugar": step | {"datasets": ["sugar"]},
        "third": step | {"replicates_per_job": 4},
    }
    run = folder.snakemake("-n", config=folder.write(config))
    assert run.returncode == 0, run.text
    assert {job for job in run.jobs() if job.startswith("play_small")} == {
        f"play_small_{name}" for name in ("step", "long")
    }
    assert "Playing step, second, on_sugar, third\n" in run.text
    assert "Playing long\n" in run.text
    assert run.jobs()["play_experiment"] == 4  # of the large one


def test_a_lost_picture_is_noticed(played):
    picture = played.path / "results/tiny/figures/boxes.png"
    content = picture.read_bytes()
    picture.unlink()
    try:
        assert again(played, tiny())["draw_figures_outcomes"] == 1
    finally:
        picture.write_bytes(content)


@pytest.mark.full  # runs Snakemake several times
def test_results_depend_on_no_cores_chunks_or_order(played, folder):
    config = tiny()
    for experiment in config["experiments"].values():
        experiment["mechanisms"] = experiment["mechanisms"][::-1]
        experiment["replicates_per_job"] = 2
    run = folder.snakemake("--", *TABLES, config=folder.write(config), cores=1)
    assert run.returncode == 0, run.text
    keys = [c for c in COLUMNS if c not in ("score_public", "score_final", "delta")]
    for table in TABLES:
        first, other = (
            pd.read_parquet(where / table).astype(dict.fromkeys(("setting", "dataset"), str))
            for where in (played.path, folder.path)
        )
        first, other = (
            frame.sort_values(keys, ignore_index=True).astype(object) for frame in (first, other)
        )
        pd.testing.assert_frame_equal(first, other, check_exact=True)


def test_a_changed_experiment_makes_only_its_own_results_again(played):
    config = tiny()
    config["experiments"]["step"]["mechanisms"] = [
        *config["experiments"]["step"]["mechanisms"],
        {"name": "kaggle"},
    ]
    assert again(played, config) == {
        "play_small_step": 1,
        "trace_experiment": 1,
        "summarise_outcomes": 1,
        "check_claims": 1,
        "compare_readings": 1,
        "draw_figures_traces": 1,
        "build_report": 1,
    }


def test_more_replicates_and_other_data_play_what_is_new(played):
    config = tiny()
    config["experiments"]["free"]["replicates"] = 8
    config["datasets"]["unused"] = {"recipe": "diabetes"}
    jobs = again(played, config)
    # On 2 data sets: chunk 0 (0 to 2) stays, 1 (was 3 alone) and 2 are played.
    assert jobs["play_experiment"] == 4
    assert jobs["join_outcomes"] == jobs["make_dataset"] == 1
    assert "trace_experiment" not in jobs
    config = tiny()
    config["datasets"]["sim"]["rows"] = 60
    jobs = again(played, config)
    assert jobs["make_dataset"] == jobs["play_small_step"] == 1
    assert jobs["play_experiment"] == 2


def test_a_title_or_an_order_of_keys_plays_nothing_again(played):
    config = tiny()
    config["figures"]["dots"]["title"] = "Dots"
    config["experiments"]["free"] = dict(reversed(config["experiments"]["free"].items()))
    assert again(played, config) == {"build_report": 1}


@pytest.mark.parametrize(
    ("changes", "rules"),
    [
        (
            [
                ("attacks/freedman.py", '"""Freedman\'s attack:', '"""The attack of Freedman:'),
                ("leaderboard/ties.py", "TIE = 1e-12\n", "TIE = 1e-12  # a comment\n"),
            ],
            set(),
        ),
        (
            [
                ("figures/style.py", "PAGE_WIDTH = 7.2", "PAGE_WIDTH = 7.3"),
                ("claims/places.py", "(submissions.accepted == 1)", "(submissions.accepted > 0)"),
            ],
            {*SHEETS, "check_claims", "build_report"},
        ),
        (
            [("attacks/freedman.py", 'kind="stable"', 'kind="quicksort"')],
            {
                *("play_experiment", "play_small_step", "trace_experiment", "join_outcomes"),
                *("summarise_outcomes", *SHEETS, "build_report", "check_claims"),
                "compare_readings",
            },
        ),
    ],
    ids=["comments", "drawing and claims", "an attack"],
)
def test_only_code_that_does_something_else_runs_again(played, tmp_path, changes, rules):
    for number, (file, old, new) in enumerate(changes):
        path = played.root / "src/shakedown" / file
        before = path.read_text("utf-8")
        assert old in before
        shutil.copy2(path, tmp_path / f"{number}")  # with its time, by which compiled code is found
        path.write_text(before.replace(old, new), "utf-8")
    try:
        assert set(again(played, tiny())) == rules
    finally:
        for number, (file, _, _) in enumerate(changes):
            shutil.copy2(tmp_path / f"{number}", played.root / "src/shakedown" / file)


def test_a_failed_job_shows_what_was_wrong_and_keeps_it_in_its_log(folder):
    table = pd.DataFrame({"id": ["a"] * 40, "y": range(40), "x": range(40)})
    table.to_csv(folder.path / "mine.csv", index=False)
    config = tiny(figures={})
    config["datasets"]["sim"] = {
        "recipe": "table",
        "path": "mine.csv",
        "id": "id",
        "response": "y",
    }
    target = "results/tiny/datasets/sim.npz"
    run = folder.snakemake("--", target, config=folder.write(config))
    assert run.returncode == 1
    message = "column 'id' has 1 id more than once"
    assert message in run.text
    log = (folder.path / "results/tiny/logs/make_dataset/sim.log").read_text()
    assert message in log
    assert "Traceback" in log
    assert not (folder.path / target).exists()


SCRIPTS = sorted((ROOT / "workflow/scripts").glob("*.py"))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_can_be_imported_and_does_nothing_then(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
    assert not list(tmp_path.iterdir())


def test_every_script_is_named_after_its_rule():
    """Or after what it makes, where several rules share it."""
    served = {path.stem: [] for path in SCRIPTS}
    for file in (ROOT / "workflow/rules").glob("*.smk"):
        rule = None
        for line in map(str.strip, file.read_text().splitlines()):
            if line.startswith("rule"):
                rule = line.removeprefix("rule").strip(" :")
            elif rule == "" and re.fullmatch(r'"\w+"', line):  # its name, on a line of its own
                rule = line.strip('"')
            elif line.startswith('"../scripts/'):
                served[Path(line.strip('"')).stem].append(rule)
    # Rules without a name are made in a loop: for sheets of figures, and for small experiments.
    assert served.pop("draw_figures") == [""]
    assert served.pop("play_experiments") == ["play_experiment", ""]
    assert sorted(served.pop("draw_page_figures")) == ["draw_dryrun", "draw_replay"]
    assert {script: [script] for script in served} == served


def test_lint_finds_only_what_is_announced(folder):
    run = folder.snakemake("--lint", config=folder.write(tiny()))
    lints = {line.strip() for line in run.text.splitlines() if line.strip().startswith("* ")}
    # The environment is one for all rules, made from requirements.txt.
    assert lints == {"* Specify a conda environment or container for each rule.:"}


def test_the_workflow_is_formatted():
    files = [ROOT / "Snakefile", ROOT / "workflow"]
    done = subprocess.run(
        [sys.executable, "-m", "snakefmt", "--check", *files], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
