"""Logs with several responses, with rows in groups, and ranks averaged over metrics."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import shakedown
from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import mechanisms
from shakedown.metrics import find
from shakedown.ranking.resampled_scores import resampled_scores
from shakedown.replay import games
from shakedown.replay import log as logs
from shakedown.replay.average_ranks import average_ranks
from shakedown.replay.by_response import by_response
from shakedown.replay.comparisons import winner_tests
from shakedown.replay.fresh_splits import fresh_splits
from shakedown.replay.learnt import learnt
from shakedown.replay.reading import read
from shakedown.replay.resolution import resolution
from shakedown.seeding import stream
from tests.replay.logs import messages_of, settings

NAMES = ["sweet", "sour", "warm"]
FULL = [{"name": "full_disclosure"}]
ROWS = 60


def made(seed=1, rows=ROWS, files=4):
    """The true values of three correlated responses in other units, and files of predictions."""
    rng = np.random.default_rng(seed)
    common = rng.standard_normal((rows, 1))
    truth = (common + rng.standard_normal((rows, 3))) * [1.0, 10.0, 0.1] + [0.0, 50.0, 1.0]
    sent = [
        truth + rng.standard_normal((rows, 3)) * [1.0, 10.0, 0.1] * (1.5 - 0.2 * k)
        for k in range(files)
    ]
    return truth, sent


def write(where, truth, sent, *, form="wide", change=None, more=None):
    """Write the log into a folder: its settings are those of `log_of`."""
    ids = [f"r{i}" for i in range(len(truth))]
    table = pd.DataFrame(truth, columns=NAMES, dtype=object)
    table.insert(0, "id", ids)
    table["set"] = np.where(np.arange(len(truth)) % 3 == 0, "public", "private")
    for column, values in (more or {}).items():
        table[column] = values
    if change is not None:
        change(table)
    table.to_csv(where / "log.csv", index=False)
    (where / "files").mkdir(exist_ok=True)
    for k, matrix in enumerate(sent):
        frame = pd.DataFrame(matrix, columns=NAMES).assign(id=ids)
        frame = frame[["warm", "id", "sweet", "sour"]] if k % 2 else frame
        if form == "long":
            frame = frame.melt(id_vars="id", var_name="target", value_name="prediction")
            frame = frame.sample(frac=1.0, random_state=k)
        frame.to_csv(where / "files" / f"s{k}.csv", index=False)
    teams = pd.DataFrame({"submission": [f"s{k}" for k in range(len(sent))]})
    teams.assign(team=teams["submission"].str.replace("s", "t")).to_csv(
        where / "list.csv", index=False
    )


def log_of(where, **given):
    given = {"truth": NAMES, "public": "set", "folder": "files", "submissions": "list.csv", **given}
    return read("trial", settings(**given), seed=1, folder=where)


@pytest.mark.parametrize("form", ["wide", "long"])
def test_files_of_both_forms_are_read_in_any_order(tmp_path, form):
    truth, sent = made()
    write(tmp_path, truth, sent, form=form)
    log = log_of(tmp_path)
    np.testing.assert_allclose(log.truth, truth.ravel(), rtol=1e-12)
    np.testing.assert_allclose(log.predictions, [s.ravel() for s in sent], rtol=1e-12)
    assert log.structure.cells.names == tuple(NAMES)
    assert log.structure.units(log.public) == 20
    assert log.structure.said(log.public, "public") == "20 public rows (60 cells)"
    assert log.public.reshape(ROWS, 3).all(axis=1).sum() == 20
    assert not log.messages["submission"].notna().any()


def test_a_pattern_names_the_responses(tmp_path):
    truth, sent = made()
    write(tmp_path, truth, sent, more={"sort": 1})
    log = log_of(tmp_path, truth=["s[wo]*r", "sw*", "warm"])
    assert log.structure.cells.names == ("sour", "sweet", "warm")
    np.testing.assert_allclose(log.truth.reshape(ROWS, 3)[:, 0], truth[:, 1])


@pytest.mark.parametrize(("name", "by_hand"), [
    ("mse", lambda y, p: np.mean((y - p) ** 2)),
    ("rmse", lambda y, p: np.mean((y - p) ** 2) ** 0.5),
    ("pearson by response", lambda y, p: np.mean(
        [stats.pearsonr(y[:, k], p[:, k]).statistic for k in range(3)])),
    ("spearman by row", lambda y, p: np.mean(
        [stats.spearmanr(a, b).statistic for a, b in zip(y, p, strict=True)])),
    ("mae of sour + 2*rmse of warm", lambda y, p: (
        abs(y - p)[:, 1].mean() + 2 * ((y - p)[:, 2] ** 2).mean() ** 0.5)),
])  # fmt: skip
def test_scores_are_those_of_matrices_in_their_own_units(tmp_path, name, by_hand):
    truth, sent = made()
    write(tmp_path, truth, sent)
    at = {key: str(tmp_path / path) for key, path in
          (("table", "log.csv"), ("submissions", "list.csv"), ("folder", "files"))}  # fmt: skip
    replay = shakedown.replay_log(**at, truth=NAMES, public="set", metric=name, mechanisms=FULL)
    shown = replay.tables["seen"].query("boards == 'per_team'")
    public = np.arange(ROWS) % 3 == 0
    for which, column in ((public, "score_public"), (~public, "score_private")):
        wanted = [by_hand(truth[which], s[which]) for s in sent]
        np.testing.assert_allclose(shown[column], wanted, rtol=1e-12)
    for k in range(3):  # and its page
        assert NAMES[k] in replay.written([])
    assert "20 public rows (60 cells) and 40 private rows (120 cells) of 3 responses" in (
        replay.written([])
    )


def test_missing_true_values_are_left_out_one_by_one(tmp_path):
    truth, sent = made()

    def change(table):
        table.loc[1, "sour"] = table.loc[4, "warm"] = np.nan
        table.loc[7, "warm"] = "wet"
        table.loc[8, NAMES] = np.nan

    write(tmp_path, truth, sent, change=change)
    log = log_of(tmp_path)
    gone = [(1, 1), (4, 2), (7, 2), *((8, k) for k in range(3))]
    kept = np.array([(i, k) for i, k in product(range(ROWS), range(3)) if (i, k) not in gone])
    np.testing.assert_allclose(log.truth, truth[kept[:, 0], kept[:, 1]])
    np.testing.assert_allclose(log.predictions[2], sent[2][kept[:, 0], kept[:, 1]])
    (left,) = messages_of(log, "cell_missing")["done"]
    assert left.startswith("3 true values missing")
    assert "'wet'" in left
    assert "'r1', 'r4'" in left
    (row,) = messages_of(log, "truth_missing")["done"]
    assert row.startswith("1 row whose truth is missing")


def test_what_is_wrong_with_a_file_is_said(tmp_path):
    truth, sent = made(files=6)
    write(tmp_path, truth, sent)
    files = {k: pd.read_csv(tmp_path / "files" / f"s{k}.csv") for k in range(6)}
    files[0] = files[0].drop(columns="sour")
    files[1] = files[1].assign(bitter=1.0)
    files[2].loc[5, "warm"] = np.nan
    files[3] = files[3].rename(columns=dict(zip(NAMES, "abc", strict=True)))
    files[4] = files[4].melt(id_vars="id", var_name="target", value_name="prediction")
    files[4].loc[len(files[4])] = ["r1", "bitter", 1.0]
    files[5] = pd.concat([files[5], files[5][:1].assign(id="other")])
    for k, frame in files.items():
        frame.to_csv(tmp_path / "files" / f"s{k}.csv", index=False)
    log = log_of(tmp_path)
    assert log.submissions["submission"].tolist() == ["s1", "s4", "s5"]
    said = log.messages.groupby("submission")["done"].apply(" ".join)
    assert said["s0"] == (
        "No column for 'sour'; its predictions are missing. 60 of 180 predictions missing; not "
        "played."
    )
    assert "1 column that is no response: 'bitter'; ignored." in said["s1"]
    assert said["s2"] == "1 of 180 predictions missing; not played."
    assert "wanted a column for each response ('sweet', 'sour', 'warm')" in said["s3"]
    assert "or the columns 'target' and 'prediction'" in said["s3"]
    assert "1 target that is no response: 'bitter'; ignored." in said["s4"]
    assert "3 predictions for ids that match no row: 'other'; ignored." in said["s5"]


@pytest.mark.parametrize(("given", "wanted"), [
    ({"folder": None}, "3 responses: wanted a file for each submission"),
    ({"metric": "zero_one"}, "3 responses and the metric zero_one, which is for labels"),
    ({"truth": ["sweet", "swet"]}, "Did you mean 'sweet'"),
    ({"truth": ["q*"]}, "no column fits the pattern 'q*' of 'truth'"),
    ({"truth": ["s*", "sour"]}, "'truth' names 'sour' more than once"),
    ({"metric": "mse of swet"}, "'swet' is none of the responses"),
    ({"group": "patient"}, "patient"),
])  # fmt: skip
def test_refusals_name_the_thing_and_the_cure(tmp_path, given, wanted):
    truth, sent = made()
    write(tmp_path, truth, sent)
    with pytest.raises(InputError, match=wanted.replace("*", r"\*").replace("(", r"\(")):
        log_of(tmp_path, **{"ignore": ["set"], **given})


def test_one_response_has_no_score_by_row(tmp_path):
    truth, sent = made()
    write(tmp_path, truth, sent)
    with pytest.raises(InputError, match="a score by row needs several responses"):
        log_of(tmp_path, truth="sweet", prediction="sweet", metric="pearson by row")


def grouped(where, seed=1, size=4, **given):
    """A log of 60 groups of rows."""
    truth, sent = made(seed, rows=60 * size)
    patient = np.repeat([f"p{k:02d}" for k in range(60)], size)
    write(where, truth, sent, more={"patient": patient})
    table = pd.read_csv(where / "log.csv")
    table["set"] = np.where(np.repeat(np.arange(60) % 3 == 0, size), "public", "private")
    table.to_csv(where / "log.csv", index=False)
    given = {"truth": "sweet", "prediction": "sweet", "group": "patient", **given}
    return log_of(where, **given), truth, sent


def standings_of(log, metric="mse"):
    seen = games.play(log, find(metric), mechanisms(FULL), ["per_team"], seed=1)
    return games.standings(seen, find(metric))


def test_fewer_than_four_groups_are_refused(tmp_path):
    log, *_ = grouped(tmp_path)
    table = pd.read_csv(tmp_path / "log.csv")
    table["set"] = np.where(np.repeat(np.arange(60) < 3, 4), "public", "private")
    table.to_csv(tmp_path / "log.csv", index=False)
    with pytest.raises(
        InputError, match="3 public groups left of 60 usable ones; wanted at least 4"
    ):
        log_of(tmp_path, truth="sweet", prediction="sweet", group="patient")


def test_tests_and_gaps_count_groups(tmp_path):
    log, truth, sent = grouped(tmp_path)
    assert log.structure.units(log.public) == 20
    assert log.structure.unit == "group"
    assert log.structure.said(log.public, "public") == "20 public groups (80 rows)"
    standings = standings_of(log)
    rng = lambda *key: stream(1, *key)  # noqa: E731
    tests = winner_tests(log, find("mse"), standings, rng_factory=rng, ranks=4)
    private = np.repeat(np.arange(60) % 3 != 0, 4)
    losses = {f"s{k}": (s[private, 0] - truth[private, 0]) ** 2 for k, s in enumerate(sent)}
    for row in tests.itertuples():
        by_group = (losses[row.submission] - losses[row.winner_submission]).reshape(40, 4).mean(1)
        wanted = stats.ttest_1samp(by_group, 0.0)
        assert (row.statistic, row.p) == pytest.approx((wanted.statistic, wanted.pvalue))
        assert row.rows == 40
    gaps = resolution(log, find("mse"), standings, rng_factory=rng)
    assert gaps["rows"].tolist() == [20, 40]
    assert learnt(log, find("mse"), standings)["degrees"].isna().all()
    halves = fresh_splits(log, find("mse"), rng_factory=rng, repeats=10)
    assert (halves["sd_gap"] > 0).all()


def test_groups_are_drawn_whole(tmp_path):
    log, truth, sent = grouped(tmp_path)
    private = ~log.public
    metric = log.structure.on(find("rmse"), private)
    drawn = resampled_scores(
        metric, log.truth[private], log.predictions[:, private], draws=50,
        rng=np.random.default_rng(3),
    )  # fmt: skip
    again = np.random.default_rng(3).integers(40, size=(50, 40))
    errors = (log.predictions[:, private] - log.truth[private]) ** 2
    by_group = errors.reshape(len(sent), 40, 4).mean(axis=2)
    np.testing.assert_allclose(drawn, by_group[:, again].mean(axis=2).T ** 0.5)


@pytest.mark.parametrize(("name", "by_hand"), [
    ("weighted rmse", lambda y, p, w, g: (w @ (y - p) ** 2 / w.sum()) ** 0.5),
    ("mse by group with weight sqrt(n)", lambda y, p, w, g: np.mean((y - p) ** 2)),
    ("pearson by group", lambda y, p, w, g: np.mean(
        [np.corrcoef(y[g == k], p[g == k])[0, 1] for k in np.unique(g)])),
])  # fmt: skip
def test_scores_with_weights_and_by_group(tmp_path, name, by_hand):
    log, truth, sent = grouped(tmp_path)
    weights = np.random.default_rng(2).gamma(1.0, size=240)
    table = pd.read_csv(tmp_path / "log.csv").assign(w=weights)
    table.to_csv(tmp_path / "log.csv", index=False)
    given = {"truth": "sweet", "prediction": "sweet", "group": "patient", "metric": name}
    if name.startswith("weighted"):
        given["weight"] = "w"
    log = log_of(tmp_path, ignore=["w"] if "weight" not in given else [], **given)
    private = ~log.public
    metric = log.structure.on(find(name), private)
    scores = metric.score(log.truth[private], log.predictions[:, private])
    groups = np.repeat(np.arange(60), 4)[private]
    wanted = [by_hand(truth[private, 0], s[private, 0], weights[private], groups) for s in sent]
    np.testing.assert_allclose(scores, wanted, rtol=1e-12)
    standings = standings_of(log, name)
    wanted = stats.rankdata(metric.sign * np.array(wanted)).astype(int).tolist()
    assert standings.set_index("team").sort_index()["private_place"].tolist() == wanted
    drawn = resampled_scores(
        metric, log.truth[private], log.predictions[:, private], draws=6,
        rng=np.random.default_rng(3),
    )  # fmt: skip
    again = np.random.default_rng(3).integers(40, size=(6, 40))
    for scores, of_groups in zip(drawn, again, strict=True):
        rows = (4 * of_groups[:, None] + np.arange(4)).ravel()
        own = np.repeat(np.arange(40), 4)  # a group that is drawn twice counts as two
        y, w = truth[private, 0][rows], weights[private][rows]
        for score, s in zip(scores, sent, strict=True):
            assert score == pytest.approx(by_hand(y, s[private, 0][rows], w, own), rel=1e-9)


def test_weights_without_a_weighted_score_are_refused(tmp_path):
    grouped(tmp_path)
    given = {"truth": "sweet", "prediction": "sweet"}
    with pytest.raises(InputError, match="Write it as 'weighted mse'"):
        log_of(tmp_path, weight="sour", **given)
    with pytest.raises(InputError, match="needs a weight for each row"):
        log_of(tmp_path, metric="weighted mse", **given)
    pd.read_csv(tmp_path / "log.csv").assign(w=-1.0).to_csv(tmp_path / "log.csv", index=False)
    with pytest.raises(InputError, match=r"'weight', and \d+ rows have none there"):
        log_of(tmp_path, weight="w", metric="weighted mse", **given)


def test_halves_cut_no_group(tmp_path):
    log, *_ = grouped(tmp_path)
    rows = np.flatnonzero(~log.public)
    first, second = log.structure.shuffled(rows, np.random.default_rng(1))
    assert sorted([*first, *second]) == rows.tolist()
    assert not set(log.structure.groups[first]) & set(log.structure.groups[second])
    assert len(set(log.structure.groups[first])) == 20


def test_random_public_rows_are_whole_groups(tmp_path):
    log, *_ = grouped(tmp_path, public=None)
    assert not set(log.structure.groups[log.public]) & set(log.structure.groups[~log.public])
    assert log.structure.units(log.public) == 18  # .3 of 60
    assert messages_of(log, "group_cut").empty


def test_groups_that_the_challenge_cut_are_told(tmp_path):
    log, *_ = grouped(tmp_path)
    table = pd.read_csv(tmp_path / "log.csv")
    table["set"] = np.where(np.arange(len(table)) % 3 == 0, "public", "private")
    table.to_csv(tmp_path / "log.csv", index=False)
    log = log_of(tmp_path, truth="sweet", prediction="sweet", group="patient")
    (said,) = messages_of(log, "group_cut")["done"]
    assert said.startswith("60 groups of column 'patient' have public and private rows")


def test_composites_under_resampling_are_those_of_the_repeated_rows(tmp_path):
    """Against the score of a set in which drawn rows stand as often as they are drawn."""
    truth, sent = made(rows=45)
    write(tmp_path, truth, sent)
    log = log_of(tmp_path)
    private = ~log.public
    names = ["pearson by response", "mse by row", "cosine by row", "spearman of sour + -2*mae"]
    names += ["nrmse by response"]
    drawn = np.random.default_rng(5).integers(30, size=(8, 30))
    y, p = truth[np.arange(45) % 3 != 0], np.array(sent)[:, np.arange(45) % 3 != 0]
    for name in names:
        metric = log.structure.on(find(name), private)
        scores = resampled_scores(
            metric, log.truth[private], log.predictions[:, private], draws=8,
            rng=np.random.default_rng(5),
        )  # fmt: skip
        weights = np.array([np.bincount(rows, minlength=30).repeat(3) for rows in drawn], float)
        wanted = [
            [metric.function(log.truth[private], q, w) for q in log.predictions[:, private]]
            for w in weights
        ]
        np.testing.assert_allclose(scores, wanted, rtol=1e-9, err_msg=name)
    by_hand = [
        [np.mean([stats.pearsonr(y[rows, k], q[rows, k]).statistic for k in range(3)]) for q in p]
        for rows in drawn
    ]
    metric = log.structure.on(find("pearson by response"), private)
    scores = resampled_scores(
        metric, log.truth[private], log.predictions[:, private], draws=8,
        rng=np.random.default_rng(5),
    )  # fmt: skip
    np.testing.assert_allclose(scores, by_hand)


def test_average_ranks_by_hand(tmp_path):
    truth, sent = made()
    sent[1] = truth + 0.9 * (sent[0] - truth)
    sent[2] = truth + 0.5 * (sent[0] - truth)
    sent[3] = sent[2] + [0.0, 100.0, 0.0]  # as good by correlation, worst by error
    write(tmp_path, truth, sent)
    log = log_of(tmp_path, metric="pearson by response")
    standings = standings_of(log, "pearson by response")
    table = average_ranks(log, standings, ["pearson by response", "mae by response"])
    whole = table[table["rows_of"] == "all"]
    by_metric = whole.pivot(index="team", columns="metric", values=["rank", "score"])
    r = [np.mean([np.corrcoef(truth[:, k], s[:, k])[0, 1] for k in range(3)]) for s in sent]
    np.testing.assert_allclose(by_metric["score"]["pearson by response"], r)
    assert by_metric["rank"]["pearson by response"].tolist() == [4.0, 3.0, 1.5, 1.5]
    assert by_metric["rank"]["mae by response"].tolist() == [3.0, 2.0, 1.0, 4.0]
    means = whole.drop_duplicates("team").set_index("team").sort_index()
    assert means["average_rank"].tolist() == [3.5, 2.5, 1.25, 2.75]
    assert means["place"].tolist() == [4, 2, 1, 3]
    best = average_ranks(log, standings, ["pearson by response", "mae by response"], "best")
    best = best[best["rows_of"] == "all"].drop_duplicates("team").set_index("team").sort_index()
    assert best["average_rank"].tolist() == [3.5, 2.5, 1.0, 2.5]
    assert best["place"].tolist() == [4, 2, 1, 2]


def test_a_file_without_a_score_shares_the_last_ranks(tmp_path):
    truth, sent = made()
    sent[0][:] = 1.0
    sent[1][:] = 2.0
    write(tmp_path, truth, sent)
    log = log_of(tmp_path)
    table = average_ranks(log, standings_of(log), ["pearson", "mse"])
    ranks = table[(table["rows_of"] == "all") & (table["metric"] == "pearson")]
    ranks = ranks.set_index("team").sort_index()
    assert ranks["score"].isna().tolist() == [True, True, False, False]
    assert ranks["rank"].tolist()[:2] == [3.5, 3.5]


def test_each_response_alone(tmp_path):
    truth, sent = made()
    write(tmp_path, truth, sent)
    log = log_of(tmp_path, metric="pearson by response")
    table = by_response(log, find("pearson by response"), standings_of(log, "pearson by response"))
    private = np.arange(ROWS) % 3 != 0
    assert len(table) == 12
    assert set(table["metric"]) == {"pearson"}
    for row in table.itertuples():
        k, s = NAMES.index(row.response), sent[int(row.submission[1:])]
        wanted = np.corrcoef(truth[private, k], s[private, k])[0, 1]
        assert row.score_private == pytest.approx(wanted)
        assert row.rows == 40


def test_a_log_of_several_responses_survives_its_file(tmp_path):
    truth, sent = made()
    write(tmp_path, truth, sent, more={"patient": np.repeat(np.arange(20), 3)})
    log = log_of(tmp_path, group="patient")
    logs.save(log, tmp_path / "log.npz")
    back = logs.load(tmp_path / "log.npz")
    assert back.structure.cells.names == log.structure.cells.names
    assert back.structure.group == "patient"
    for name in ("responses", "rows"):
        np.testing.assert_array_equal(
            getattr(back.structure.cells, name), getattr(log.structure.cells, name)
        )
    np.testing.assert_array_equal(back.structure.groups, log.structure.groups)
    one = log_of(tmp_path, truth="sweet", prediction="sweet")
    logs.save(one, tmp_path / "one.npz")
    assert logs.load(tmp_path / "one.npz").structure.groups is None


@pytest.mark.parametrize("metric", ["mse", "pearson by row"])
def test_a_log_without_a_file_that_can_be_played_is_refused(tmp_path, metric):
    truth, sent = made(files=2)
    write(tmp_path, truth, sent, more={"molecule": [f"r{i}" for i in range(ROWS)]})
    wanted = r"none of the 2 submissions can be played.*no column 'molecule', which 'id' names"
    with pytest.raises(InputError, match=wanted):
        log_of(tmp_path, id="molecule", ignore=["id", "set"], metric=metric)


@pytest.mark.parametrize("metric", ["mse", "pearson by row"])
def test_a_single_team_has_no_gap_to_another(tmp_path, metric):
    truth, sent = made(files=1)
    write(tmp_path, truth, sent)
    log = log_of(tmp_path, metric=metric)
    rng = lambda *key: stream(1, *key)  # noqa: E731
    gaps = resolution(log, find(metric), standings_of(log, metric), rng_factory=rng, draws=10)
    assert len(gaps) == 0
