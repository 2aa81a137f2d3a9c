"""The means of labels and classes on metered boards: they gain what is proved, and no more."""

from math import sqrt

import numpy as np
import pytest

from shakedown.attacks.attack import ATTACKS
from shakedown.interface import Challenge
from shakedown.leaderboard.mechanism import of_setting
from shakedown.metrics import find
from shakedown.simulation.replicate import Experiment, play

GAINS = {"zero_one": 0.05, "brier": 0.05, "log_loss": 0.025, "auroc": 0.05}


def gains(metric, rows, files, plays, *, share=0.5, accounts=1, honest=0, board=None):
    """By how much the last file is better than the honest one, for each play."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((3 * rows, 4))
    z = X.sum(axis=1) + 2.0 * rng.standard_normal(3 * rows)
    y = (z > np.quantile(z, 1.0 - share)).astype(float)
    data = Challenge("toy", X, y, np.arange(3 * rows).astype(str), np.array(list("abcd")))
    is_label = metric == "zero_one"
    made = files * accounts
    attack = {
        "name": "label_mean" if is_label else "class_mean", "submissions": made, "points": [made],
        "accounts": accounts, "held" if is_label else "honest": honest,
    }  # fmt: skip
    board = board or {"name": "metered", "gain": GAINS[metric], "files": files}
    settings = {"metric": metric, "attack": attack, "mechanisms": [board]}
    design = "labels" if is_label else "splits" if honest else "permuted"
    table = play(Experiment("e", settings, data, design, seed=1), range(plays))
    before = table["score_honest"].astype(float).fillna(0.5)
    return find(metric).sign * (before - table["score_public"].astype(float)).to_numpy()


@pytest.mark.parametrize("metric", GAINS)
def test_without_a_model_nearly_all_is_gained_that_is_proved(metric):
    found = gains(metric, 60, 40, 60)
    error = found.std(ddof=1) / sqrt(len(found))
    assert found.mean() < GAINS[metric] + 4.0 * error
    if metric != "auroc":  # whose pairs are charged as if all rows of one were unlike the other's
        assert found.mean() > 0.6 * GAINS[metric] - 4.0 * error
    assert found.mean() > 2.0 * error


@pytest.mark.parametrize("metric", ["brier", "log_loss", "auroc"])
@pytest.mark.parametrize("share", [0.5, 0.2])
def test_on_top_of_a_model_no_more_is_gained(metric, share):
    found = gains(metric, 60, 20, 40, share=share, honest=4)
    assert found.mean() < GAINS[metric] + 4.0 * found.std(ddof=1) / sqrt(len(found))


def test_accounts_with_boards_of_their_own_gain_more():
    found = [gains("brier", 60, 20, 40, accounts=accounts) for accounts in (1, 4)]
    error = found[1].std(ddof=1) / sqrt(40)
    assert found[1].mean() > found[0].mean() + 2.0 * error
    assert found[1].mean() < 4.0 * GAINS["brier"] + 4.0 * error
    shared = {"name": "metered", "gain": 0.05, "files": 20, "defences": [{"name": "one_board"}]}
    together = gains("brier", 60, 20, 40, accounts=4, board=shared)
    assert together.mean() < 0.05 + 4.0 * together.std(ddof=1) / sqrt(40)


def test_on_other_boards_they_learn_nothing():
    for metric in ("zero_one", "auroc"):
        full = gains(metric, 30, 5, 4, board={"name": "full_disclosure"})
        assert (full == 0.0).all()
    meter = of_setting("metered(gain=0.1,files=5)")
    assert ATTACKS.find("label_mean").learns_from(meter.terms(find("zero_one"), 60))
    assert ATTACKS.find("class_mean").learns_from(meter.terms(find("auroc"), 60))
    assert not ATTACKS.find("class_mean").learns_from(meter.terms(find("mse"), 60))
    assert not ATTACKS.find("posterior_mean").learns_from(meter.terms(find("brier"), 60))
