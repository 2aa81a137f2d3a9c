"""The claims of Blum & Hardt and of Zheng: each of them can fail."""

import itertools

import numpy as np
import pandas as pd
import pytest
import yaml

from shakedown.attacks.guesses import checked_points
from shakedown.claims import Tables, evaluate, load
from tests.claims.studies import LEDGER, ROOT, write

CLAIMS = load(LEDGER[1])
REPLICATES = 4


def nothing_leaks(share, mechanism):
    """Every loss is 1/2, and every board shows the truth."""
    half = np.full_like(share, 0.5)
    return half, half, np.zeros_like(share), np.ones_like(share)


def all_leaks(share, mechanism):
    """Every loss, the true one too, falls to 0 as the root of the submissions."""
    loss = 0.5 - 0.5 * np.sqrt(share)
    return loss, loss, 0.5 - loss, 1001 * share


def all_goes_wrong(share, mechanism):
    """Every loss rises, and the error of every board is the largest there is at once."""
    loss = 0.5 + 0.4 * share
    return loss, loss, np.full_like(share, 0.5), np.full_like(share, 900.0)


def all_leaks_in_step(share, mechanism):
    """Every loss falls in step with the submissions."""
    loss = 0.5 - 0.5 * share
    return loss, loss, 0.5 - loss, 1001 * share


def few_leak(share, mechanism):
    """On two boards losses fall in step with the submissions; on all others nothing leaks."""
    if mechanism not in ("full_disclosure", "simplified_ladder"):
        return nothing_leaks(share, mechanism)
    return all_leaks_in_step(share, mechanism)


WORLDS = (nothing_leaks, all_leaks, all_leaks_in_step, all_goes_wrong, few_leak)


def settings(entry):
    """Every combination of a mechanism's settings."""
    keys = ("alpha", "eta", "b")
    values = [v if isinstance(v := entry.get(key), list) else [v] for key in keys]
    return [dict(zip(keys, chosen, strict=True)) for chosen in itertools.product(*values)]


def outcomes(experiment, world):
    """Outcomes of an experiment in a world."""
    attack = experiment["attack"]
    points = np.array(checked_points("", attack.get("points"), attack.get("submissions", 1001)))
    frames = []
    for entry in experiment["mechanisms"]:
        public, final, error, count = world(points / points[-1], entry["name"])
        frames += [
            pd.DataFrame(
                {
                    "dataset": experiment["datasets"][0],
                    "design": "labels",
                    "metric": "zero_one",
                    "attack": attack["name"],
                    "board": "fresh" if attack.get("accounts") == "many" else "carried_on",
                    "mechanism": entry["name"],
                    **chosen,
                    "posterior_odds": None,
                    "n_features": 0,
                    "replicate": replicate,
                    "iterations": np.arange(1, len(points) + 1),
                    "submissions": points,
                    "n_selected": count,
                    "accepted": count,
                    "changed": count,
                    "score_public": public,
                    "score_final": final,
                    "score_released": public,
                    "leaderboard_error": error,
                }
            )
            for chosen in settings(entry)
            for replicate in range(REPLICATES)
        ]
    numbers = dict.fromkeys(("alpha", "posterior_odds", "eta", "b"), float)
    return pd.concat([frame.astype(numbers) for frame in frames], ignore_index=True)


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory):
    """Verdict of each claim in each world."""
    config = yaml.safe_load((ROOT / "config" / "config.yaml").read_text("utf-8"))
    found = {}
    for world in WORLDS:
        frames = {
            name: outcomes(experiment, world)
            for name, experiment in config["experiments"].items()
            if experiment["designs"] == ["labels"]
        }
        tables = Tables(outcomes=write(tmp_path_factory.mktemp(world.__name__), **frames))
        found[world.__name__] = evaluate(CLAIMS, tables, seed=1, resamples=10).set_index("claim")
    return {name: frame["holds"] for name, frame in found.items()}


@pytest.mark.parametrize("claim", [c.id for c in CLAIMS if "experiment" in repr(c.expression)])
def test_every_claim_fails_in_some_world(verdicts, claim):
    assert "no" in {holds[claim] for holds in verdicts.values()}


@pytest.mark.parametrize("world", WORLDS)
def test_no_world_is_worse_than_coins_can_be(world):
    """Labels are fair coins, so that no score in [0, 1] is off by more than 1/2."""
    error = world(np.linspace(0, 1, 11), "full_disclosure")[2]
    assert 0 <= error.min() <= error.max() <= 0.5


def test_claims_are_answered_where_there_is_something_to_measure(verdicts):
    """A bias or an error of 0 has no exponent, and is no share of another one."""
    assert not (verdicts["all_leaks"] == "not run").any()
    idle = verdicts["nothing_leaks"] == "not run"
    compared = [
        c.id
        for c in CLAIMS
        if any(part in c.measured for part in ("exponent(", "/ (0.5 - median", "/ largest("))
    ]
    assert set(idle[idle].index) <= set(compared)
