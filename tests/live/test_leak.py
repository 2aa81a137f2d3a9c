"""The leak of a running board: counted by hand."""

from dataclasses import replace
from math import comb, log

import pytest

from shakedown.leaderboard.mechanism import of_setting
from shakedown.live.leak import gain_of, leak_of
from shakedown.metrics import find
from shakedown.theory.correlations import mean_gain
from shakedown.theory.gains import SquaredError
from shakedown.theory.standardised import StandardisedSquaredError
from shakedown.theory.transcripts import Transcripts, board_transcripts
from tests.live.test_live_board import PUBLIC, board, submissions


def leak(live):
    with live.reading() as (connection, board_id, at):
        return leak_of(connection, board_id, live.rules, PUBLIC, live.start, at)


def test_a_general_ladder_leaks_the_sequences_that_never_rise(tmp_path):
    live = board(tmp_path, "general_ladder(eta=0.5)+baseline", per_team=8)
    live.register("silent")
    for k, file in enumerate(submissions(5)):
        live.submit("ab"[k % 2], file)
    levels = -(-live.start // 0.5)
    leaked = leak(live)
    expected = {"a": log(comb(int(3 + levels), 3)), "b": log(comb(int(2 + levels), 2))}
    assert {team.team: team.told for team in leaked.teams} == pytest.approx(expected)
    assert [team.team for team in leaked.teams] == ["a", "b"]
    assert leaked.told == pytest.approx(sum(expected.values()))
    assert leaked.budget == pytest.approx(log(comb(int(8 + levels), 8)))
    assert 0.0 < leaked.gain < live.start


@pytest.mark.parametrize("rules", ["", "+one_board"])
@pytest.mark.parametrize("setting", ["constant_board", "general_ladder(eta=0.5)+baseline"])
def test_before_anything_is_shown_nothing_has_leaked(setting, rules, tmp_path):
    live = board(tmp_path, setting + rules, in_total=9)
    leaked = leak(live)
    assert (leaked.reason, leaked.teams, leaked.told) == ("", (), 0.0)
    if setting == "constant_board":
        live.submit("a", submissions(1)[0])
        leaked = leak(live)
        assert (leaked.told, leaked.budget, leaked.gain) == (0.0, 0.0, 0.0)


def test_a_digest_leaks_by_its_clock_and_not_by_submissions(tmp_path):
    live = board(
        tmp_path, "digest(eta=0.5,every=5,updates=4,floor=0.0)",
        opens="2020-01-01", closes="2120-01-01",
    )  # fmt: skip
    for file in submissions(3):
        live.submit("a", file)
    leaked = leak(live)
    assert leaked.updates == (0, 4)
    with live.reading() as (connection, board_id, _):
        for k, update in enumerate(live.rules.updates):
            seen = leak_of(connection, board_id, live.rules, PUBLIC, live.start, update)
            assert seen.updates == (k + 1, 4)
    assert leaked.told == 0.0
    assert leaked.budget == pytest.approx(log(comb(int(4 + -(-live.start // 0.5)), 4)))


@pytest.mark.parametrize(("setting", "why"), [
    ("ladderboot(alpha=0.15,b=10)", "."),
    ("general_ladder(eta=0.1)", "no baseline start"),
    ("kaggle+baseline", "of any size"),
])  # fmt: skip
def test_no_bound_is_claimed_where_none_is_known(setting, why, tmp_path):
    leaked = leak(board(tmp_path, setting))
    assert why in leaked.reason
    assert leaked.told is None
    assert leaked.budget is None


def test_without_a_limit_there_is_no_budget(tmp_path):
    leaked = leak(board(tmp_path, "general_ladder(eta=0.5)+baseline"))
    assert (leaked.told, leaked.budget, leaked.gain) == (0.0, None, None)


def test_teams_that_share_a_board_leak_once(tmp_path):
    live = board(tmp_path, "general_ladder(eta=0.5)+baseline+one_board", in_total=6)
    for k, file in enumerate(submissions(4)):
        live.submit("ab"[k % 2], file)
    levels = -(-live.start // 0.5)
    leaked = leak(live)
    assert leaked.told == pytest.approx(log(comb(int(4 + levels), 4)))
    assert leaked.budget == pytest.approx(log(comb(int(6 + levels), 6)))


def test_gains_are_known_for_squared_errors_and_correlations():
    told = Transcripts(10.0)
    gain = gain_of(find("mse"), 1.0, told, 100)
    assert gain == StandardisedSquaredError().bound(told, 100)
    # The length is known, so there is more to gain than of a Gaussian response, by caps.
    assert SquaredError(1.0).bound(told, 100) < gain < SquaredError(1.0).mean(10.0, 100)
    assert gain_of(find("mse"), 3.0, told, 100) == pytest.approx(3.0 * gain)
    gain = gain_of(find("rmse"), 1.0, told, 100)
    assert gain > 0.0
    assert gain_of(find("rmse"), 3.0, told, 100) == pytest.approx(3.0 * gain)  # in another unit
    assert gain_of(find("spearman"), 0.0, told, 100) is None
    assert gain_of(find("pearson"), 0.0, told, 100) == mean_gain(told, 100)


@pytest.mark.parametrize("setting", [
    "general_ladder(eta=0.1)+baseline", "digest(eta=0.1,every=5,updates=4,floor=0.0)",
])  # fmt: skip
def test_levels_count_if_the_rules_say_how_many_files_there_are(tmp_path, setting):
    """The gain is that of `shakedown leak`, and below what the nats alone bound."""
    clock = {"opens": "2020-01-01", "closes": "2120-01-01"} if "digest" in setting else {}
    live = board(tmp_path, setting, per_team=20, **clock)
    leaked = leak(live)
    shown = of_setting(setting).disclosure(PUBLIC)
    if clock:
        shown = replace(shown, every=None)
    told = board_transcripts(shown, submissions=20, start=live.start, floor_=0.0)
    unit = replace(told, risks=tuple(risk / live.start for risk in told.risks))
    assert leaked.gain == live.start * StandardisedSquaredError().bound(unit, PUBLIC)
    without = StandardisedSquaredError().bound(Transcripts(leaked.budget), PUBLIC)
    assert leaked.gain <= live.start * without
