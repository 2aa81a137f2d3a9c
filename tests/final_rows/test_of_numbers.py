"""Teams that are made up from numbers have these numbers."""

import numpy as np
import pytest

from shakedown.final_rows.of_numbers import Numbers, drawn_rows, files_like, teams_of
from shakedown.interface import InputError
from shakedown.metrics import find
from shakedown.seeding import stream

NUMBERS = Numbers(6, 0.6, 0.1, 0.5)


@pytest.mark.parametrize("name", ["pearson", "mse", "mae", "auroc"])
def test_scores_are_as_wanted(name):
    best = 0.8 if name == "auroc" else 0.6
    metric, numbers = find(name), Numbers(6, best, 0.05, 0.5)
    (teams,) = teams_of(numbers, [metric], seed=1)
    assert teams.scores[0] == pytest.approx(best)
    assert teams.risks.argmin() == 0
    assert teams.scores.std(ddof=1) == pytest.approx(0.05)
    part = drawn_rows(metric, files_like(numbers, metric), 0.5, 40_000, rng=stream(2, "rows"))
    assert metric.score(part.truth, part.files) == pytest.approx(teams.scores, abs=0.02)


def test_other_metrics_score_the_same_files():
    pearson, mse = teams_of(NUMBERS, [find("pearson"), find("mse")], seed=1)
    assert mse.scores == pytest.approx(1.0 - pearson.scores**2, abs=1e-3)


def test_a_team_may_know_next_to_nothing():
    (teams,) = teams_of(Numbers(2, 0.5, 0.498 / np.sqrt(2.0), 0.5), [find("pearson")], seed=1)
    assert teams.scores == pytest.approx([0.5, 0.002], abs=1e-6)


def test_errors_are_as_alike_as_is_said():
    part = drawn_rows(find("pearson"), np.full(2, 0.5), 0.7, 20_000, rng=stream(2, "rows"))
    left = part.files - 0.25 * part.truth
    assert np.corrcoef(left)[0, 1] == pytest.approx(0.7, abs=0.02)


def test_probabilities_are_true():
    part = drawn_rows(find("brier"), np.array([0.7, 0.8]), 0.7, 40_000, rng=stream(2, "rows"))
    near = np.abs(part.files[0] - 0.3) < 0.05
    assert part.truth[near].mean() == pytest.approx(part.files[0][near].mean(), abs=0.03)


@pytest.mark.parametrize(
    ("name", "numbers", "message"),
    [
        ("zero_one", (6, 0.3, 0.05, 0.5), "'zero_one': .* got one of predicted classes. Give a ta"),
        ("c_index", (6, 0.7, 0.05, 0.5), "'c_index': .* got one of predicted risks. Give a table"),
        ("pearson by row", (6, 0.7, 0.05, 0.5), "got one of several terms"),
        ("pearson", (6, 1.2, 0.05, 0.5), "the best team would have .* 1.2; wanted scores between"),
        ("pearson", (20, 0.3, 0.2, 0.5), "the worst team would have .*; wanted scores between 0"),
    ],
)
def test_what_cannot_be_made_up_is_named(name, numbers, message):
    with pytest.raises(InputError, match=message):
        teams_of(Numbers(*numbers), [find(name)], seed=1)


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ((6, 0.6, 0.0, 0.5), "spread: wanted a standard deviation of scores above 0; got 0"),
        ((6, 0.6, 0.1, 1.0), "correlation: wanted .* below 1; got 1"),
    ],
)
def test_numbers_out_of_range_are_named(numbers, message):
    with pytest.raises(InputError, match=message):
        Numbers(*numbers)
