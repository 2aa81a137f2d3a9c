"""What public rows can resolve: standard errors against simulation, and the warning."""

import numpy as np
import pytest

from shakedown.dryrun.recommendation import recommend
from shakedown.dryrun.resolution import standard_error
from shakedown.dryrun.warnings import too_fine_to_tell
from shakedown.interface import Challenge
from shakedown.metrics import find
from tests.dryrun.asking import asked
from tests.figures import dryrun_frames

RESTS = {"threshold": -0.05, "share": 0.05, "spread": "variance", "unit": "squared units"}


def challenge(y, split=None):
    rows = len(y)
    return Challenge(
        name="mine",
        X=np.zeros((rows, 1)),
        y=np.asarray(y, float),
        rows=np.arange(rows).astype(str),
        features=np.array(["x"]),
        split=split,
    )


def normal(rows, sd=1.0, seed=3):
    return sd * np.random.default_rng(seed).normal(size=rows)


@pytest.mark.parametrize(("metric", "expected"), [
    ("mse", np.sqrt(2)), ("rmse", np.sqrt(2) / 2), ("mae", np.sqrt(1 - 2 / np.pi)), ("pearson", 1),
    ("spearman", 1), ("ccc", 1),
])  # fmt: skip
def test_of_a_gaussian_response(metric, expected):
    # A third of the rows is public.
    error = standard_error(challenge(normal(60_000)), find(metric))
    assert error * np.sqrt(20_000) == pytest.approx(expected, rel=0.03)
    scaled = standard_error(challenge(normal(60_000, sd=3.0)), find(metric))
    assert scaled == pytest.approx(error * 3.0 ** find(metric).degree)


@pytest.mark.parametrize("metric", ["mse", "rmse", "mae"])
def test_against_scores_of_many_samples(metric):
    rng, kind = np.random.default_rng(5), find(metric)
    y = rng.exponential(size=30_000)
    y = (y - y.mean()) / y.std()
    error = standard_error(challenge(y), kind) * np.sqrt(10_000 / 50)  # of 50 public rows
    samples = rng.choice(y, (20_000, 50))
    losses = abs(samples - np.median(y)) if metric == "mae" else samples**2
    scores = losses.mean(axis=1) ** (0.5 if metric == "rmse" else 1.0)
    assert error == pytest.approx(scores.std(), rel=0.15 if metric == "rmse" else 0.06)


def test_of_labels():
    y = np.arange(600) % 4 == 0
    error = standard_error(challenge(y), find("zero_one"))
    assert error == pytest.approx(np.sqrt(0.25 * 0.75 / 200), rel=0.01)


def test_public_rows_are_those_of_the_official_split():
    y = np.concatenate([normal(300), np.resize([-1.0, 1.0], 100), normal(300)])
    split = np.repeat(["train", "public", "final"], [300, 100, 300])
    # Its losses are all the same.
    assert standard_error(challenge(y, split), find("mse")) == pytest.approx(0, abs=1e-9)


def test_of_a_function_nothing_is_known():
    assert standard_error(challenge(normal(300)), find("sklearn.metrics.r2_score")) is None


def test_the_warning_says_what_follows():
    said = too_fine_to_tell(RESTS, 0.17, 69)
    assert said.startswith(
        "You tolerate 5 % of the variance, but a single score on 69 public rows has a standard "
        "error of 17 %. A leaderboard that tells such small differences apart is seldom safe for "
        "many submissions."
    )
    assert "If you tolerated more" in said
    unitless = RESTS | {"share": None, "spread": "", "unit": ""}
    assert too_fine_to_tell(unitless, 0.12, 69).startswith(
        "You tolerate an overfit of 0.05, but a single score on 69 public rows has a standard "
        "error of 0.12."
    )
    # In the metric's units shares stay the same.
    assert too_fine_to_tell(RESTS | {"threshold": -5.0}, 17.0, 69) == said


@pytest.mark.parametrize(("error", "warned"), [(0.1, False), (0.1001, True), (None, False)])
def test_only_below_half_the_standard_error(error, warned):
    assert bool(too_fine_to_tell(RESTS, error, 69)) == warned
    assert not too_fine_to_tell(RESTS, error, None)


def test_the_warning_follows_the_answer():
    curve = dryrun_frames.frontier()
    limits, use = dryrun_frames.limits(curve), dryrun_frames.utility()
    given = {"settings": asked(threat="modeller"), "threshold": -0.05, "unit": 1.0, "n_public": 69}
    coarse = recommend(limits, use, **given, standard_error=0.17)
    assert coarse["too_fine"].startswith("You tolerate 5 % of the variance, but a single score on")
    said = f"{coarse['headline']} {coarse['too_fine']} {coarse['exact']}"
    assert (coarse["meaning"], coarse["sentence"]) == ("", said)
    fine = recommend(limits, use, **given, standard_error=0.07)
    assert (fine["too_fine"], fine["sentence"]) == ("", f"{fine['headline']} {fine['exact']}")
    assert fine["headline"] == coarse["headline"]
