"""Bounds in the workflow: the table, the figure and the report of a small study on labels."""

import pandas as pd
import pytest

from shakedown.bounds import FIXED, LADDER

from .conftest import Folder

pytestmark = pytest.mark.slow


def labels(**changes):
    """Two forms of the boosting attack on 100 labels, beside what is proved."""
    shared = {"datasets": ["coins"], "designs": ["labels"], "metric": "zero_one", "replicates": 8}
    config = {
        "study": "guarantees",
        "datasets": {"coins": {"recipe": "labels", "public": 100, "final": 50}},
        "experiments": {
            "votes": shared
            | {
                "attack": {"name": "boosting", "submissions": 40},
                "mechanisms": [{"name": "full_disclosure"}],
            },
            "lowered": shared
            | {
                "attack": {"name": "boosting", "submissions": 40, "keep": "lowered"},
                "mechanisms": [{"name": "general_ladder", "eta": 0.1}],
            },
        },
        "bounds": {"experiments": ["votes", "lowered"], "delta": 0.2},
        "figures": {
            "loose": {
                "kind": "bounds",
                "experiment": ["votes", "lowered"],
                "dataset": "coins",
                "design": "labels",
            }
        },
    }
    return {**config, **changes}


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    folder = Folder(tmp_path_factory.mktemp("guarantees"))
    run = folder.snakemake(config=folder.write(labels()))
    assert run.returncode == 0, run.text
    return folder


def test_table_figure_and_report_tell_the_same(played):
    results = played.path / "results/guarantees"
    table = pd.read_csv(results / "bounds.csv")
    assert set(table["theorem"]) == {FIXED, LADDER}
    assert set(table["chance"]) == {0.2}
    assert set(table["public_rows"]) == {100}
    assert set(table["replicates"]) == {8}
    caption = (results / "figures/loose.txt").read_text("utf-8")
    assert "80 % of the plays of the boosting attack" in caption
    page = (results / "report.html").read_text("utf-8")
    for words in ("What theory guarantees", "Blum &amp; Hardt, Theorem 3.1", 'id="figure-loose"'):
        assert words in page


def test_another_chance_compares_again_and_plays_nothing(played):
    config = labels(bounds={"experiments": ["votes", "lowered"], "delta": 0.1})
    run = played.snakemake("-n", config=played.write(config))
    assert run.returncode == 0, run.text
    assert run.jobs() == {
        "compare_bounds": 1,
        "draw_figures_votes_and_lowered_bounds": 1,
        "build_report": 1,
    }


def test_a_study_without_bounds_compares_nothing(folder):
    run = folder.snakemake("-n", config=folder.write(labels(bounds=None, figures={})))
    assert run.returncode == 0, run.text
    assert "compare_bounds" not in run.jobs()
