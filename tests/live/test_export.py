"""What a challenge ends with: final scores, ranks, tests, and a log that replays the same."""

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from scipy.stats import rankdata

from shakedown.config import complete
from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import MECHANISMS, of_setting
from shakedown.live import clock
from shakedown.live.contents import kept
from shakedown.live.export import export
from shakedown.live.live_board import LiveBoard
from shakedown.live.rules import Rules
from shakedown.live.truth import Truth
from shakedown.metrics import find
from shakedown.replay.analyses import TABLES, analyse
from shakedown.replay.games import play, standings
from shakedown.replay.grouping import read_table
from shakedown.replay.reading import read
from shakedown.replay.settings import ReplayEntry
from shakedown.replay.sizes import Analyses
from tests.fits import RUNNING
from tests.live.test_live_board import board, submissions, truth

TEAMS = ("=cmd|' /C calc'!A0", "NA", "'=x", 'béa, "b"', "-1")
#: Submissions of a log.
NUMBER = 21
SHOWING = [of_setting(kind(**kind.examples[0]).id).id for kind in map(MECHANISMS.find, RUNNING)]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def ended(tmp_path, setting="ladderboot(alpha=0.15,b=10)", metric="mse", number=NUMBER, **rules):
    """A closed board with submissions of hostile teams, and what was released."""
    live = board(tmp_path, setting, metric, by_count=True, **rules)
    files = submissions(number)
    for t, file in enumerate(files):
        live.submit(TEAMS[t % 7 % len(TEAMS)], file, f"=key {t}")
    live.close()
    return live


def replayed(folder="final"):
    """The log as `shakedown replay` reads it, and its configuration."""
    config = complete(yaml.safe_load(Path(folder, "replay.yaml").read_text("utf-8")))
    return read(config["study"], ReplayEntry(**config["replay"]), seed=config["seed"]), config


@pytest.mark.parametrize("setting", SHOWING)
def test_a_replay_of_the_log_releases_what_the_board_did(setting, tmp_path):
    live = ended(tmp_path, setting)
    export(live, "final")
    log, config = replayed()
    assert log.messages["rule"].tolist() == []
    stored = live.log()
    assert log.submissions["team"].tolist() == stored["team"].tolist()
    np.testing.assert_array_equal(
        log.predictions, [kept(file, live.rules) for file in submissions(NUMBER)]
    )
    np.testing.assert_array_equal(log.truth, truth().values)
    np.testing.assert_array_equal(log.public, truth().public)
    assert log.submissions["time"].tolist() == stored["received"].dt.tz_localize(None).tolist()
    own = of_setting(live.rules.setting)  # with centre and scale, if it is metered
    seen = play(log, find("mse"), [own], ["per_team"], seed=config["seed"])
    np.testing.assert_array_equal(seen["released"], stored["released"])
    np.testing.assert_array_equal(seen["accepted"], stored["accepted"])
    written = pd.read_parquet("final/seen.parquet")
    pd.testing.assert_frame_equal(written, seen, check_categorical=False)


@pytest.mark.parametrize("metric", ["mse", "rmse"])
def test_tables_are_those_of_a_replay(metric, tmp_path):
    live = ended(tmp_path, "ladder(alpha=0.15)", metric)
    export(live, "final")
    log, config = replayed()
    settings = [of_setting("ladder(alpha=0.15)")]
    seen = play(log, find(metric), settings, ["per_team"], seed=config["seed"])
    last = standings(seen, find(metric))
    sizes = Analyses(**config["replay"]["analyses"])
    tables = analyse(log, find(metric), seen, last, sizes=sizes, seed=config["seed"])
    assert set(tables) == set(TABLES)
    for name, wanted in (tables | {"standings": last}).items():
        table = read_table(f"final/{name}.csv")
        assert len(table) == len(wanted)
        assert len(table) or name in ("average_ranks", "by_response")  # not asked for
        for column in wanted.select_dtypes("number"):
            np.testing.assert_allclose(
                table[column].astype(float), wanted[column].astype(float), rtol=1e-12
            )


def test_the_list_of_submissions_has_its_columns_in_their_order(tmp_path):
    """And no numbers of rows, which a spreadsheet would take for a column."""
    export(ended(tmp_path, number=3), "final")
    header, *rows = Path("final/submissions.csv").read_text("utf-8").splitlines()
    assert header == (
        "submission,key,team,order,time,accepted,refused,released,score_public,score_final"
    )
    assert len(rows) == 3


def test_the_final_table_against_its_definition(tmp_path):
    live = ended(tmp_path, "ladder(alpha=0.15)")
    export(live, "final")
    table = pd.read_csv("final/final.csv", keep_default_na=False)
    of, files, made = truth(), submissions(NUMBER), live.log()
    losses = (files - of.values) ** 2
    public, final = losses[:, of.public].mean(axis=1), losses[:, ~of.public].mean(axis=1)
    for row in table.itertuples():
        own = [t for t, name in enumerate(made["team"]) if name == row.team.removeprefix("'")]
        accepted = [t for t in own if made["accepted"][t]] or own[:1]
        t, best = accepted[-1], min(own, key=lambda t: public[t])
        assert row.key == f"'=key {t}"
        assert row.submissions == len(own)
        assert row.score_final == pytest.approx(final[t], rel=1e-12)
        assert row.score_public == pytest.approx(public[t], rel=1e-12)
        assert row.delta == pytest.approx(public[t] - final[t], rel=1e-9)
        assert row.shown == made["released"][own[-1]]
        assert row.best_public_key == f"'=key {best}"
        assert row.best_delta == pytest.approx(public[best] - final[best], rel=1e-9)
        assert 1 <= row.rank_low <= row.rank <= row.rank_high <= len(table)
    assert table["rank"].tolist() == rankdata(table["score_final"], "min").tolist()
    assert table["first"].sum() == pytest.approx(1)


