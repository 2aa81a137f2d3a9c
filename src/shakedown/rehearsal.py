"""A tiny study in which every compiled kernel is called, so that it is compiled and kept on disk.

``python -m shakedown.rehearsal`` plays it once, after which no job has to compile.
"""

from __future__ import annotations

import numpy as np

from shakedown import datasets
from shakedown.interface import Challenge
from shakedown.leaderboard.catalogue import CATALOGUE
from shakedown.replicate import Experiment, play

_SETTINGS = {
    "general_ladder": {"eta": 0.01},
    "simplified_ladder": {"eta": 0.01},
    "ladder": {"alpha": 0.15},
    "ladderboot": {"alpha": 0.15, "b": 10},
    "bayesboot_ladder": {"posterior_odds": 1.0, "draws": 10},
    "bayesboot_ladderboot": {"posterior_odds": 1.0, "draws": 10, "b": 3},
}


def rehearse() -> None:
    """Play every attack against every mechanism under losses and a correlation."""
    rng = np.random.default_rng(1)
    n, p = 36, 5
    names = np.array([f"x{j}" for j in range(p)])
    challenge = Challenge(
        "rehearsal", rng.standard_normal((n, p)), rng.standard_normal(n), np.arange(n), names
    )
    every = [
        {"name": name, **_SETTINGS.get(name, {})} for name in CATALOGUE if name != "rank_board"
    ]
    weighted = {"name": "bayesboot_ladderboot", "posterior_odds": 3.0, "b": 3, "dirichlet": True}
    for metric in ("mse", "rmse", "mae", "ccc"):
        tested = ("parameter_free_ladder", "ladder", "ladderboot")
        fitting = [m for m in every if metric != "ccc" or m["name"] not in tested]
        for attack in (
            {"name": "freedman", "largest_model": 3},
            {"name": "step_forward", "iterations": 3, "board": "carried_on"},
            {"name": "best_of_many", "rounds": [2, 4]},
        ):
            settings = {"metric": metric, "attack": attack, "mechanisms": [*fitting, weighted]}
            play(Experiment("rehearsal", settings, challenge, "permuted", seed=1), [0])
    labels = datasets.read("labels", {"recipe": "labels", "public": 20, "final": 20}, seed=1)
    for attack, boards in (
        ({"name": "boosting", "submissions": 5}, every),
        ({"name": "enumeration", "submissions": 5}, every),
        ({"name": "two_accounts"}, [{"name": "rank_board"}]),
    ):
        settings = {"metric": "zero_one", "attack": attack, "mechanisms": boards}
        play(Experiment("rehearsal", settings, labels, "labels", seed=1), [0])


if __name__ == "__main__":
    rehearse()
