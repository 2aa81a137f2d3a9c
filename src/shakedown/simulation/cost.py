"""What can be counted of a study before it is played: work, rows of outcomes, memory, disk."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shakedown.attacks.adversary import Adversary
from shakedown.attacks.attack import sizes
from shakedown.data import made
from shakedown.interface import Shape
from shakedown.leaderboard.mechanism import mechanisms

#: As how many submissions of a batch count a game, and a submission of an adversary, who decides
#: after each score what to submit next.
GAME, DECIDED = 200, 20
#: Bytes of a process that has imported what it needs, and how many times a job holds X at most: as
#: it was read, scaled, and in the step-forward attack several times a third of it.
IMPORTED, HELD = 200e6, 3.9
#: Bytes of a row of outcomes in its chunk and its table, of a figure in all its formats, and of the
#: results of a dry run or a replay.
ROW, FIGURE, PAGE = 60, 400_000, 20_000_000
MEBIBYTE = 2**20


def shapes(config: Mapping[str, Any], folder: str | Path = ".") -> dict[str, Shape]:
    """The size of each data set of a configuration, without reading it."""
    return {
        name: made(name, recipe).planned_shape(Path(folder))
        for name, recipe in config["datasets"].items()
    }


def experiment(entry: Mapping[str, Any], shapes: Mapping[str, Shape]) -> tuple[int, int]:
    """Work of an experiment, in submissions of a batch, and its rows of outcomes.

    Work tells which of two experiments takes longer, and no more: neither the rows of the data nor
    the bootstrap of a board count.  `trial` tells seconds.

    Parameters
    ----------
    entry : mapping
        The experiment's entry in the configuration.
    shapes : mapping of str to Shape
        Of the data sets.
    """
    played = entry["replicates"] * len(entry["designs"]) * len(mechanisms(entry["mechanisms"]))
    work = rows = 0
    for dataset in entry["datasets"]:
        p = shapes[dataset].features
        for size, attack in sizes(entry["attack"]):
            submissions, points = attack.extent(min(size or entry.get("features") or p, p))
            each = DECIDED if isinstance(attack, Adversary) else 1
            work += played * (GAME + each * submissions)
            rows += played * points
    return work, rows


def memory(shape: Shape) -> int:
    """MiB that a job with a data set holds at most."""
    return round((IMPORTED + HELD * 8.0 * shape.rows * shape.features) / MEBIBYTE)


def disk(config: Mapping[str, Any], shapes: Mapping[str, Shape]) -> int:
    """Bytes of the results of a study of any kind; `shapes` are of its data sets."""
    total = sum(8 * shape.rows * shape.features for shape in shapes.values())
    total += sum(ROW * experiment(entry, shapes)[1] for entry in config["experiments"].values())
    total += FIGURE * (len(config["figures"]) + bool(config["boards"]))
    return total + (PAGE if config["dryrun"] or config["replay"] else 0)
