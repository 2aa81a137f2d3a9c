"""What a study would take: jobs, CPU hours, memory and disk, before it starts."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from shakedown.cli.engine import arguments, environment
from shakedown.cli.project import found, whole
from shakedown.cli.watching import Watched
from shakedown.interface import InputError
from shakedown.simulation.cost import speed
from shakedown.simulation.workload import workload


def plan(config: str, cores: str = "all") -> str:
    """The plan of a configuration, as text.

    Raises
    ------
    InputError
        If there is no such configuration, or the workflow refuses it.
    """
    path = found(config)
    content = whole(path)
    at_once = os.cpu_count() or 1 if cores == "all" else int(cores)
    jobs = sum(jobs_of(path).values())
    work = workload(content, jobs, cores=at_once)
    here = speed()
    total = here * sum(work.seconds.values())
    lines = [
        f"{content['study']}: {jobs:,} jobs, {_time(total)} of CPU time on a core like this one",
        *(f"  {_time(here * s):>12}  {what}" for what, s in work.seconds.items() if s >= 0.05),
        f"on {at_once} cores about {_time(total / at_once)}",
        f"memory: {work.memory:,} MiB for the largest job",
        f"disk: {work.disk / 1e6:,.0f} MB in results/{content['study']}",
    ]
    return "\n".join(lines)


def jobs_of(config: Path) -> dict[str, int]:
    """Number of jobs of each rule if no result exists yet, as Snakemake counts them."""
    with TemporaryDirectory() as folder:  # neither the study's lock nor its results matter
        command = [*arguments(config.resolve(), "1"), "--dry-run", "--forceall", "--quiet", "rules"]
        done = subprocess.run(
            command,
            text=True,
            capture_output=True,
            env=environment(XDG_CACHE_HOME=folder),
        )
    watched, output = Watched(), done.stdout.splitlines() + done.stderr.splitlines()
    lines = [line for line in output if watched.take(line) is None]
    if done.returncode or not watched.planned:
        refused = [line for line in lines if line.startswith("[Errno ")]
        raise InputError(f"{config} cannot be planned: {' '.join(refused[:1] or lines[-3:])}")
    return {rule: n for rule, n in watched.planned.items() if rule not in ("all", "total")}


def _time(seconds: float) -> str:
    """A duration of work, in the unit that reads best."""
    for size, unit in ((3600.0, "hours"), (60.0, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:,.1f} {unit}"
    return f"{seconds:,.1f} seconds"
