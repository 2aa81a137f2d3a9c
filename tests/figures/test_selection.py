"""Choosing rows by the criteria of a figure."""

import pandas as pd
import pytest

from shakedown.figures.selection import choose, only, rows_of, settings_of
from shakedown.figures.style import Setting
from shakedown.interface import InputError
from tests.figures import frames

FRAME = frames.outcomes((*frames.FULL, *frames.LADDERS, *frames.BOOTS), replicates=2)


def test_a_parameter_says_nothing_on_mechanisms_without_it():
    chosen = choose(FRAME, {"alpha": 0.15, "b": [10, 100]}, kind="boxes")
    assert [s.label for s in settings_of(chosen)] == [
        "Full-disclosure",
        "Ladder (α = 0.15)",
        "LadderBoot (α = 0.15, b = 100)",
        "LadderBoot (α = 0.15, b = 10)",
    ]


def test_a_null_matches_no_other_criterion():
    with pytest.raises(InputError, match="no row has iterations = 2. The table holds iterations: "):
        choose(FRAME, {"iterations": 2}, kind="boxes")


def test_numbers_match_after_a_round_trip_through_a_file():
    frame = FRAME.assign(alpha=FRAME["alpha"] * (1 + 4e-16))
    assert not (frame["alpha"] == 0.15).any()
    ladder = choose(frame, {"mechanism": "ladder", "alpha": 0.15}, kind="boxes")
    assert len(ladder) == 2 * 30


def test_nothing_left_names_what_there_is():
    with pytest.raises(
        InputError,
        match="no row has dataset = adlike; design = splits. .*dataset: ad_like; design: permuted",
    ):
        choose(FRAME, {"dataset": "adlike", "design": "splits"}, kind="boxes")


def test_long_lists_of_values_are_cut():
    with pytest.raises(InputError, match=r"n_selected: 1, 2, .* 12, \.\.\."):
        choose(FRAME, {"n_selected": 99}, kind="boxes")


def test_a_criterion_must_be_a_column():
    with pytest.raises(InputError, match="needs the column prediction; the table has experiment"):
        choose(FRAME, {"prediction": "lasso"}, kind="boxes")


def test_words_do_not_match_numbers():
    with pytest.raises(InputError, match="alpha must be a number or a list of numbers, got small"):
        choose(FRAME, {"alpha": "small"}, kind="boxes")


def test_only_names_the_values():
    with pytest.raises(InputError, match="one mechanism at a time, got full_disclosure, ladder, "):
        only(FRAME, "mechanism", kind="grid")
    assert only(FRAME, "dataset", kind="grid") == "ad_like"
    assert only(FRAME, "iterations", kind="grid") is None


def test_rows_of_tells_a_missing_parameter_from_any():
    frame = pd.concat(
        [FRAME, FRAME[FRAME["mechanism"] == "full_disclosure"].assign(mechanism="ladder")]
    )
    assert len(rows_of(frame, Setting("ladder", alpha=0.5))) == 60
    assert len(rows_of(frame, Setting("ladder"))) == 60


def test_unknown_mechanisms_have_no_colour():
    with pytest.raises(InputError, match="'escalator' has no name and colour"):
        settings_of(FRAME.assign(mechanism="escalator"))
