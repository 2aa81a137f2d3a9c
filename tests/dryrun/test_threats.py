"""Limits per threat: adversaries are measured against their own honest file."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

from shakedown.attacks.attack import ANYBODY
from shakedown.dryrun.frontier import frontier
from shakedown.dryrun.limits import safe_submissions
from shakedown.dryrun.luck import BLIND, beyond_chance
from shakedown.simulation import outcomes
from shakedown.simulation.replicate import Experiment, play
from tests.dryrun.test_limits import table
from tests.dryrun.test_plan import challenge

BOARDS = [
    {"name": "full_disclosure"},
    {"name": "digest", "eta": 0.1, "floor": 0.5, "every": 20, "updates": 2},
]


def learnable(n=150, p=6):
    """A challenge with a response that a model predicts well."""
    toy = challenge(n, p)
    toy.y[:] = toy.X @ np.ones(p) + 0.5 * toy.y
    return toy


@cache
def played(honest, metric="mse"):
    attack = {"name": "reserve", "submissions": 60, "points": [1, 20], "honest": honest}
    entry = {"metric": metric, "mechanisms": BOARDS, "attack": attack, "model": "ols"}
    name = "reserve_holder" if honest else "reserve"
    return play(Experiment(name, entry, learnable(), "splits", seed=3), range(8))


@pytest.mark.parametrize("metric", ["mse", "rmse"])
def test_without_a_model_the_honest_file_is_the_mean(metric):
    frame = played(0, metric)
    mean = (50 - 1) / 50  # the public response has variance 1 with ddof = 1
    assert np.allclose(frame.score_honest, mean if metric == "mse" else mean**0.5)
    first = frame[frame.point == 1]
    assert np.allclose(first.score_public, first.score_honest)


def test_the_honest_file_of_a_holder_is_its_model():
    frame = played(4)
    first = frame[frame.point == 1]
    assert (first.score_honest < 0.7).all()
    assert np.allclose(first.score_public, first.score_honest)
    assert frame.groupby("replicate").score_honest.nunique().eq(1).all()


def test_chance_between_the_sets_is_no_gain_of_an_adversary():
    frame = played(4)
    gain = beyond_chance(frame).delta
    first = (frame.point == 1).to_numpy(bool)
    assert np.allclose(gain[first], 0)
    assert not np.allclose(frame.delta[first], 0, atol=0.01)
    shown = (frame.setting == "full_disclosure").to_numpy(bool)
    last = (frame.point == frame.point.max()).to_numpy(bool)
    assert np.allclose(gain, frame.score_public - frame.score_honest)
    assert (gain[shown & last] < -0.02).all()


def test_a_modellers_luck_is_that_of_the_same_attack_without_any_score():
    rng = np.random.default_rng(0)
    luck, gain = rng.normal(0, 0.3, (2, 8)), np.array([[-0.1], [-0.2]])
    told, untold = table([10, 20], luck + gain), table([10, 20], luck)
    whole = pd.concat([told, untold.assign(setting=BLIND)], ignore_index=True)
    whole = outcomes.typed(whole).sample(frac=1, random_state=1)
    found = beyond_chance(whole)
    assert set(found.setting) == {"ladder(alpha=0.15)"}
    assert np.allclose(found.delta, np.where(found.point == 1, -0.1, -0.2))
    assert beyond_chance(told).delta.equals(told.delta.astype(float))


@pytest.mark.parametrize("setting", [BLIND, "digest(eta=0.1,floor=0.5,every=500,updates=2)"])
def test_a_board_that_has_told_nothing_causes_no_overfit(setting):
    """Of the modeller, whose Δ varies by chance, on a board before its first update."""
    board = {"name": "digest", "eta": 0.1, "floor": 0.5, "every": 500, "updates": 2}
    attack = {"name": "freedman", "largest_model": 5, "budgets": [{"features": 6}]}
    entry = {"metric": "mse", "attack": attack, "model": "ols"}
    boards = [board, {"name": "constant_board"}]
    one = Experiment("freedman", entry | {"mechanisms": boards}, learnable(), "permuted", seed=1)
    frame = play(one, range(5))
    assert frame[frame.setting == setting].delta.std() > 0.01
    assert (beyond_chance(frame).delta == 0).all()


def together():
    modeller = table([1, 20, 60], np.array([[-0.01], [-0.02], [-0.03]]) * np.ones(16))
    modeller = modeller.assign(setting="full_disclosure", dataset="toy")
    frames = [modeller, played(0), played(4)]
    texts = {c: object for c, kind in outcomes.COLUMNS.items() if kind == "category"}
    whole = pd.concat([frame.astype(texts) for frame in frames], ignore_index=True)
    return outcomes.typed(whole.assign(design="splits"))


def test_each_threat_has_a_curve_and_anybody_has_them_all():
    curve = frontier(together(), quantile=0.5)
    mine = curve[curve.setting == "full_disclosure"]
    assert set(mine.threat) == {
        "modeller", "freedman", "null_adversary", "reserve", "holder", "reserve_holder", ANYBODY,
    }  # fmt: skip
    ends = mine.groupby("threat").delta.min()
    assert ends[ANYBODY] == min(ends["modeller"], ends["null_adversary"], ends["holder"])
    assert ends["null_adversary"] == ends["reserve"] < ends["modeller"]
    assert ends["holder"] == ends["reserve_holder"]
    # Threats may have been played in different replicates.
    assert set(mine[mine.threat == "modeller"].replicates) == {16}
    assert set(mine[mine.threat == ANYBODY].replicates) == {8}


def test_limits_are_per_threat():
    limits = safe_submissions(frontier(together(), quantile=0.5), [-0.05])
    safe = limits.set_index(["setting", "threat"]).safe_submissions
    assert safe["full_disclosure", "modeller"] == 60
    assert safe["full_disclosure", "null_adversary"] < 60
    assert safe["full_disclosure", ANYBODY] == min(
        safe["full_disclosure", threat] for threat in ("modeller", "null_adversary", "holder")
    )
