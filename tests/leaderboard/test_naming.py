"""What a sentence calls a leaderboard: what it does, then its name, and no parameter."""

import re

import pytest

from shakedown.leaderboard.mechanism import MECHANISMS, Mechanism, mechanism, of_setting
from shakedown.leaderboard.naming import exact, in_words, name_of


@pytest.mark.parametrize("kind", MECHANISMS.classes.values(), ids=str)
def test_every_mechanism_says_what_it_does_in_a_few_words(kind):
    assert re.fullmatch(r"[a-z][A-Za-z', -]{15,90}", kind.phrase), kind.phrase
    assert not re.search(r"[αητ.:;=\d]", kind.phrase)


def test_words_come_without_parameters_and_these_stand_apart():
    board = of_setting("general_ladder(eta=0.2)+baseline+cap(improvements=3)")
    assert name_of(board) == "General Ladder with baseline start and cap"
    assert in_words(board) == (
        "a leaderboard that shows the best score so far, and counts only gains of at least a set "
        "step (General Ladder with baseline start and cap)"
    )
    assert exact(board) == board.title
    assert "0.2" in board.title
    full = mechanism("full_disclosure")
    assert in_words(full).endswith("shows the exact score of every submission (Full-disclosure)")
    assert exact(full) == ""


def test_a_mechanism_without_words_has_its_name():
    class Tilted(Mechanism):
        name = "test_naming.Tilted"
        label = "Tilted"

    assert in_words(Tilted()) == "the leaderboard Tilted"
