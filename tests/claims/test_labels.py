"""The claims of Blum & Hardt and of Zheng: each of them can fail."""

import numpy as np
import pandas as pd
import pytest

from shakedown.attacks.on_labels import checked_points
from shakedown.claims import load
from shakedown.claims.evaluation import evaluate
from shakedown.claims.study_tables import Tables
from tests.claims import made_up
from tests.claims.made_up import CONFIG

CLAIMS = load(["shakedown.claims.blum_hardt", "shakedown.claims.zheng"])
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


def outcomes(experiment, world):
    """Outcomes of an experiment in a world."""
    attack = experiment["attack"]
    points = np.array(checked_points(attack.get("points"), attack.get("submissions", 1001)))
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
                    "iteration_board": "fresh"
                    if attack.get("accounts") == "many"
                    else "carried_on",
                    "setting": setting,
                    "n_features": 0,
                    "replicate": replicate,
                    "point": np.arange(1, len(points) + 1),
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
            for setting in made_up.settings([entry])
            for replicate in range(REPLICATES)
        ]
    return pd.concat(frames, ignore_index=True)


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory):
    """Verdict of each claim in each world."""
    results = {}
    for world in WORLDS:
        folder = tmp_path_factory.mktemp(world.__name__)
        files = {
            name: made_up.write(outcomes(experiment, world), folder, name)
            for name, experiment in CONFIG["experiments"].items()
            if experiment["designs"] == ["labels"]
        }
        tables = Tables(outcomes=files)
        results[world.__name__] = evaluate(CLAIMS, tables, seed=1, resamples=10).set_index("claim")
    return {name: frame["holds"] for name, frame in results.items()}


@pytest.mark.parametrize("claim", [c.id for c in CLAIMS if c.kind == "statistical"])
def test_every_statistical_claim_fails_in_some_world(verdicts, claim):
    assert "no" in {holds[claim] for holds in verdicts.values()}


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.kind == "arithmetic"], ids=lambda c: c.id)
def test_an_arithmetic_claim_says_why_it_is_none_of_the_others(claim):
    assert "rows" not in claim.measure.__code__.co_varnames or (
        claim.note.startswith(("Cannot fail", "Follows from"))
    )


@pytest.mark.parametrize("world", WORLDS)
def test_no_world_is_worse_than_chance_can_make_it(world):
    """Labels are drawn at random, so that no score in [0, 1] is off by more than 1/2."""
    error = world(np.linspace(0, 1, 11), "full_disclosure")[2]
    assert 0 <= error.min() <= error.max() <= 0.5


def test_claims_are_answered_where_there_is_something_to_measure(verdicts):
    """The study has all that they name.  (Where nothing leaks, a bias of 0 has no exponent.)"""
    assert not (verdicts["all_leaks"] == "not run").any()


def test_every_experiment_on_labels_has_a_claim():
    names = {id for id, e in CONFIG["experiments"].items() if e["designs"] == ["labels"]}
    asked = {text for c in CLAIMS for text in _texts(c.measure.__code__)}
    assert names <= asked | {"blum_hardt_lowered"}


def test_figures_are_those_of_the_study_and_statements_are_sentences():
    assert {claim.figure for claim in CLAIMS} - {""} <= set(CONFIG["figures"])
    for claim in CLAIMS:
        assert claim.source.startswith("[B] " if claim.id[:3] == "bh_" else "[Z] "), claim.id
        assert claim.statement.rstrip(")").endswith("."), claim.id


def _texts(code):
    return [text for text in code.co_consts if isinstance(text, str)]
