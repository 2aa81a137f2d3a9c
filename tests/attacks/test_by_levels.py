"""The attacks on the levels of a board: their literal twins, and how far they get."""

from functools import partial

import numpy as np
import pytest

from shakedown.attacks.attack import ATTACKS
from shakedown.attacks.by_levels import Task, quantile_above, rarity
from shakedown.attacks.models import LeastSquares
from shakedown.interface import ParticipantData
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream
from shakedown.simulation.session import Session
from tests.attacks.test_adversaries import holder, signs
from tests.reference import level_attacks as literal

BOARD = "general_ladder(eta={})+baseline"


def played(
    name, setting, seed, submissions, *, n=209, y=None, metric="mse", points=None, **options
):
    """The prepared attack, its game, its session and the public response."""
    view, response = holder(seed, n)
    if y is not None:
        response = y
    if not options.get("honest"):
        view = ParticipantData(np.empty((n, 0)), np.empty(n), np.empty((n, 0)), np.empty((7, 0)))
    points = points or [*range(1, submissions + 1)]
    attack = ATTACKS.make(name, submissions=submissions, points=points, **options)
    prepared = attack.prepare(view, LeastSquares(), stream(seed, "attack"))
    session = Session(Scorer(find(metric), response), of_setting(setting), partial(stream, seed))
    return prepared, prepared.play(session.open), session, response


def gains(name, setting, submissions, replicates=20, responses=None, points=None, **options):
    """Public MSE of the final files less that of the honest one; shape (replicates, points)."""
    out = []
    for seed in range(replicates):
        y = None if responses is None else responses(seed)
        prepared, game, _, y = played(
            name, setting, seed, submissions, y=y, points=points or [1], **options
        )
        own = ((game.models.public - y) ** 2).mean(axis=1)
        out.append(own - ((prepared.honest - y) ** 2).mean())
    return np.array(out)


def outliers(seed, n, share=0.05):
    """A response of which some rows have ten times the standard deviation of the others."""
    rng = np.random.default_rng(seed)
    y = rng.standard_normal(n) * np.where(rng.random(n) < share, 10, 1)
    return (y - y.mean()) / y.std(ddof=1)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("eta", "metric", "accounts", "honest", "most"), [
    (0.1, "mse", 1, 1, None), (0.1, "mse", 3, 1, None), (0.1, "rmse", 2, 1, None),
    (0.1, "mse", 1, 0, None), (0.05, "mse", 1, 1, 2),
])  # fmt: skip
@pytest.mark.parametrize("name", ["level_saving", "coordinate_probing"])
def test_they_end_with_the_literal_ones(name, eta, metric, accounts, honest, most, seed):
    n, k = 24, 40 * accounts
    setting = BOARD.format(eta)
    if most:
        setting += f"+cap(improvements={most})"
    given = {"honest": honest} if honest else {"y": outliers(seed, n, share=0.2)}
    prepared, game, session, y = played(
        name, setting, seed, k, n=n, metric=metric, accounts=accounts, **given
    )
    again = Session(Scorer(find(metric), y), of_setting(setting), partial(stream, seed))
    boards = [again.open() for _ in range(accounts)]
    known = {
        "margin": eta, "step": eta, "start": boards[0].terms.start, "honest": prepared.honest,
        "residual": prepared.residual, "accounts": accounts, "root": metric == "rmse",
        "most": most or np.inf,
    }  # fmt: skip

    def submit(account, file):
        return boards[account].submit(file[None]).released[0]

    if name == "level_saving":
        expected = literal.level_saving(signs(seed, k, n), submit, **known)
    else:
        expected = literal.coordinate_probing(prepared.rows, k, submit, **known)
    np.testing.assert_allclose(game.models.public, expected, atol=1e-5)
    assert session.counts.accepted == again.counts.accepted
    assert game.models.n_selected[-1] > 0


@pytest.mark.parametrize(("eta", "n", "at_least"), [
    (0.1, 209, 0.084), (0.05, 209, 0.17), (0.25, 50, 0.16), (0.05, 1000, 0.028),
])  # fmt: skip
def test_level_saving_gets_far_on_top_of_a_model(eta, n, at_least):
    """Measured .090, .185, .175 and .032 (standard errors .003, .004, .011 and .001)."""
    gain = gains("level_saving", BOARD.format(eta), 1000, 12, n=n, honest=1)
    assert gain[:, -1].mean() < -at_least


def test_level_saving_finds_nothing_where_no_direction_can_pass():
    """Without a model the first level is 4.6 deviations out: one file in 400,000 would pass."""
    gain = gains("level_saving", BOARD.format(0.1), 300, 5)
    assert np.abs(gain).max() < 1e-3


def test_coordinate_probing_finds_outliers():
    """Measured -.182, -.624 and -.734, the first quartiles of 20."""
    gain = gains(
        "coordinate_probing", BOARD.format(0.1), 1000, 12, n=200, points=[100, 500],
        responses=lambda seed: outliers(seed, 200),
    )  # fmt: skip
    assert (np.quantile(gain, 0.25, axis=0) < [-0.13, -0.55, -0.65]).all()
    random = gains(
        "level_saving", BOARD.format(0.1), 500, 5, n=200, responses=lambda seed: outliers(seed, 200)
    )
    assert np.abs(random).max() < 1e-3


def test_a_single_row_is_found_by_the_length_that_its_margin_allows():
    """Zeros score .975, shown as 1: a row has to lower that to .9, y_i^2 > 40 (.975 - .9) = 3."""
    n = 40
    for largest, found in [(1.8, True), (1.7, False)]:
        y = np.resize([1.0, -1.0], n) * np.sqrt((n - 1 - 2 * largest**2) / (n - 2))
        y[0], y[-1] = -largest, largest
        _, game, session, _ = played("coordinate_probing", BOARD.format(0.1), 3, 2 * n, n=n, y=y)
        assert (session.counts.accepted > 0) == found
        assert (game.models.n_selected[-1] > 0) == found


def test_the_tail_is_planned_by_levels_and_files():
    assert quantile_above(0.05) == pytest.approx(1.6449, abs=1e-4)
    # All that is known reaches 4 levels further, with tails that are worth less than a level each.
    few = rarity(Task(1000, 0.9, 0.1, 1000, np.inf), 400.0, 0.6)
    assert few == pytest.approx(2.65, abs=0.1)  # P = .004
    once = rarity(Task(1000, 0.9, 0.1, 1000, 1.0), 400.0, 0.6)
    assert once == pytest.approx(3.09, abs=0.01)


def test_boards_without_levels_are_left_alone():
    for setting in ["full_disclosure", "ladder(alpha=0.15)+baseline"]:
        for name in ["level_saving", "coordinate_probing"]:
            _, game, _, _ = played(name, setting, 1, 8, n=20)
            assert not game.models.public.any()
