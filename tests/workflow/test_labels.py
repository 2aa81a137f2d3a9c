"""A study on labels: figures, what theory proves beside it, and the report."""

import re

import pandas as pd
import pytest

from shakedown.theory.bounds import FIXED, LADDER

from .conftest import Folder

pytestmark = pytest.mark.slow

PUBLIC = {"few": 40, "more": 90}


def on_labels(datasets, mechanisms, **attack):
    return {
        "datasets": datasets,
        "designs": ["labels"],
        "metric": "zero_one",
        "attack": {"submissions": 30, **attack},
        "replicates": 5,
        "mechanisms": mechanisms,
    }


STUDY = {
    "study": "fair_labels",
    "datasets": {
        name: {"recipe": "labels", "public": n, "final": 50} for name, n in PUBLIC.items()
    },
    "experiments": {
        "boost": on_labels(["few"], [{"name": "full_disclosure"}], name="boosting"),
        "lower": on_labels(
            ["few"], [{"name": "general_ladder", "eta": 0.1}], name="boosting", keep="lowered"
        ),
        "flips": on_labels(
            ["few", "more"], [{"name": "general_ladder", "eta": 0.05}], name="enumeration"
        ),
    },
    "bounds": {"experiments": ["boost", "lower"], "delta": 0.2},
    "figures": {
        "growing": {
            "kind": "growth",
            "experiment": ["boost", "lower"],
            "dataset": "few",
            "design": "labels",
            "value": "bias",
            "fits": ["sqrt_k", "sqrt_log_k"],
            "curves": [{"mechanism": "full_disclosure", "label": "all scores"}],
        },
        "error": {
            "kind": "growth",
            "experiment": ["boost", "lower"],
            "dataset": "few",
            "design": "labels",
            "value": "leaderboard_error",
        },
        "paths": {
            "kind": "trajectories",
            "experiment": "flips",
            "dataset": ["few", "more"],
            "design": "labels",
            "accuracy": True,
        },
        "loose": {
            "kind": "bounds",
            "experiment": ["boost", "lower"],
            "dataset": "few",
            "design": "labels",
        },
    },
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = Folder(tmp_path_factory.mktemp("labels"))
    run = folder.snakemake(config=folder.write(STUDY))
    assert run.returncode == 0, run.text
    assert run.jobs()["draw_figures_outcomes"] == 1
    return folder


@pytest.fixture(scope="module")
def drawn(folder):
    return folder.path / "results/fair_labels"


def test_every_figure_has_its_files(drawn):
    assert {path.name for path in (drawn / "figures").glob("[!.]*")} == {
        f"{name}.{kind}" for name in STUDY["figures"] for kind in ("svg", "png", "txt")
    }


def test_laws_know_the_public_rows(drawn):
    text = (drawn / "figures/growing.txt").read_text("utf-8")
    assert "Data: few (n = 40 public rows), labels as they are." in text
    assert re.search(r"fits all scores well \(.*off by \d+ %", text)
    assert "Ladder" not in text


def test_several_data_sets_stand_side_by_side(drawn):
    text = (drawn / "figures/paths.txt").read_text("utf-8")
    for letter, (name, n) in zip("ab", PUBLIC.items(), strict=True):
        assert f"{name} (n = {n} public rows)" in text
        assert re.search(rf"\b{letter} \d\.\d+ after 30 submissions \(", text)


def test_the_caption_has_the_medians_of_the_table(drawn):
    text = (drawn / "figures/error.txt").read_text("utf-8")
    for name, label in (("boost", "Full-disclosure"), ("lower", "General Ladder")):
        table = pd.read_parquet(drawn / f"outcomes/{name}.parquet")
        end = table[table["submissions"] == 30]["leaderboard_error"].median()
        assert f"{label}" in text
        assert f"{float(f'{end:.3g}'):g}" in text


def test_table_figure_and_report_tell_the_same_of_theory(drawn):
    table = pd.read_csv(drawn / "bounds.csv")
    assert set(table["theorem"]) == {FIXED, LADDER}
    assert set(table["chance"]) == {0.2}
    assert set(table["public_rows"]) == {40}
    assert set(table["replicates"]) == {5}
    caption = (drawn / "figures/loose.txt").read_text("utf-8")
    assert "80 % of the replicates of the boosting attack" in caption
    page = (drawn / "report.html").read_text("utf-8")
    for words in ("What theory guarantees", "Blum &amp; Hardt, Theorem 3.1", 'id="figure-loose"'):
        assert words in page


def test_another_chance_compares_again_and_plays_nothing(folder):
    config = STUDY | {"bounds": {**STUDY["bounds"], "delta": 0.1}}
    run = folder.snakemake("-n", config=folder.write(config))
    assert run.returncode == 0, run.text
    jobs = run.jobs()
    assert jobs.keys() == {"compare_bounds", "draw_figures_outcomes", "build_report"}
