"""Dry runs of classes: what they find on boards that show everything, and what they offer."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import shakedown
from shakedown.dryrun.noise import noise_factor
from shakedown.dryrun.plan import entries
from shakedown.dryrun.proof import with_proofs
from shakedown.dryrun.settings import DryRunEntry
from shakedown.interface import Challenge, Grouping, InputError
from shakedown.leaderboard.mechanism import mechanisms

QUICK = {"fewest_replicates": 12, "most_replicates": 12, "honest_replicates": 2, "minutes": 1}
FULL = [{"name": "full_disclosure"}]


def table(rows=627, classes=2, seed=1):
    """Features, and a class that they tell in part; a third of the rows is public."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, 12))
    risk = X[:, :4].sum(axis=1) + 2.0 * rng.standard_normal(rows)
    return X, np.digitize(risk, np.quantile(risk, np.arange(1, classes) / classes)).astype(float)


@pytest.mark.parametrize(("metric", "files"), [("auroc", 27), ("log_loss", 8), ("brier", 8)])
def test_exact_scores_tell_all_classes_of_209_rows(metric, files):
    """And so no number near these is safe.

    Probabilities take 5 files, and 3 more if the public set has a row more of a class than the
    training set lets expect.
    """
    X, y = table()
    run = shakedown.dry_run(
        X, y, metric=metric, mechanisms=FULL, submissions=60, largest_budget=60, **QUICK
    )
    worst = run.tables["frontier"]
    worst = worst[(worst["threat"] == "adversary") & (worst["submissions"] >= files)]
    start = {"auroc": 0.5, "log_loss": np.log(2.0), "brier": 0.25}[metric]
    # A perfect public score; 209 labels are not exactly half and half.
    assert (worst["delta"].astype(float) < -0.97 * start).all()
    limits = run.limits
    assert limits[limits["threat"] == "adversary"]["safe_submissions"].max() < files


@pytest.mark.parametrize(
    ("metric", "classes"), [("macro_f1", 3), ("kappa", 4), ("balanced_accuracy", 2)]
)
def test_predicted_classes_have_a_dry_run(metric, classes):
    X, y = table(240, classes)
    run = shakedown.dry_run(
        X, y, metric=metric, mechanisms=FULL, submissions=40, largest_budget=40, **QUICK
    )
    limits = run.limits.set_index("threat")["safe_submissions"]
    assert limits["adversary"] < 40  # 80 public rows, and every score is shown
    assert "Nothing is proved" in run.answer or "No leaderboard" in run.answer


def test_boards_of_classes_begin_with_a_guess():
    X, y = table(240)
    run = shakedown.dry_run(X, y, metric="auroc", submissions=20, largest_budget=20, **QUICK)
    settings = set(run.limits["mechanism"])
    assert {"digest", "general_ladder", "full_disclosure"} <= settings


def test_names_of_classes_need_no_numbers():
    X, y = table(120)
    names = np.where(y > 0, "case", "control")
    given = {"metric": "auroc", "mechanisms": FULL, "submissions": 12, "largest_budget": 12}
    named = shakedown.dry_run(X, names, classes=["control", "case"], **given, **QUICK)
    plain = shakedown.dry_run(X, y, **given, **QUICK)
    np.testing.assert_array_equal(named.challenge.y, plain.challenge.y)
    with pytest.raises(InputError, match="list them in their order as 'classes'"):
        shakedown.dry_run(X, names, **given, **QUICK)


def test_digests_of_labels_are_proved_for_the_brier_score():
    """Whatever the values of the labels; nothing is said of groups."""
    X, y = table(3000)
    settings = DryRunEntry(metric="brier", submissions=100)
    for values in (y, 3.0 * y - 1.0):
        challenge = Challenge("toy", X, values, np.arange(3000).astype(str), np.arange(12))
        assert noise_factor(challenge, settings) == pytest.approx(1.0, abs=1e-3)
        boards = [b for b in mechanisms(entries(challenge, settings)) if b.name == "digest"]
        size = np.var(values, ddof=1)
        limits = pd.DataFrame(
            {"metric": "brier", "setting": [b.setting for b in boards], "threshold": -0.05 * size}
        )
        found = with_proofs(limits, n_public=1000, unit=size, quantile=0.25)
        assert (found["proved_submissions"] >= 100).any()
    codes = np.arange(3000) // 2
    grouped = replace(challenge, group=Grouping("patient", codes, True))
    assert noise_factor(grouped, settings) == 3000  # so nothing is proved
    rare = replace(challenge, y=(np.arange(3000) % 10 == 0).astype(float))
    assert noise_factor(rare, settings) == pytest.approx(0.25 / 0.09, rel=1e-3)
