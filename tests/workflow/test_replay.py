"""A replay, from a log to its tables and its page."""

import re

import numpy as np
import pandas as pd
import pytest

import shakedown
from shakedown.leaderboard.settings import with_parameters
from shakedown.metrics import find
from shakedown.replay import analyses, games
from shakedown.replay.grouping import read_table
from shakedown.replay.log import load
from shakedown.report.replay import FIGURES
from tests.replay.logs import listing, table
from tests.report.test_page import Page

from .conftest import Folder

pytestmark = pytest.mark.slow


def replay(**changes):
    settings = {
        "table": "log.csv",
        "public": "set",
        "submissions": "list.csv",
        "metric": "rmse",
        "analyses": {"splits": 3, "draws": 100},
    }
    return {"study": "again", "seed": 5, "replay": {**settings, **changes}}


@pytest.fixture(scope="module")
def run_replay(tmp_path_factory):
    folder = Folder(tmp_path_factory.mktemp("replay"))
    rows = table()
    # Far from every score, so that none of them can be met on the page by chance.
    numbers = [c for c in rows.columns if c not in ("id", "set")]
    rows[numbers] = rows[numbers].astype(float) + 7000
    rows.loc[3, "s2"] = None
    rows.to_csv(folder.path / "log.csv", index=False)
    listing().to_csv(folder.path / "list.csv", index=False)
    run = folder.snakemake(config=folder.write(replay()))
    assert run.returncode == 0, run.text
    return folder


def test_what_could_be_played_was_and_the_rest_is_told(run_replay):
    here = run_replay.path / "results/again"
    log = load(here / "log.npz")
    assert log.predictions.shape == (5, 40)
    teams = pd.read_csv(here / "submissions.csv")["team"].tolist()
    assert teams == ["one", "one", "two", "one", "two"]
    (message,) = pd.read_csv(here / "messages.csv").to_dict("records")
    assert (message["submission"], message["team"], message["played"]) == ("s2", "two", False)


def test_the_tables_have_the_columns_that_were_promised(run_replay):
    here = run_replay.path / "results/again"
    seen = games.typed(pd.read_parquet(here / "seen.parquet"))
    assert len(seen) == 9 * 2 * 5
    rebuilt = games.standings(seen, find("rmse"))
    ended = pd.read_csv(here / "standings.csv")
    assert list(ended.columns) == list(with_parameters(rebuilt).columns)
    assert ended.loc[ended["mechanism"] == "ladder", "alpha"].eq(0.15).all()
    assert len(ended) == 9 * 2 * 2
    assert set(pd.read_csv(here / "settings.csv")["setting"]) == set(ended["setting"])
    np.testing.assert_allclose(ended["released"], rebuilt["released"], rtol=1e-12)


def test_every_table_and_figure_is_there(run_replay):
    here = run_replay.path / "results/again"
    for name in analyses.TABLES:
        path = here / f"{name}.{'parquet' if name == 'reported' else 'csv'}"
        table = pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path)
        assert len(table) or name in ("average_ranks", "by_response"), name  # not asked for
    assert set(pd.read_csv(here / "splits.csv")["repeats"]) == {3}
    for name in FIGURES:
        for kind in ("svg", "png", "txt"):
            assert (here / f"figures/{name}.{kind}").stat().st_size > 100
        assert "Study again, seed 5." in (here / f"figures/{name}.txt").read_text("utf-8")


def test_the_page_holds_all_figures_and_no_truth(run_replay):
    text = (run_replay.path / "results/again/report.html").read_text("utf-8")
    Page(text)
    assert "Would another leaderboard have changed the winner?" in text
    assert "5 submissions of 2 teams; 20 public rows and 20 private rows" in text
    assert "1 submission could not be played" in text
    assert "1 of 40 predictions missing" in text
    assert text.count("<figure") == len(FIGURES)
    words = re.sub(r"<svg.*?</svg>|<style>.*?</style>|data:[^\"]*", "", text, flags=re.DOTALL)
    numbers = [float(n.replace(",", "")) for n in re.findall(r"\d[\d,]*\.?\d*", words)]
    assert not [n for n in numbers if 6900 < n < 7100]


@pytest.mark.full  # plays it all once more
def test_the_function_gives_the_answer_of_the_command(run_replay):
    """Played in this process."""
    folder = run_replay.path
    here, config = folder / "results/again", replay()
    settings = config["replay"] | {"seed": config["seed"], "name": config["study"]}
    files = {key: folder / settings.pop(key) for key in ("table", "submissions")}
    ours = shakedown.replay_log(files["table"], files["submissions"], **settings)
    for name in ("seen", "standings", *analyses.TABLES):
        path = here / f"{name}.{'parquet' if name in ('seen', 'reported') else 'csv'}"
        pd.testing.assert_frame_equal(ours.tables[name], read_table(path), check_exact=True)
    text = (here / "report.html").read_text("utf-8")
    assert f'<p class="sentence">{ours.answer}</p>' in text
    for name in FIGURES:
        assert ours.caption(name) in (here / f"figures/{name}.txt").read_text("utf-8")


def test_only_what_depends_on_a_setting_is_made_again(run_replay):
    def again(**changes):
        config = run_replay.write(replay(**changes))
        run = run_replay.snakemake("-n", config=config)
        assert run.returncode == 0, run.text
        return run.jobs()

    assert again() == {}
    other = again(boards=["per_team"])
    assert other["replay_log"] == 1
    assert "read_log" not in other
    assert again(missing="fill_median")["read_log"] == 1


def test_a_log_that_cannot_be_read_ends_in_one_sentence(run_replay, tmp_path):
    folder = Folder(tmp_path)
    run = folder.snakemake(config=folder.write(replay()))
    assert run.returncode == 1
    assert len(run.text.strip().splitlines()) <= 4
    assert "log.csv" in run.text
