"""Playing a log: the table of all that was seen, and where the teams end."""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata
from sklearn.metrics import root_mean_squared_error

from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import mechanisms, of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.leaderboard.sequential import SequentialBoard
from shakedown.metrics import METRICS, find
from shakedown.replay import games
from shakedown.replay.boards import boards_of, check_boards, step_for, usual
from shakedown.replay.grouping import BOARD
from shakedown.seeding import stream

from .frames import log
from .logs import settings

LOG = log(m=50, teams=6, n=120)
BOTH = ["per_team", "per_rank"]
PLAYED = mechanisms(
    [
        {"name": "full_disclosure"},
        {"name": "kaggle"},
        {"name": "general_ladder", "eta": 0.05},
        {"name": "parameter_free_ladder"},
        {"name": "ladderboot", "alpha": 0.3, "b": 5},
        {"name": "bayesboot_ladder", "posterior_odds": 1.0, "draws": 30},
    ]
)


@pytest.fixture(scope="module")
def seen():
    return games.play(LOG, find("rmse"), PLAYED, BOTH, seed=3)


def each(frame):
    return frame.groupby(BOARD, observed=True, sort=False)


def test_a_row_for_each_mechanism_way_and_submission_in_playing_order(seen):
    assert seen.dtypes.astype(str).to_dict() == games.SEEN
    assert len(each(seen)) == len(PLAYED) * 2
    for _, part in each(seen):
        assert part["submission"].tolist() == LOG.submissions["submission"].tolist()
        assert part["order"].tolist() == list(range(1, 51))


def test_scores_are_in_the_metrics_own_units(seen):
    for rows, column in ((LOG.public, "score_public"), (~LOG.public, "score_private")):
        wanted = [root_mean_squared_error(LOG.truth[rows], p[rows]) for p in LOG.predictions]
        for _, part in each(seen):
            np.testing.assert_allclose(part[column], wanted, rtol=1e-12)


def test_a_board_that_shows_everything_shows_the_public_score(seen):
    open_board = seen[(seen["setting"] == "full_disclosure") & (seen["boards"] == "per_team")]
    np.testing.assert_allclose(open_board["released"], open_board["score_public"], rtol=1e-14)
    best = open_board.groupby("team", observed=True)["score_public"].cummin()
    np.testing.assert_allclose(open_board["on_board"], best, rtol=1e-14)
    assert open_board["accepted"].all()


def test_what_a_row_says_fits_together(seen):
    for name, part in each(seen):
        shows_all = of_setting(name[0]).replaces_always
        teams_so_far = [part["team"].iloc[: k + 1].nunique() for k in range(len(part))]
        assert part["teams"].tolist() == teams_so_far
        assert part["place"].between(1, part["teams"]).all()
        for _, own in part.groupby("team", observed=True):
            assert own["changed"].tolist() == [
                True, *(own["released"].to_numpy()[1:] != own["released"].to_numpy()[:-1])
            ]  # fmt: skip
            assert set(own["in_force"]) <= set(own["submission"].astype(str))
            if not shows_all:
                taken = own["submission"].astype(str).where(own["accepted"]).ffill()
                assert own["in_force"].astype(str).tolist() == taken.tolist()
                assert (own["on_board"] == own["released"]).all()


def test_the_same_seed_plays_the_same_and_mechanisms_do_not_meet(seen):
    again = games.play(LOG, find("rmse"), PLAYED[::-1], BOTH[::-1], seed=3)
    key = [*BOARD, "order"]
    pd.testing.assert_frame_equal(
        again.sort_values(key, ignore_index=True), seen.sort_values(key, ignore_index=True)
    )
    other = games.play(LOG, find("rmse"), PLAYED, BOTH, seed=4)
    noisy = (seen["setting"] == "ladderboot(alpha=0.3,b=5)").to_numpy()
    assert (other["released"] != seen["released"]).to_numpy()[noisy].all()
    gates = seen["setting"].map(lambda setting: of_setting(setting).gate.name)
    steady = gates.isin(["always", "margin"]).to_numpy()
    assert (other["released"] == seen["released"]).to_numpy()[steady].all()


