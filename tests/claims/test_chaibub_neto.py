"""The claims of Chaibub Neto et al.: the default study can answer each, and each can fail."""

import re

import pytest

from shakedown.claims import load
from shakedown.claims.evaluation import evaluate
from tests.claims import made_up
from tests.claims.made_up import CONFIG

CLAIMS = load(["shakedown.claims.chaibub_neto"])
OTHERS = ["shakedown.claims.blum_hardt", "shakedown.claims.zheng"]
#: Noise, mirrored noise, and worlds in which all settings are alike.
WORLDS = (
    made_up.World(seed=3, spread=0.3, sign=1, finds_jump=False),
    made_up.World(seed=9, spread=0.3, sign=-1, finds_jump=True, rough=5.0),
    made_up.World(seed=2, spread=1e-3, sign=1, finds_jump=True, alike=True),
    made_up.World(seed=2, spread=1e-3, sign=-1, finds_jump=False),
)


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory):
    """Every claim in some worlds with made-up numbers, indexed by its id."""
    results = []
    for world in WORLDS:
        tables = made_up.tables(tmp_path_factory.mktemp("world"), world)
        results.append(evaluate(CLAIMS, tables, seed=1, resamples=5).set_index("claim"))
    return results


def test_claims_ask_for_what_the_default_study_has(verdicts):
    """A misspelt experiment, data set, setting or point would never be run."""
    for world in verdicts:
        left = world[world["holds"] == "not run"]
        # In a world without any jump there is none to measure.
        assert not left[~left["note"].str.contains("a jump that did not happen")]["note"].any()


def test_statistical_claims_can_fail(verdicts):
    failing = {id for world in verdicts for id in world.index[world["holds"] == "no"]}
    assert sorted({claim.id for claim in CLAIMS if claim.kind != "arithmetic"} - failing) == []


def test_arithmetic_claims_do_not_depend_on_chance(verdicts):
    """All but two: they compare noisy numbers and cannot fail on a board, see their notes."""
    measured = [world["measured"] for world in verdicts]
    fixed = {id for id in measured[0].index if len({world[id] for world in measured}) == 1}
    arithmetic = {claim.id for claim in CLAIMS if claim.kind == "arithmetic"}
    noisy = ["adaptive_b_spares_the_first", "figS12_spread_falls_with_b"]
    assert sorted(arithmetic ^ fixed) == noisy


def test_each_figure_of_the_paper_has_a_claim():
    figures = {f"fig{i}" for i in range(1, 7)} | {f"figS{i}" for i in range(1, 14)}
    assert figures <= {claim.figure for claim in CLAIMS}
    assert {claim.figure for claim in CLAIMS} - {""} <= set(CONFIG["figures"])


def test_claims_on_other_data_stand_beside_the_figures_there_are():
    for claim in CLAIMS:
        for other in claim.also:
            theirs = f"{other.dataset}_{claim.figure}"
            assert other.figure == (theirs if theirs in CONFIG["figures"] else ""), other.id


def test_sources_and_statements_are_sentences_of_the_paper():
    for claim in CLAIMS:
        assert (claim.kind == "carried over") == claim.source.startswith("ours, on "), claim.id
        assert claim.source.startswith(("[C] ", "ours, on ")), claim.id
        assert claim.statement.endswith("."), claim.id
        for text in (claim.note, claim.seen):
            assert not text or text.endswith((".", ")")), claim.id


def test_numbers_below_zero_have_a_minus_sign():
    for claim in load(["shakedown.claims.chaibub_neto", *OTHERS]):
        for text in (claim.statement, claim.note, claim.seen):
            assert not re.search(r"(?<![\w.)])-\.?\d| - ", text), claim.id
