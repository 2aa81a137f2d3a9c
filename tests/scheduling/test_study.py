"""The files of a study, a dry run and a replay, and the settings that decide them."""

from pathlib import Path

import pytest

from shakedown.config import complete
from shakedown.scheduling import comparison, dryrun, replay, study
from shakedown.scheduling.figures import files_of
from shakedown.scheduling.results import results
from shakedown.scheduling.settings import chosen
from tests.workflow.studies import tiny


@pytest.fixture
def config():
    return complete(tiny())


def test_all_tables_of_a_study_are_listed_chunks_too(config):
    chunks = [f"chunks/free/{data}/splits/{k}.parquet" for data in ("sim", "sugar") for k in (0, 1)]
    assert study.tables(config) == [
        "datasets/sim.npz",
        "datasets/sugar.npz",
        *chunks,
        "outcomes/free.parquet",
        "outcomes/step.parquet",
        "traces/step.parquet",
        "release_variability/steady.parquet",
    ]


def test_the_results_of_a_study_are_its_tables_answers_figures_and_report(config):
    config["bounds"] = {"experiments": ["free"]}
    assert results(config) == [
        *study.tables(config),
        *("summary/free.csv", "summary/step.csv", "checks.csv", "settings.csv"),
        *("claims.csv", "sensitivity.csv", "bounds.csv"),
        *("bounds.csv", "bounds/free.parquet"),
        *files_of(["spread", "dots", "boxes"]),
        "report.html",
    ]


def test_the_report_has_the_answers_that_the_study_asks_for(config):
    assert study.answers(config) == {"claims": "claims.csv", "sensitivity": "sensitivity.csv"}
    config["figures"]["map"] = {"kind": "threat_map"}
    config |= {"claims": [], "sensitivity": {}, "bounds": {"experiments": ["free"]}}
    assert study.answers(config) == {"bounds": "bounds.csv", "threats": "threats.csv"}


def test_bounds_are_of_the_experiments_that_are_named(config):
    assert study.bounded(config) == []
    assert study.bounded(config | {"bounds": {"experiments": ["free"]}}) == ["free"]


def test_the_code_of_claims_is_that_of_their_modules(config):
    names = [path.name for path in study.claim_files(config)]
    assert names[-1] == "zheng.py"
    assert {path.parent.name for path in study.claim_files(config)} == {"chaibub_neto", "claims"}
    assert study.claim_files(config | {"claims": []}) == []


def test_a_dry_run_shares_its_minutes_among_the_jobs_that_do_not_run_at_a_time():
    config = {"dryrun": {"jobs": 8, "minutes": 3, "dataset": None}, "datasets": {"mine": {}}}
    assert dryrun.challenge(config) == "mine"
    assert dryrun.job_seconds(config, cores=2) == 45
    assert dryrun.job_seconds(config, cores=16) == 180
    assert dryrun.job_files({"dryrun": {"jobs": 2}}) == [
        *("jobs/0.parquet", "jobs/0.json", "jobs/1.parquet", "jobs/1.json")
    ]
    config["dryrun"]["dataset"] = "other"
    assert dryrun.challenge(config) == "other"


def test_the_figures_of_pages_are_known():
    from shakedown.figures.dryrun.figure import DRY_RUN_FIGURES
    from shakedown.figures.replay.figure import REPLAY_FIGURES

    assert set(dryrun.FIGURES) == set(DRY_RUN_FIGURES)
    assert set(replay.FIGURES) == set(REPLAY_FIGURES)


def test_a_replay_reads_its_tables_and_every_visible_file_of_its_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "files/older").mkdir(parents=True)
    for name in ("b.csv", "a.csv", ".hidden"):
        (tmp_path / "files" / name).touch()
    log = {"table": "~/log.csv", "submissions": None, "public": "set", "folder": "~/files"}
    folder = [str(Path(tmp_path, "files", name)) for name in ("a.csv", "b.csv")]
    assert replay.log_files({"replay": log}) == [str(tmp_path / "log.csv"), *folder]
    (tmp_path / "set").touch()  # so `public` is no column
    log |= {"submissions": "teams.csv", "folder": None}
    assert replay.log_files({"replay": log}) == [str(tmp_path / "log.csv"), "teams.csv", "set"]


def test_a_comparison_has_a_table_for_each_cell():
    config = {"boards": {"rows": [50, 69], "submissions": [300]}, "dryrun": None, "replay": None}
    assert comparison.cell_files(config) == ["cells/50_300.parquet", "cells/69_300.parquet"]
    assert results(config) == [
        *comparison.cell_files(config),
        "boards.csv",
        *files_of(["lag_by_rows"]),
        "report.html",
    ]
    assert comparison.cell_memory(50, 300) == 1000
    assert comparison.cell_memory(100_000, 1000) > 6000


def test_only_chosen_settings_decide_a_job():
    settings = {"metric": "mse", "days": 30, "seed": 1}
    assert chosen(settings) == settings
    assert chosen(settings, only=("seed", "metric")) == {"metric": "mse", "seed": 1}
    assert chosen(settings, without=("days",)) == {"metric": "mse", "seed": 1}
    assert chosen(settings, only=("days", "seed"), without=("days",)) == {"seed": 1}