@pytest.mark.parametrize("metric", ["rmse", "pearson"])
def test_standings_are_those_of_the_last_number_of_each_team(metric):
    judge = find(metric)
    boards = [b for b in PLAYED if judge.has_losses or not b.gate.needs_losses]
    seen = games.play(LOG, judge, boards, BOTH, seed=3)
    ended = games.standings(seen, judge)
    assert len(ended) == len(boards) * 2 * 6
    scores = seen.iloc[:50].set_index(seen["submission"].iloc[:50].astype(str))
    for (name, part), (_, final) in zip(each(seen), each(ended), strict=True):
        assert final["place"].is_monotonic_increasing
        last = part.groupby("team", observed=True, sort=False).tail(1).set_index("team")
        last = last.loc[final["team"]]
        assert final["released"].tolist() == last["on_board"].tolist()
        assert final["in_force"].tolist() == last["in_force"].astype(str).tolist()
        for column in ("score_public", "score_private"):
            assert final[column].tolist() == scores.loc[final["in_force"], column].tolist()
        wanted = rankdata(judge.sign * final["score_private"], method="min")
        assert final["private_place"].tolist() == wanted.tolist()
        best = [
            min(
                zip(judge.sign * own["score_public"], own["score_private"], strict=True),
                key=lambda pair: pair[0],
            )[1]
            for own in (scores[scores["team"] == team] for team in final["team"])
        ]
        wanted = rankdata(judge.sign * np.array(best), method="min")
        assert final["private_place_best"].tolist() == wanted.tolist()
        if name[-1] == "per_team":
            wanted = rankdata(judge.sign * final["released"], method="min")
            assert final["place"].tolist() == wanted.tolist()
        else:
            assert final["place"].tolist() == [1, 2, 3, 4, 5, 6]
            # The last of all submissions stands where it was put.
            row = part.iloc[-1]
            assert final.loc[final["team"] == row["team"], "place"].item() == row["place"]


@pytest.mark.parametrize("metric", sorted(m for m in METRICS if find(m).formula is not None))
def test_the_usual_boards_can_judge_every_formula(metric):
    judge = find(metric)
    trial = log(m=20, teams=4, n=60)
    if metric == "zero_one":
        trial = replace(trial, truth=trial.truth.round(), predictions=trial.predictions.round())
    chosen = boards_of(settings(metric=metric), trial)
    names = {board.name for board in chosen}
    assert len(names) == (9 if judge.has_losses else 6)
    seen = games.play(trial, judge, chosen, BOTH, seed=1)
    assert np.isfinite(
        seen[["released", "on_board", "score_public", "score_private"]].to_numpy()
    ).all()
    # A gate that compares by the step has let something through, and not all.
    accepted = seen[seen["setting"].str.startswith("general_ladder")].groupby(
        "boards", observed=True
    )
    assert accepted["accepted"].mean().between(0.05, 0.95).all()


def test_a_python_function_is_played_without_a_bootstrap():
    judge = find("sklearn.metrics.r2_score")
    assert [entry["name"] for entry in usual(LOG, judge)] == ["full_disclosure", "kaggle"]
    seen = games.play(LOG, judge, boards_of(settings(metric=judge.name), LOG), BOTH, seed=1)
    assert seen["place"].iloc[0] == 1


def test_the_step_is_a_standard_error_of_the_middle_score():
    """Against 4,000 bootstrap samples of the rows; one digit is given, so a third is allowed."""
    rng = np.random.default_rng(5)
    public = LOG.predictions[:, LOG.public]
    truth = LOG.truth[LOG.public]
    rows = rng.integers(len(truth), size=(4000, len(truth)))
    for name in ("mse", "rmse", "mae", "pearson"):
        judge = find(name)
        scores = judge.score(truth, public)
        middle = public[np.argsort(judge.sign * scores, kind="stable")[len(scores) // 2]]
        drawn = [judge.score(truth[r], middle[r][None])[0] for r in rows]
        assert step_for(LOG, judge) == pytest.approx(np.std(drawn), rel=0.34), name


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"metric": "rmsee"}, "Did you mean 'rmse'"),
        ({"mechanisms": [{"name": "ladder"}]}, "'alpha' is missing"),
        (
            {"metric": "ccc", "mechanisms": [{"name": "ladder", "alpha": 0.1}]},
            "tests losses row by",
        ),
        ({"mechanisms": [{"name": "fresh_holdout"}]}, "only the private rows are unused"),
        ({"mechanisms": [{"name": "rank_board"}]}, "shows only ranks"),
        (
            {
                "metric": "mse",
                "boards": ["per_rank"],
                "mechanisms": [{"name": "metered", "gain": 0.1, "files": 9}],
            },
            "belongs to no account, so it has no defences and no meter",
        ),
    ],
)
def test_boards_that_cannot_be_replayed(given, message):
    with pytest.raises(InputError, match=message):
        check_boards(settings(**given))


@pytest.mark.parametrize("metric", ["brier", "auroc", "log_loss"])
def test_a_metered_board_of_labels_is_replayed(metric):
    """Each team against a board that judges its files one at a time."""
    labels = (np.median(LOG.truth) < LOG.truth).astype(float)
    files = 0.1 + 0.8 * (LOG.predictions > LOG.predictions.mean())
    log, setting = replace(LOG, truth=labels, predictions=files), "metered(files=9,gain=0.2)"
    seen = games.play(log, find(metric), [of_setting(setting)], ["per_team"], seed=3)
    for team, part in seen.groupby("team", observed=True):
        own = files[part["order"].to_numpy() - 1][:, LOG.public]
        factory = partial(stream, 3, "replay", "per_team", "team", str(team))
        board = SequentialBoard(
            Scorer(find(metric), labels[LOG.public]), of_setting(setting), factory
        )
        each = [board.submit_one(np.ascontiguousarray(file))[0] for file in own]
        np.testing.assert_array_equal(part["released"], each)


