"""A replay, from a log to its tables."""

import numpy as np
import pandas as pd
import pytest

from shakedown.metrics import find
from shakedown.replay import games
from shakedown.replay.log import load
from tests.replay.logs import listing, table

from .conftest import Folder

TABLES = ["log.npz", "submissions.csv", "messages.csv", "seen.parquet", "standings.csv"]


def replay(**changes):
    settings = {"table": "log.csv", "public": "set", "submissions": "list.csv", "metric": "rmse"}
    return {"study": "again", "seed": 5, "replay": {**settings, **changes}}


@pytest.fixture(scope="module")
def run_replay(tmp_path_factory):
    folder = Folder(tmp_path_factory.mktemp("replay"))
    rows = table()
    rows.loc[3, "s2"] = None
    rows.to_csv(folder.path / "log.csv", index=False)
    listing().to_csv(folder.path / "list.csv", index=False)
    targets = [f"results/again/{name}" for name in TABLES]
    run = folder.snakemake("--", *targets, config=folder.write(replay()))
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
    assert list(ended.columns) == list(rebuilt.columns)
    assert len(ended) == 9 * 2 * 2
    np.testing.assert_allclose(ended["released"], rebuilt["released"], rtol=1e-12)


def test_only_what_depends_on_a_setting_is_made_again(run_replay):
    def again(**changes):
        targets = [f"results/again/{name}" for name in TABLES]
        config = run_replay.write(replay(**changes))
        run = run_replay.snakemake("-n", "--", *targets, config=config)
        assert run.returncode == 0, run.text
        return run.jobs()

    assert again() == {}
    assert again(boards=["per_team"]) == {"replay_log": 1}
    assert again(missing="fill_median") == {"read_log": 1, "replay_log": 1}


def test_a_log_that_cannot_be_read_ends_in_one_sentence(run_replay, tmp_path):
    folder = Folder(tmp_path)
    run = folder.snakemake(config=folder.write(replay()))
    assert run.returncode == 1
    assert len(run.text.strip().splitlines()) <= 4
    assert "log.csv" in run.text