def test_of_a_correlation_the_largest_is_the_best(tmp_path):
    live = board(tmp_path, "full_disclosure", "pearson")
    of, files = truth(), submissions(12)
    # The last file of b has its best public score once more.
    public = [np.corrcoef(file[of.public], of.values[of.public])[0, 1] for file in files]
    files[10] = np.where(of.public, files[max((1, 4, 7), key=lambda k: public[k])], files[10])
    for k, file in enumerate(files):
        live.submit("abc"[k % 3], file, f"k{k}")
    named = min((1, 4, 7), key=lambda k: public[k])
    live.name_final("b", f"k{named}")
    live.close()
    export(live, "final")
    public, final = (
        [np.corrcoef(file[rows], of.values[rows])[0, 1] for file in files]
        for rows in (of.public, ~of.public)
    )
    table = pd.read_csv("final/final.csv").set_index("team")
    best = {team: max(range(t, 12, 3), key=lambda k: (round(public[k], 12), k))
            for t, team in enumerate("abc")}  # fmt: skip
    counts = best | {"b": named}
    assert counts["b"] != best["b"] == 10
    ranks = rankdata([-final[counts[team]] for team in table.index], "min")
    assert table["rank"].tolist() == ranks.tolist() == [1, 2, 3]
    for team, row in table.iterrows():
        k = best[team]
        assert row["best_public_key"] == f"k{k}"
        assert row["best_delta"] == pytest.approx(final[k] - public[k], rel=1e-9)
        k = counts[team]
        assert row["key"] == f"k{k}"
        assert row["score_public"] == pytest.approx(public[k], rel=1e-12)
        assert row["delta"] == pytest.approx(final[k] - public[k], rel=1e-9)


def test_no_cell_is_a_formula(tmp_path):
    export(ended(tmp_path), "final")
    files = list(Path("final").glob("*.csv"))
    assert len(files) == len(TABLES) + 3
    for path in files:
        with path.open(newline="", encoding="utf-8") as file:
            for cell in (cell for row in csv.reader(file) for cell in row):
                assert not cell.startswith(("=", "+", "@")), path
                if cell.startswith("-"):
                    float(cell)


def test_a_board_with_a_clock_shows_what_it_had_shown(tmp_path):
    now = [0]
    day = 86_400_000_000
    rules = Rules.of(
        "digest(eta=0.01,floor=0.0,every=1,updates=2)", "mse", opens="1970-01-01",
        closes="1970-01-11",
    )  # fmt: skip
    url = f"sqlite:///{tmp_path}/clock.db"
    live, _ = LiveBoard.create(url, rules, truth(), now=lambda: now[0])
    shown = []
    # The one on the fifth day comes at the update, which shows those before it.
    for days, share in ((1, 0.2), (4, 0.4), (5, 0.7), (6, 0.5), (7, 0.8)):
        now[0] = days * day
        shown.append(live.submit("a", share * truth().values).score)
    live.submit("b", 0 * truth().values)
    now[0] = 12 * day
    export(live, "final")
    seen = pd.read_parquet("final/seen.parquet")
    own = seen[seen["team"] == "a"]
    assert [float(f"{score:.6g}") for score in own["released"][:4]] == shown[:4]
    assert shown[0] == shown[1] > shown[2] == shown[3] == shown[4]
    final = pd.read_csv("final/final.csv").set_index("team")
    assert final.loc["a", "shown"] < shown[4]
    assert clock.last_update(rules.updates, now[0]) == 10 * day


def test_one_team_and_boards_that_all_share(tmp_path):
    live = board(tmp_path, "ladder(alpha=0.15)+one_board")
    live.submit("a", submissions()[0])
    export(live, "one", while_open=True)
    assert pd.read_csv("one/final.csv")[["rank", "rank_high", "first"]].to_numpy().tolist() == [
        [1, 1, 1]
    ]
    live.submit("b", submissions()[1])
    export(live, "two", while_open=True)
    assert len(pd.read_csv("two/final.csv")) == 2


def test_final_scores_do_not_wait_for_tests_that_cannot_be_made(tmp_path):
    of = truth()
    few = Truth.of(of.ids[:6], of.values[:6], np.arange(6) < 3)
    rules = Rules.of("ladder(alpha=0.15)", "mse")
    live, _ = LiveBoard.create(f"sqlite:///{tmp_path}/few.db", rules, few)
    for team in TEAMS[:2]:
        live.submit(team, few.values + len(team))
    export(live, "final", while_open=True)
    assert "at least 4 private rows" in Path("final/missing.txt").read_text()
    table = pd.read_csv("final/final.csv", keep_default_na=False)
    assert table["rank"].tolist() == [1, 2]
    assert table["rank_low"].tolist() == ["", ""]
    assert not Path("final/comparisons.csv").exists()


def test_what_is_refused(tmp_path):
    live = board(tmp_path)
    with pytest.raises(InputError, match="is open, and final scores must be unknown"):
        export(live, "final")
    assert not Path("final").exists()
    live.close()
    with pytest.raises(InputError, match="has no submissions"):
        export(live, "final")
    Path("full").mkdir()
    Path("full/notes.txt").write_text("mine")
    with pytest.raises(InputError, match="full is not empty"):
        export(live, "full")
