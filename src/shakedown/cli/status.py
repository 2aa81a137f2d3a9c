"""The studies in the working folder, and their progress."""

from __future__ import annotations

import re
import shlex
import time
from pathlib import Path

from shakedown.cli.record import Record
from shakedown.interface import InputError, guess
from shakedown.simulation.progress import duration

#: The line under an error that says in which replicate it occurred; see `replicate.where`.
WHERE = re.compile(
    r"In replicate (?P<number>\d+) of (?P<game>.+) on (?P<data>.+) \((?P<how>.+)\)\."
)
#: Where the stack of calls of an error begins.
STACK = "Traceback (most recent call last):"


def status(study: str | None = None) -> str:
    """One line for each study under ``results/``, or one of them in detail."""
    if study is not None:
        check_known(study)
    studies = _studies()
    if not studies:
        return f"No study has been run in {Path.cwd()}. Start with: shakedown reproduce --help"
    if study:
        return "\n".join([f"{study}  {_state(study)}", *_details(study)])
    width = max(map(len, studies))
    return "\n".join(f"{name:<{width}}  {_state(name)}" for name in studies)


def check_known(study: str) -> None:
    """Check that a study has results in the working folder; an InputError if it has none."""
    studies = _studies()
    if study not in studies:
        among = f" Wanted one of: {', '.join(studies)}." if studies else ""
        where = Path("results").resolve()
        raise InputError(f"There is no study '{study}' in {where}.{guess(study, studies)}{among}")


def _studies() -> list[str]:
    return sorted(path.name for path in Path("results").glob("*") if path.is_dir())


def _state(study: str) -> str:
    record, report = Record(study), Path("results", study, "report.html")
    noted = record.read()
    config = shlex.quote(noted.get("config", "CONFIG"))
    again = f"continue: shakedown reproduce {config}"
    far = "no step done yet"
    if noted.get("steps"):
        far = f"{noted['done']} of {noted['steps']} steps done"
    if record.is_running():
        return f"running (process {noted.get('pid', 'unknown')}): {far}{_pace(noted)}"
    if record.is_locked() and not record.was_killed():
        return f"locked, {far}; if no run of it is active: shakedown unlock {config}"
    if noted.get("state") in ("running", "stopped"):  # "running": the process was killed
        return f"stopped, {far}; {again}"
    if noted.get("state") == "failed":
        return f"failed, {far}; see results/{study}/logs, then {again}"
    return f"complete: {report}" if report.is_file() else f"not complete; {again}"


def _pace(noted: dict) -> str:
    """How long a run has taken, its rate, and the time left at this rate."""
    if not noted.get("done") or "started" not in noted:
        return ""
    past = max(time.time() - noted["started"], 1e-3)
    left = past / noted["done"] * (noted["steps"] - noted["done"])
    rate = 60.0 * noted["done"] / past
    return f" in {duration(past)}, {rate:.3g} a minute; about {duration(left)} left at this rate"


def _details(study: str) -> list[str]:
    """The running jobs, and the last error."""
    record = Record(study)
    noted = record.read()
    lines = [f"  {job}" for job in noted.get("jobs", ())] if record.is_running() else []
    if noted.get("log"):
        lines += [f"The last error is in {noted['log']}"]
        error = last_error(Path(noted["log"]))
        lines += [f"  {line}" for line in error]
        if error and (match := WHERE.fullmatch(error[-1])):
            again = [
                *("shakedown", "replicate", noted["config"], match["game"], match["number"]),
                *("--dataset", match["data"], "--design", match["how"]),
            ]
            lines += ["It alone, again:", f"  {shlex.join(again)}"]
    return lines


def last_error(log: Path) -> list[str]:
    """The last error in a job's log, without its stack: the message and the notes under it."""
    try:
        text = log.read_text("utf-8", errors="replace")
    except OSError:
        return []
    if STACK not in text:
        return text.splitlines()[-1:]
    lines = text[text.rindex(STACK) + len(STACK) :].splitlines()
    outside = [number for number, line in enumerate(lines) if line and not line[0].isspace()]
    return lines[outside[0] :] if outside else []
