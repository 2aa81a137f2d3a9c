"""Places, their agreement and their intervals."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from shakedown.interface import InputError
from shakedown.metrics import find
from shakedown.ranking.rank_sets import joint_rank_sets, rank_sets, spread_of
from shakedown.ranking.resampled_scores import resampled_scores
from shakedown.replay.grouping import reference
from shakedown.replay.ranks import (
    AGREEMENT,
    CHANGES,
    INTERVALS,
    agreement,
    rank_changes,
    rank_intervals,
    ranked,
)
from shakedown.seeding import stream
from tests.replay import frames

LOG = frames.log()
SEEN, STANDINGS = frames.played(LOG, per_rank=True)
MSE = find("mse")


def standing(**boards):
    """Standings of made-up boards, each a list of (team, place, private place)."""
    rows = [
        {"setting": frames.setting(name), "boards": "per_team", "team": team,
         "place": place, "private_place": private,
         "in_force": f"s{k + 1:03d}", "released": 1.0, "score_private": 1.0}
        for name, teams in boards.items()
        for k, (team, place, private) in enumerate(teams)
    ]  # fmt: skip
    return pd.DataFrame(rows)


TWO = standing(
    ladder=[("c", 1, 3), ("a", 2, 1), ("b", 3, 2), ("d", 4, 4)],
    full_disclosure=[("a", 1, 2), ("b", 2, 1), ("c", 3, 3), ("d", 4, 4)],
)


def test_changes_count_from_the_board_that_shows_everything():
    table = rank_changes(TWO, top=2)
    assert list(table.columns) == CHANGES
    ladder = table[table["setting"] == frames.LADDER]
    assert ladder["team"].tolist() == ["c", "a", "b"]  # d is in nobody's top
    assert ladder["place"].tolist() == [1, 2, 3]
    assert ladder["reference_place"].tolist() == [3, 1, 2]
    assert ladder["private_place"].tolist() == [3, 1, 2]
    assert ladder["change"].tolist() == [2, -1, -1]  # c is two places further up
    own = table[table["setting"] == "full_disclosure"]
    assert own["team"].tolist() == ["a", "b"]
    assert (own["change"] == 0).all()


def test_the_reference_shows_everything_to_teams():
    assert set(reference(STANDINGS)["setting"]) == {"full_disclosure"}
    assert set(reference(STANDINGS)["boards"]) == {"per_team"}
    without = STANDINGS[(STANDINGS["setting"] != "full_disclosure").to_numpy(bool)]
    assert set(reference(without)["setting"]) == {frames.LADDER}
    kaggle = standing(ladder=[("a", 1, 1)], kaggle=[("b", 1, 1)])
    assert reference(kaggle)["team"].tolist() == ["b"]


def test_who_wins_and_who_moves():
    table = agreement(TWO, top=2)
    assert list(table.columns) == AGREEMENT
    ladder = table[table["setting"] == frames.LADDER].iloc[0]
    assert (ladder["winner"], ladder["private_winner"]) == ("c", "a")
    assert (ladder["leaders"], ladder["winners"]) == (1, 1)
    assert not ladder["same_leader"]
    assert not ladder["same_winner"]
    assert (ladder["teams"], ladder["top"], ladder["moved"], ladder["left"]) == (4, 2, 2, 1)
    own = table[table["setting"] == "full_disclosure"].iloc[0]
    assert (own["moved"], own["left"]) == (0, 0)
    assert own["same_leader"]
    assert own["same_winner"]


def test_a_shared_place_that_covers_the_reference_is_no_move():
    tied = standing(
        full_disclosure=[("a", 1, 1), ("b", 2, 2), ("c", 3, 3), ("d", 4, 4)],
        ladder=[("c", 1, 3), ("b", 1, 2), ("a", 3, 1), ("d", 3, 4)],
        general_ladder=[("a", 1, 1), ("b", 1, 1), ("c", 1, 3), ("d", 4, 4)],
    )
    last = agreement(tied).iloc[2]
    assert (last["winner"], last["leaders"], last["same_leader"]) == ("a / b / c", 3, True)
    assert (last["private_winner"], last["winners"], last["same_winner"]) == ("a / b", 2, False)
    row = agreement(tied).iloc[1]
    assert row["winner"] == "b / c"
    assert (row["moved"], row["tied"], row["left"]) == (2, 4, 0)  # b and d stay
    table = rank_changes(tied)
    ladder = table[table["setting"] == frames.LADDER].set_index("team")
    assert ladder["shared"].tolist() == [2] * 4
    assert ladder.loc[["a", "b", "c", "d"], "change"].tolist() == [-2, 0, 1, 0]


def test_agreement_against_its_definitions():
    for row, (_, part) in zip(
        agreement(STANDINGS).itertuples(),
        STANDINGS.groupby(["setting", "boards"], sort=False, observed=True),
        strict=True,
    ):
        public, private = part["place"].to_numpy(float), part["private_place"].to_numpy(float)
        pairs = np.sign(np.subtract.outer(public, public) * np.subtract.outer(private, private))
        n = len(part)
        assert row.kendall == pytest.approx(pairs.sum() / (n * (n - 1)))  # no ties
        ranks = [stats.rankdata(v) for v in (public, private)]
        assert row.spearman == pytest.approx(np.corrcoef(*ranks)[0, 1])
    single = standing(kaggle=[("a", 1, 1)])
    assert np.isnan(agreement(single).iloc[0]["kendall"])


def test_places_share_the_first_of_theirs():
    assert ranked(np.array([0.2, 0.1, 0.2, np.nan, 0.3])).tolist() == [2, 1, 2, 5, 4]
    assert ranked(np.array([[0.2, 0.2, 0.2], [0.3, 0.1, 0.2]])).tolist() == [[1, 1, 1], [3, 1, 2]]


def test_intervals_hold_against_samples_drawn_here():
    rng_factory = partial(stream, 5)
    table = rank_intervals(LOG, MSE, STANDINGS, rng_factory=rng_factory, draws=500)
    assert list(table.columns) == INTERVALS
    part = table[(table["setting"] == frames.LADDER) & (table["boards"] == "per_team")]
    ids = LOG.submissions["submission"].tolist()
    at = [ids.index(s) for s in part["submission"]]
    private = np.flatnonzero(~LOG.public)
    rng = np.random.default_rng(1)
    losses = (LOG.predictions[at][:, private] - LOG.truth[private]) ** 2
    places = np.array(
        [
            stats.rankdata(losses[:, rng.integers(len(private), size=len(private))].mean(axis=1))
            for _ in range(500)
        ]
    )
    # Two sets of 500 samples: shares differ by less than 5 x sqrt(2 x .25 / 500) = .16 except in
    # one of a million cases, for each of 12 teams.
    assert np.abs((places == 1).mean(axis=0) - part["first"]).max() < 0.16
    for k, row in enumerate(part.itertuples()):
        # A set that holds is wider than a share of the resampled places; here they are few.
        inside = (places[:, k] >= row.place_low) & (places[:, k] <= row.place_high)
        assert inside.mean() > 0.95 - 5 * np.sqrt(2 * 0.05 * 0.95 / 500)
        assert row.all_low <= row.place_low <= row.private_place <= row.place_high <= row.all_high
        better = (losses[0] - losses[k]).mean() < 0 if k else False
        assert (row.k > 1.0) == bool(better)
        assert row.tied == (row.k <= 3.0)
    assert part["private_place"].is_monotonic_increasing
    again = rank_intervals(LOG, MSE, STANDINGS, rng_factory=rng_factory, draws=500)
    pd.testing.assert_frame_equal(table, again)


def test_sets_are_those_of_the_samples():
    rng_factory = partial(stream, 5)
    table = rank_intervals(LOG, MSE, STANDINGS, rng_factory=rng_factory, draws=200, level=0.9)
    own = table[(table["setting"] == frames.LADDER) & (table["boards"] == "per_team")]
    used = list(dict.fromkeys(STANDINGS["in_force"]))  # in the order of the stream's samples
    ids = LOG.submissions["submission"].tolist()
    private = ~LOG.public
    scores = resampled_scores(
        MSE, LOG.truth[private], LOG.predictions[[ids.index(s) for s in used]][:, private],
        draws=200, rng=rng_factory("ranking", "rows"),
    )  # fmt: skip
    scores = scores[:, [used.index(s) for s in own["submission"]]]
    risks, rng = own["score_private"].to_numpy(), rng_factory("ranking", "inflation")
    spread = spread_of(risks, scores, int(private.sum()), rng=rng)
    for sets, (low, high) in (
        (rank_sets, ("place_low", "place_high")), (joint_rank_sets, ("all_low", "all_high")),
    ):  # fmt: skip
        found = sets(risks, spread, level=0.9)
        assert own[low].tolist() == found.low.tolist()
        assert own[high].tolist() == found.high.tolist()


def test_a_far_better_team_is_first_in_every_sample_and_twins_share_their_places():
    noise = np.full(12, 1.0)
    noise[3] = 0.05
    log = frames.log(m=12, noise=noise)
    log.predictions[7] = log.predictions[8]
    _, standings = frames.played(log)
    table = rank_intervals(log, MSE, standings, rng_factory=partial(stream, 5), draws=200)
    first = table[table["team"] == "team 04"]
    assert (first["first"] == 1).all()
    assert (first[["place_low", "place_high"]] == 1).all(axis=None)
    twin, other = (table[table["team"] == f"team {k:02d}"].reset_index() for k in (8, 9))
    assert (twin["place_low"] == other["place_low"]).all()
    assert (twin["place_high"] == other["place_high"]).all()
    assert (twin["first"] == other["first"]).all()


@pytest.mark.parametrize("name", ["rmse", "spearman", "ccc", "sklearn.metrics.r2_score"])
def test_every_kind_of_metric_has_intervals(name):
    _, standings = frames.played(LOG, name)
    table = rank_intervals(LOG, find(name), standings, rng_factory=partial(stream, 5), draws=30)
    assert (table["place_low"] <= table["place_high"]).all()
    # Place 1 in private is often first.
    assert table.loc[table["private_place"] == 1, "first"].mean() > 1 / 12


def test_errors_are_told():
    rng_factory = partial(stream, 5)
    with pytest.raises(InputError, match="the table standings: wanted rows with the columns"):
        rank_changes(STANDINGS.drop(columns="place"))
    with pytest.raises(InputError, match="got no rows"):
        agreement(STANDINGS.iloc[:0])
    with pytest.raises(InputError, match="`top` must be 1 or more, got 0"):
        rank_changes(STANDINGS, top=0)
    with pytest.raises(InputError, match=r"`level` must be above 0 and below 1, got 1.0"):
        rank_intervals(LOG, MSE, STANDINGS, rng_factory=rng_factory, level=1.0)
    other = STANDINGS.assign(in_force="nobody")
    with pytest.raises(InputError, match="log 'trial'.*does not have: nobody"):
        rank_intervals(LOG, MSE, other, rng_factory=rng_factory)
