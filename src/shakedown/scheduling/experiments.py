"""The jobs that play experiments: several for a large one, and one for several small ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from typing import Any, NamedTuple

from shakedown.interface import Shape
from shakedown.scheduling.resources import job_memory
from shakedown.simulation import cost

#: What of an experiment's settings decides how a replicate goes.
DECIDING = ("metric", "features", "feature_subset", "attack", "model", "mechanisms")
#: What of them its outcomes are checked against.
CHECKED = ("datasets", "designs", "metric", "replicates")
#: Work (`cost.experiment`) of small experiments that a job plays; work that counts as urgent.
ENOUGH, URGENT = 12_500_000, 400_000


class SmallJob(NamedTuple):
    """A job that plays some experiments whole: to start Python takes longer than to play one.

    Attributes
    ----------
    name : str
        Of the first experiment.
    experiments, datasets : list of str
    games : dict
        See `games`.
    priority : int
    memory : int
        MiB.
    """

    name: str
    experiments: list[str]
    datasets: list[str]
    games: dict[str, dict[str, Any]]
    priority: int
    memory: int


def games(
    config: Mapping[str, Any],
    experiments: Iterable[str],
    *,
    datasets: Sequence[str] = (),
    designs: Sequence[str] = (),
    replicates: list[int] | int | None = None,
) -> dict[str, dict[str, Any]]:
    """What a job plays of each experiment; all of its data sets and so on, unless they are named.

    Parameters
    ----------
    config : mapping
        The complete configuration.
    experiments : iterable of str
    datasets, designs : sequence of str
    replicates : list of int, or int
        The first one and the one after the last; or, for traces, their number.
    """
    parts = {}
    for name in experiments:
        entry = config["experiments"][name]
        parts[name] = {
            "datasets": datasets or entry["datasets"],
            "designs": designs or entry["designs"],
            "settings": {key: entry[key] for key in DECIDING},
            "replicates": replicates or [0, entry["replicates"]],
        }
    return parts


def data_of(config: Mapping[str, Any], experiments: Iterable[str]) -> list[str]:
    """The data sets of some experiments, sorted."""
    return sorted(
        {data for name in experiments for data in config["experiments"][name]["datasets"]}
    )


def large(config: Mapping[str, Any]) -> list[str]:
    """The experiments that need several jobs."""
    return [name for name in config["experiments"] if _jobs(config, name) > 1]


def chunk_files(config: Mapping[str, Any], experiment: str) -> list[str]:
    """The tables of a large experiment: of each data set in each design, some replicates each."""
    entry = config["experiments"][experiment]
    chunks = ceil(entry["replicates"] / _chunk_size(config, experiment))
    return [
        f"chunks/{experiment}/{dataset}/{design}/{chunk}.parquet"
        for dataset in entry["datasets"]
        for design in entry["designs"]
        for chunk in range(chunks)
    ]


def chunk_games(
    config: Mapping[str, Any], experiment: str, dataset: str, design: str, chunk: str
) -> dict[str, dict[str, Any]]:
    """What the job of one of these tables plays; `chunk` is the number in its name."""
    size = _chunk_size(config, experiment)
    first = int(chunk) * size
    last = min(first + size, config["experiments"][experiment]["replicates"])
    return games(
        config, [experiment], datasets=[dataset], designs=[design], replicates=[first, last]
    )


def chunk_priority(config: Mapping[str, Any], shapes: Mapping[str, Shape]) -> int:
    """The priority of the jobs of large experiments, which is the same for all."""
    names = large(config)
    jobs = sum(ceil(_jobs(config, name)) for name in names)
    work = sum(_work(config, shapes, name) for name in names)
    return 1 + _urgency(work) // max(jobs, 1)


def small_jobs(config: Mapping[str, Any], shapes: Mapping[str, Shape]) -> list[SmallJob]:
    """The jobs of the other experiments, each of which stays short.

    An experiment joins the first job that has room left for it.
    """
    packs: dict[str, list[str]] = {}
    filled: dict[str, int] = {}
    for name in config["experiments"]:
        if _jobs(config, name) <= 1:
            work = _work(config, shapes, name)
            fitting = (pack for pack in packs if filled[pack] + work <= ENOUGH)
            pack = next(fitting, name)
            packs.setdefault(pack, []).append(name)
            filled[pack] = filled.get(pack, 0) + work
    jobs = []
    for pack, names in packs.items():
        data = data_of(config, names)
        jobs.append(
            SmallJob(
                name=pack,
                experiments=names,
                datasets=data,
                games=games(config, names),
                priority=_urgency(filled[pack]),
                memory=job_memory(shapes, data),
            )
        )
    return jobs


def traced_games(
    config: Mapping[str, Any], experiments: Iterable[str]
) -> dict[str, dict[str, Any]]:
    """What is traced of each experiment: its first replicates, in all its designs."""
    parts = {}
    for name in experiments:
        entry = config["experiments"][name]
        number = min(entry["traced"], entry["replicates"])
        parts |= games(config, [name], replicates=number)
    return parts


def released(config: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The entries whose predictions are released again and again, by name, sorted."""
    return dict(sorted(config["release_variability"].items()))


def released_data(config: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The recipes of the data sets of these, by name, sorted."""
    names = sorted({entry["dataset"] for entry in config["release_variability"].values()})
    return {name: config["datasets"][name] for name in names}


def checked_settings(config: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """What of each experiment's settings its outcomes are checked against."""
    return {
        name: {key: entry[key] for key in CHECKED} for name, entry in config["experiments"].items()
    }


def _chunk_size(config: Mapping[str, Any], experiment: str) -> int:
    """Replicates that one job plays on a data set in a design."""
    return config["experiments"][experiment]["replicates_per_job"] or config["replicates_per_job"]


def _jobs(config: Mapping[str, Any], experiment: str) -> float:
    """How many jobs an experiment fills; it is large if it fills more than one."""
    entry = config["experiments"][experiment]
    parts = len(entry["datasets"]) * len(entry["designs"])
    return parts * entry["replicates"] / _chunk_size(config, experiment)


def _work(config: Mapping[str, Any], shapes: Mapping[str, Shape], experiment: str) -> int:
    return cost.experiment(config["experiments"][experiment], shapes)[0]


def _urgency(work: int) -> int:
    """A priority: the longest job starts first, so that no core waits for it at the end."""
    return 1 + ceil(work / URGENT)
