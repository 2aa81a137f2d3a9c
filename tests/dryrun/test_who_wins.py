"""Three sentences on who wins: which numbers they have, and when they say something else."""

import json

import numpy as np
import pandas as pd
import pytest

from shakedown.dryrun.who_wins import who_wins
from shakedown.final_rows.of_dryrun import COLUMNS


def table(played=(40, 40, 40), best=(50, 40, 30), wins=(0.62, 0.83), **changes):
    """Of the sets as they are, and of those that are recommended."""
    rows = []
    for sizes, chance, is_played in ((played, wins[0], True), (best, wins[1], False)):
        numbers = dict.fromkeys(COLUMNS, 0.5) | dict(
            zip(("train", "public", "final"), sizes, strict=True)
        )
        rows.append(
            numbers
            | {"played": is_played, "recommended": not is_played, "best_wins": chance}
            | {"difference": 0.25, "unit": "row", "teams": 20, "wanted": 0.8, "kept": 0.9}
            | {"rows_wanted": 700, "rows_first_two": 1692, "why": "", "bears": np.nan}
            | changes
        )
    return pd.DataFrame(rows)


def test_the_sentences_have_the_numbers():
    said = who_wins(table(), unit="squared units", share=0.1, spread="the variance")
    assert said["wins"] == (
        "With the sets as they are (40 final rows) the best of 20 teams wins with a probability of "
        "0.62."
    )
    assert said["difference"] == (
        "Two top teams must differ by 2.5 % of the variance (0.25 squared units) for 40 final rows "
        "to tell them apart with a probability of 0.9; smaller differences of final scores may be "
        "luck."
    )
    assert said["split"] == (
        "Fewer final rows would do: with 30 final, 40 public and 50 for training the best wins "
        "with a probability of 0.83."
    )
    assert said["enough"]
    assert not said["is_played"]
    assert said["recommended"]["final"] == 30
    assert said["played"] == {
        "train": 40, "public": 40, "final": 40, "best_wins": 0.62, "best_tied": 0.5,
        "tied": 0.5, "difference": 0.25, "rank_correlation": 0.5, "bears": None,
    }  # fmt: skip
    assert json.loads(json.dumps(said, allow_nan=False)) == said


def test_without_a_unit_nothing_is_said_of_it():
    assert "must differ by 0.25 for 40 final rows" in who_wins(table())["difference"]


def test_more_rows_are_needed():
    said = who_wins(table(best=(40, 20, 60)))
    assert said["split"].startswith("More final rows are needed: with 60 final, 20 public and 40")


@pytest.mark.parametrize(
    ("changes", "cure"),
    [
        (
            {},
            "700 final rows would reach 0.8. 40 final rows cannot tell the first two apart; 1,692",
        ),
        (
            {"rows_wanted": None},
            "no number of final rows is known to be enough. 40 final rows cannot",
        ),
        ({"rows_first_two": None}, "700 final rows would reach 0.8."),
        ({"unit": "group"}, "700 final groups would reach 0.8. 40 final groups cannot"),
    ],
)
def test_too_few_rows_are_named_with_what_would_do(changes, cure):
    said = who_wins(table(best=(40, 3, 77), wins=(0.62, 0.71), **changes))
    unit = changes.get("unit", "row")
    begin = (
        f"No split of 120 {unit}s is enough: with 77 of them final the best wins with a "
        f"probability of 0.71; {cure}"
    )
    assert said["split"].startswith(begin)
    assert not said["enough"]


def test_the_sets_as_they_are_can_be_those_to_use():
    own = table(wins=(0.81, 0.83))
    own["recommended"] = [True, False]
    said = who_wins(own)
    assert said["split"] == "`shakedown design` recommends about the same sets."
    assert said["is_played"]


def test_where_luck_decides_no_other_split_is_named():
    said = who_wins(table(kept=0.0))
    assert said["wins"].startswith("With 40 final rows luck decides: no honest model")
    assert said["split"] == ""


def test_a_reason_stands_alone():
    whole = table(why="too few rows.").iloc[[0]]
    whole[["best_wins", "difference", "kept"]] = np.nan
    said = who_wins(whole)
    assert (said["wins"], said["difference"], said["split"]) == ("", "", "")
    assert said["why"] == "too few rows."
    assert said["played"] == {"train": 40, "public": 40, "final": 40}
    assert who_wins(None) is None
