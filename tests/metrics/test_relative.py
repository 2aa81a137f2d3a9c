"""R², relative errors and the cosine against scikit-learn, SciPy and numbers by hand."""

import numpy as np
import pytest
import sklearn.metrics
from scipy.spatial import distance

from shakedown.dryrun.thresholds import THRESHOLD, THRESHOLD_OF_ROOTS, usual
from shakedown.interface import InputError
from shakedown.leaderboard.board import Board
from shakedown.leaderboard.mechanism import mechanisms
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find, is_known
from shakedown.seeding import stream
from tests.kinds import SINGLE, fitting

RELATIVE = ["r2", "nrmse", "rae"]
FUNCTIONS = [name for name in SINGLE if find(name).function is not None]
#: Of a file that tells nothing.
NOTHING = {"r2": 0.0, "nrmse": 1.0, "rae": 1.0, "cosine": 0.0, "kendall": 0.0}


def smape(y, p, w):
    sizes = [(abs(a - b), abs(a) + abs(b)) for a, b in zip(y, p, strict=True)]
    terms = [2 * error / size if size else 0.0 for error, size in sizes]
    return np.average(terms, weights=w)


OUTSIDE = {
    "r2": lambda y, p, w: sklearn.metrics.r2_score(y, p, sample_weight=w),
    "nrmse": lambda y, p, w: (
        sklearn.metrics.root_mean_squared_error(y, p, sample_weight=w)
        / np.sqrt(np.cov(y, aweights=w, ddof=0))
    ),
    "rae": lambda y, p, w: (
        sklearn.metrics.mean_absolute_error(y, p, sample_weight=w)
        / sklearn.metrics.mean_absolute_error(
            y, np.full(len(y), np.average(y, weights=w)), sample_weight=w
        )
    ),
    "smape": smape,
    "cosine": lambda y, p, w: 1.0 - distance.cosine(y, p, w=w),
}


def pair(seed, n=40):
    y, noise = np.random.default_rng(seed).standard_normal((2, n))
    return y.round(1), (y + noise).round(1)


@pytest.mark.parametrize("shift", [0.0, 3.0])
@pytest.mark.parametrize("name", OUTSIDE)
def test_scores_are_those_of_others(name, shift):
    for seed in range(5):
        y, p = (values + shift for values in pair(seed))
        p[:3] = y[:3] = 0.0  # where an error relative to both is 0
        counts = np.random.default_rng(seed).integers(0, 4, 40).astype(float)
        for w in (None, counts, np.random.default_rng(seed).standard_exponential(40)):
            score = find(name).function(y, p, sample_weight=w)
            assert isinstance(score, float)
            assert score == pytest.approx(OUTSIDE[name](y, p, w), rel=1e-12)


def test_by_hand():
    y, p = np.array([1.0, 2.0, 3.0, 6.0]), np.array([1.0, 3.0, 3.0, 2.0])
    # Errors 0, 1, 0, 4; the mean is 3, and deviations from it are -2, -1, 0, 3.
    assert find("r2").function(y, p) == pytest.approx(1 - 17 / 14)
    assert find("nrmse").function(y, p) == pytest.approx(np.sqrt(17 / 14))
    assert find("rae").function(y, p) == pytest.approx(5 / 6)
    assert find("smape").function(y, p) == pytest.approx((2 / 5 + 8 / 8) / 4)
    assert find("cosine").function(y, p) == pytest.approx((1 + 6 + 9 + 12) / np.sqrt(50 * 23))


@pytest.mark.parametrize("name", RELATIVE)
def test_the_mean_scores_nothing_and_a_perfect_file_all(name):
    y, p = pair(1)
    metric = find(name)
    at, _ = metric.yardstick
    assert at == NOTHING[name] == pytest.approx(metric.function(y, np.full(40, y.mean())))
    assert metric.function(y, y) == (1.0 if metric.larger_is_better else 0.0)
    moved = metric.function(7.0 * y + 50.0, 7.0 * p + 50.0)
    assert moved == pytest.approx(metric.function(y, p), rel=1e-9)


def test_nrmse_is_the_root_of_what_r2_leaves():
    y, p = pair(2)
    assert find("nrmse").function(y, p) ** 2 == pytest.approx(1 - find("r2").function(y, p))


