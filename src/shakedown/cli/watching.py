"""What Snakemake's lines tell of a run: its steps, its jobs, their replicates, the last failure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

#: Lines about progress: a job starts or ends, it reports its replicates, a step ends.
STARTS = re.compile(r"Job (\d+): (.+)")
ENDS = re.compile(r"Finished jobid: (\d+) .*|\s+jobid: (\d+)")
REPLICATES = re.compile(r"((.+): [\d,]+ of [\d,]+ replicates, about .+ left)")
STEPS = re.compile(r"(\d+) of (\d+) steps \(\d+%\) done")
#: The log of a job that failed.
FAILED_IN = re.compile(r"\s+log: (.+) \(check log file\(s\) for error details\)")


@dataclass
class Watched:
    """The state of a run.

    Attributes
    ----------
    done, steps : int
        Jobs that have ended, and jobs in all.
    jobs : dict
        What each running job does, by its number.
    replicates : dict
        The last line of progress of each game that is played.
    log : str or None
        The log of the last job that failed.
    last : str
        What was told last of a job.
    """

    done: int = 0
    steps: int = 0
    jobs: dict[str, str] = field(default_factory=dict)
    replicates: dict[str, str] = field(default_factory=dict)
    log: str | None = None
    last: str = ""

    def take(self, line: str) -> str | None:
        """Read a line; returns "job" or "steps" if the progress that it tells is to be shown."""
        if match := STARTS.fullmatch(line):
            self.jobs[match[1]] = self.last = match[2]
            return "job"
        if match := REPLICATES.fullmatch(line):
            self.replicates[match[2]] = self.last = match[1]
            return "job"
        if match := STEPS.fullmatch(line):
            self.done, self.steps = map(int, match.groups())
            return "steps"
        if match := ENDS.fullmatch(line):
            self.jobs.pop(match[1] or match[2], None)
            self.replicates = {}  # those that are still played report again within seconds
        elif match := FAILED_IN.fullmatch(line):
            self.log = match[1]
        return None

    @property
    def fields(self) -> dict[str, Any]:
        """Its fields, for JSON."""
        return {
            "done": self.done,
            "steps": self.steps,
            "jobs": [*self.jobs.values(), *self.replicates.values()],
            "log": self.log,
        }
