"""Dry runs on labels 0 and 1, with the 0/1 loss."""

import numpy as np
import pandas as pd
import pytest

from shakedown.attacks.attack import ATTACKS
from shakedown.data.splits import LabelSplitter
from shakedown.dryrun.frontier import frontier
from shakedown.dryrun.limits import safe_submissions
from shakedown.dryrun.plan import baseline_score, check, entries, plan
from shakedown.dryrun.playing import play_share
from shakedown.dryrun.proof import with_proofs
from shakedown.dryrun.recommendation import recommend
from shakedown.dryrun.usefulness.judged_by import NearestLabel, judging
from shakedown.dryrun.usefulness.measure import measure
from shakedown.interface import Challenge, InputError
from shakedown.leaderboard.mechanism import mechanisms, of_setting
from shakedown.metrics import find
from tests.dryrun.asking import asked

ENTRIES = [
    {"name": "full_disclosure"},
    {"name": "ladder", "alpha": 0.15},
    {"name": "digest", "eta": 0.05, "floor": 0.25, "every": 10, "updates": 4},
]
GIVEN = {
    "metric": "zero_one",
    "mechanisms": ENTRIES,
    "submissions": 40,
    "precision": 1e-9,
    "jobs": 1,
    "fewest_replicates": 24,
    "most_replicates": 24,
    "minutes": 1,
    "days": 10,
}
SETTINGS = asked(**GIVEN)


def challenge(n=180, share=0.5, split=None):
    rng = np.random.default_rng(n)
    X = np.asfortranarray(rng.standard_normal((n, 4)))
    noisy = X[:, 0] + X[:, 1] + rng.standard_normal(n)
    y = (noisy > np.quantile(noisy, 1 - share)).astype(float)
    return Challenge("toy", X, y, np.arange(n).astype(str), np.array(list("abcd")), split)


@pytest.fixture(scope="module")
def outcomes():
    return play_share(challenge(), SETTINGS, 0, 1e9, 1)[0]


def test_attacks_on_labels_are_played_and_begin_honestly():
    experiments = plan(challenge(), SETTINGS)
    both = [
        "boosting", "label_climb", "label_crowds", "label_posterior", "label_saving",
        "label_mean", "resubmission",
    ]  # fmt: skip
    holders = {f"{name}_holder" for name in both}
    others = {"boosting_lowered", "enumeration", "detecting_family"}
    modellers = {
        name for name in experiments
        if ATTACKS.find(experiments[name]["attack"]["name"]).threat == "modeller"
    }  # fmt: skip
    assert modellers >= {"freedman", "best_of_many", "step_forward_fresh"}
    assert set(experiments) == {*both, *holders, *others, *modellers}
    for name, entry in experiments.items():
        attack = entry["attack"]
        if name in modellers:
            continue
        assert attack.get("honest", True)
        assert max(attack["points"]) <= attack["submissions"] == 80
        assert attack.get("held", 0) == (4 if name in holders else 0)
        threat = "holder" if name in holders else "null_adversary"
        assert ATTACKS.find(attack["name"]).threat_of(name) == threat
    # 60 labels need 26 files; with a budget of 10 there is no family.
    assert "detecting_family" not in plan(challenge(), asked(**GIVEN | {"submissions": 10}))
    numbers = plan(challenge(), asked(**GIVEN | {"metric": "mse"}))
    assert not any(ATTACKS.find(entry["attack"]["name"]).on_labels for entry in numbers.values())


def test_all_labels_are_told_by_full_disclosure_and_hardly_any_by_a_digest(outcomes):
    curve = frontier(outcomes, quantile=0.5, also=[40])
    assert set(curve["threat"]) >= {"null_adversary", "adversary", "detecting_family"}
    anybody = curve[curve["threat"] == "adversary"]
    last = anybody[anybody["submissions"] == 40].set_index("setting")["delta"]
    assert last["full_disclosure"] == pytest.approx(-0.5)
    assert -0.5 < last["ladder(alpha=0.15)"] < -0.1
    assert last[of_setting("digest(eta=0.05,every=10,floor=0.25,updates=4)").setting] > -0.12
    limits = safe_submissions(anybody, [-0.05]).set_index("setting")["safe_submissions"]
    assert limits["full_disclosure"] < 26


