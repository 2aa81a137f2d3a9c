"""The public board's order, and a team's history, against their definitions."""

import numpy as np
import pytest

from shakedown.live.finals import final_table
from shakedown.live.standings import history, standings
from tests.live.test_live_board import PUBLIC, board, submissions, truth
from tests.live.test_quotas import DIGEST, HOUR, Clock, made


def rows_of(live, at=None):
    with live.reading() as (connection, board_id, now):
        return standings(connection, board_id, live.rules, live.start, now if at is None else at)


def mixed(share):
    """The truth with other numbers: the larger the share, the worse."""
    return (1 - share) * truth().values + share * np.random.default_rng(5).normal(size=40)


@pytest.mark.parametrize("metric", ["mse", "pearson"])
def test_the_best_score_leads_and_ties_share_the_better_place(metric, tmp_path):
    live = board(tmp_path, "full_disclosure", metric)
    shares = {"worst": 0.9, "d": 0.5, "c": 0.5, "best": 0.1}
    for team, share in shares.items():
        live.submit(team, mixed(share))
    places = [(row.place, row.team) for row in rows_of(live)]
    assert places == [(1, "best"), (2, "c"), (2, "d"), (4, "worst")]
    y, public = truth().values, truth().public
    for row in rows_of(live):
        file = mixed(shares[row.team])
        wanted = {
            "mse": np.mean((file - y)[public] ** 2),
            "pearson": np.corrcoef(file[public], y[public])[0, 1],
        }[metric]
        assert row.score == float(f"{wanted:.6g}")
    live.close()
    with live.reading() as (connection, board_id, _):
        table = final_table(connection, board_id, live.rules)
    assert [(row.place, row.team) for row in table] == places


def test_teams_without_a_score_come_last(tmp_path):
    live = board(tmp_path, "full_disclosure+value_range(variance=4.0)")
    live.submit("a", 100 * truth().values)  # refused
    live.submit("b", truth().values + 1.0)
    rows = rows_of(live)
    assert [(row.place, row.team, row.score) for row in rows] == [(1, "b", 1.0), (None, "a", None)]


def test_an_update_shows_what_was_received_before_it(tmp_path):
    now, y = Clock("2026-03-01T12:00"), truth().values
    live = made(tmp_path, DIGEST, opens="2026-03-01", closes="2026-03-05", now=now)
    update = live.rules.updates[0]
    live.submit("a", 0.5 * y)
    shown = {}
    for at in (update - 1, update, update + 12 * HOUR):
        shown[at] = rows_of(live, at)[0].score
    now.at = update  # not before it: the next update shows this file
    live.submit("a", 0.9 * y)
    assert rows_of(live, update)[0].score == shown[update]
    second = rows_of(live, live.rules.updates[1])[0].score
    start = float(f"{live.start:.6g}")
    assert list(shown.values()) == [start, shown[update], shown[update]]
    first = 0.25 * np.mean(y[:PUBLIC] ** 2)
    assert shown[update] == pytest.approx(np.ceil(first / 0.1) * 0.1)
    assert second < shown[update] < start


def test_a_history_is_told_from_the_latest_on(tmp_path):
    live = board(tmp_path, "full_disclosure")
    for file in submissions(5):
        live.submit("a", file)
        live.submit("b", file)
    with live.reading() as (connection, _, _):
        of = connection, live.rules, live.start, 1
        assert [answer.number for answer in history(*of)] == [5, 4, 3, 2, 1]
        assert [answer.number for answer in history(*of, 4)] == [3, 2, 1]
        assert [answer.number for answer in history(*of, 4, 2)] == [3, 2]
        assert {answer.team for answer in history(*of)} == {"a"}
