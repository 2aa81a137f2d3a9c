"""Boards with noise of a known distribution, and noise that sticks.

Each test of a distribution fails by chance once in 10,000 seeds.
"""

from functools import partial

import numpy as np
import pytest
from scipy import stats

from shakedown.leaderboard.board import Board
from shakedown.leaderboard.mechanism import mechanisms, of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream
from shakedown.simulation.session import Session
from tests.leaderboard.test_defences import EVERY
from tests.leaderboard.test_digest import start
from tests.leaderboard.test_gates import game
from tests.reference import mechanisms as literal

ERROR = 1e-4
RNG = partial(stream, 7)
METRICS = ["mse", "rmse", "mae", "zero_one", "pearson", "spearman", "ccc"]
LAPLACE = [
    ("shaky_ladder", {"eta": 0.05, "scale": 0.02}, literal.ShakyLadder),
    ("thresholdout", {"threshold": 0.1, "sigma": 0.02, "budget": 4}, literal.Thresholdout),
]


def board(y, setting, metric="mse", rng=RNG, number=1):
    return Board(Scorer(find(metric), y), of_setting(setting), rng, number)


def response(n=60):
    y = np.random.default_rng(1).standard_normal(n)
    return (y - y.mean()) / y.std(ddof=1)


def shares(y, *errors):
    """Files with these mean squared errors."""
    return y * (1.0 - np.sqrt(np.array(errors) / np.mean(y**2)))[:, None]


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(("name", "settings", "twin"), LAPLACE)
@pytest.mark.parametrize("seed", range(3))
def test_same_decisions_and_same_scores_with_the_same_noise(metric, name, settings, twin, seed):
    predictions, y = game(seed, metric)
    (mechanism,) = mechanisms([{"name": name, **settings}])
    ours = Board(Scorer(find(metric), y), mechanism, RNG)
    more = {"start": start(metric, y)} if name == "thresholdout" else {}
    theirs = twin(
        y, metric, **settings, **more,
        rng=RNG("gate", mechanism.gate_id, 1), shown_rng=RNG("release", mechanism.setting, 1),
    )  # fmt: skip
    parts = [ours.submit(part) for part in np.split(predictions, [1, 2, 10])]
    for prediction in predictions:
        theirs.submit(prediction)
    assert np.concatenate([p.accepted for p in parts]).tolist() == theirs.accepted
    shown = np.concatenate([p.released for p in parts])
    np.testing.assert_allclose(shown, theirs.released, rtol=0, atol=1e-12)
    assert 1 < sum(theirs.accepted) < len(predictions)


@pytest.mark.parametrize("metric", METRICS)
def test_gaussian_noise_is_that_of_its_literal_twin(metric):
    predictions, y = game(1, metric)
    mechanism = of_setting("gaussian_noise(sd=0.3)")
    ours = Board(Scorer(find(metric), y), mechanism, RNG)
    theirs = literal.GaussianNoise(y, metric, 0.3, rng=RNG("release", mechanism.setting, 1))
    sign = find(metric).sign  # the noise is on the risk
    truth = np.array([theirs.metric.score(y, p) for p in predictions])
    expected = [theirs.submit(p) for p in predictions]
    shown, accepted = ours.submit(predictions)
    np.testing.assert_allclose(sign * (shown - truth), expected - truth, atol=1e-12)
    assert accepted.all()


def test_gaussian_noise_is_normal_and_fresh():
    y = response()
    ours = board(y, "gaussian_noise(sd=0.3)")
    noise = ours.submit(np.repeat(shares(y, 0.5), 4000, axis=0)).released - 0.5
    assert stats.kstest(noise, stats.norm(0, 0.3).cdf).pvalue > ERROR
    assert stats.pearsonr(noise[1:], noise[:-1]).pvalue > ERROR


def margin_passed(gain, margin, threshold, comparison):
    """P(gain > margin + a + b) of Laplace numbers a and b of these scales."""
    grid = np.linspace(-60 * threshold, 60 * threshold, 200_001)
    weights = stats.laplace(scale=threshold).pdf(grid)
    passed = stats.laplace(scale=comparison).cdf(gain - margin - grid)
    return float((weights * passed).sum() * (grid[1] - grid[0]))


