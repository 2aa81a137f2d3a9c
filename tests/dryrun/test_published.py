"""A leaderboard that does not show what it publishes is not attacked."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from shakedown.attacks.attack import ATTACKS
from shakedown.attacks.estimating import files_of
from shakedown.dryrun.estimates import _Best, _shows_noise, _verdict, holds
from shakedown.dryrun.published import _goes_with, follows, shows_it
from shakedown.dryrun.unattacked import NOT_ATTACKED, is_idle
from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.report.dryrun import _why as why
from shakedown.simulation.outcomes import typed
from shakedown.terms import Acceptance
from tests.attacks.test_published import DEFENDED, ENTRIES

OWN = Path(__file__).parents[1] / "own"
METRICS = (
    *((name, False) for name in ("mse", "rmse", "mae", "pearson", "spearman", "ccc")),
    ("zero_one", True),
)
UNTRUE = [f"quiet.{name}(eta=0.001)" for name in ("Forgetful", "Overcast", "Percentage")]


@pytest.fixture(autouse=True)
def own(monkeypatch):
    monkeypatch.syspath_prepend(str(OWN))


@pytest.mark.parametrize("n", [9, 60])
@pytest.mark.parametrize("setting", [*ENTRIES, *DEFENDED])
def test_ours_show_what_they_publish(setting, n):
    for metric, on_labels in METRICS:
        try:
            assert shows_it(setting, metric, n, on_labels=on_labels), metric
        except InputError:  # of a board that cannot be used with the metric
            assert not find(metric).has_losses or "value_range" in setting


@pytest.mark.parametrize("setting", UNTRUE)
def test_other_numbers_than_published_are_seen(setting):
    """Without noise, for every metric: its terms are complete, and attacks learn nothing."""
    for metric, on_labels in METRICS:
        assert not of_setting(setting).terms(find(metric), 60).silent
        assert not shows_it(setting, metric, 60, on_labels=on_labels), metric


def test_attacks_that_believe_it_do_not_count():
    attacks = ("reserve", "linear_probe", "freedman")
    rows = [("e", attack, setting) for setting in (UNTRUE[0], "kaggle") for attack in attacks]
    table = pd.DataFrame(rows, columns=["experiment", "attack", "setting"])
    idle = is_idle(typed(table.assign(dataset="d", metric="mse", replicate=0)), 60)
    assert idle.tolist() == [True, True, False, False, False, False]


def test_an_estimate_has_to_hold_later_too():
    """Before, the files compared were those that come just after the estimate."""
    tired = "quiet.Tired(eta=0.02)"
    assert not ATTACKS.find("reserve").cannot_play(of_setting(tired).terms(find("mse"), 60))
    assert files_of(of_setting(tired).terms(find("mse"), 60)) == 25
    assert holds("quiet.Silent(eta=0.02)", "mse", 60)
    assert not holds(tired, "mse", 60)


def test_a_constant_goes_with_no_score_and_a_score_with_itself():
    scores = np.arange(9.0)
    assert not _goes_with(np.ones(9), scores)
    assert _goes_with(-scores, scores)


def test_a_file_is_accepted_or_not_only_where_an_estimate_is_clear_about_it():
    """A gate that demands .1 and two standard errors of .05, known to three tenths."""
    before = np.full(100, 1.0)
    spread = np.resize([-1.0, 1.0], 100)
    spread *= 0.05 * 10.0 / spread.std(ddof=1)
    best = _Best(before, 1.0)
    for gain, wanted in ((0.22, None), (0.24, True), (0.16, False), (0.18, None), (0.05, False)):
        losses = before - gain + spread
        assert _verdict(Acceptance(0.1, 2.0), best, losses, False, 0.0) is wanted


@pytest.mark.parametrize("setting", ["gaussian_noise(sd=0.1)", "ladderboot(alpha=0.15,b=100)"])
@pytest.mark.parametrize(("times", "right"), [(1.0, True), (0.1, False), (10.0, False)])
def test_noise_is_as_estimated_to_a_factor_of_ten_in_its_variance(setting, times, right):
    rng = np.random.default_rng(1)
    y = rng.standard_normal(60)
    terms = of_setting(setting).terms(find("mse"), 60)
    sd = terms.noise_sd or np.sqrt((y**2).var() / (60 * 100))
    scorer = Scorer(find("mse"), y)
    assert _shows_noise(terms, scorer, lambda file: times * rng.normal(0.0, sd)) == right


def test_the_page_says_whose_words_are_not_true():
    option = {"setting": UNTRUE[0], "label": "Forgetful", "status": NOT_ATTACKED, "estimating": 0,
              "unplayed": "reserve, staircase"}  # fmt: skip
    said = why(option, "mse")
    assert (
        "Forgetful is not attacked: on a simulated response it shows other numbers"
        in said.replace("\N{NO-BREAK SPACE}", " ")
    )
    assert "Correct the method `terms` of its release" in said
    silent = why(option | {"setting": "quiet.Hazy(eta=0.02)"}, "mse")
    assert "publish no terms" in silent


@pytest.mark.parametrize("setting", [*ENTRIES, *DEFENDED])
def test_ours_show_a_better_file_as_better(setting):
    for metric, _ in METRICS:
        try:
            assert follows(setting, metric, 30), metric
        except InputError:
            assert not find(metric).has_losses or "value_range" in setting


@pytest.mark.parametrize("name", ["Slow", "Inverse"])
def test_modellers_learn_nothing_where_a_better_file_is_not_shown_as_better(name):
    """Before, their limit was the largest number, where that of full disclosure is 1."""
    setting = f"quiet.{name}(eta=0.001)"
    assert not any(follows(setting, metric, 60) for metric, _ in METRICS)
    # Other units do not hide it.
    assert follows("quiet.Percentage(eta=0.001)", "mse", 60)
    rows = [("e", attack, setting) for attack in ("freedman", "step_forward", "reserve")]
    table = pd.DataFrame(rows, columns=["experiment", "attack", "setting"])
    assert is_idle(typed(table.assign(dataset="d", metric="mse", replicate=0)), 60).all()
    option = {"setting": setting, "label": name, "status": NOT_ATTACKED, "estimating": 0,
              "unplayed": "freedman"}  # fmt: skip
    assert "does not show a better file as better" in why(option, "mse")
