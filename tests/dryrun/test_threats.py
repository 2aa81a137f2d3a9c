"""Limits per threat: adversaries are measured against their own honest file."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

from shakedown.attacks.attack import ANYBODY
from shakedown.dryrun.candidates import prepared
from shakedown.dryrun.chance import BLIND, beyond_chance
from shakedown.dryrun.frontier import frontier
from shakedown.dryrun.limits import safe_submissions
from shakedown.simulation import outcomes
from shakedown.simulation.replicate import Experiment, play
from tests.dryrun.test_limits import table
from tests.dryrun.test_plan import challenge, plan, settings

ENTRIES = [
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
    entry = {"metric": metric, "mechanisms": ENTRIES, "attack": attack, "model": "ols"}
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
    gain = beyond_chance(frame, 0.5).delta
    first = (frame.point == 1).to_numpy(bool)
    assert np.allclose(gain[first], 0)
    assert not np.allclose(frame.delta[first], 0, atol=0.01)
    shown = (frame.setting == "full_disclosure").to_numpy(bool)
    last = (frame.point == frame.point.max()).to_numpy(bool)
    assert np.allclose(gain, frame.score_public - frame.score_honest)
    assert (gain[shown & last] < -0.02).all()


def test_a_modellers_luck_is_that_of_the_same_attack_without_any_score():
    rng = np.random.default_rng(0)
    chance = rng.normal(0, [[0.3], [0.6]], (2, 40))
    informed = table([10, 20], rng.permuted(chance, axis=1) + [[-0.1], [-0.2]])
    blind = table([10, 20], chance).assign(setting=BLIND)
    whole = outcomes.typed(pd.concat([informed, blind], ignore_index=True))
    beyond = beyond_chance(whole.sample(frac=1, random_state=1), 0.25)
    assert set(beyond.setting) == {"ladder(alpha=0.15)"}
    assert np.allclose(beyond.groupby("point").delta.quantile(0.25), [-0.1, -0.2])
    assert beyond_chance(informed, 0.25).delta.equals(informed.delta.astype(float))
    _, _, (parts,) = prepared(whole, 0.25)
    np.testing.assert_array_equal(parts["freedman"].blind, chance)  # what is resampled with it


def test_the_interval_is_as_wide_as_the_scores_have_changed_the_choices():
    """Over 2,000 studies: the standard error of the difference of two quantiles."""
    rng = np.random.default_rng(3)
    shared = rng.normal(size=(2000, 80))
    for rho, times in ((0.0, 2**0.5), (0.8, None)):
        other = rho * shared + (1 - rho**2) ** 0.5 * rng.normal(size=shared.shape)
        first, second = (np.quantile(x, 0.25, axis=1) for x in (shared, other))
        error = (first - second).std() / first.std()
        informed = table([10], other[:1])
        blind = table([10], shared[:1]).assign(setting=BLIND)
        widenings = []
        for k in range(60):
            whole = [informed.assign(delta=other[k]), blind.assign(delta=shared[k])]
            both = outcomes.typed(pd.concat(whole, ignore_index=True))
            widenings.append(beyond_chance(both, 0.25).widening.iloc[0])
        assert np.mean(widenings) == pytest.approx(error, rel=0.1)
        assert times is None or error == pytest.approx(times, rel=0.1)
    same = [informed.assign(delta=shared[0]), blind.assign(delta=shared[0])]
    same = outcomes.typed(pd.concat(same, ignore_index=True))
    assert (beyond_chance(same, 0.25).widening == 0).all()
    assert (beyond_chance(informed, 0.25).widening == 1).all()


def test_the_correlation_of_five_replicates_by_hand():
    """At a quarter, two of five are at most the quantile: one of them in both tables."""
    informed = table([10], [[1.0, 2.0, 3.0, 4.0, 5.0]])
    blind = table([10], [[1.0, 3.0, 2.0, 4.0, 5.0]]).assign(setting=BLIND)
    whole = outcomes.typed(pd.concat([informed, blind], ignore_index=True))
    correlation = (1 / 5 - (2 / 5) ** 2) / (2 / 5 * 3 / 5)
    assert np.allclose(beyond_chance(whole, 0.25).widening, (2 - 2 * correlation) ** 0.5)


def test_good_luck_is_taken_off_and_bad_luck_is_not_added():
    informed = table([10], np.full((1, 8), -0.3))
    blind = table([10], np.full((1, 8), 0.2)).assign(setting=BLIND)
    whole = outcomes.typed(pd.concat([informed, blind], ignore_index=True))
    assert (beyond_chance(whole, 0.5).delta == -0.3).all()


def test_a_board_that_has_told_nothing_causes_no_overfit():
    """Of the modeller, whose Δ varies by chance, on a board before its first update."""
    board = {"name": "digest", "eta": 0.1, "floor": 0.5, "every": 500, "updates": 2}
    attack = {"name": "freedman", "largest_model": 5, "budgets": [{"features": 6}]}
    boards = [board, {"name": "constant_board"}, {"name": "full_disclosure"}]
    entry = {"metric": "mse", "attack": attack, "model": "ols", "mechanisms": boards}
    frame = play(
        Experiment("freedman", entry, learnable(), "permuted", seed=1), range(24), previews=False
    )
    lucky = frame.groupby(["setting", "point"], observed=True).delta.quantile(0.25)
    assert lucky["digest(eta=0.1,floor=0.5,every=500,updates=2)"].min() < -0.02
    curve = frontier(frame, quantile=0.25)
    assert set(curve.setting) == set(lucky.index.get_level_values(0)) - {BLIND}
    ends = curve.groupby(["setting", "threat"], observed=True).delta.min()
    digest = curve[curve.setting.astype(str).str.startswith("digest")]
    # Not exactly 0: the estimate chooses among two sizes in turns.
    assert (digest[["delta_low", "delta_high"]] > -0.005).all(axis=None)
    assert ends["full_disclosure", "modeller"] < -0.005


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
    assert set(mine[mine.threat == "null_adversary"].replicates) == {8}
    assert set(mine[mine.threat == ANYBODY].replicates) == {16}


def test_limits_are_per_threat():
    limits = safe_submissions(frontier(together(), quantile=0.5), [-0.05])
    safe = limits.set_index(["setting", "threat"]).safe_submissions
    assert safe["full_disclosure", "modeller"] == 60
    assert safe["full_disclosure", "null_adversary"] < 60
    assert safe["full_disclosure", ANYBODY] == min(
        safe["full_disclosure", threat] for threat in ("modeller", "null_adversary", "holder")
    )


def test_limits_are_those_of_each_account():
    attack = {"name": "staircase", "submissions": 90, "points": [30, 60], "accounts": 3}
    entry = {"metric": "mse", "mechanisms": ENTRIES[:1], "attack": attack, "model": "ols"}
    frame = play(Experiment("staircase", entry, learnable(), "splits", seed=3), range(8))
    whole, each = (frontier(frame, quantile=0.5, accounts=m) for m in (1, 3))
    alone = each["threat"] == "staircase"
    assert each[alone].submissions.tolist() == [10, 20, 30]
    assert whole[alone].submissions.tolist() == [30, 60, 90]
    assert each[alone].delta.tolist() == whole[alone].delta.tolist()
    # One more than can be dealt evenly: one of the accounts makes one more.
    more = frontier(frame.assign(submissions=frame["submissions"] + 1), quantile=0.5, accounts=3)
    assert more[alone].submissions.tolist() == [11, 21, 31]


def test_accounts_that_work_together_deal_their_submissions():
    alone, three = (plan(challenge(), settings(accounts=m))["reserve"]["attack"] for m in (1, 3))
    assert "accounts" not in alone
    assert three["accounts"] == 3
    assert three["submissions"] == 3 * alone["submissions"]
    assert three["points"] == [3 * point for point in alone["points"]]
    digests = [
        sum(entry["updates"] for entry in experiment["mechanisms"] if entry["name"] == "digest")
        for m in (1, 3)
        for experiment in [plan(challenge(600), settings(accounts=m))["reserve"]]
    ]
    assert digests[0] > digests[1]
