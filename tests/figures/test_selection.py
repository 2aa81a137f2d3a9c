"""Choosing rows by the criteria of a figure."""

import pytest

from shakedown.figures.selection import choose, only, rows_of, settings_in
from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import mechanism
from tests.figures import frames

FRAME = frames.outcomes((*frames.FULL, *frames.LADDERS, *frames.BOOTS), replicates=2)


def test_a_parameter_says_nothing_on_mechanisms_without_it():
    chosen = choose(FRAME, {"alpha": 0.15, "b": [10, 100]}, kind="boxes")
    assert [s.title for s in settings_in(chosen)] == [
        "Full-disclosure",
        "Ladder (α = 0.15)",
        "LadderBoot (α = 0.15, b = 100)",
        "LadderBoot (α = 0.15, b = 10)",
    ]


def test_a_null_matches_no_other_criterion():
    with pytest.raises(
        InputError,
        match="no row has iteration_board = fresh. The table holds iteration_board: only n",
    ):
        choose(FRAME, {"iteration_board": "fresh"}, kind="boxes")


def test_a_column_is_chosen_by_its_former_name():
    frame = frames.outcomes(frames.LADDERS, attack="step_forward", replicates=2)
    given = frame.assign(iteration_board=["fresh", "carried_on"] * (len(frame) // 2))
    now = choose(given, {"iteration_board": "fresh"}, kind="boxes")
    assert 0 < len(now) < len(given)
    assert choose(given, {"board": "fresh"}, kind="boxes").equals(now)


def test_settings_are_chosen_by_name_by_parameters_and_by_id():
    named = choose(FRAME, {"mechanism": "ladder", "alpha": 0.15}, kind="boxes")
    assert named["setting"].unique().tolist() == ["ladder(alpha=0.15)"]
    ids = ["ladder(alpha=0.15)", "full_disclosure"]
    assert set(choose(FRAME, {"setting": ids}, kind="boxes")["setting"]) == set(ids)


def test_no_column_is_needed_for_a_parameter():
    frame = FRAME.drop(columns=["mechanism", "alpha", "posterior_odds", "eta", "b"])
    chosen = choose(frame, {"mechanism": ["ladder", "ladderboot"], "b": 10}, kind="boxes")
    assert set(chosen["setting"]) == {
        *(f"ladder(alpha={a})" for a in frames.LEVELS),
        *(f"ladderboot(alpha={a},b=10)" for a in frames.LEVELS),
    }


def test_what_nothing_in_the_table_has_is_refused():
    with pytest.raises(
        InputError, match=r"no setting 'alhpa'\. Did you mean 'alpha'\?.* chosen by"
    ):
        choose(FRAME, {"alhpa": 0.15}, kind="boxes")
    with pytest.raises(InputError, match="no setting 'eta'"):
        choose(FRAME, {"eta": 0.01}, kind="boxes")


def test_nothing_left_names_what_there_is():
    with pytest.raises(
        InputError,
        match="no row has dataset = adlike; design = splits. .*dataset: ad_like; design: permuted",
    ):
        choose(FRAME, {"dataset": "adlike", "design": "splits"}, kind="boxes")


def test_long_lists_of_values_are_cut():
    with pytest.raises(InputError, match=r"point: 1, 2, .* 12, \.\.\."):
        choose(FRAME, {"point": 99}, kind="boxes")


def test_a_criterion_must_be_a_column():
    with pytest.raises(InputError, match="needs the column prediction; the table has experiment"):
        choose(FRAME, {"prediction": "lasso"}, kind="boxes")


def test_words_do_not_match_numbers():
    with pytest.raises(InputError, match="no row has alpha = small. The table holds alpha: 0.01, "):
        choose(FRAME, {"alpha": "small"}, kind="boxes")


def test_only_names_the_values():
    with pytest.raises(InputError, match="one mechanism at a time, got full_disclosure, ladder, "):
        only(FRAME, "mechanism", kind="grid")
    only(FRAME, "dataset", kind="grid")
    only(FRAME, "iteration_board", kind="grid")


def test_rows_of_tells_a_default_from_other_values():
    frame = frames.outcomes(({"mechanism": "kaggle"}, {"mechanism": "kaggle", "eta": 0.1}))
    for board in (mechanism("kaggle"), mechanism("kaggle", eta=0.1)):
        assert set(rows_of(frame, board)["setting"]) == {board.setting}


def test_unknown_mechanisms_are_named():
    with pytest.raises(InputError, match="mechanism 'escalator' is not known"):
        settings_in(FRAME.assign(setting="escalator"))
