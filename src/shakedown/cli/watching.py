"""What a run tells of itself: its steps, its jobs, their replicates, the last failure."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shakedown.cli.status import last_error

#: What the line of an event begins with; see `snakemake_logger_plugin_shakedown`.
MARK = "\x02"
#: How jobs tell the progress of their games; see `shakedown.simulation.progress`.
REPLICATES = re.compile(r"((.+): [\d,]+ (?:of [\d,]+ )?(?:replicate|play)s?, about .+ left)")

#: How Python ends the log of a job that raised an `InputError`.
REFUSED = re.compile(r"(?:shakedown\.interface\.)?InputError: (.+)")


def event_in(line: str) -> dict[str, Any] | None:
    """The event that a line of output holds; None if it is text."""
    if not line.startswith(MARK):
        return None
    try:
        return json.loads(line[len(MARK) :])
    except ValueError:  # a job has written into the line
        return None


def refusal(log: Path) -> str | None:
    """Why a job refused its input, which its log ends with; None if it failed otherwise."""
    error = last_error(log)
    match = REFUSED.match(error[0]) if error else None
    return match[1] if match else None


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
    refused : str or None
        Why a job first refused its input.
    locked : bool
        Whether Snakemake refused to run because another run has locked the results.
    last : str
        What was told last of a job.
    """

    done: int = 0
    steps: int = 0
    jobs: dict[int, str] = field(default_factory=dict)
    replicates: dict[str, str] = field(default_factory=dict)
    log: str | None = None
    refused: str | None = None
    locked: bool = False
    last: str = ""

    def take(self, line: str) -> str | None:
        """Read a line of output; returns what it was.

        Returns
        -------
        str or None
            The event, "replicates" if a job tells its progress, or None for any other text.
        """
        event = event_in(line)
        if event is not None:
            self._follow(event)
            return event["event"]
        if match := REPLICATES.fullmatch(line):
            self.replicates[match[2]] = self.last = match[1]
            return "replicates"
        return None

    def _follow(self, event: dict[str, Any]) -> None:
        match event["event"]:
            case "begun":
                self.jobs[event["job"]] = self.last = event["message"]
            case "steps":
                self.done, self.steps = event["done"], event["total"]
            case "ended" | "failed" as kind:
                self.jobs.pop(event["job"], None)
                self.replicates = {}  # those that are still played report again within seconds
                if kind == "failed" and event["logs"]:
                    self.log = event["logs"][0]
                    self.refused = self.refused or refusal(Path(self.log))
            case "error":
                self.locked |= event["exception"] == "LockException"

    @property
    def fields(self) -> dict[str, Any]:
        """Its fields, for JSON."""
        return {
            "done": self.done,
            "steps": self.steps,
            "jobs": [*self.jobs.values(), *self.replicates.values()],
            "log": self.log,
        }
