"""Directions in which the responses of a row vary, and adversaries that send numbers for them."""

from dataclasses import replace

import numpy as np
import pytest

from shakedown.attacks import adversary, estimating
from shakedown.attacks.attack import ATTACKS
from shakedown.attacks.units import Directions, Rows, units_of, units_of_signs
from shakedown.data.splits import Splitter
from shakedown.interface import Cells
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import Streams, stream
from shakedown.simulation.session import Session
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


@pytest.mark.parametrize("submissions", [1, 20, 30, 31, 60, 90, 91, 150, 1000])
def test_there_are_as_many_directions_as_submissions_can_tell_apart(submissions):
    """30 public rows of 5 responses; never more numbers than needed, and at most one a cell."""
    view = view_of(q=5)
    public, final = units_of(view, submissions)
    r = min(5, max(1, -(-submissions // 30)))
    for units, y in ((public, view.cells[1]), (final, view.cells[2])):
        assert isinstance(units, Rows if r == 5 else Directions)
        assert len(units.numbers(np.zeros(len(y.rows)))) == 30 * r


@pytest.mark.parametrize("submissions", [1, 40, 70])
def test_files_and_numbers_are_inverse_and_mean_squares_agree(submissions):
    view, rng = view_of(q=4), np.random.default_rng(1)
    for units, X in zip(units_of(view, submissions), (view.X_public, view.X_final), strict=True):
        n = len(units.numbers(np.zeros(len(X))))
        numbers = rng.standard_normal((6, n))
        files = units.files(numbers)
        assert files.shape == (6, len(X))
        assert files.flags.c_contiguous
        for file, own in zip(files, numbers, strict=True):
            np.testing.assert_allclose(units.numbers(file), own, atol=1e-12)
            assert np.mean(file**2) == pytest.approx(np.mean(own**2))
        assert not units.files(np.zeros((2, n))).any()


def test_directions_are_the_leading_ones_of_the_training_responses():
    """No other single direction explains as much of the public responses."""
    mine = several(rows=900, q=4, alike=0.7, seed=3)
    split = Splitter(mine, "splits", seed=1).split(0)
    (public, _), cells = units_of(split.view, 10), split.view.cells[1]
    table = as_table(split.y_public, cells)
    kept = public.files(public.numbers(split.y_public)[None])[0]
    values = np.linalg.eigvalsh(table.T @ table)
    assert kept @ kept / table.size == pytest.approx(values[-1] / table.size, rel=0.01)
    assert values[-1] / table.size > 0.7


@pytest.mark.parametrize("submissions", [10, 40, 70])
def test_numbers_are_the_nearest_to_a_file_where_cells_are_missing(submissions):
    """Nearest in squares, so that a file of directions stays as it is."""
    view, rng = view_of(rows=120, q=4, missing=110), np.random.default_rng(2)
    units, cells = units_of(view, submissions)[0], view.cells[1]
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
    np.testing.assert_allclose(numbers, [2.0 / np.sqrt(1.5), 0.0], atol=1e-12)


EXACT = "full_disclosure"


def gains(
    attack, submissions, *, plays, patch=None, metric="mse", board="full_disclosure", **given
):
    """How much lower than that of zeros the public mean squared error of the last file is.

    With a number for each cell if there is a patch.
    """
    if patch is not None:
        patch.setattr(adversary, "units_of", lambda *_: (Rows(None), Rows(None)))
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


def test_directions_of_independent_responses_cost_little(monkeypatch):
    """A single direction has at least 1/q of the variance, and files tell of 1/q as many."""
    given = {"rows": 120, "q": 5, "alike": 0.0, "plays": 6}
    aware = gains("linear_probe", 30, **given)
    assert aware > 0.8 * gains("linear_probe", 30, patch=monkeypatch, **given)


@pytest.mark.parametrize("metric", ["mse", "rmse", "mae", "r2", "pearson", "ccc"])
@pytest.mark.parametrize("missing", [0, 15])
def test_enough_exact_scores_tell_every_cell(metric, missing):
    """Each of 5 responses has variance 1 in its 20 rows, so all have 5 less than their cells."""
    given = {"rows": 60, "q": 5, "alike": 0.5, "plays": 2, "missing": missing, "metric": metric}
    assert gains("linear_probe", 110, **given) > 0.99 * (1 - 1 / 19)


@pytest.mark.parametrize("alike", [0.3, 0.9])
@pytest.mark.parametrize("submissions", [30, 70])
@pytest.mark.parametrize("metric", ["mae", "spearman"])
def test_files_of_signs_stay_files_of_signs(metric, submissions, alike):
    """Other files would make the products of these scores wrong: nothing would be gained."""
    given = ALIKE | {"alike": alike, "plays": 4}
    found = gains("linear_probe", submissions, metric=metric, **given)
    assert found > 0.75 * gains("linear_probe", submissions, **given)


def test_signs_are_for_rows_or_for_cells_whatever_tells_more():
    alike, not_alike = (view_of(rows=120, q=5, alike=r) for r in (0.9, 0.0))
    assert isinstance(units_of_signs(alike, 70)[0], Directions)
    assert isinstance(units_of_signs(not_alike, 70)[0], Rows)
    assert isinstance(units_of_signs(alike, 199)[0], Rows)
    (file,) = units_of_signs(alike, 70)[0].files(np.where(np.arange(40) % 3, 2.0, -2.0)[None])
    assert set(np.abs(file).tolist()) == {2.0}
    bare = replace(alike, cells=None)
    assert len(units_of_signs(bare, 70)[0].numbers(file)) == 40  # groups


@pytest.mark.parametrize("given", [{"q": 4, "alike": 0.5}, {"q": 4, "alike": 0.5, "missing": 40}])
@pytest.mark.parametrize("submissions", [10, 500])
def test_the_squares_of_the_response_are_known(given, submissions):
    split = Splitter(several(rows=120, **given), "permuted", seed=1).split(0)
    attack = ATTACKS.make("linear_probe", submissions=submissions, points=[3])
    prepared = attack.prepare(split.view, LeastSquares(), stream(0, "attack"))
    assert prepared.squares / prepared.n == pytest.approx(np.mean(split.y_public**2))


def test_the_terms_of_a_silent_board_are_found_from_files_of_several_responses():
    """Their squares tell whether what is shown is a mean squared error at all."""
    split = Splitter(several(rows=90, q=5), "permuted", seed=1).split(0)
    scorer = Scorer(split.on(find("mse"), "public"), split.y_public)
    for setting in ("full_disclosure", "general_ladder(eta=0.05)"):
        board = Session(scorer, of_setting(setting), Streams(1)).open()
        silent = replace(board.terms, silent=("release",), acceptance=None, step=0.0)
        silent = replace(silent, gate_acceptance=board.terms.acceptance)

        def submit(file, board=board):
            return float(board.submit(file[None]).released[0])

        found = {
            square: estimating.estimated(
                silent,
                estimating.signs_for(len(split.y_public)),
                submit,
                estimating.SCALE,
                mean_square=square,
                needs_margin=False,
            )
            for square in (float(np.mean(split.y_public**2)), None)
        }
        assert not next(iter(found.values())).silent
