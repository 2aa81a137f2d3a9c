"""The table of lags of metered boards: its cells, what is between them, what it does not know."""

import json

import numpy as np
import pytest

from shakedown.dryrun import lags
from shakedown.dryrun.lags import DEGREES, METRICS, ROWS, SUBMISSIONS, lag_of, simulated, table
from shakedown.dryrun.metered_boards import metered_boards
from shakedown.leaderboard.mechanism import mechanisms, of_setting
from shakedown.leaderboard.mechanisms.metered import Metered, degrees_of
from shakedown.metrics import find

MSE = find("mse")


def board(metric, rows, degrees, submissions, **parameters):
    """A metered board on average with this budget."""
    gain = lags._gain(metric, rows, degrees)
    return Metered(gain=gain, files=submissions, **parameters)


def test_the_table_has_a_lag_for_each_cell_and_lags_fall_with_budget_and_rows():
    assert set(table()) == set(METRICS)
    for own in table().values():
        assert own.shape == (len(ROWS), len(SUBMISSIONS), len(DEGREES))
        assert (own >= 0.0).all()
        assert (own < 0.2).all()
        assert (own[:9, :, 1] < own[:9, :, 0]).all()  # below 50,000 rows; there, all are near 0
        assert (own[-1] < own[0]).all()


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(("rows", "submissions"), [(20, 30), (200, 10), (500, 10)])
def test_cells_are_those_that_the_command_computes(metric, rows, submissions):
    own = table()[metric][ROWS.index(rows), SUBMISSIONS.index(submissions)]
    np.testing.assert_allclose(lags._cell((metric, rows, submissions)), own, rtol=0.01)


def test_at_a_cell_it_is_that_cell():
    for metric in map(find, METRICS):
        for at, rows in enumerate(ROWS[:4]):
            for by, submissions in enumerate(SUBMISSIONS):
                found = lag_of(board(metric, rows, DEGREES[1], submissions), metric, rows,
                               submissions)  # fmt: skip
                assert found == pytest.approx(table()[metric.name][at, by, 1], rel=1e-6)


def between():
    """Boards between the cells: of each metric, rows to 1,400."""
    places = ((33, 55), (140, 70), (316, 17), (1_400, 17))
    return [(find(name), *place) for name in METRICS for place in places]


@pytest.mark.parametrize(("metric", "rows", "submissions"), between())
def test_between_the_cells_it_is_near_what_is_simulated(metric, rows, submissions, monkeypatch):
    """Within 25 % or .005: at three budgets each."""
    degrees = (2.0, 8.0, 32.0)
    monkeypatch.setattr(lags, "DEGREES", degrees)
    direct = simulated(metric, rows, submissions)
    monkeypatch.undo()
    for budget, lag in zip(degrees, direct, strict=True):
        gain = lags._gain(metric, rows, budget)
        if gain is None:
            continue
        found = lag_of(Metered(gain=gain, files=submissions), metric, rows, submissions)
        assert found == pytest.approx(lag, rel=0.25, abs=0.005)


def test_it_counts_the_budget_and_not_how_it_came_about():
    at_quantile = Metered(gain=0.05, files=100, chance=0.25)
    degrees = degrees_of(0.05, 1_000, 0.25, is_correlation=False)
    on_average = board(MSE, 1_000, degrees, 100)
    assert lag_of(at_quantile, MSE, 1_000, 100) == pytest.approx(
        lag_of(on_average, MSE, 1_000, 100), rel=1e-6
    )


def test_beyond_the_last_cell_it_is_the_last_one():
    for rows, submissions in ((50_000, 100), (90_000, 100), (50_000, 4_000)):
        found = lag_of(board(MSE, rows, 5_000.0, submissions), MSE, rows, submissions)
        assert found == pytest.approx(table()["mse"][-1, -1, -1], rel=1e-9)


def test_it_knows_the_boards_that_dry_runs_offer_to_one_account():
    offered = mechanisms(metered_boards(MSE, -0.05, 209, 500, quantile=0.25))
    assert len(offered) == 2
    assert all(0.0 < lag_of(own, MSE, 209, 500) < 0.1 for own in offered)


@pytest.mark.parametrize(
    ("setting", "metric", "rows", "submissions"),
    [
        ("digest(eta=0.1,floor=0.5,every=10,updates=5)", "mse", 209, 50),
        ("metered(gain=0.05,files=50)", "ccc", 209, 50),
        ("metered(gain=0.05,files=50)", "mse", 19, 50),
        ("metered(gain=0.05,files=9)", "mse", 209, 9),
        ("metered(gain=0.05,files=51)", "mse", 209, 50),
        ("metered(gain=0.05,files=50,sd=0.01)", "mse", 209, 50),
        ("metered(gain=0.05,files=50)+one_board", "mse", 209, 50),
        ("metered(gain=0.0095,files=50)", "mse", 209, 50),
    ],
)
def test_what_it_does_not_know_is_left_to_a_simulation(setting, metric, rows, submissions):
    assert lag_of(of_setting(setting), find(metric), rows, submissions) is None


def test_the_command_writes_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(lags, "PLACE", tmp_path / "lags.json")
    monkeypatch.setattr(lags, "ROWS", (20, 30))
    monkeypatch.setattr(lags, "SUBMISSIONS", (10,))
    lags.main()
    written = json.loads((tmp_path / "lags.json").read_text("utf-8"))
    assert written == {
        name: [[lags._cell((name, rows, 10))] for rows in (20, 30)] for name in METRICS
    }
