"""The plan: everything fits, whatever the challenge; the largest budget is used."""

import dataclasses
from math import comb

import numpy as np
import pandas as pd
import pytest

from shakedown.attacks.attack import ATTACKS, spaced
from shakedown.attacks.step_forward import iterations, needed, recipe
from shakedown.data.scaling import standardised
from shakedown.dryrun.coarse_boards import coarse_boards, span_of
from shakedown.dryrun.plan import (
    check,
    default_mechanisms,
    entries,
    grain_of,
    in_own_unit,
    plan,
    train_rows,
)
from shakedown.dryrun.thresholds import thresholds, tolerated
from shakedown.interface import Cells, Challenge, Grouping, InputError
from shakedown.leaderboard.mechanism import mechanisms
from shakedown.leaderboard.posterior_odds import MANY_ROWS
from shakedown.metrics import find
from shakedown.simulation.playable import playable
from shakedown.simulation.replicate import Experiment, play
from shakedown.theory.proved import digests_within, proved_submissions
from tests.dryrun.asking import asked

R2 = "sklearn.metrics.r2_score"
METRICS = ["mse", "rmse", "mae", "pearson", "spearman", "ccc", R2]

# Few features; hardly any row for each feature; a budget below the number of features; the
# smallest sets and budget that are allowed; a single feature.
EDGES = [(60, 10, 2000), (71, 4000, 2000), (120, 1000, 100), (30, 40, 10), (30, 1, 50)]


def challenge(n=90, p=20, split=None, scale=1.0):
    rng = np.random.default_rng([n, p])
    names = np.array([f"x{j}" for j in range(p)])
    X = np.asfortranarray(rng.standard_normal((n, p)))
    y = scale * rng.standard_normal(n)
    return Challenge("toy", X, y, np.arange(n).astype(str), names, split)


def of_size(n, p):
    """A challenge without any content."""
    return dataclasses.replace(challenge(), X=np.zeros((n, p)), y=np.zeros(n), features=range(p))


def settings(**change):
    return asked(**{"submissions": 10, **change})


