"""A replay, from a log to its page."""

import re

import pandas as pd
import pytest

from shakedown.replay.analyses import TABLES
from shakedown.report.replay import FIGURES
from tests.replay.logs import listing, table
from tests.report.test_page import Page

from .conftest import Folder

SETTINGS = {
    "table": "log.csv",
    "public": "set",
    "submissions": "list.csv",
    "metric": "rmse",
    "analyses": {"splits": 3, "draws": 100},
}


@pytest.fixture(scope="module")
def run_replay(tmp_path_factory):
    folder = Folder(tmp_path_factory.mktemp("page"))
    rows = table()
    # Far from every score, so that none of them can be met on the page by chance.
    numbers = [c for c in rows.columns if c not in ("id", "set")]
    rows[numbers] = rows[numbers].astype(float) + 7000
    rows.loc[3, "s2"] = None
    rows.to_csv(folder.path / "log.csv", index=False)
    listing().to_csv(folder.path / "list.csv", index=False)
    config = folder.write({"study": "again", "seed": 5, "replay": SETTINGS})
    run = folder.snakemake(config=config)
    assert run.returncode == 0, run.text
    return folder, config


def test_every_table_and_figure_is_there(run_replay):
    here = run_replay[0].path / "results/again"
    for name in TABLES:
        path = here / f"{name}.{'parquet' if name == 'reported' else 'csv'}"
        found = pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path)
        assert len(found), name
    assert set(pd.read_csv(here / "splits.csv")["repeats"]) == {3}
    for name in FIGURES:
        for layout in ("", "_narrow"):
            for kind in ("svg", "png", "txt"):
                assert (here / f"figures/{name}{layout}.{kind}").stat().st_size > 100
        assert "Study again, seed 5." in (here / f"figures/{name}.txt").read_text("utf-8")


def test_the_page_holds_all_figures_and_no_truth(run_replay):
    text = (run_replay[0].path / "results/again/report.html").read_text("utf-8")
    Page(text)
    assert "Would another leaderboard have changed the winner?" in text
    assert "5 submissions of 2 teams, 20 public and 20 private rows" in text
    assert "1 submission could not be played" in text
    assert "1 of 40 predictions missing" in text
    assert text.count("<figure") == len(FIGURES)
    words = re.sub(r"<svg.*?</svg>|<style>.*?</style>", "", text, flags=re.DOTALL)
    numbers = [float(n.replace(",", "")) for n in re.findall(r"\d[\d,]*\.?\d*", words)]
    assert not [n for n in numbers if 6900 < n < 7100]


def test_a_second_run_has_nothing_to_do(run_replay):
    folder, config = run_replay
    run = folder.snakemake("-n", config=config)
    assert run.returncode == 0
    assert "Nothing to be done" in run.text
