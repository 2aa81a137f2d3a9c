"""The CPU time of jobs before they start: what they took before, what a trial tells, or a guess."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import product
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

from shakedown import data
from shakedown.data.job import taken
from shakedown.interface import Challenge, Shape
from shakedown.scheduling.comparison import cell_seconds
from shakedown.scheduling.dryrun import job_seconds
from shakedown.scheduling.experiments import (
    chunk_files,
    chunk_games,
    large,
    small_jobs,
    traced_games,
)
from shakedown.scheduling.figures import traced
from shakedown.simulation.replicate import Experiment
from shakedown.simulation.trial import trial

#: CPU seconds in which a job starts, and what one is guessed to take of which nothing is known.
START, JOB = 0.5, 3.0


class Time(NamedTuple):
    """CPU seconds of a job, and how they are known."""

    seconds: float
    known: str


def times(
    config: Mapping[str, Any],
    shapes: Mapping[str, Shape],
    logs: Iterable[str],
    folder: Path,
    *,
    since: float,
    cores: int,
) -> dict[str, Time]:
    """The time of each job of a study of any kind, by its log.

    Parameters
    ----------
    config : mapping
        The complete configuration.
    shapes : mapping of str to Shape
        Of its data sets.
    logs : iterable of str
        The jobs' logs, relative to `folder`.
    folder : Path
        The study's folder of logs.
    since : float
        When the configuration was last changed; older logs may tell of other jobs.
    cores : int
        On which a dry run plays for a given time.
    """
    games = _games(config, shapes) if config["experiments"] else {}
    trials = _Trials(config)

    def time(log: str) -> Time:
        path = folder / log
        recorded = taken(path)
        if recorded is not None and path.stat().st_mtime > since:
            return Time(recorded, "recorded")
        if log in games:
            return Time(START + sum(trials.plays(*game) for game in games[log].items()), "tried")
        match Path(log).parts:
            case "make_dataset", name:
                return Time(START + trials.makes(Path(name).stem)[1], "tried")
            case "play_share", _:
                return Time(job_seconds(config, cores), "at most")
            case "compare_boards", name:
                rows, submissions = map(int, Path(name).stem.split("_"))
                seconds = cell_seconds(rows, submissions, config["boards"]["replicates"])
                return Time(JOB + seconds, "guessed")
        return Time(JOB, "guessed")

    return {log: time(log) for log in logs}


class _Trials:
    """CPU seconds of data sets and games, each tried once."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._config, self._seed = config, config["seed"]
        self.makes, self.replicate = cache(self._makes), cache(self._replicate)

    def plays(self, name: str, game: Mapping[str, Any]) -> float:
        """The seconds of what a job plays of an experiment."""
        replicates = game["replicates"]  # a number of them, or the first and one after the last
        number = len(range(*replicates) if isinstance(replicates, list) else range(replicates))
        parts = product(game["datasets"], game["designs"])
        return number * sum(self.replicate(name, *part) for part in parts)

    def _makes(self, dataset: str) -> tuple[Challenge, float]:
        """A data set, and the seconds that it took."""
        begun = process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the study itself tells what is odd about its data
            challenge = data.read(dataset, self._config["datasets"][dataset], seed=self._seed)
        return challenge, process_time() - begun

    def _replicate(self, name: str, dataset: str, design: str) -> float:
        """The seconds of a replicate."""
        settings, (challenge, _) = self._config["experiments"][name], self.makes(dataset)
        return trial(Experiment(name, settings, challenge, design, seed=self._seed))


def _games(
    config: Mapping[str, Any], shapes: Mapping[str, Shape]
) -> dict[str, dict[str, dict[str, Any]]]:
    """What jobs play or trace, by their logs."""
    small = small_jobs(config, shapes)
    jobs = {f"play_experiment/{job.name}.log": job.games for job in small}
    for name in large(config):
        for file in chunk_files(config, name):
            part = Path(file).relative_to("chunks").with_suffix("")
            jobs[f"play_experiment/{part}.log"] = chunk_games(config, *part.parts)
    return jobs | {"trace_experiment.log": traced_games(config, traced(config))}