def n_models(n, p):
    """Sets of at most ten features, and of one for every five training rows."""
    return sum(comb(p, k) for k in range(1, min(10, p, -(-n // 3) // 5) + 1))


def sizes(entry):
    attack = entry["attack"]
    if "submissions" in attack:
        return [(entry["features"], attack.get("honest", 0), attack["submissions"])]
    if attack["name"] == "best_of_many":
        return [(entry["features"], 0, made) for made in attack["rounds"]]
    if attack["name"] == "freedman":
        return [(b["features"], attack["largest_model"], b["features"]) for b in attack["budgets"]]
    steps = [(b["features"], b["iterations"]) for b in attack["budgets"]]
    return [(m, i, sum(m - k for k in range(i))) for m, i in steps]


def modellers(entries):
    """The experiments of attacks that submit fitted models."""
    return {
        name: entry
        for name, entry in entries.items()
        if ATTACKS.find(entry["attack"]["name"]).threat_of(name) == "modeller"
    }


def test_adversaries_hold_an_honest_model_or_none_and_play_a_little_beyond():
    entries = plan(of_size(300, 40), settings(submissions=100))
    for name in ("reserve", "reserve_holder"):
        attack = entries[name]["attack"]
        assert attack["submissions"] == 200
        assert {3, 100, 200} <= set(attack["points"])
    assert "honest" not in entries["reserve"]["attack"]
    assert entries["reserve_holder"]["attack"]["honest"] == 10
    threats = {name: ATTACKS.find("reserve").threat_of(name) for name in entries}
    assert (threats["reserve"], threats["reserve_holder"]) == ("null_adversary", "holder")
    few = plan(of_size(300, 3), settings(submissions=2000, largest_budget=2000))
    assert few["reserve_holder"]["attack"]["honest"] == 3
    assert few["reserve"]["attack"]["submissions"] == 2000


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(("n", "p", "most"), [*EDGES, (628, 2150, 2000), (5000, 5000, 20_000)])
def test_nothing_asks_for_more_than_there_is(metric, n, p, most):
    entries = plan(of_size(n, p), settings(metric=metric, largest_budget=most))
    assert list(modellers(entries)) == [
        *("step_forward_fresh", "step_forward_carried_on", "step_forward_unaided"),
        *("freedman", "best_of_many", "paper_recipe"),
    ]
    adversaries = {"staircase", "reserve", "reserve_holder"}
    assert (adversaries <= set(entries)) == (metric in ("mse", "rmse"))
    carried = -(-n // 3) // 2
    for entry in entries.values():
        budgets = sizes(entry)
        assert len({size[0] for size in budgets}) == len(budgets) or "rounds" in entry["attack"]
        for features, size, submissions in budgets:
            assert 1 <= features <= p
            assert size <= min(30, carried)
            assert 1 <= submissions <= most
        assert entry["feature_subset"] == "replicate"
    assert sizes(entries["best_of_many"])[-1][2] == min(most, n_models(n, p))
    assert sizes(entries["freedman"])[-1][2] == min(p, most)
    if p >= most:  # the largest attacks leave no room for an iteration more
        for name in ("step_forward_fresh", "step_forward_carried_on"):
            features, size, submissions = sizes(entries[name])[-1]
            assert size in (features, 30, carried) or submissions + features - size > most


@pytest.mark.parametrize(
    ("n", "p", "models"),
    [(240, 1, 1), (240, 3, 7), (240, 8, 255), (60, 12, 12 + 66 + 220 + 495), (240, 12, 2000)],
)
def test_nobody_submits_more_models_than_there_are(n, p, models):
    entries = plan(of_size(n, p), settings(largest_budget=2000))
    made = [size[2] for entry in modellers(entries).values() for size in sizes(entry)]
    assert max(made) == models


@pytest.mark.parametrize(("n", "p", "most"), EDGES)
def test_edges_are_played_through(n, p, most):
    mechanisms = [{"name": "ladder", "alpha": 0.15}]
    toy = challenge(n, p)
    for name, entry in plan(toy, settings(mechanisms=mechanisms, largest_budget=most)).items():
        frame = play(Experiment(name, entry, toy, "permuted", seed=1), [0], previews=False)
        assert len(frame)
        assert frame.delta.notna().all()
        assert frame.submissions.max() <= most


def test_an_official_split_says_how_many_rows_train():
    split = np.repeat(["train", "public", "final"], [10, 30, 50])
    assert train_rows(challenge(split=split)) == 10
    assert [train_rows(challenge(n)) for n in (60, 61, 62)] == [20, 21, 21]
    entries = plan(challenge(split=split), settings())
    assert max(size for _, size, _ in sizes(entries["step_forward_fresh"])) == 5
    assert entries["freedman"]["attack"]["largest_model"] == 5


def test_the_papers_recipe_is_that_of_the_paper():
    entry = plan(of_size(628, 400), settings())["paper_recipe"]
    # [C], Text S3.
    paper = [(50, 1, 50), (100, 2, 199), (150, 3, 447), (200, 4, 794), (250, 5, 1240)]
    assert sizes(entry) == [*paper, (300, 6, 1785)]
    assert recipe(400, 2429, 30, 8)[-1] == {"features": 350, "iterations": 7}
    assert recipe(400, 2428, 30, 8)[-1] == {"features": 300, "iterations": 6}
    assert recipe(400, 2000, 30, 3) == [
        {"features": m, "iterations": m // 50} for m in (50, 150, 300)
    ]
    assert recipe(49, 2000, 30, 8) == [{"features": 49, "iterations": 1}]
    assert recipe(400, 40, 30, 8) == [{"features": 40, "iterations": 1}]


@pytest.mark.parametrize("features", [1, 2, 7, 50])
def test_as_many_iterations_are_made_as_fit(features):
    for submissions in range(features, 200):
        made = iterations(features, submissions, 30)
        assert needed(features, made) == sum(features - k for k in range(made)) <= submissions
        full = made == min(features, 30)
        assert full or needed(features, made + 1) > submissions


def test_sizes_are_spaced_in_about_equal_ratios():
    assert spaced(8, 2000, 8) == [8, 18, 39, 85, 188, 413, 909, 2000]
    assert spaced(8, 10, 6) == [2, 3, 4, 5, 7, 10]
    assert spaced(8, 2, 6) == [2]
    assert spaced(8, 1, 6) == [1]


@pytest.mark.parametrize("metric", METRICS)
def test_every_default_mechanism_can_judge_the_metric(metric):
    entries = default_mechanisms(find(metric))
    attack = {"name": "freedman"}
    made = playable({"metric": metric, "mechanisms": entries, "attack": attack}, ["permuted"])
    boards = made.mechanisms
    assert boards[0].name == "full_disclosure"
    names = {mechanism.name for mechanism in boards[1:]}
    if metric in ("mse", "rmse", "mae"):
        assert names == {"ladder", "ladderboot", "general_ladder"}
        assert len(boards) == 1 + (3 + 1) + (3 + 1) * 2 + 2
    elif metric == R2:
        assert [mechanism.eta for mechanism in boards[1:]] == [0.01, 0.025, 0.05]
    else:
        assert names == {"bayesboot_ladder", "bayesboot_ladderboot", "general_ladder"}
        assert len(boards) == 1 + 3 + 3 * 2 + 2


def test_mechanisms_of_the_organisers_own_take_the_place_of_the_default():
    own = [{"name": "full_disclosure"}, {"name": "general_ladder", "eta": [9.0, 18.0]}]
    c = dataclasses.replace(challenge(), y=3 * standardised(np.arange(90.0)[None])[0])
    entries = plan(c, settings(mechanisms=own, model="sklearn.linear_model.Ridge"))
    for entry in entries.values():
        # The steps are given in the response's own units, and played on standardised data.
        assert entry["mechanisms"][0] == own[0]
        assert entry["mechanisms"][1]["eta"] == pytest.approx([1, 2])
    boards = ["general_ladder(eta=0.1)", "full_disclosure", "general_ladder(eta=1)"]
    table = in_own_unit(pd.DataFrame({"setting": boards}), c, find("mse"))
    wanted = ["general_ladder(eta=0.9)", "full_disclosure", "general_ladder(eta=9)"]
    assert table["setting"].tolist() == wanted
    assert all(entry["model"] == "sklearn.linear_model.Ridge" for entry in entries.values())


@pytest.mark.parametrize(
    ("metric", "held"),
    [
        ("auroc", "sklearn.linear_model.LogisticRegression"),
        ("log_loss", "sklearn.linear_model.LogisticRegression"),
        ("macro_f1", "ols"), ("mse", "ols"), ("c_index", "cox"),
    ],
)  # fmt: skip
def test_holders_hold_a_model_that_suits_the_response(metric, held):
    c, rng = challenge(), np.random.default_rng(1)
    if metric == "c_index":
        y = rng.exponential(size=90) * rng.choice([1.0, -1.0], 90)
        c = dataclasses.replace(c, y=y, censored=True)
    elif metric != "mse":
        c = dataclasses.replace(c, y=np.arange(90.0) % 2)
    for name, entry in plan(c, settings(metric=metric)).items():
        threat = ATTACKS.find(entry["attack"]["name"]).threat_of(name)
        assert entry["model"] == (held if threat == "holder" else "ols")
    for entry in plan(c, settings(metric=metric, model="ols")).values():
        assert entry["model"] == "ols"


@pytest.mark.parametrize("metric", METRICS)
def test_every_metric_but_a_function_is_offered_a_digest(metric):
    boards = plan(challenge(300, 5), settings(metric=metric))["freedman"]["mechanisms"]
    digests = [board for board in mechanisms(boards) if board.name == "digest"]
    assert bool(digests) == (metric != R2)
    start = {"mse": 1.0, "rmse": 1.0, "mae": 0.8}.get(metric, 0.0)
    for digest in digests:
        assert 0.2 < abs(digest.floor - start) < 0.6
        assert digest.every * digest.updates <= 10


def test_digests_of_classes_begin_where_a_constant_does():
    """A digest of areas down to 1/2 would show nothing, as all of them begin there."""
    two = dataclasses.replace(challenge(300, 5), y=np.arange(300.0) % 5 // 4)
    for metric, span in (("auroc", (0.5, 1.0)), ("kappa", (0.0, 1.0)), ("brier", None), (R2, None)):
        assert span_of(two, find(metric)) == span
    digests = coarse_boards(find("auroc"), -0.05, 100, 40, span=(0.5, 1.0))
    assert [(board["eta"], board["floor"]) for board in digests] == [(0.1, 0.75)] * 2
    assert coarse_boards(find("auroc"), -0.3, 100, 40, span=(0.5, 1.0))[0]["eta"] == 0.25
    rare = span_of(two, find("log_loss"))
    (digest, _) = coarse_boards(find("log_loss"), -0.025, 100, 40, span=rare)
    assert (rare[0], digest["floor"]) == pytest.approx((0.5004, 0.2502), abs=1e-4)


@pytest.mark.parametrize(
    ("metric", "begin", "floor"),
    [
        ("auroc by group", 0.5, 0.75),
        ("weighted auroc", 0.5, 0.75),
        ("auroc + aupr", 0.7, 1.35),  # a perfect file has 2
        ("auroc by response", 0.5, 0.75),
        ("c_index by group", 0.5, 0.75),
        ("weighted c_index", 0.5, 0.75),
        ("c_index + iauc", 1.0, 1.5),
    ],
)
def test_digests_of_composite_scores_lie_between_a_constant_and_a_perfect_file(
    metric, begin, floor
):
    """Whether these need groups, weights or several responses, and whatever they add up to."""
    n, changes = 300, {"y": np.arange(300.0) % 5 // 4}
    if "c_index" in metric:
        changes = {"y": np.arange(1.0, 301.0) * (-1.0) ** (np.arange(n) % 3), "censored": True}
    if "group" in metric:
        changes["group"] = Grouping("patient", np.arange(n) // 10, is_text=False)
    if "weighted" in metric:
        changes["weights"] = np.tile([1.0, 2.0], 150)
    if "response" in metric:
        rows = np.tile(np.arange(150), 2)
        changes["cells"] = Cells(("a", "b"), np.repeat([0, 1], 150), rows)
    made = dataclasses.replace(challenge(n, 5), **changes)
    boards = mechanisms(entries(made, settings(metric=metric)))
    digests = [board for board in boards if board.name == "digest"]
    assert len(digests) == 2
    for digest in digests:
        assert 0.01 < digest.eta < floor - begin
        assert digest.floor == pytest.approx(floor, abs=digest.eta)


def test_steps_of_the_usual_boards_are_round_in_the_response_s_unit():
    toy = challenge(300, 5, scale=14.219)
    boards = plan(toy, settings())["freedman"]["mechanisms"]
    table = pd.DataFrame({"setting": [board.setting for board in mechanisms(boards)]})
    own = in_own_unit(table, toy, find("mse"))["setting"]
    steps = [float(s) for s in own.str.extract(r"eta=([\d.]+)")[0].dropna()]
    assert len(steps) >= 4
    assert all(float(f"{step:.3g}") == step for step in steps)
    size = np.var(toy.y, ddof=1)
    smallest = min(entry["eta"] for entry in boards if entry["name"] == "digest")
    offered = min(digest["eta"] for digest in digests_within(100, -0.05, 10))
    assert offered <= smallest < 1.01 * offered
    assert size > 50


@pytest.mark.parametrize("metric", ["mse", "rmse"])
@pytest.mark.parametrize("variance", [1.0, 197.1, 632.5, 867.45])
def test_what_is_offered_as_proved_stays_proved_in_round_numbers(variance, metric):
    """A larger step alone could show one more level above the floor."""
    toy = challenge(3000, 5)
    toy = dataclasses.replace(toy, y=toy.y / toy.y.std(ddof=1) * np.sqrt(variance))
    wanted = settings(metric=metric, submissions=500)
    threshold = -0.05 if metric == "mse" else -0.025
    digests = [board for board in mechanisms(entries(toy, wanted)) if board.name == "digest"]
    offered = digests_within(1000, threshold, 500, metric=metric)
    assert len(digests) >= len(offered) > 1
    for digest in digests:
        assert proved_submissions(digest, metric, 1000, threshold, 500) == 500


@pytest.mark.parametrize(("metric", "power"), [("mse", 2), ("rmse", 1), ("mae", 1), ("ccc", 0)])
def test_thresholds_are_in_the_metrics_units(metric, power):
    toy = challenge(scale=10.0)
    size = np.std(toy.y, ddof=1)
    values = thresholds(toy, settings(metric=metric, thresholds=[-3.0, -1.0]))
    np.testing.assert_allclose(values, [-3 / size**power, -1 / size**power])
    # An MSE of .95 is an RMSE of about .975.
    usual = -0.025 if power == 1 else -0.05
    assert thresholds(toy, settings(metric=metric)) == [usual]
    assert tolerated(toy, settings(metric=metric)) == [pytest.approx(usual * size**power)]
    assert tolerated(toy, settings(metric=metric, thresholds=[-3.0])) == [-3.0]


@pytest.mark.parametrize("threshold", [-1e-320, -1e9])
def test_a_threshold_that_cannot_be_meant_is_refused(threshold):
    with pytest.raises(InputError, match="thresholds: wanted 1e-06 to 1000 times the response's"):
        plan(challenge(scale=3), settings(thresholds=[-0.5, threshold]))
    with pytest.raises(InputError, match="wanted 1e-06 to 1000 times 1, below 0; got"):
        plan(challenge(scale=3), settings(thresholds=[threshold], metric="pearson"))


@pytest.mark.parametrize(("metric", "least"), [("mse", 1e-4), ("rmse", 1e-8), ("ccc", 1e-50)])
def test_a_response_that_a_board_would_refuse_is_refused_before_playing(metric, least):
    split = np.repeat(["train", "public", "final"], 30)
    toy = challenge(split=split)
    for part, where in (("", split != ""), ("public ", split == "public")):
        toy.y[where] *= 0.9 * least / np.ptp(toy.y[where])
        whole = dataclasses.replace(toy, split=split if part else None)
        with pytest.raises(InputError, match=f"'toy': {part}values of the response differ by 9e-"):
            plan(whole, settings(metric=metric))
        toy.y[where] *= 2
        plan(whole, settings(metric=metric))


def test_a_ladders_step_is_measured_by_the_threshold():
    steps = default_mechanisms(find(R2), -0.2)[1]
    assert steps == {"name": "general_ladder", "eta": [0.04, 0.1, 0.2]}
    entries = default_mechanisms(find("mse"), -0.05)
    (coarse,) = (entry for entry in entries if entry["name"] == "general_ladder")
    start = [{"name": "baseline"}]
    assert coarse == {"name": "general_ladder", "eta": [0.05, 0.1], "defences": start}


def test_the_plan_is_coarser_where_a_submission_is_dear():
    assert [grain_of(find(m)) for m in ("mse", "rmse", "mae")] == ["fine"] * 3
    assert [grain_of(find(m)) for m in ("pearson", "spearman", "ccc")] == ["coarse"] * 3

    def submissions(metric):
        entries = plan(of_size(628, 2150), settings(metric=metric)).values()
        return sum(made for e in entries for *_, made in sizes(e) if "budgets" in e["attack"])

    assert submissions("mse") > 1.5 * submissions("ccc") > 1.5 * submissions(R2) > 0


PROBE = """
from shakedown.attacks.freedman import Freedman

class Probe(Freedman):
    sentence = "Probes."
    @classmethod
    def for_dry_run(cls, scope):
        return {"probe": {"name": cls.name, "budgets": [{"features": min(scope.features, 9)}]}}

class Same(Freedman):
    pass

class Silent(Freedman):
    @classmethod
    def for_dry_run(cls, scope):
        return {}
"""


def test_an_attack_of_ones_own_is_played_beside_ours(tmp_path, monkeypatch):
    (tmp_path / "own_probes.py").write_text(PROBE)
    monkeypatch.chdir(tmp_path)
    ours, both = (
        plan(challenge(), settings()),
        plan(challenge(), settings(attacks=["own_probes.Probe"])),
    )
    assert set(both) - set(ours) == {"probe"}
    assert {name: entry for name, entry in both.items() if name != "probe"} == ours
    attack = {"name": "own_probes.Probe", "budgets": [{"features": 9}]}
    assert both["probe"] == ours["freedman"] | {"attack": attack}
    check(settings(attacks=["own_probes.Probe"]))
    for name, got in (
        ("Same", "'freedman'.*some of which exist already"),
        ("Silent", "got none"),
    ):
        with pytest.raises(InputError, match=f"attack 'own_probes.{name}'.*{got}"):
            plan(challenge(), settings(attacks=[f"own_probes.{name}"]))
    with pytest.raises(
        InputError, match="attack 'boosting': wanted one that reads scores .* labels"
    ):
        check(settings(attacks=["boosting"]))


def test_as_many_submissions_as_are_wanted_are_tried():
    entries = plan(challenge(), settings(submissions=3000))
    assert entries["best_of_many"]["attack"]["rounds"][-1] == 3000


def test_many_public_rows_are_tested_with_fewer_replications():
    def draws(n_public):
        entries = default_mechanisms(find("ccc"), n_public=n_public)
        return [entry.get("draws") for entry in entries if "posterior_odds" in entry]

    assert draws(MANY_ROWS) == [None, None]
    assert draws(MANY_ROWS + 1) == [200, 200]


def test_boards_that_are_offered_allow_for_the_variance_of_rows():
    alike, varying = (coarse_boards(find("mse"), -0.05, 1000, 500, row_variance=c) for c in (1, 4))
    assert alike != varying
    for entry in varying:
        (board,) = mechanisms([entry])
        assert proved_submissions(board, "mse", 1000, -0.05, 500, row_variance=4.0) == 500
