"""A dry run, from a table to the page."""

import json
import re

import numpy as np
import pandas as pd
import pyarrow.csv
import pytest
from pandas.testing import assert_frame_equal

import shakedown
from shakedown.attacks.attack import THREATS
from shakedown.dryrun.decision import written
from shakedown.replay.grouping import read_table
from shakedown.report.dryrun import FIGURES

from .conftest import Folder

pytestmark = pytest.mark.slow

LIMITS = [
    "dataset", "metric", "setting", "mechanism", "alpha", "posterior_odds", "eta", "b", "threat",
    "threshold", "quantile", "safe_submissions", "ci_low", "ci_high", "censored",
]  # fmt: skip


def dry(**changes):
    """A dry run of some seconds on a table with a response that no other number looks like."""
    settings = {
        "metric": "rmse",
        "submissions": 30,
        "largest_budget": 60,
        "minutes": 0.01,
        "fewest_replicates": 12,
        "most_replicates": 12,
        "honest_replicates": 2,
        "mechanisms": [{"name": "full_disclosure"}, {"name": "ladderboot", "alpha": 0.15, "b": 10}],
    }
    return {
        "study": "dry",
        "seed": 5,
        "datasets": {"mine": {"recipe": "table", "path": "mine.csv", "response": "y"}},
        "dryrun": {**settings, **changes},
    }


@pytest.fixture(scope="module")
def run_dry(tmp_path_factory):
    folder = Folder(tmp_path_factory.mktemp("dry"))
    rng = np.random.default_rng(8)
    table = pd.DataFrame(rng.standard_normal((66, 7)), columns=list("abcdefg"))
    table["y"] = 3141.592653 + 10 * (table["a"] + rng.standard_normal(66))
    table.to_csv(folder.path / "mine.csv", index=False)
    run = folder.snakemake(config=folder.write(dry()))
    assert run.returncode == 0, run.text
    return folder


def results(folder):
    return folder.path / "results/dry"


def test_a_dry_run_makes_its_tables_figures_and_page(run_dry):
    here = results(run_dry)
    made = {str(p.relative_to(here)) for p in here.rglob("[!.]*") if p.is_file()}
    assert {p for p in made if not p.startswith("logs/")} == {
        "datasets/mine.npz",
        *(f"jobs/{job}.{kind}" for job in (0, 1) for kind in ("parquet", "json")),
        *(f"{name}.csv" for name in ("limits", "frontier", "utility", "acceptance", "settings")),
        "final_rows.csv",
        *(f"figures/{name}.{kind}" for name in FIGURES for kind in ("svg", "png", "txt")),
        "recommendation.json",
        "report.html",
    }


def test_the_limits_have_the_columns_and_units_that_were_promised(run_dry):
    limits = pd.read_csv(results(run_dry) / "limits.csv")
    assert list(limits.columns)[: len(LIMITS)] == LIMITS
    y = pd.read_csv(run_dry.path / "mine.csv")["y"]
    # RMSE is in units of the response, and so is the tolerated overfit.
    assert limits["threshold"].unique() == pytest.approx([-0.025 * y.std(ddof=1)])
    measured = limits[limits["status"] == "measured"]
    assert (measured["ci_low"] <= measured["safe_submissions"]).all()
    # Full disclosure is no digest, and LadderBoot has noise.
    deaf = limits[limits["status"] == "not attacked"]
    assert {"between_updates", "reserve", "scan"} <= set(deaf["threat"])
    assert not set(deaf["threat"]) & set(THREATS)
    attacks = {"step_forward", "freedman", "best_of_many", "paper_recipe"}
    attacks |= {"linear_probe", "staircase", "reserve", "reserve_holder"}
    attacks |= {"between_updates", "between_updates_holder"}
    assert set(limits["threat"]) >= {*THREATS, *attacks}


def test_the_jobs_share_the_replicates(run_dry):
    """What they play does not depend on their number, see tests/dryrun/test_playing.py."""
    paths = sorted((results(run_dry) / "jobs").glob("*.parquet"))
    played = [set(pd.read_parquet(path)["replicate"]) for path in paths]
    assert played == [set(range(0, 12, 2)), set(range(1, 12, 2))]


def test_the_page_answers_and_shows_no_response(run_dry):
    page = (results(run_dry) / "report.html").read_text("utf-8")
    recommendation = json.loads((results(run_dry) / "recommendation.json").read_text("utf-8"))
    assert recommendation["wanted"] == 30
    assert recommendation["headline"] in re.sub(
        r"<[^>]+>|\xa0", lambda m: " " * (m[0] == "\xa0"), page
    )
    for value in pd.read_csv(run_dry.path / "mine.csv")["y"]:
        assert f"{value:.3f}"[:7] not in page


@pytest.mark.full  # plays it all once more
def test_the_function_gives_the_answer_of_the_command(run_dry):
    """Played in this process, from the file and from a frame."""
    here, table = results(run_dry), run_dry.path / "mine.csv"
    config = dry()
    few = config["dryrun"] | {"seed": config["seed"], "response": "y", "missing": "error"}
    for data in (table, pyarrow.csv.read_csv(table).to_pandas()):
        run = shakedown.dry_run(data, name="mine", **few)
        assert written(run.recommendation) == (here / "recommendation.json").read_text("utf-8")
        for name, own in run.tables.items():
            assert_frame_equal(own, read_table(here / f"{name}.csv"), check_exact=True)
        for name in FIGURES:
            assert run.caption(name) in (here / f"figures/{name}.txt").read_text("utf-8")
        stopped = [json.loads(path.read_text()) for path in sorted((here / "jobs").glob("*.json"))]
        for own, of_job in zip(run.stopped, stopped, strict=True):
            assert own | {"seconds": 0} == of_job | {"seconds": 0}


def test_only_what_depends_on_a_setting_is_made_again(run_dry):
    def again(**changes):
        run = run_dry.snakemake("-n", config=run_dry.write(dry(**changes)))
        assert run.returncode == 0, run.text
        return run.jobs()

    assert again() == {}
    page = {"recommend": 1, "draw_dryrun": 1, "build_page": 1}
    assert again(days=7, honest_replicates=3) == {**page, "measure_usefulness": 1}
    assert again(quantile=0.5)["play_share"] == 2


def test_a_table_that_cannot_be_used_ends_in_one_sentence(tmp_path):
    folder = Folder(tmp_path)
    (tmp_path / "mine.csv").write_text("x,z\n1,2\n")
    run = folder.snakemake(config=folder.write(dry()))
    assert run.returncode == 1
    assert len(run.text.strip().splitlines()) <= 4
    assert "'y'" in run.text
