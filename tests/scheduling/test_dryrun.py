"""A rule of the dry run hands its job every setting that the job reads."""

import re
from pathlib import Path

import numpy as np
import pytest

from shakedown.dryrun.estimation import estimate
from shakedown.dryrun.playing import play_share
from shakedown.dryrun.settings import DryRunEntry
from shakedown.dryrun.usefulness.serving import serve
from shakedown.interface import Challenge
from shakedown.scheduling.settings import chosen

RULES = (Path(__file__).parents[2] / "workflow/rules/dryrun.smk").read_text()
#: The usual boards, as a dry run has them from a table alone: only they need all the settings.
GIVEN = DryRunEntry(
    metric="mse",
    submissions=30,
    largest_budget=60,
    fewest_replicates=12,
    most_replicates=12,
    honest_replicates=2,
).model_dump()


def settings_of(rule):
    """The part of the settings that a rule hands to its job."""
    body = RULES.split(f"\nrule {rule}:")[1].split("\nrule ")[0]
    which, names = re.search(r'chosen\(\s*config\["dryrun"\],\s*(\w+)=\(([^)]*)\)', body).groups()
    return DryRunEntry.part(chosen(GIVEN, **{which: re.findall(r'"(\w+)"', names)}))


@pytest.fixture(scope="module")
def challenge():
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((90, 5)), rng.standard_normal(90)
    return Challenge("toy", X, y, np.arange(90).astype(str), np.array([*"abcde"]), None)


def test_the_usual_boards_are_played_and_estimated(challenge):
    settings = settings_of("play_share")
    played, _ = play_share(challenge, settings, job=0, seconds=0, seed=1)
    limits, _ = estimate(challenge, played, settings_of("estimate_limits"), seed=1)
    names = played["setting"].str.extract(r"^(\w+)")[0]
    assert set(limits["mechanism"]) == set(names) - {"constant_board"}


def test_the_usual_boards_are_measured_for_usefulness(challenge):
    utility, _ = serve(challenge, settings_of("measure_usefulness"), seed=1)
    assert len(utility)