def test_overfit_counts_from_the_honest_file_which_has_one_score(outcomes):
    outcomes = outcomes[outcomes["design"] == "labels"]  # the others are modellers'
    holds = outcomes["experiment"].astype(str).str.endswith("_holder")
    assert outcomes.loc[~holds, "score_honest"].unique() == pytest.approx([0.5])
    assert outcomes.loc[holds, "score_honest"].mean() < 0.4  # the labels can be predicted
    silent = outcomes[outcomes["setting"] == "constant_board"]
    np.testing.assert_array_equal(silent["score_public"], silent["score_honest"])
    # Nobody's guesses of the final labels change.
    for _, part in outcomes.groupby(holds):
        assert part.groupby("replicate")["score_final"].nunique().max() == 1


def test_the_recommendation_holds_for_whoever_submits(outcomes):
    toy, metric = challenge(), find("zero_one")
    curve = frontier(outcomes, quantile=0.25, also=[40])
    limits = with_proofs(
        safe_submissions(curve, [-0.05]),
        n_public=60,
        unit=1.0,
        quantile=0.25,
        start=baseline_score(toy, metric),
    )
    utility, acceptance = measure(toy, find("zero_one"), mechanisms(ENTRIES), replicates=2, seed=1)
    assert utility["honest_gain"].min() > 0.1
    assert set(utility["sequence"]) == {"models"}
    assert acceptance["accepted"].between(0, 1).all()
    recommendation = recommend(
        limits, utility, settings=SETTINGS, threshold=-0.05, unit=1.0, n_public=60, frontier=curve
    )
    assert recommendation["rests_on"]["threat"] == "adversary"
    assert {"the label climb", "Freedman's attack"} <= set(recommendation["against"])
    assert recommendation["recommended"]["mechanism"] == "digest"
    assert "whoever submits" in recommendation["sentence"]
    modelled = limits["threat"] == "modeller"
    assert modelled.any()
    colleagues = recommend(
        limits.assign(ci_low=np.where(modelled, 80, 0)), utility,
        settings=asked(**GIVEN | {"threat": "modeller"}), threshold=-0.05,
        unit=1.0, n_public=60, frontier=curve,
    )  # fmt: skip
    assert colleagues["rests_on"]["threat"] == "modeller"
    assert "are safe if all submit fitted models" in colleagues["sentence"]
    assert (
        "If participants submit arbitrary labels instead of predictions" in colleagues["sentence"]
    )
    proved = recommend(
        limits.assign(proved_submissions=2000, ci_low=2000, safe_submissions=2000), utility,
        settings=SETTINGS, threshold=-0.05, unit=1.0, n_public=60, frontier=curve,
    )  # fmt: skip
    assert "are safe, whoever submits. This is proved" in proved["sentence"]


@pytest.mark.parametrize(("share", "start"), [(0.5, 0.5), (0.2, 0.2), (0.9, 0.1)])
def test_a_digest_is_offered_that_starts_at_the_rarer_label(share, start):
    boards = entries(challenge(300, share), asked(**GIVEN | {"mechanisms": None}))
    (digest,) = [entry for entry in boards if entry["name"] == "digest"]
    assert baseline_score(challenge(300, share), find("zero_one")) == pytest.approx(start)
    assert digest["floor"] == pytest.approx(start / 2, abs=0.002)
    assert digest["eta"] <= start / 4 + 0.002
    proved = entries(challenge(6000, share), asked(**GIVEN | {"mechanisms": None}))
    assert any(entry["name"] == "digest" and entry["updates"] != 10 for entry in proved)