@pytest.mark.parametrize(
    ("setting", "margin", "threshold", "comparison"),
    [
        ("shaky_ladder(eta=0.05,scale=0.02)+baseline", 0.05, 0.02, 0.02),
        ("thresholdout(budget=1)", 0.1, 0.04, 0.08),
    ],
)
@pytest.mark.parametrize("gain", [0.02, 0.1, 0.2])
def test_a_noisy_margin_is_passed_as_often_as_computed(
    setting, margin, threshold, comparison, gain
):
    y = response()
    file, scorer, mechanism = (
        shares(y, np.mean(y**2) - gain),
        Scorer(find("mse"), y),
        of_setting(setting),
    )
    boards = [Board(scorer, mechanism, RNG, number) for number in range(1, 1501)]
    passed = sum(int(b.submit(file).accepted[0]) for b in boards)
    chance = margin_passed(gain, margin, threshold, comparison)
    assert stats.binomtest(passed, len(boards), chance).pvalue > ERROR
    each = board(y, setting).submit_each(np.repeat(file, 1500, axis=0))
    assert stats.binomtest(int(each.accepted.sum()), 1500, chance).pvalue > ERROR


@pytest.mark.parametrize(
    ("setting", "scale"),
    [("shaky_ladder(eta=0.05,scale=0.02)", 0.02), ("thresholdout(budget=1)", 0.02)],
)
def test_the_noise_of_a_shown_score_is_laplaces_and_drawn_once(setting, scale):
    y = response()
    shown = []
    for number in range(1, 801):
        ours = board(y, setting, number=number)
        released, accepted = ours.submit(shares(y, 0.1, 0.1, 0.1, 0.1))
        assert accepted[0]
        shown.append(released[0] - 0.1)
        np.testing.assert_array_equal(np.diff(released) != 0, accepted[1:])
    assert stats.kstest(shown, stats.laplace(scale=scale).cdf).pvalue > ERROR


def test_thresholdout_answers_no_more_than_its_budget():
    y = response()
    ours = board(y, "thresholdout(budget=3)")
    begin = ours.shown
    assert begin == pytest.approx(59 / 60)
    shown, accepted = ours.submit(shares(y, 0.5, 2.0, 0.2, 5.0, 0.01))
    assert accepted.tolist() == [True, True, True, False, False]
    assert shown[3] == shown[4] == shown[2] < shown[0] < begin < shown[1]


@pytest.mark.parametrize("entry", EVERY, ids=lambda entry: entry["name"])
def test_sticky_noise_tells_which_file_is_accepted(entry):
    """From the shown numbers alone; without it nothing follows from them on a noisy board."""
    predictions, y = game(4, "mse", m=60, n=40)
    (plain,) = mechanisms([entry])
    (sticky,) = mechanisms([{**entry, "defences": [{"name": "sticky"}]}])
    scorer = Scorer(find("mse"), y)
    ours = Board(scorer, sticky, RNG)
    batches = np.split(predictions, [1, 30])
    parts = [ours.submit(part) for part in batches]
    shown = np.concatenate([p.released for p in parts])
    accepted = np.concatenate([p.accepted for p in parts])
    other = Board(scorer, plain, RNG)
    without = np.concatenate([other.submit(part).released for part in batches])
    client = Session(scorer, sticky, RNG).open()
    if sticky.is_noisy:
        assert client.terms.tells_replacement
        np.testing.assert_array_equal(shown[1:] != shown[:-1], accepted[1:])
        assert sticky.replaces_always or not accepted.all()
        if not plain.terms(find("mse"), 30).tells_replacement:
            assert (without[1:] != without[:-1]).all()
    else:
        np.testing.assert_array_equal(shown, without)
        assert not client.terms.tells_replacement


def test_sticky_noise_keeps_the_score_that_a_board_begins_with():
    y = response()
    ours = board(y, "ladderboot(alpha=0.15,b=10)+baseline+sticky")
    begin = ours.shown
    assert begin != pytest.approx(59 / 60, abs=1e-6)
    assert ours.submit(shares(y, 2.0, 3.0)).released.tolist() == [begin, begin]
    assert ours.preview(ours.scorer.judge(shares(y, 2.0, 3.0))).tolist() == [begin, begin]
