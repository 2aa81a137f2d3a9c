"""The study of attacks with arbitrary numbers."""

from pathlib import Path

import pytest

from shakedown.config import complete
from shakedown.figures import FIGURE_KINDS
from shakedown.leaderboard.mechanism import mechanisms
from shakedown.reading import read
from shakedown.theory.proved import proved_submissions

ROOT = Path(__file__).parents[2]


def test_every_attack_meets_the_same_boards():
    config = complete(read(ROOT / "config/threats.yaml"), base=ROOT)
    boards = [
        [mechanism.setting for mechanism in mechanisms(experiment["mechanisms"])]
        for experiment in config["experiments"].values()
    ]
    assert all(settings == boards[0] for settings in boards)
    assert len(boards[0]) == 17
    assert "ladder(alpha=0.15)+baseline" in boards[0]
    assert config["figures"]["map"]["experiment"] == list(config["experiments"])


def default_map():
    """The configuration of the default study, and that of its map."""
    config = complete(read(ROOT / "config/config.yaml"), base=ROOT)
    return config, config["figures"]["threats"]


def test_every_participant_of_the_map_meets_every_board():
    config, figure = default_map()
    met = {
        participant["label"]: {
            figure["labels"][board.setting]
            for name in participant["experiments"]
            for board in mechanisms(config["experiments"][name]["mechanisms"])
        }
        for participant in figure["participants"]
    }
    # Ten accounts have ten meters, which add up: there is nothing to find out.
    metered = {label for setting, label in figure["labels"].items() if "metered" in setting}
    assert len(metered) == 1
    for who, boards in met.items():
        without = metered if who == "10 accounts" else set()
        assert boards == set(figure["labels"].values()) - without
    named = {name for participant in figure["participants"] for name in participant["experiments"]}
    assert named == set(figure["experiment"])


@pytest.mark.parametrize(("public", "updates"), [(5000, 100), (1000, 50), (209, 11), (50, 1)])
def test_the_map_has_a_digest_that_is_proved_at_each_number_of_rows(public, updates):
    _, figure = default_map()
    assert public in figure["rows"].values()
    (setting,) = [
        setting for setting in figure["labels"] if f"every=1,updates={updates})" in setting
    ]
    quantile = figure.get("quantile", FIGURE_KINDS.make("threat_map").quantile)
    within = {"threshold": -0.05, "most": 1000, "quantile": quantile}
    assert proved_submissions(setting, "mse", public, **within) == 1000
    assert proved_submissions(setting, "mse", public // 3, **within) < 1000


def test_public_rows_of_the_map_are_those_of_its_data():
    config, figure = default_map()
    assert figure["rows"] == {
        name: config["datasets"][name]["rows"] // 3 for name in figure["dataset"]
    }
