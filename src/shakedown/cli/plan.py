"""What a study would take: jobs, CPU hours, memory and disk, before it starts."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from shakedown.cli.engine import arguments, environment
from shakedown.cli.project import configuration_file, whole
from shakedown.cli.watching import event_in
from shakedown.interface import InputError
from shakedown.scheduling.comparison import cell_memory
from shakedown.scheduling.times import times
from shakedown.simulation import cost
from shakedown.wording import counted

#: MiB of a job that draws figures or checks claims.
OTHERS = 400


def plan(config: str, cores: str = "all") -> str:
    """The plan of a configuration, as text.

    Raises
    ------
    InputError
        If there is no such configuration, or the workflow refuses it.
    """
    path = configuration_file(config)
    content = whole(path)
    at_once = os.cpu_count() or 1 if cores == "all" else int(cores)
    logs = Path("results", content["study"], "logs")
    names = [os.path.relpath(log, logs) for log in logs_of(path)]
    shapes = cost.shapes(content)
    known = times(content, shapes, names, logs, since=path.stat().st_mtime, cores=at_once)
    rules, ways = Counter(), Counter(time.known for time in known.values())
    for log, time in known.items():
        rules[Path(log).parts[0].removesuffix(".log")] += time.seconds
    total = sum(rules.values())
    memory = max([OTHERS, *map(cost.memory, shapes.values())])
    if boards := content["boards"]:
        memory = max(memory, cell_memory(max(boards["rows"]), max(boards["submissions"])))
    study, jobs = content["study"], counted(len(known), "job")
    known_for = [f"{way} for {counted(number, 'job')}" for way, number in ways.items()]
    lines = [
        f"{study}: {jobs}, {_time(total)} of CPU time on a core like this one",
        *(f"  {_time(seconds):>12}  {rule}" for rule, seconds in rules.items()),
        f"times: {', '.join(known_for)}",
        f"on {at_once} cores about {_time(total / at_once)}",
        f"memory: {memory:,} MiB for the largest job",
        f"disk: {cost.disk(content, shapes) / 1e6:,.0f} MB in results/{study}",
    ]
    return "\n".join(lines)


def logs_of(config: Path) -> list[str]:
    """The log of each job if no result exists yet, as Snakemake names them."""
    with TemporaryDirectory() as folder:  # neither the study's lock nor its results matter
        done = subprocess.run(
            [*arguments(config.resolve(), "1"), "--dry-run", "--forceall"],
            text=True,
            capture_output=True,
            env=environment(XDG_CACHE_HOME=folder),
        )
    output = done.stdout.splitlines() + done.stderr.splitlines()
    events = list(map(event_in, output))
    logs = [event["log"] for event in events if event and event.get("log")]
    if done.returncode or not logs:
        lines = [line for line, event in zip(output, events, strict=True) if event is None]
        refused = [line for line in lines if line.startswith("[Errno ")]
        raise InputError(f"{config} cannot be planned: {' '.join(refused[:1] or lines[-3:])}")
    return logs


def _time(seconds: float) -> str:
    """A duration of work, in the unit that reads best."""
    for size, unit in ((3600.0, "hours"), (60.0, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:,.1f} {unit}"
    return f"{seconds:,.1f} seconds"
