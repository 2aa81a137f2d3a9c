"""The attacks that need nothing but scores: literal twins, and how far they get."""

from functools import partial

import numpy as np
import pytest

from shakedown.attacks.attack import ATTACKS, Scope
from shakedown.attacks.finite_differences import moved
from shakedown.attacks.models import LeastSquares
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import METRICS, find
from shakedown.metrics.classes import NUMBERS, TIMES
from shakedown.seeding import stream
from shakedown.simulation.session import Session
from tests.attacks.test_adversaries import attacked, holder, response, signs, standardised
from tests.kinds import fitting
from tests.reference import score_attacks as literal

#: Functions of somebody else, which no attack was made for.
FOREIGN = ["sklearn.metrics.mean_pinball_loss", "sklearn.metrics.d2_absolute_error_score"]
NAMED = [name for name in METRICS.classes if name != "zero_one"]


def played(name, setting, metric, seed, k, n, points=None):
    """The prepared attack, its game and a new session, on top of a model."""
    view, y = holder(seed, n)
    if find(metric).response != NUMBERS:
        y = fitting(find(metric), y, y)[0]
        y = y if find(metric).response == TIMES else standardised(y[None])[0]
    attack = ATTACKS.make(name, submissions=k, points=points or [*range(1, k + 1)], honest=1)
    prepared = attack.prepare(view, LeastSquares(), stream(seed, "attack"))

    def session():
        scorer = Scorer(find(metric), y, undefined_is_zero=True)
        return Session(scorer, of_setting(setting), partial(stream, seed))

    return prepared, prepared.play(session().open), session(), y


@pytest.mark.parametrize("metric", ["mse", "mae", "pearson", *FOREIGN])
@pytest.mark.parametrize("setting", ["full_disclosure", "ladder(alpha=0.5)+baseline"])
def test_random_search_ends_with_the_literal_one(setting, metric):
    n, k, seed = 30, 80, 1
    if setting != "full_disclosure" and metric in (*FOREIGN, "pearson"):
        setting = "general_ladder(eta=0.01)"  # no paired test compares their losses
    prepared, game, again, _ = played("random_search", setting, metric, seed, k, n)
    board = again.open()
    expected = literal.random_search(
        signs(seed, k, n), lambda file: board.submit(file[None]).released[0], prepared.honest,
        larger=find(metric).larger_is_better,
    )  # fmt: skip
    np.testing.assert_allclose(game.models.public, expected, atol=1e-9)
    assert game.models.n_selected[-1] > 2


@pytest.mark.parametrize(("metric", "setting"), [
    ("pearson", "bayesboot_ladderboot(posterior_odds=1,draws=100,b=1000)"),
    ("pearson", "bayesboot_ladderboot(posterior_odds=1,draws=100,b=20)"),
    ("mae", "ladderboot(alpha=0.5,b=100)"),
    ("pearson", "gaussian_noise(sd=0.01)"), ("mae", "gaussian_noise(sd=0.005)"),
    (FOREIGN[1], "gaussian_noise(sd=0.005)"),
])  # fmt: skip
@pytest.mark.parametrize("seed", [0, 1, 3])
def test_random_search_submits_a_file_again_where_scores_are_noisy(metric, setting, seed):
    n, k = 40, 300
    prepared, game, again, _ = played("random_search", setting, metric, seed, k, n)
    board = again.open()
    expected = literal.noisy_search(
        signs(seed, k, n), lambda file: board.submit(file[None]).released[0], prepared.honest,
        larger=find(metric).larger_is_better, kept=not board.terms.replaces_always,
    )  # fmt: skip
    np.testing.assert_allclose(game.models.public, expected, atol=1e-9)
    assert game.models.n_selected[-1] > 0


@pytest.mark.parametrize("setting", [
    "gaussian_noise(sd=0.05)", "bayesboot_ladderboot(posterior_odds=3,draws=100,b=10)",
])  # fmt: skip
def test_noise_does_not_stop_random_search(setting):
    """Without a model, Pearson: medians of .16 to .19 and .17 to .26 were measured."""
    ends = []
    for seed in range(10):
        game, _ = attacked("random_search", setting, seed, 300, metric="pearson", points=[300])
        file = game.models.public[-1]
        ends.append(find("pearson").score(response(seed, 209), file[None])[0] if file.any() else 0)
    assert np.median(ends) > 0.12


