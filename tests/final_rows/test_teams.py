"""The luck in the spread of scores, and the covariance of one row."""

import numpy as np
import pytest

import shakedown.final_rows.teams as teams_module
from shakedown.data.grouped import from_zero
from shakedown.final_rows.teams import (
    Measured,
    Part,
    Teams,
    covariance_of,
    kept_spread,
    measured,
    shrunk,
    without_luck,
)
from shakedown.interface import InputError
from shakedown.metrics import find
from shakedown.seeding import stream

MSE = find("mse")
RNG = np.random.default_rng(3)


def test_shrunk_scores_vary_as_true_ones_do():
    """Luck is partly shared, which moves no team against another one."""
    m, rows, covariance = 12, 50, np.eye(12) * 0.5 + 2.0
    root = np.linalg.cholesky(covariance / rows)
    worlds, truths = [], []
    for _ in range(400):
        truth = 0.15 * RNG.standard_normal(m)
        observed = truth + root @ RNG.standard_normal(m)
        worlds.append(Measured(observed, covariance, rows))
        truths.append(truth.var(ddof=1))
    teams = without_luck(MSE, worlds)
    kept = np.mean([own.scores.var(ddof=1) for own in teams])
    assert kept == pytest.approx(np.mean(truths), rel=0.1)
    observed = np.mean([own.scores.var(ddof=1) for own in worlds])
    assert observed > 1.3 * kept


def test_nothing_is_left_of_what_is_only_luck_and_all_of_what_is_known():
    scores = np.array([0.1, 0.2, 0.4])
    assert kept_spread([Measured(scores, np.eye(3), 10)]) == 0.0
    assert kept_spread([Measured(scores, np.zeros((3, 3)), 10)]) == 1.0
    assert kept_spread([Measured(scores, np.ones((3, 3)), 10)]) == 1.0
    assert kept_spread([Measured(np.ones(3), np.eye(3), 10)]) == 0.0
    assert shrunk(scores, 0.5).mean() == pytest.approx(scores.mean())
    assert shrunk(scores, 0.5).std() == pytest.approx(0.5 * scores.std())


def test_the_covariance_of_a_mean_loss_is_that_of_its_losses():
    truth, files = RNG.standard_normal(400), RNG.standard_normal((3, 400))
    expected = np.cov((truth - files) ** 2)
    found = covariance_of(Part(MSE, truth, files), MSE.score(truth, files), rng=stream(1, "a"))
    # Of 2,000 samples a variance is known to 3 %.
    assert found == pytest.approx(expected, abs=0.15 * expected.max())


def test_groups_are_the_units():
    truth = np.repeat(RNG.standard_normal(100), 4)
    files = np.repeat(RNG.standard_normal((2, 100)), 4, axis=1)
    grouped = MSE.on(None, from_zero(np.arange(400) // 4))
    own = measured([Part(grouped, truth, files)], MSE, rng=stream(1, "a"))
    single = measured([Part(MSE, truth[::4], files[:, ::4])], MSE, rng=stream(1, "a"))
    assert own.rows == single.rows == 100
    assert own.covariance == pytest.approx(single.covariance)


def test_sets_that_are_scored_apart_count_by_their_rows():
    truth, files = RNG.standard_normal(90), RNG.standard_normal((2, 90))
    parts = [Part(MSE, truth[at], files[:, at]) for at in (slice(0, 30), slice(30, 90))]
    own = measured(parts, MSE, rng=stream(1, "a"))
    assert own.rows == 90
    assert own.scores == pytest.approx(MSE.score(truth, files))


def test_metrics_without_a_formula_take_some_of_many_rows():
    auroc, n = find("auroc"), 3_000
    truth = (RNG.random(n) < 0.5).astype(float)
    files = truth + RNG.standard_normal((2, n))
    rng = stream(1, "a")
    found = covariance_of(Part(auroc, truth, files), auroc.score(truth, files), rng=rng)
    scores = [
        auroc.score(y := (RNG.random(200) < 0.5).astype(float), y + RNG.standard_normal((2, 200)))
        for _ in range(1_000)
    ]
    assert found == pytest.approx(200 * np.cov(np.transpose(scores)), abs=0.04)


def test_a_function_of_the_users_own_is_called_less_often(monkeypatch):
    drawn = []
    drawing = teams_module.resampled_scores

    def counted(*args, draws, **kwargs):
        drawn.append(draws)
        return drawing(*args, draws=draws, **kwargs)

    monkeypatch.setattr(teams_module, "resampled_scores", counted)
    truth = RNG.standard_normal(40)
    for name, files in (("kendall", 30), ("sklearn.metrics.r2_score", 30), ("mse", 30)):
        part = Part(find(name), truth, truth + RNG.standard_normal((files, 40)))
        measured([part], find(name), rng=stream(1, name))
    # Two sets share the calls, but each has enough of them.
    part = Part(find("sklearn.metrics.r2_score"), truth, truth + RNG.standard_normal((40, 40)))
    measured([part, part], part.metric, rng=stream(1, "two"))
    assert drawn == [2_000, 200, 2_000, 100, 100]


def test_the_first_two_and_chosen_teams():
    teams = Teams(find("pearson"), np.array([0.4, 0.7, 0.6]), np.diag([1.0, 2.0, 3.0]))
    assert teams.first_two == pytest.approx((0.1, np.sqrt(5.0)))
    assert teams.only(np.array([0, 2])).first_two == pytest.approx((0.2, 2.0))


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_copies_differ_by_rounding_alone_in_any_unit(scale):
    almost = scale * np.array([[1.0, 1.0 - 1e-15], [1.0 - 1e-15, 1.0]])
    assert (Teams(MSE, np.zeros(2), almost).differences == 0.0).all()
    apart = scale * np.array([[1.0, 0.999], [0.999, 1.0]])
    assert Teams(MSE, np.zeros(2), apart).differences[0, 1] == pytest.approx(np.sqrt(0.002 * scale))


@pytest.mark.parametrize(
    ("metric", "truth", "files", "message"),
    [
        ("mse", [1.0, 2.0], [[1.0, 2.0], [3.0, 1.0]], "at least 3 independent ones .* got 2"),
        ("pearson", [1.0, 1.0, 1.0], [[1.0, 2.0, 0.0], [3.0, 1.0, 2.0]], "file 1: Pearson"),
    ],
)
def test_what_cannot_be_measured_is_named(metric, truth, files, message):
    part = Part(find(metric), np.array(truth), np.array(files))
    with pytest.raises(InputError, match=message):
        measured([part], part.metric, rng=stream(1, "a"))
