"""A user's own mechanism, attack and metric, in one file, take part in every kind of study.

The mechanism has a parameter that nobody has heard of, and a gate and a release of its own; the
file lies beside the configuration and nothing else is edited.
"""

import json
import re
import shutil
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.replay.logs import listing, table

from .conftest import Folder

pytestmark = pytest.mark.full

OWN = Path(__file__).parents[1] / "own" / "stairs.py"
STEEP, FLAT = "stairs.Stairs(gamma=0.2)", "stairs.Stairs(gamma=0.05)"
LABELS = ["Staircase board (γ = 0.2)", "Staircase board (γ = 0.05)"]
ENTRIES = [{"name": "full_disclosure"}, {"name": "stairs.Stairs", "gamma": [0.05, 0.2]}]

CLAIMS = """
from shakedown.claims import claim


@claim("mine", figure="curve", required="> -1")
def steep_is_safer(study):
    'A steeper staircase shows less.'
    rows = study.outcomes("mine", dataset="sim", design="permuted", point=2)
    delta = rows.median("delta", over="gamma")
    return delta.sel(gamma=0.2) - delta.sel(gamma=0.05)
"""


def text_of(html: str) -> str:
    """What a reader sees of a page, with the text inside its figures."""
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html)))


def run(folder: Folder, config: dict) -> Path:
    """Run a study and return where its results lie."""
    shutil.copy(OWN, folder.path)
    done = folder.snakemake(config=folder.write(config))
    assert done.returncode == 0, done.text
    return folder.path / "results" / config["study"]


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = Folder(tmp_path_factory.mktemp("own_study"))
    (folder.path / "my_claims.py").write_text(CLAIMS)
    shown = {"experiment": "mine", "dataset": "sim", "design": "permuted"}
    return run(
        folder,
        {
            "study": "own",
            "datasets": {"sim": {"recipe": "simulated", "rows": 60, "features": 9}},
            "experiments": {
                "mine": {
                    "datasets": ["sim"],
                    "designs": ["permuted"],
                    "metric": "stairs.Halving",
                    "attack": {"name": "stairs.Echo", "rounds": 2},
                    "replicates": 7,
                    "mechanisms": ENTRIES,
                }
            },
            "claims": ["my_claims"],
            "figures": {
                "curve": {"kind": "grid", **shown, "mechanism": "stairs.Stairs", "gamma": 0.2},
                "boxes": {"kind": "boxes", **shown},
                "dots": {"kind": "traces", **shown, "gamma": [0.05, 0.2]},
            },
        },
    )


def test_a_study_plays_them_and_its_tables_have_the_parameter(study):
    outcomes = pd.read_parquet(study / "outcomes/mine.parquet")
    assert set(outcomes["setting"]) == {"full_disclosure", STEEP, FLAT}
    assert set(outcomes["attack"]) == {"stairs.Echo"}
    assert set(outcomes["metric"]) == {"stairs.Halving"}
    assert sorted(outcomes["point"].unique()) == [1, 2]
    assert "gamma" not in outcomes.columns
    settings = pd.read_csv(study / "settings.csv").set_index("setting")
    assert settings.loc[STEEP, ["label", "gamma"]].tolist() == [LABELS[0], 0.2]
    summary = pd.read_csv(study / "summary/mine.csv")
    steep = summary[summary["setting"] == STEEP]
    assert steep["mechanism"].tolist() == ["stairs.Stairs"] * 2
    assert steep["gamma"].tolist() == [0.2, 0.2]
    # What the board does is what its gate says: a step of .2 lets less through than one of .05.
    accepted = outcomes.groupby("setting", observed=True)["accepted"].sum()
    assert accepted[STEEP] < accepted[FLAT] < accepted["full_disclosure"]


def test_a_study_claims_and_draws_them(study):
    (claim,) = pd.read_csv(study / "claims.csv").to_dict("records")
    assert claim["claim"] == "steep_is_safer"
    assert np.isfinite(claim["measured"])
    page = text_of((study / "report.html").read_text(encoding="utf-8"))
    # The labels of all settings stand in the figures, which the page holds as pictures.
    for words in ("Staircase board", "Echo", "Mean root error"):
        assert words in page
    assert "MRE" in (study / "figures/curve.txt").read_text()
    for name in ("boxes", "dots"):
        drawn = (study / f"figures/{name}.svg").read_text()
        assert all(label in drawn for label in LABELS)


def test_a_changed_statement_checks_the_claims_again_and_plays_nothing(study):
    folder = Folder(study.parents[1])
    (folder.path / "my_claims.py").write_text(CLAIMS.replace("shows less", "releases less"))
    planned = folder.snakemake("--dry-run", config=folder.path / "study.yaml").jobs()
    assert planned == {"check_claims": 1, "build_report": 1}


def test_a_dry_run_offers_the_board_and_plays_the_attack(tmp_path):
    rng = np.random.default_rng(8)
    rows = pd.DataFrame(rng.standard_normal((66, 7)), columns=list("abcdefg"))
    rows["y"] = rows["a"] + rng.standard_normal(66)
    rows.to_csv(tmp_path / "mine.csv", index=False)
    here = run(
        Folder(tmp_path),
        {
            "study": "own_dry",
            "datasets": {"mine": {"recipe": "table", "path": "mine.csv", "response": "y"}},
            "dryrun": {
                "metric": "stairs.Halving",
                "thresholds": [-0.05],
                "submissions": 30,
                "largest_budget": 60,
                "minutes": 0.01,
                "fewest_replicates": 12,
                "most_replicates": 12,
                "honest_replicates": 2,
                "mechanisms": ENTRIES,
                "attacks": ["stairs.Echo"],
            },
        },
    )
    limits = pd.read_csv(here / "limits.csv")
    assert {FLAT, STEEP} <= set(limits["setting"])
    assert set(limits.loc[limits["setting"] == STEEP, "gamma"]) == {0.2}
    assert set(pd.read_csv(here / "settings.csv")["setting"]) == set(limits["setting"])
    frontier = pd.read_csv(here / "frontier.csv")
    assert "stairs.Echo" in set(frontier["attack"])
    page = text_of((here / "report.html").read_text(encoding="utf-8"))
    for words in (*LABELS, "Echo", "Mean root error"):
        assert words in page
    assert "setting" in json.dumps(json.loads((here / "recommendation.json").read_text()))


def test_a_replay_ranks_teams_on_the_board(tmp_path):
    table().to_csv(tmp_path / "log.csv", index=False)
    listing().to_csv(tmp_path / "list.csv", index=False)
    here = run(
        Folder(tmp_path),
        {
            "study": "own_replay",
            "replay": {
                "table": "log.csv",
                "public": "set",
                "submissions": "list.csv",
                "metric": "stairs.Halving",
                "mechanisms": ENTRIES,
            },
        },
    )
    standings = pd.read_csv(here / "standings.csv")
    assert {FLAT, STEEP, "full_disclosure"} == set(standings["setting"])
    assert set(standings.loc[standings["setting"] == FLAT, "gamma"]) == {0.05}
    page = text_of((here / "report.html").read_text(encoding="utf-8"))
    for words in (*LABELS, "Mean root error"):
        assert words in page
