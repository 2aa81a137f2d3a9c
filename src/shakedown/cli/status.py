"""The studies in the working folder, and their progress."""

from __future__ import annotations

import shlex
from pathlib import Path

from shakedown.cli.record import Record
from shakedown.interface import InputError, guess


def status(study: str | None = None) -> str:
    """One line for each study under ``results/``, or for one of them."""
    results = Path("results")
    studies = sorted(path.name for path in results.glob("*") if path.is_dir())
    if study is not None and study not in studies:
        among = f" Wanted one of: {', '.join(studies)}." if studies else ""
        raise InputError(
            f"There is no study '{study}' in {results.resolve()}.{guess(study, studies)}{among}"
        )
    if not studies:
        return f"No study has been run in {Path.cwd()}. Start with: shakedown reproduce --help"
    shown = [study] if study else studies
    width = max(map(len, shown))
    return "\n".join(f"{name:<{width}}  {_state(name)}" for name in shown)


def _state(study: str) -> str:
    record, report = Record(study), Path("results", study, "report.html")
    noted = record.read()
    config = shlex.quote(noted.get("config", "CONFIG"))
    again = f"continue: shakedown reproduce {config}"
    far = "no step done yet"
    if noted.get("steps"):
        far = f"{noted['done']} of {noted['steps']} steps done"
    if record.is_running():
        return f"running (process {noted.get('pid', 'unknown')}): {far}"
    if record.is_locked():
        return f"locked, {far}; if no run of it is active: shakedown unlock {config}"
    if noted.get("state") in ("running", "stopped"):  # "running": the process was killed
        return f"stopped, {far}; {again}"
    if noted.get("state") == "failed":
        return f"failed, {far}; see results/{study}/logs, then {again}"
    return f"complete: {report}" if report.is_file() else f"not complete; {again}"
