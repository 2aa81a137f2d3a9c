"""Compile all kernels by a tiny study that calls each of them; compiled code is cached on disk.

After ``python -m shakedown.simulation.warm_up``, jobs need not compile.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shakedown import data
from shakedown.attacks.attack import ATTACKS
from shakedown.interface import Challenge, InputError
from shakedown.leaderboard.bootstrap.bits import MOST_IN_16_BITS
from shakedown.leaderboard.mechanism import MECHANISMS, mechanism
from shakedown.metrics import Metric, find
from shakedown.simulation.replicate import Experiment, play


def warm_up() -> None:
    """Play the examples of every attack against those of every mechanism that it can read."""
    # With many rows, the bootstrap draws indices of another type.
    few, many = _challenge(36), _challenge(3 * (MOST_IN_16_BITS + 1))
    labels = data.read("labels", {"recipe": "labels", "public": 20, "final": 20}, seed=1)
    boards = {"scores": [], "ranks": []}
    for name, board in MECHANISMS.classes.items():
        reads = "ranks" if board.shows == "ranks" else "scores"
        boards[reads] += [{"name": name, **example} for example in board.examples]
    for name, attack in ATTACKS.classes.items():
        played, design = (labels, "labels") if attack.on_labels else (few, "permuted")
        for metric in ("zero_one",) if attack.on_labels else ("mse", "rmse", "mae", "ccc"):
            if not attack.reads_metric(find(metric)):
                continue
            entries = [m for m in boards[attack.reads] if judges(m, find(metric))]
            for example in attack.examples:
                entry = {"name": name, **example}
                _play(played, design, metric, entry, entries)
    entries = [m for m in boards["scores"] if judges(m, find("c_index"))]
    times = replace(few, censored=True)
    _play(times, "permuted", "c_index", {"name": "freedman", "largest_model": 1}, entries)
    for metric in ("mse", "rmse", "ccc", "spearman"):
        entries = [m for m in boards["scores"] if judges(m, find(metric))]
        _play(many, "permuted", metric, {"name": "freedman", "largest_model": 1}, entries)


def _challenge(n: int) -> Challenge:
    rng, p = np.random.default_rng(1), 5
    X, names = rng.standard_normal((n, p)), np.array([f"x{j}" for j in range(p)])
    return Challenge("warm_up", X, rng.standard_normal(n), np.arange(n), names)


def _play(challenge: Challenge, design: str, metric: str, attack: dict, boards: list[dict]) -> None:
    settings = {"metric": metric, "attack": attack, "mechanisms": boards}
    play(Experiment("warm_up", settings, challenge, design, seed=1), [0])


def judges(entry: dict, metric: Metric) -> bool:
    """Whether a mechanism takes the metric."""
    parameters = {key: value for key, value in entry.items() if key != "name"}
    try:
        mechanism(entry["name"], **parameters).check(metric)
    except InputError:
        return False
    return True


if __name__ == "__main__":
    warm_up()