DEFENDED = [
    "ladder(alpha=0.3)+baseline",
    "ladder(alpha=0.3)+cap(improvements=2)",
    "general_ladder(eta=0.05)+cap_per_day(improvements=1,day=3)",
    "full_disclosure+value_range(variance=0.6)",
    "kaggle+clip(times=2)",
    "ladderboot(alpha=0.3,b=5)+sticky",
    "full_disclosure+distinct(distance=0.2)",
    "digest(eta=0.05,floor=0.1,every=2,updates=3)",
    "thresholdout(budget=2)",
    "shaky_ladder(eta=0.05,scale=0.01)+baseline",
]


@pytest.mark.parametrize("setting", DEFENDED)
def test_defences_digests_and_thresholdout_are_those_of_a_running_board(setting):
    """Each team against a board that judges its files one at a time."""
    mechanism, metric = of_setting(setting), find("mse")
    check_boards(
        settings(mechanisms=[{"name": mechanism.name, **mechanism.parameters}], metric="mse")
    )
    seen = games.play(LOG, metric, [mechanism], BOTH, seed=3)
    assert set(seen["boards"]) == {"per_team"}  # boards for ranks belong to no account
    for team, part in seen.groupby("team", observed=True):
        files = LOG.predictions[part["order"].to_numpy() - 1][:, LOG.public]
        factory = partial(stream, 3, "replay", "per_team", "team", str(team))
        board = SequentialBoard(Scorer(metric, LOG.truth[LOG.public]), mechanism, factory)
        each = [board.submit_one(np.ascontiguousarray(file)) for file in files]
        np.testing.assert_array_equal(part["released"], [shown for shown, _, _ in each])
        assert part["accepted"].tolist() == [accepted for _, accepted, _ in each]
    if setting.startswith("ladder(") and "cap" in setting:
        assert seen.groupby("team", observed=True)["accepted"].sum().max() == 2


def test_a_team_without_a_score_is_behind_all_others():
    mechanism, metric = of_setting("full_disclosure+value_range(variance=0.5)"), find("mse")
    loud = LOG.submissions["team"].to_numpy(str) == LOG.submissions["team"].iloc[0]
    shouting = replace(LOG, predictions=np.where(loud[:, None], 9.0, 0.2) * LOG.predictions)
    seen = games.play(shouting, metric, [mechanism], ["per_team"], seed=3)
    assert seen.loc[loud, "released"].isna().all()
    assert not seen.loc[loud, ["accepted", "changed"]].any(axis=None)
    assert (seen.loc[loud, "place"] == seen.loc[loud, "teams"]).all()
    assert (seen.loc[~loud, "place"] < seen.loc[~loud, "teams"]).iloc[10:].all()
    last = games.standings(seen, metric)
    assert last["team"].iloc[-1] == LOG.submissions["team"].iloc[0]
    assert np.isnan(last["released"].iloc[-1])
    assert last["released"].iloc[:-1].notna().all()


def test_a_refused_file_is_not_in_force():
    """It shows the score of another file again, and that one counts."""
    files = np.stack([LOG.truth * 0.5, LOG.truth * 9.0])
    two = replace(LOG, predictions=files, submissions=LOG.submissions.iloc[:2].assign(team="a"))
    seen = games.play(two, find("mse"), [of_setting("kaggle+value_range")], ["per_team"], seed=3)
    assert seen["released"].nunique() == 1
    assert seen["in_force"].astype(str).tolist() == [LOG.submissions["submission"].iloc[0]] * 2


def test_of_files_with_the_same_public_score_the_latest_is_the_best():
    files, half = np.tile(LOG.truth * 0.5, (4, 1)), ~LOG.public
    for k, share in enumerate((0.9, 0.2, 0.6, 0.7)):  # of teams a, a, b, b
        files[k, half] = share * LOG.truth[half]
    four = replace(
        LOG, predictions=files, submissions=LOG.submissions.iloc[:4].assign(team=list("aabb"))
    )
    seen = games.play(four, find("mse"), PLAYED[:1], ["per_team"], seed=3)
    ended = games.standings(seen, find("mse")).set_index("team")
    assert ended["private_place_best"].to_dict() == {"a": 2, "b": 1}


def test_what_a_log_cannot_tell_is_refused_with_its_cure():
    entry = {"name": "ladder", "alpha": 0.1, "defences": [{"name": "one_board"}]}
    with pytest.raises(InputError, match=r"one board for all accounts.* one name in the log"):
        check_boards(settings(mechanisms=[entry]))
    entry = {"name": "digest", "eta": 0.1, "floor": 0.1, "every": 5, "updates": 2}
    with pytest.raises(InputError, match=r"belongs to no account.* Add per_team"):
        check_boards(settings(mechanisms=[entry], boards=["per_rank"]))
    entry = {"name": "bayesboot_ladder", "posterior_odds": 1, "defences": [{"name": "clip"}]}
    with pytest.raises(InputError, match="not a mean of losses"):
        check_boards(settings(mechanisms=[entry], metric="pearson"))
