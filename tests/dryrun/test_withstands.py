"""Answers that stronger attacks have once refuted; no dry run gives them any more.

Each table is made as it was when an attack got further than the answer said.  `broken` is the
number of files with which it did, for the tolerated overfit that is named; a limit that is at least
as large would be refuted again.
"""

import numpy as np
import pytest

import shakedown

pytestmark = pytest.mark.slow

QUICK = {"fewest_replicates": 24, "most_replicates": 24, "honest_replicates": 2, "minutes": 1e-6}
LADDER = {"name": "general_ladder", "defences": [{"name": "baseline"}]}


def predictable(rows, r2=0.5, features=10, seed=1):
    """Independent features, of which three carry the signal."""
    rng = np.random.default_rng(seed)
    X, noise = rng.standard_normal((rows, features)), rng.standard_normal(rows)
    return X, np.sqrt(r2 / 3) * X[:, :3].sum(axis=1) + np.sqrt(1 - r2) * noise


def with_noise(rows, noise, seed=2):
    """Features that tell nothing of a response that is noise."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((rows, 5)), noise(rng, rows)


def outliers(rng, rows):
    """Normal; 5 % of the rows have ten times the standard deviation."""
    return rng.standard_normal(rows) * np.where(rng.random(rows) < 0.05, 10.0, 1.0)


def t3(rng, rows):
    return rng.standard_t(3, rows)


def labels(rng, rows):
    return (rng.random(rows) < 0.55).astype(float)


def concordance(rng, rows):
    return rng.standard_normal(rows)


CASES = {
    "a holder saves levels, 209 rows": (
        predictable(627), "mse", {**LADDER, "eta": 0.1}, "holder", -0.05, 1000, 1000,
    ),
    "a holder saves levels, 50 rows": (
        predictable(150), "mse", {**LADDER, "eta": 0.25}, "holder", -0.05, 1000, 1000,
    ),
    "heavy tails, 69 rows": (
        with_noise(207, t3), "mse", {**LADDER, "eta": 0.1}, "null_adversary", -0.05, 119, 119,
    ),
    "outliers, 200 rows": (
        with_noise(600, outliers), "mse", {**LADDER, "eta": 0.1}, "null_adversary", -0.05, 500, 100,
    ),
    "concordance, 200 rows": (
        with_noise(600, concordance), "ccc",
        {"name": "digest", "eta": 0.1, "floor": 1.0, "every": 50, "updates": 10},
        "null_adversary", -0.05, 500, 500,
    ),
    "labels, 71 rows": (
        with_noise(213, labels), "zero_one", {"name": "ladderboot", "alpha": 0.5, "b": 10},
        "null_adversary", -0.05, 500, 500,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_refuted_answer_is_not_given_again(case):
    (X, y), metric, board, threat, tolerated, wanted, broken = CASES[case]
    if metric == "mse":  # shares of the response's variance
        y = y / y.std(ddof=1)
    run = shakedown.dry_run(
        X, y, metric=metric, submissions=wanted, largest_budget=wanted, thresholds=tolerated,
        mechanisms=[board], **QUICK,
    )  # fmt: skip
    limits = run.limits.set_index("threat")
    for kind in (threat, "adversary"):
        assert limits.loc[kind, "status"] == "measured"
        assert limits.loc[kind, "safe_submissions"] < broken, kind
        assert not (limits["proved_submissions"].fillna(0) >= broken).any()
    assert run.recommendation["recommended"] is None or (
        run.recommendation["recommended"]["safe_submissions"] < broken
    )