@pytest.mark.parametrize("official", [True, False])
def test_labels_of_a_table_are_permuted_within_their_sets(official):
    sets = np.repeat(["train", "public", "final"], [90, 50, 40]) if official else None
    toy = challenge(split=sets)
    splitter = LabelSplitter(toy, seed=1)
    first, second = splitter.split(0), splitter.split(1)
    assert (first.y_public != second.y_public).any()
    parts = [(split.view.y_train, split.y_public, split.y_final) for split in (first, second)]
    ones = [[int(part.sum()) for part in split] for split in parts]
    expected = [30] * 3
    if official:
        expected = [int(toy.y[sets == name].sum()) for name in ("train", "public", "final")]
    assert ones == [expected, expected]
    assert [len(part) for part in parts[0]] == ([90, 50, 40] if official else [60] * 3)


def test_equal_public_labels_are_refused():
    toy = challenge(split=np.repeat(["train", "public", "final"], 60))
    toy.y[60:120] = 1.0
    with pytest.raises(InputError, match="public set: all labels are 1, so there is nothing"):
        LabelSplitter(toy, seed=1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"attacks": ["reserve"]}, "reads scores and plays on labels; this one plays on numbers"),
        ({"attacks": ["two_accounts"]}, "plays on labels; this one reads ranks"),
        ({"mechanisms": [{"name": "rank_board"}]}, "shows ranks, but the attack reads scores"),
    ],
)
def test_what_does_not_fit_labels_is_refused(change, message):
    check(SETTINGS)
    with pytest.raises(InputError, match=message):
        check(asked(**GIVEN | change))


def test_other_responses_are_refused():
    toy = challenge()
    toy.y[:] += 1
    with pytest.raises(InputError, match="needs a response of 0 and 1; got 2. Recode it"):
        plan(toy, SETTINGS)


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("enumeration", {"move": "swap"}, "`honest` begins with equal labels"),
        ("boosting", {"keep": "better_half"}, "`honest` is for one account"),
        ("boosting", {"keep": "mirrored", "accounts": "many"}, "`honest` is for one account"),
    ],
)
def test_some_options_have_no_honest_start(kind, options, message):
    with pytest.raises(InputError, match=message):
        ATTACKS.make(kind, submissions=5, honest=True, **options)


def test_predictions_of_a_standardised_response_become_the_nearest_labels():
    y = np.array([-0.5, -0.5, -0.5, 1.5])
    predictions = np.array([[0.0, 0.4, -3.0, 0.6], [0.6, 0.4, 0.6, 0.4], [0.0] * 4])
    np.testing.assert_allclose(NearestLabel().score(y, predictions), [0.0, 0.75, 0.25])
    assert NearestLabel().score(np.full(3, 0.7), np.array([[0.1, 0.2, -0.3]])) == pytest.approx(
        1 / 3
    )
    assert pd.Series(NearestLabel().judge(y, predictions)[0][0]).tolist() == [0.0] * 4


@pytest.mark.parametrize("metric", ["log_loss", "log_loss by group", "2*log_loss + brier"])
def test_honest_participants_are_not_sure_of_a_class(metric):
    """Also where the log loss is a term of a score, and on the scale of each part."""
    y = np.tile([-0.5, 1.5], 6)
    groups = np.repeat([0, 1, 2], 4)
    sure = -9.0 * (y - 0.5)[None]  # and wrong in each row
    judge = judging(find(metric).on(None, groups))
    careful = -np.log(0.01)
    # The Brier score is the squared error on this scale.
    want = 2.0 * careful + 100.25 if "brier" in metric else careful
    assert judge.score(y, sure)[0] == pytest.approx(want)
    assert find(metric).on(None, groups).score(y, sure)[0] > 30.0
    assert judge.name == metric
    assert judging(find("brier by group")) == find("brier by group")