def test_smape_is_between_0_and_2_and_depends_on_the_origin():
    metric, (y, p) = find("smape"), pair(3)
    assert metric.function(y, y) == metric.function(np.zeros(4), np.zeros(4)) == 0.0
    assert metric.function(abs(y) + 1.0, np.zeros(40)) == 2.0
    assert metric.function(abs(y) + 1.0, -1e300 * np.ones(40)) == 2.0
    assert metric.function(y + 10.0, p + 10.0) < 0.1 < metric.function(y, p)


def test_so_does_the_cosine_and_without_a_mean_it_is_pearson_s():
    y, p = pair(4)
    y, p = y - y.mean(), p - p.mean()
    pearson = find("pearson").score(y, p[None])[0]
    assert find("cosine").function(y, p) == pytest.approx(pearson)
    assert find("cosine").function(y + 5.0, p + 5.0) > pearson + 0.1
    assert find("cosine").function(1e45 * y, 1e45 * p) == pytest.approx(pearson)
    for tiny in (0.0, 1e-60, 1e-200):  # as under a correlation
        assert np.isnan(find("cosine").function(y, tiny * p))


@pytest.mark.parametrize("name", NOTHING)
@pytest.mark.parametrize("value", [0.0, 0.1, -1e6 / 3])
def test_a_constant_sample_counts_as_nothing_and_a_constant_response_has_no_score(name, value):
    y, p = pair(5)
    counts = np.zeros(40)
    counts[:3] = [2.0, 1.0, 5.0]
    y[:3] = value  # the sample has these rows only
    if name == "cosine":
        y[:3] = p[:3] = 0.0
    assert find(name).function(y, p, sample_weight=counts) == NOTHING[name]
    assert np.isnan(find(name).function(y[:3], p[:3]))
    assert np.isfinite(find(name).function(y, p, sample_weight=counts + 0.5))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_file_without_a_score_is_0_on_a_running_board_if_larger_is_better(name):
    metric = find(name)
    y, zeros = fitting(metric, pair(6)[0], np.zeros((1, 40)))
    risk = Scorer(metric, y, undefined_is_zero=True).judge(zeros).risks[0]
    if name in ("kendall", "cosine"):
        assert risk == 0.0
        with pytest.raises(InputError, match=f"has no {name}: its predictions are constant"):
            Scorer(metric, y).judge(zeros)
    else:
        assert (
            risk == Scorer(metric, y).judge(zeros).risks[0] == metric.sign * metric.score(y, zeros)
        )


@pytest.mark.parametrize("name", FUNCTIONS)
def test_boards_with_bootstrap_samples_show_numbers(name):
    y, p = fitting(find(name), *pair(7))
    best = fitting(find(name), *(pair(7)[0],) * 2)[1]
    entries = [
        {"name": "bayesboot_ladderboot", "posterior_odds": 2.0, "b": 3, "draws": 20},
        {"name": "bayesboot_ladder", "posterior_odds": 2.0, "draws": 20},
        {"name": "general_ladder", "eta": 0.01, "defences": [{"name": "baseline"}]},
    ]
    for mechanism in mechanisms(entries):
        scorer = Scorer(find(name), y, undefined_is_zero=True)
        board = Board(scorer, mechanism, lambda *axes: stream(1, *axes))
        receipt = board.submit(np.stack([0.1 * p, p, best]))
        assert np.isfinite(receipt.released).all()
        assert receipt.accepted[2]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_their_functions_may_be_called_and_have_no_unit(name):
    metric = find(name)
    assert is_known(metric)
    assert (metric.degree, metric.unit, metric.spread) == (0.0, "", "")


def test_what_a_dry_run_tolerates_is_as_much_as_5_percent_of_the_variance():
    left = 1.0 + THRESHOLD  # the mean squared error, on standardised data
    assert usual(find("r2")) == usual(find("mse")) == THRESHOLD
    for name in ("nrmse", "rae"):
        assert usual(find(name)) == THRESHOLD_OF_ROOTS == pytest.approx(np.sqrt(left) - 1, abs=1e-3)
    tau = 2 / np.pi * np.arcsin(usual(find("pearson")))  # of normal numbers
    assert usual(find("kendall")) == pytest.approx(tau, abs=2e-3)
    assert usual(find("smape")) == usual(find("cosine")) == THRESHOLD
