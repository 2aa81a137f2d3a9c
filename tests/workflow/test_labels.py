"""A study on labels: its figures are targets, know the public rows, and say what they show."""

import pandas as pd
import pytest

from .conftest import ROOT, Folder

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
    "study": "coins",
    "datasets": {
        name: {"recipe": "labels", "public": n, "final": 50} for name, n in PUBLIC.items()
    },
    "experiments": {
        "boost": on_labels(["few"], [{"name": "kaggle"}], name="boosting"),
        "lower": on_labels(
            ["few"], [{"name": "parameter_free_ladder"}], name="boosting", keep="lowered"
        ),
        "flips": on_labels(
            ["few", "more"], [{"name": "general_ladder", "eta": 0.05}], name="enumeration"
        ),
    },
    "figures": {
        "growing": {
            "kind": "growth",
            "experiment": ["boost", "lower"],
            "dataset": "few",
            "design": "labels",
            "value": "bias",
            "fits": ["sqrt_k", "sqrt_log_k"],
            "curves": [{"mechanism": "kaggle", "label": "all scores"}],
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
    },
}


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """A folder in which the figures of the study were asked for, and nothing else."""
    folder = Folder(tmp_path_factory.mktemp("labels"), ROOT)
    run = folder.snakemake("--", *STUDY["figures"], config=folder.write(STUDY))
    assert run.returncode == 0, run.text
    # Figures of the same tables are drawn by one job.
    assert run.jobs()["draw_figures_boost_and_lower"] == 1
    return folder.path / "results/coins"


@pytest.mark.parametrize("name", STUDY["figures"])
def test_a_figure_is_a_target(drawn, name):
    assert {path.suffix for path in (drawn / "figures").glob(f"{name}.*")} == {
        ".svg", ".png", ".txt",
    }  # fmt: skip


def test_laws_know_the_public_rows(drawn):
    text = (drawn / "figures/growing.txt").read_text("utf-8")
    assert "Data: few (n = 40 public rows), labels as they are." in text
    assert "all scores: " in text
    assert "Ladder" not in text


def test_several_data_sets_stand_side_by_side(drawn):
    text = (drawn / "figures/paths.txt").read_text("utf-8")
    for name, n in PUBLIC.items():
        assert f"{name} (n = {n} public rows)" in text
        assert f"General Ladder (η = 0.05), n = {n}: after 30 submissions" in text


def test_the_caption_has_the_medians_of_the_table(drawn):
    text = (drawn / "figures/error.txt").read_text("utf-8")
    for name, label in (("boost", "Kaggle reference"), ("lower", "Parameter-free Ladder")):
        table = pd.read_parquet(drawn / f"outcomes/{name}.parquet")
        end = table[table["submissions"] == 30]["leaderboard_error"].median()
        assert f"{label}" in text
        assert f"{float(f'{end:.3g}'):g}" in text
