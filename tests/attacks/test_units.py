"""Directions in which the responses of a row vary, and adversaries that send numbers for them."""

from dataclasses import replace

import numpy as np
import pytest

from shakedown.attacks import adversary
from shakedown.attacks.attack import ATTACKS
from shakedown.attacks.units import SHARE, Directions, Rows, units_of
from shakedown.data.splits import Splitter
from shakedown.interface import Cells
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import Streams, stream
from shakedown.simulation.session import Session
from shakedown.theory.proved import proved_submissions
from tests.attacks.test_groups import LeastSquares
from tests.data.test_several import as_table, several


def view_of(seed=0, design="permuted", **given):
    return Splitter(several(seed=seed, **given), design, seed=1).split(seed).view


def test_without_several_responses_there_are_rows_or_groups():
    for codes in (None, np.array([0, 1, 1, 0, 2])):
        rows = Rows(codes)
        numbers = np.array([[1.0, 2, 4, 3, 5]]) if codes is None else np.array([[1.0, 2, 4]])
        files = rows.files(numbers)
        assert files.shape == (1, 5)
        np.testing.assert_array_equal(rows.numbers(files[0]), numbers[0])


@pytest.mark.parametrize(("alike", "least"), [(0.0, 2), (0.5, 1), (0.95, 1)])
def test_there_are_as_many_directions_as_hold_a_share_of_the_variance(alike, least):
    """300 public rows of 5 responses, whose largest eigenvalue is 1 + 4 alike."""
    view = view_of(rows=900, q=5, alike=alike)
    public, final = units_of(view)
    for units, y in ((public, view.cells[1]), (final, view.cells[2])):
        assert isinstance(units, Directions)
        assert len(units.numbers(np.zeros(len(y.rows)))) == 300 * least
    assert public.variance >= SHARE


@pytest.mark.parametrize("share", [0.1, 0.6, 0.9])
def test_files_and_numbers_are_inverse_and_mean_squares_agree(share, monkeypatch):
    monkeypatch.setattr("shakedown.attacks.units.SHARE", share)
    view, rng = view_of(q=4), np.random.default_rng(1)
    for units, X in zip(units_of(view), (view.X_public, view.X_final), strict=True):
        n = len(units.numbers(np.zeros(len(X))))
        numbers = rng.standard_normal((6, n))
        files = units.files(numbers)
        assert files.shape == (6, len(X))
        assert files.flags.c_contiguous
        for file, own in zip(files, numbers, strict=True):
            np.testing.assert_allclose(units.numbers(file), own, atol=1e-12)
            assert np.mean(file**2) * units.ratio == pytest.approx(np.mean(own**2))
        assert not units.files(np.zeros((2, n))).any()


def test_directions_are_the_leading_ones_of_the_training_responses():
    """No other single direction explains as much of the public responses."""
    mine = several(rows=900, q=4, alike=0.7, seed=3)
    split = Splitter(mine, "splits", seed=1).split(0)
    (public, _), cells = units_of(split.view), split.view.cells[1]
    table = as_table(split.y_public, cells)
    kept = public.files(public.numbers(split.y_public)[None])[0]
    values = np.linalg.eigvalsh(table.T @ table)
    assert kept @ kept / table.size == pytest.approx(values[-1] / table.size, rel=0.01)
    assert values[-1] / table.size > 0.7


@pytest.mark.parametrize("share", [0.1, 0.6, 0.9])
def test_numbers_are_the_nearest_to_a_file_where_cells_are_missing(share, monkeypatch):
    """Nearest in squares, so that a file of directions stays as it is."""
    monkeypatch.setattr("shakedown.attacks.units.SHARE", share)
    view, rng = view_of(rows=120, q=4, missing=110), np.random.default_rng(2)
    units, cells = units_of(view)[0], view.cells[1]
    n = len(units.numbers(np.zeros(len(cells.rows))))
    assert isinstance(units, Directions)
    numbers = rng.standard_normal((1, n))
    (file,) = units.files(numbers)
    again = units.files(units.numbers(file)[None])[0]
    np.testing.assert_allclose(again, file, atol=1e-10)
    any_file = rng.standard_normal(len(file))
    nearest = units.files(units.numbers(any_file)[None])[0]
    W = units.files(np.eye(n))  # all files are sums of these
    fitted = W.T @ np.linalg.lstsq(W.T, any_file, rcond=None)[0]
    np.testing.assert_allclose(nearest, fitted, atol=1e-10)


def test_a_response_that_the_direction_leaves_out_has_the_number_0():
    """A row in which only this one is given is not divided by 0."""
    cells = Cells(("a", "b", "c"), np.array([0, 1, 2, 2]), np.array([0, 0, 0, 1]))
    units = Directions(cells, np.sqrt(1.5) * np.array([[1.0], [1.0], [0.0]]))
    numbers = units.numbers(np.array([2.0, 2.0, 7.0, 5.0]))
    again = units.files(numbers[None])[0]
    np.testing.assert_allclose(again, [2.0, 2.0, 0.0, 0.0], atol=1e-12)


def each_cell(view):
    """A number for each public cell."""
    units, cells = Rows(None), view.cells[1]
    units._set_ratio(len(cells.rows), len(cells.rows), len(cells.names))
    return units


