"""Alerts: they find the project's attacks, and leave honest teams alone."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

from shakedown.dryrun.usefulness.honest import calibrated, following
from shakedown.live.alerts import (
    SENTENCES,
    alerts,
    alerts_of,
    dear_files,
    new_teams,
    unrelated_files,
)
from tests.live.probing import ROWS, attack_files, honest_files
from tests.live.test_live_board import board

HONEST_KINDS = ("features", "tuning", "shrinking", "bagging", "blending")


@cache
def others():
    return {f"honest {k}": honest_files(HONEST_KINDS[k], 900) for k in range(4)}


def kinds(files):
    """The alerts of a team, on a board with four honest ones."""
    return {alert.kind for alert in alerts({"x": files, **others()}) if alert.team == "x"}


@pytest.mark.parametrize("setting", [
    "full_disclosure", "ladder(alpha=0.15)", "ladderboot(alpha=0.15,b=10)",
    "general_ladder(eta=0.05)+baseline",
])  # fmt: skip
@pytest.mark.parametrize(("name", "signs"), [
    ("staircase", {"falling_scale", "unrelated_files"}),
    ("linear_probe", {"unrelated_files"}),
    ("greedy_climb", {"random_steps"}),
])  # fmt: skip
@pytest.mark.parametrize("honest", [0, 5])
def test_the_attacks_are_found(name, signs, setting, honest):
    if name != "staircase" and "boot" in setting:
        signs = {"near_identical"}  # it learns nothing from such noise, and sends zeros
    assert signs <= kinds(attack_files(name, setting, 0, honest=honest))


@pytest.mark.parametrize(("setting", "sign"), [
    ("full_disclosure", "random_steps"),
    ("ladder(alpha=0.15)", "random_steps"),
    ("ladderboot(alpha=0.15,b=10)", "near_identical"),  # it gives up, and sends zeros
])  # fmt: skip
@pytest.mark.parametrize("honest", [0, 5])
def test_the_reserve_attack_is_found(setting, sign, honest):
    assert sign in kinds(attack_files("reserve", setting, 0, honest=honest))


@pytest.mark.parametrize("kind", HONEST_KINDS)
@pytest.mark.parametrize(("features", "rho"), [(12, 0.0), (12, 0.2), (40, 0.0), (40, 0.2)])
def test_honest_teams_are_left_alone(kind, features, rho):
    """No alert in 5 teams, of 100 in all: at 95 %, fewer than 3 % of such teams cause one."""
    for seed in range(5):
        assert kinds(honest_files(kind, seed, features=features, rho=rho)) == set()


def test_single_rows_and_other_scales_are_found():
    model = honest_files("bagging", 0)[0]
    probes = np.tile(model, (12, 1))
    probes[np.arange(1, 12), np.arange(11)] += 1.0
    assert "few_rows" in kinds(probes)
    assert "far_off" in kinds(honest_files("bagging", 1) + 50.0)
    assert "near_identical" in kinds(np.tile(model, (12, 1)))


def test_few_files_are_no_sign():
    rng = np.random.default_rng(0)
    assert kinds(rng.normal(size=(7, ROWS))) == set()
    assert alerts({}) == []
    assert alerts({"a": np.zeros((20, 50)), "b": np.ones((1, 50))})[0].kind == "near_identical"


@pytest.mark.parametrize(
    ("rows", "correlation", "files"),
    [(25, 0.35, 9), (25, 0.45, 0), (400, 0.15, 9), (400, 0.25, 0)],
)
def test_files_are_unrelated_below_what_chance_explains_and_at_least_a_fifth(
    rows, correlation, files
):
    """Each pair has that correlation: below 2 over the root of 25, or below .2."""
    noise = np.random.default_rng(0).normal(size=(rows, 10))
    shared, *own = np.linalg.qr(noise - noise.mean(axis=0))[0].T
    alike = np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * np.array(own)
    assert unrelated_files(alike, 1.0) == files


def test_many_new_teams_count_once_the_board_runs():
    first = pd.Timestamp("2026-03-01T12:00", tz="UTC")
    minutes = [first + pd.Timedelta(minutes=10 * k) for k in range(1, 6)]
    hours = [first + pd.Timedelta(hours=2 * k) for k in range(1, 6)]
    assert new_teams(minutes, first) == 5
    assert new_teams(hours, first) == 0
    assert new_teams([first - pd.Timedelta(minutes=k) for k in range(9)], first) == 0
    assert new_teams(minutes, None) == 0
    assert [alert.kind for alert in alerts({}, minutes, first)] == ["new_teams"]


def test_alerts_are_read_from_the_latest_files_of_a_board(tmp_path):
    live = board(tmp_path, "full_disclosure")
    rng = np.random.default_rng(1)
    for _ in range(10):
        live.submit("probe", rng.normal(size=len(live.truth.ids)))
        live.submit("model", live.truth.values + rng.normal(0, 0.3, len(live.truth.ids)))
    with live.reading() as (connection, board_id, _):
        raised = alerts_of(connection, board_id, live.rules)
    assert ("unrelated_files", "probe") in [(alert.kind, alert.team) for alert in raised]
    assert "unrelated_files" not in [alert.kind for alert in raised if alert.team == "model"]
    assert {alert.sentence for alert in raised} <= set(SENTENCES.values())


def test_a_team_that_has_stopped_probing_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.setattr("shakedown.live.alerts.LATEST", 10)
    live = board(tmp_path, "full_disclosure")
    rng = np.random.default_rng(1)
    for _ in range(10):
        live.submit("probe", rng.normal(size=len(live.truth.ids)))
    for _ in range(10):
        live.submit("probe", live.truth.values + rng.normal(0, 0.3, len(live.truth.ids)))
    with live.reading() as (connection, board_id, _):
        raised = alerts_of(connection, board_id, live.rules)
    assert "unrelated_files" not in [alert.kind for alert in raised]


def simulated(rows, files, correlation, best, seed):
    """Files of a team as dry runs simulate them, whose first and last explain so much."""
    rng = np.random.default_rng([seed, rows, files])
    y = rng.normal(size=rows)
    y = (y - y.mean()) / y.std(ddof=1)
    errors = following(files, rows, correlation, rng=rng)
    return calibrated(y, errors, np.linspace(*best, files))


@pytest.mark.parametrize("rows", [20, 69, 209, 1000])
@pytest.mark.parametrize("files", [8, 15, 40])
@pytest.mark.parametrize("best", [(0.1, 0.7), (0.45, 0.7)])
@pytest.mark.parametrize("correlation", [0.5, 0.8])
def test_files_of_models_cost_less_than_random_numbers(rows, files, best, correlation):
    """No alert in 960 teams: at 95 %, fewer than .4 % of such teams cause one."""
    for seed in range(20):
        assert dear_files(simulated(rows, files, correlation, best, seed))[0] == 0


@pytest.mark.parametrize("kind", HONEST_KINDS)
def test_files_of_fitted_models_cost_a_third_at_most(kind):
    for features in (12, 40):
        assert dear_files(honest_files(kind, 0, features=features))[1] < 0.35


@pytest.mark.parametrize(("rows", "files"), [(20, 40), (69, 15), (209, 8), (1000, 40)])
def test_random_files_are_dear_whatever_their_size(rows, files):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        sizes = 10.0 ** rng.uniform(-6, 6, (files, 1))
        count, share = dear_files(sizes * rng.normal(size=(files, rows)))
        assert (count, 0.97 < share < 1.06) == (files, True)


@pytest.mark.parametrize("honest", [0, 5])
def test_the_best_attack_on_a_metered_board_is_dear(honest):
    count, share = dear_files(attack_files("posterior_mean", "metered(gain=0.2,files=40)", 0,
                                           honest=honest))  # fmt: skip
    assert count == 40
    assert share > 1.0  # each has nothing in common with those before, not even by chance


def test_few_files_or_rows_are_not_dear():
    rng = np.random.default_rng(0)
    assert dear_files(rng.normal(size=(7, 200))) == (0, 0.0)
    assert dear_files(rng.normal(size=(8, 19))) == (0, 0.0)
    assert dear_files(np.vstack([np.zeros((30, 200)), rng.normal(size=(7, 200))]))[0] == 0
    assert dear_files(rng.normal(size=(8, 20)))[1] > 0.0
