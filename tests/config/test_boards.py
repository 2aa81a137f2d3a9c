"""The configuration of a comparison of boards."""

from pathlib import Path

import pytest

from shakedown.config import complete
from shakedown.interface import InputError
from shakedown.reading import read

ROOT = Path(__file__).parents[2]


def example(**changes):
    """The comparison that ships with the project, with other settings."""
    config = read(ROOT / "config/boards.yaml")
    return {**config, "boards": {**config["boards"], **changes}}


def test_the_example_is_complete_and_needs_no_data_set():
    config = complete(example())
    assert config["datasets"] == {}
    assert config["boards"]["rows"] == [50, 69, 209, 1000, 5000]
    assert config["boards"]["submissions"] == [50, 300, 1000]


def test_only_the_other_boards_must_be_named():
    config = {"study": "few", "boards": {"mechanisms": [{"name": "full_disclosure"}]}}
    assert complete(config)["boards"]["tolerated"] == 0.05


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rows": [9]}, "boards.rows[0]: wanted a whole number of at least 10 and at most 100000"),
        ({"rows": [50, 50]}, "boards.rows: 50 is listed twice."),
        ({"submissions": []}, "boards.submissions: wanted at least one entry, got none."),
        ({"submissions": [0]}, "boards.submissions[0]: wanted a whole number of at least 1"),
        ({"tolerated": -0.05}, "boards.tolerated: wanted a number above 0 and below 1; got -0.05."),
        ({"quantile": 0.75}, "boards.quantile: wanted a number above 0 and at most 0.5; got 0.75."),
        ({"replicates": 1}, "boards.replicates: wanted a whole number of at least 2"),
        ({"honest_replicates": 1}, "boards.honest_replicates: wanted a whole number of at least 2"),
        ({"row": [50]}, "boards: 'row' is not known. Did you mean 'rows'?"),
        ({"mechanisms": []}, "boards.mechanisms: wanted at least one entry, got none."),
        ({"mechanisms": [{"name": "laddr"}]}, "'laddr' is not known. Did you mean 'ladder'?"),
        (
            {"mechanisms": [{"name": "fresh_holdout"}]},
            "boards: mechanism 'fresh_holdout' is a control, which nobody can offer",
        ),
        (
            {"mechanisms": [{"name": "rank_board", "defences": []}]},
            "boards: mechanism 'rank_board' shows ranks, but the attack reads scores",
        ),
    ],
)
def test_each_mistake_gives_one_message(changes, message):
    with pytest.raises(InputError) as caught:
        complete(example(**changes))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"dryrun": {}},
            "wanted one of `dryrun`, `replay` and `boards`; got `dryrun` and `boards`",
        ),
        (
            {"datasets": {"sugar": {"recipe": "diabetes"}}},
            "Configuration key boards: not allowed together with datasets. Remove one or the "
            "other, or write the comparison of boards to a file of its own.",
        ),
        ({"boards": None}, "datasets: wanted at least one data set, got none"),
        ({"boards": {}}, "boards: 'mechanisms' is missing. Meaning: Boards that do not depend"),
    ],
)
def test_a_study_has_one_purpose(changes, message):
    with pytest.raises(InputError) as caught:
        complete({**example(), **changes})
    assert message in str(caught.value)
