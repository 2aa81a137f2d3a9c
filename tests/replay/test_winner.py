"""The winner's rule in a replay: what it decides on each board, and what it refuses."""

from functools import partial

import numpy as np
import pytest

from shakedown.config import complete
from shakedown.interface import InputError
from shakedown.metrics import find
from shakedown.replay.boards import check_boards
from shakedown.replay.ranks import rank_intervals
from shakedown.replay.settings import ReplayEntry
from shakedown.replay.winner import decision_of, draws_of, other_winners
from shakedown.replay.winner_rule import WinnerRule
from shakedown.seeding import stream
from tests.replay import frames

LOG = frames.log(m=12, noise=np.full(12, 1.0))
_, STANDINGS = frames.played(LOG)
MSE = find("mse")


def intervals(**keys):
    rng_factory = partial(stream, 5)
    rule = WinnerRule(**keys)
    return rank_intervals(LOG, MSE, STANDINGS, rng_factory=rng_factory, rule=rule, draws=300)


def first_board(table):
    return table[(table["setting"] == frames.FULL).to_numpy(bool)].set_index("team")


def test_the_second_metric_orders_those_that_are_tied():
    table = first_board(intervals(second_metric="mae", tied=1e9))
    group = table[table["tied"].to_numpy(bool)]
    assert len(group) > 2
    ids = LOG.submissions["submission"].tolist()
    private = ~LOG.public
    at = [ids.index(name) for name in group["submission"]]
    errors = np.abs(LOG.predictions[at][:, private] - LOG.truth[private]).mean(axis=1)
    np.testing.assert_allclose(group["second"].to_numpy(float), errors, rtol=1e-12)
    assert group["final_place"].tolist() == (1 + errors.argsort().argsort()).tolist()
    assert set(group["decided_by"]) == {"second"}
    others = table[~table["tied"].to_numpy(bool)]
    assert (others["final_place"] > len(group)).all()
    assert set(table["units"]) == {int(private.sum())}


def test_without_a_second_metric_the_group_shares_the_first_place_or_the_first_file_wins():
    shared = first_board(intervals(tied=1e9))
    assert set(shared.loc[shared["tied"].to_numpy(bool), "final_place"]) == {1}
    assert set(shared["decided_by"]) == {"nothing"}
    by_time = first_board(intervals(tied=1e9, by_time=True))
    group = by_time[by_time["tied"].to_numpy(bool)].sort_values("final_place")
    assert group["submission"].is_monotonic_increasing  # s001 came first
    assert set(by_time["decided_by"]) == {"time"}
    strict = first_board(intervals(tied=1.0))
    assert strict["tied"].sum() == 1
    assert set(strict["decided_by"]) == {"score"}


def test_the_sentence_is_of_the_usual_board_and_others_are_counted():
    table = intervals(tied=1.0)
    winner = first_board(table)["final_place"].idxmin()
    said = decision_of(table, MSE, WinnerRule(tied=1.0), group=False)
    assert said.startswith(f"{winner} wins: MSE ")
    assert " on 280 private rows; nobody is tied with it (nearest: team " in said
    assert "private groups" in decision_of(table, MSE, WinnerRule(tied=1.0), group=True)
    assert other_winners(table) == 0
    is_ladder = (table["setting"] == frames.LADDER).to_numpy(bool)
    moved = table.assign(
        final_place=table["final_place"].mask(is_ladder, 13 - table["final_place"])
    )
    assert other_winners(moved) == 1
    alone = table[(table["team"] == winner).to_numpy(bool)]
    only = decision_of(alone, MSE, WinnerRule(tied=1.0), group=False)
    assert only.endswith("; there is no other team.")


def test_functions_have_fewer_samples_unless_more_are_asked_for():
    slow = find("sklearn.metrics.r2_score")
    assert draws_of(WinnerRule(), MSE) == draws_of(WinnerRule(), find("auroc")) == 10_000
    assert draws_of(WinnerRule(), find("kendall")) == 10_000  # all samples at once
    assert draws_of(WinnerRule(), slow) == 200
    assert draws_of(WinnerRule(draws=500), slow) == 500


@pytest.mark.parametrize(
    ("keys", "message"),
    [({"tied": 0.5}, "tied"), ({"variant": "t"}, "variant"), ({"draws": 10}, "draws")],
)
def test_what_is_no_rule_is_refused_by_the_configuration(keys, message):
    with pytest.raises(InputError, match=message):
        complete({"study": "a", "replay": {"table": "a.csv", "winner": keys}})


def test_what_does_not_fit_the_metric_is_refused_before_any_row_is_read():
    with pytest.raises(InputError, match="nonsense"):
        check_boards(ReplayEntry(table="a.csv", winner=WinnerRule(second_metric="nonsense")))
    with pytest.raises(InputError, match="winner.stratified: 'mse' is no metric of classes"):
        check_boards(ReplayEntry(table="a.csv", winner=WinnerRule(stratified=True)))
