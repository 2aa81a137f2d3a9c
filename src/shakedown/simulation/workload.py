"""What a study costs before it starts: CPU seconds by kind of work, memory, disk."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from shakedown.data import made
from shakedown.interface import Shape
from shakedown.simulation import cost

#: CPU seconds that a job takes before it works: Python and what it imports.
STARTING = 0.7
#: CPU seconds for each cell of a data set that is made and written, or read as text.
MAKING, PARSING = 3e-8, 3e-7
#: CPU seconds for each row of outcomes, from chunks to summaries, and of the claims.
TABULATING, CLAIMING = 3.5e-6, 1e-6
#: CPU seconds of a figure, and of a module with claims.
DRAWING, CHECKING = 0.8, 1.5
#: CPU seconds of a traced replicate, relative to one that is played.
TRACING = 1.0
#: CPU seconds for each release of a prediction in `release_variability`, by its replications b.
RELEASING = 5e-7
#: Bytes of a row of outcomes in its chunk and its table, and of a figure in all its formats.
ROW, FIGURE = 60.0, 4e5
#: MiB of a job that draws figures or checks claims.
OTHERS = 400
#: CPU seconds of a dry run or a replay beside its attacks: limits, usefulness, pages.
BESIDE = 30.0


class Workload(NamedTuple):
    """CPU seconds by kind of work as in `cost`, MiB of the largest job, bytes of disk."""

    seconds: dict[str, float]
    memory: int
    disk: float


def shapes(config: Mapping[str, Any], folder: str | Path = ".") -> dict[str, Shape]:
    """The size of each data set of a configuration, without reading it."""
    return {
        name: made(name, recipe).planned_shape(Path(folder))
        for name, recipe in config["datasets"].items()
    }


def workload(config: Mapping[str, Any], jobs: int, *, cores: int = 1) -> Workload:
    """What a study, a dry run or a replay takes.

    Parameters
    ----------
    config : mapping
        The whole configuration.
    jobs : int
        Number of jobs that the workflow would start.
    cores : int
        Cores of a dry run, which plays for a given time on all of them.
    """
    sized = shapes(config)
    cells = {name: float(shape.rows * shape.features) for name, shape in sized.items()}
    seconds = {
        "starting jobs": jobs * STARTING,
        "making data sets": sum(
            size * (PARSING if config["datasets"][name].get("path") else MAKING)
            for name, size in cells.items()
        ),
    }
    disk = sum(8.0 * size for size in cells.values())
    memory = max([OTHERS, *map(cost.memory, sized.values())])
    if config["dryrun"] or config["replay"]:
        if config["dryrun"]:
            share = min(cores, config["dryrun"]["jobs"])
            seconds["playing, at most"] = 60.0 * config["dryrun"]["minutes"] * share
        seconds["tables and pages"] = BESIDE
        return Workload(seconds, memory, disk + 2e7)
    played, traced, rows = 0.0, 0.0, 0
    shown = _traced(config)
    for name, entry in config["experiments"].items():
        each, outcomes = cost.experiment(entry, sized)
        played += each * entry["replicates"]
        rows += outcomes * entry["replicates"]
        if name in shown:
            traced += each * min(entry["traced"], entry["replicates"])
    seconds["playing"] = played
    seconds["tracing"] = TRACING * traced
    seconds["releasing again"] = sum(map(_releasing, config["release_variability"].values()))
    seconds["joining and summarising"] = TABULATING * rows
    seconds["drawing"] = DRAWING * len(config["figures"])
    if config["claims"]:
        seconds["checking claims"] = CHECKING * len(config["claims"]) + CLAIMING * rows
    return Workload(seconds, memory, disk + ROW * rows + FIGURE * len(config["figures"]))


def _traced(config: Mapping[str, Any]) -> set[str]:
    """The experiments whose every submission a figure shows."""
    experiments = set()
    for figure in config["figures"].values():
        if figure["kind"] == "traces":
            shown = figure["experiment"]
            experiments |= {shown} if isinstance(shown, str) else set(shown)
    return experiments


def _releasing(entry: Mapping[str, Any]) -> float:
    predictions = len(entry.get("models") or entry.get("correlations") or [0])
    releases = predictions * len(entry["b"]) * entry["releases"] * (entry.get("draws") or 1)
    return RELEASING * releases * (1.0 + sum(entry["b"]) / len(entry["b"]) / 10)