def gains(
    attack, submissions, *, plays, patch=None, metric="mse", board="full_disclosure", **given
):
    """How much lower than that of zeros the public mean squared error of the last file is.

    With a number for each cell if there is a patch.
    """
    if patch is not None:
        patch.setattr(adversary, "units_of", lambda view: (each_cell(view), Rows(None)))
    found = []
    for k in range(plays):
        split = Splitter(several(seed=k, **given), "permuted", seed=1).split(k)
        scorer = Scorer(split.on(find(metric), "public"), split.y_public)
        session = Session(scorer, of_setting(board), Streams(k))
        played = ATTACKS.make(attack, submissions=submissions, points=[submissions])
        game = played.prepare(split.view, LeastSquares(), stream(k, "attack")).play(session.open)
        file, y = game.models.public[-1], split.y_public
        found.append(np.mean(y**2) - np.mean((file - y) ** 2))
    return np.mean(found)


ALIKE = {"rows": 120, "q": 5, "alike": 0.9}


@pytest.mark.parametrize("missing", [0, 100])
@pytest.mark.parametrize("metric", ["mse", "rmse", "r2", "pearson", "ccc"])
def test_directions_of_correlated_responses_gain_more_than_numbers_for_cells(
    metric, missing, monkeypatch
):
    """30 files on 40 public rows of 5 responses with correlation .9; the mean of 6 plays.

    About .7 and .1: files tell of 40 numbers instead of 200.
    """
    given = ALIKE | {"missing": missing, "metric": metric, "plays": 6}
    aware = gains("linear_probe", 30, **given)
    blind = gains("linear_probe", 30, patch=monkeypatch, **given)
    assert aware > 0.4
    assert aware > 2.0 * blind


@pytest.mark.parametrize(("submissions", "least"), [(60, 0.02), (200, 0.15)])
def test_a_scan_learns_too_little_of_a_file_for_many_directions(submissions, least):
    """On a LadderBoot, from 200 files; the mean of 5 plays is .23 for one direction, 0 for all."""
    board = "ladderboot(alpha=0.15,b=10)+baseline"
    assert gains("scan", submissions, plays=5, board=board, **ALIKE) > least


def test_answers_of_a_metered_board_have_the_noise_of_its_rows():
    """A number for each row tells of 10 cells; the mean of 16 plays is .14, or .09 with noise
    that is taken to be that of a board of as many rows as numbers."""
    given = {"rows": 300, "q": 10, "alike": 0.5, "plays": 16}
    assert gains("posterior_mean", 50, board="metered(gain=0.01,files=50)", **given) > 0.115


@pytest.mark.parametrize("alike", [0.5, 0.95])
def test_no_more_is_gained_on_a_metered_board_than_is_proved_on_average(alike):
    """The proof allows for correlated responses, and is nearly reached; the mean of 24 plays."""
    board, rows = "metered(gain=0.0022,files=50)", 60 if alike > 0.9 else 200
    found = gains("posterior_mean", 50, board=board, rows=3 * rows, q=10, alike=alike, plays=24)
    c = 1.0 + 9.0 * alike
    assert proved_submissions(board, "mse", 10 * rows, -0.055, 50, row_variance=c) == 50
    assert 0.025 < found < 0.065


def test_directions_of_independent_responses_cost_little(monkeypatch):
    """A single direction has at least 1/q of the variance, and files tell of 1/q as many."""
    given = {"rows": 120, "q": 5, "alike": 0.0, "plays": 6}
    aware = gains("linear_probe", 30, **given)
    assert aware > 0.8 * gains("linear_probe", 30, patch=monkeypatch, **given)


@pytest.mark.parametrize("metric", ["mse", "rmse", "r2", "pearson", "ccc"])
@pytest.mark.parametrize("missing", [0, 15])
def test_enough_exact_scores_tell_the_direction(metric, missing):
    """All that the leading direction of 5 responses holds, (1 + 4 x .9) / 5 of the variance."""
    given = {"rows": 60, "q": 5, "alike": 0.9, "plays": 3, "missing": missing, "metric": metric}
    assert gains("linear_probe", 110, **given) > 0.7


@pytest.mark.parametrize("metric", ["mae", "spearman"])
def test_files_of_signs_stay_files_of_signs(metric):
    """Other files would make the products of these scores wrong: nothing would be gained."""
    given = ALIKE | {"plays": 4}
    found = gains("linear_probe", 70, metric=metric, **given)
    assert found > 0.75 * gains("linear_probe", 70, **given)


def test_signs_are_the_same_for_all_responses_of_a_row():
    alike = view_of(rows=120, q=5, alike=0.9)
    units, _ = units_of(alike, signs=True)
    (file,) = units.files(np.where(np.arange(40) % 3, 2.0, -2.0)[None])
    assert np.ptp(np.abs(file)) < 1e-12
    bare = replace(alike, cells=None)
    assert len(units_of(bare)[0].numbers(file)) == 40  # groups


@pytest.mark.parametrize("given", [{"q": 4, "alike": 0.5}, {"q": 4, "alike": 0.5, "missing": 40}])
def test_an_exact_score_of_signs_tells_their_product_with_the_response(given):
    """The squares of several responses are known: N - q, not N - 1."""
    split = Splitter(several(rows=120, **given), "permuted", seed=1).split(0)
    units, n = units_of(split.view)[0], 40
    numbers = np.where(np.arange(n) % 3, 1.0, -1.0)
    (file,) = units.files(numbers[None])
    score = units.ratio * np.mean((file - split.y_public) ** 2)
    product = (n - 1.0 + n - n * score) / 2.0
    exact = np.sqrt(units.ratio) * n * np.mean(file * np.sqrt(units.ratio) * split.y_public)
    assert product == pytest.approx(exact)
