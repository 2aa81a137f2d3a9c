"""The configuration of a replay."""

from pathlib import Path

import pytest

from shakedown.config import complete
from shakedown.interface import InputError
from shakedown.reading import read

ROOT = Path(__file__).parents[2]


def example(**changes):
    """The example that ships with the project, with other settings of the replay."""
    config = read(ROOT / "config/replay.yaml")
    return {**config, "replay": {**config["replay"], **changes}}


def completed(config):
    return complete(config, base=ROOT, folder=ROOT)


def test_the_example_is_complete_and_needs_no_data_set():
    config = completed(example())
    assert config["datasets"] == {}
    assert config["replay"]["boards"] == ["per_team", "per_rank"]
    assert config["replay"]["columns"] == dict.fromkeys(("submission", "team", "order", "time"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"table": "nowhere.csv"}, "replay: Submission log (nowhere.csv): no such file"),
        ({"truth": "progresion"}, "which 'truth' names. Did you mean 'progression'?"),
        ({"boards": ["per_teams"]}, "wanted one of per_team, per_rank"),
        ({"boards": []}, "replay.boards: wanted at least one entry"),
        ({"missing": "drop"}, "wanted one of leave_out, fill_median"),
        ({"public_share": 1}, "replay.public_share: wanted a number above 0 and below 1"),
        ({"metrik": "mse"}, "'metrik' is not known. Did you mean 'metric'?"),
        ({"metric": "mze"}, "metric 'mze' is not known. Did you mean 'mse'?"),
        (
            {"mechanisms": [{"name": "fresh_holdout"}]},
            "replay: mechanism 'fresh_holdout' needs rows",
        ),
        ({"columns": {"teem": "x"}}, "'teem' is not known. Did you mean 'team'?"),
    ],
)
def test_each_mistake_gives_one_message(changes, message):
    with pytest.raises(InputError) as caught:
        completed(example(**changes))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"dryrun": {}},
            "wanted one of `dryrun`, `replay` and `boards`; got `dryrun` and `replay`",
        ),
        (
            {"datasets": {"sugar": {"recipe": "diabetes"}}},
            "Configuration key replay: not allowed together with datasets",
        ),
        ({"replay": None}, "datasets: wanted at least one data set, got none"),
        ({"replay": {}}, "replay: 'table' is missing. Meaning: Table of the rows to predict"),
    ],
)
def test_a_study_has_one_purpose(changes, message):
    with pytest.raises(InputError) as caught:
        completed({**example(), **changes})
    assert message in str(caught.value)