@pytest.mark.parametrize("metric", ["mse", "pearson", "ccc", *FOREIGN])
def test_random_search_waits_for_the_updates_of_a_digest(metric):
    n, k, seed, every = 30, 40, 2, 2
    larger = find(metric).larger_is_better
    setting = f"digest(eta=0.01,floor={0.99 if larger else 0.01},every={every},updates=15)"
    prepared, game, again, _ = played("random_search", setting, metric, seed, k, n)
    board = again.open()
    expected = literal.random_search(
        signs(seed, k, n), lambda file: board.submit(file[None]).released[0], prepared.honest,
        larger=larger, digest=(every, 15), start=board.terms.start,
    )  # fmt: skip
    np.testing.assert_allclose(game.models.public, expected, atol=1e-9)
    assert 0 < game.models.n_selected[-1] < 15


@pytest.mark.parametrize("metric", ["mse", "mae", "pearson", "ccc", *FOREIGN])
@pytest.mark.parametrize("k", [15, 16])
def test_finite_differences_end_with_the_literal_ones(metric, k):
    n, seed = 30, 3
    prepared, game, again, _ = played("finite_differences", "full_disclosure", metric, seed, k, n)
    board = again.open()
    expected = literal.finite_differences(
        signs(seed, k, n), lambda file: board.submit(file[None]).released[0], prepared.honest,
        larger=find(metric).larger_is_better,
    )  # fmt: skip
    np.testing.assert_allclose(game.models.public, expected, atol=1e-9)
    assert np.abs(game.models.public[-1] - prepared.honest).max() > 0.05


@pytest.mark.parametrize("metric", [*NAMED, *FOREIGN])
def test_both_overfit_every_metric(metric):
    """At n = 40, 60 files make the public score better than the honest file's, by far."""
    for name in ["random_search", "finite_differences"]:
        gains = []
        for seed in range(6):
            prepared, game, _, y = played(name, "full_disclosure", metric, seed, 60, 40, [60])
            kind = find(metric)
            scores = kind.score(y, np.array([prepared.honest, game.models.public[-1]]))
            gains.append((scores[1] - scores[0]) * (1 if kind.larger_is_better else -1))
        if (name, metric) == ("finite_differences", "log_loss"):
            continue  # it is far from a square where probabilities end, and differences mislead
        assert min(gains) > 0.0 or (metric == "f1" and min(gains) == 0.0)  # it has steps
        assert np.median(gains) > 0.05


@pytest.mark.parametrize("n", [40, 209])
def test_finite_differences_are_worth_half_their_files_over_n(n):
    """A pair tells one product with the response, worth 1/n of its variance; 3 standard errors."""
    k, gains = n // 2 + 1, []
    for seed in range(40):
        game, _ = attacked("finite_differences", "full_disclosure", seed, k, n=n, points=[k])
        gains.append(1.0 - ((game.models.public[-1] - response(seed, n)) ** 2).mean())
    expected = (k - 1) // 2 / n
    assert abs(np.mean(gains) - expected) < 3 * np.std(gains) / np.sqrt(40) + 1.5 / n


def test_finite_differences_add_up_under_noise():
    """Averages of slopes: the more pairs, the better, though no single score can be trusted."""
    ends = []
    for seed in range(10):
        game, _ = attacked(
            "finite_differences", "gaussian_noise(sd=0.1)", seed, 4001, n=100, points=[401]
        )
        ends.append(((game.models.public - response(seed, 100)) ** 2).mean(axis=1))
    few, many = np.mean(ends, axis=0)
    assert many < few < 1.0


def test_a_score_that_does_not_bend_is_followed_for_one_standard_deviation():
    gradient = np.array([3.0, 4.0])
    assert np.mean(moved(gradient, 0.0) ** 2) == pytest.approx(1.0)
    assert np.mean(moved(gradient, -2.0) ** 2) == pytest.approx(1.0)
    # The squared error has the second derivative 2 and the gradient -2 r / n: all of r.
    r = np.array([0.3, -0.1, 0.2])
    np.testing.assert_allclose(moved(-2.0 / 3.0 * r, 2.0), -r)
    assert not moved(np.zeros(2), 1.0).any()


def test_dry_runs_play_them_for_metrics_that_nothing_else_can_read():
    names = ["random_search", "finite_differences"]
    foreign = [(metric, True) for metric in (FOREIGN[0], "sklearn.metrics.mean_pinball_loss")]
    for metric, plays in [("mse", False), *foreign]:
        scope = Scope(features=20, most=200, carried=20, train_rows=100, metric=metric, wanted=50)
        for name in names:
            offered = ATTACKS.classes[name].for_dry_run(scope)
            assert sorted(offered) == ([name, f"{name}_holder"] if plays else [])
