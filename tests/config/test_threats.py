"""The study of attacks with arbitrary numbers."""

from pathlib import Path

from shakedown.config import complete
from shakedown.leaderboard.mechanism import mechanisms
from shakedown.reading import read

ROOT = Path(__file__).parents[2]


def test_every_attack_meets_the_same_boards():
    config = complete(read(ROOT / "config/threats.yaml"), base=ROOT)
    boards = [
        [one.setting for one in mechanisms(experiment["mechanisms"])]
        for experiment in config["experiments"].values()
    ]
    assert all(held == boards[0] for held in boards)
    assert len(boards[0]) == 15
    assert "ladder(alpha=0.15)+baseline" in boards[0]
    assert config["figures"]["map"]["experiment"] == list(config["experiments"])
