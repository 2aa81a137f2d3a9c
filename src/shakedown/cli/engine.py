"""Run a study: Snakemake in a subprocess, with its output reduced to what users need."""

from __future__ import annotations

import getpass
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from shakedown.checkout import project
from shakedown.cli import FAILED, STOPPED, faults
from shakedown.cli.progress import Display
from shakedown.cli.project import again
from shakedown.cli.record import Record, machine
from shakedown.cli.watching import Watched
from shakedown.data.checksums import CHECKED, damage_message, damaged, set_aside
from shakedown.interface import InputError

#: Seconds until Snakemake is interrupted again after Ctrl-C, which it ignores while it prints.
AGAIN = 2
#: Seconds for Snakemake to end its jobs after that.
PATIENCE = 20


def run(
    config: Path,
    study: str,
    *,
    cores: str,
    results: Sequence[str] = (),
    targets: Sequence[str] = (),
    profile: Path | None = None,
) -> int:
    """Make the missing results of a study in the working folder: all, or only the `targets`.

    Those that are damaged, and those of its `results` without a checksum, are set aside before.

    With a `profile`, such as a cluster's, Snakemake runs the jobs as it says.

    Returns the exit code, and prints the reason if it is not 0.  Raises an InputError if a job
    refuses its input or the study is locked.
    """
    record = Record(study)
    check_free(study, config)
    try:
        command = arguments(config, cores, targets, profile)
        code, watched, rest = _ran(command, config, record, results)
        if code != STOPPED:
            record.write(state="failed" if code else "done", jobs=[])
    except BrokenPipeError:
        raise
    except OSError as e:
        if said := faults.sentence(e, _cure(config)):
            raise InputError(said) from e
        raise
    if code == STOPPED:
        return STOPPED
    if code and faults.is_full(rest):
        raise InputError(faults.full(_cure(config)))
    if code and watched.refused:
        raise InputError(watched.refused)
    if watched.locked:
        check_free(study, config, is_locked=True)
    if code:
        print(*rest, sep="\n", file=sys.stderr)
        print(
            f"A job failed; its log is in results/{study}/logs. The last error, and what to do: "
            f"{shlex.join(['shakedown', 'status', study])}",
            file=sys.stderr,
        )
        return FAILED
    return 0


def repair(study: str, results: Sequence[str] = ()) -> Iterator[str]:
    """Set the damaged files of a study aside, so that Snakemake makes them again; says which.

    Snakemake sees the size and the time of a file, and not what is in it.
    """
    for path in damaged(Path("results", study), results):
        aside = set_aside(path)
        yield f"{damage_message(path)} It is kept as {aside}; a run makes it again."


def _cure(config: Path) -> str:
    return f"Results so far are kept. Continue: {again(config)}"


def _ran(
    command: list[str], config: Path, record: Record, results: Sequence[str]
) -> tuple[int, Watched, list[str]]:
    """Run Snakemake, and stop it if the command ends early: what `_followed` returns."""
    with record.running() as mark, Display() as display:
        for line in repair(record.study, results):
            display.say(line)
        record.write(
            config=str(config), pid=os.getpid(), machine=machine(), state="running",
            started=time.time(), **Watched().fields,
        )  # fmt: skip
        try:
            return _followed(command, display, record, mark)
        except BaseException as e:
            if record.is_locked():  # Snakemake was killed because it did not end in time
                record.free()
            if not isinstance(e, KeyboardInterrupt):
                raise
            record.write(state="stopped", jobs=[])
            display.close()
            print(f"Stopped; results so far are kept. Continue: {again(config)}", file=sys.stderr)
            return STOPPED, Watched(), []


def unlock(config: Path, study: str) -> int:
    """Remove the lock of a killed run; returns the exit code."""
    check_free(study, config, is_locked=False)
    Record(study).free()
    print(f"Study '{study}' is unlocked. Continue: {again(config)}")
    return 0


def check_free(study: str, config: Path, *, is_locked: bool | None = None) -> None:
    """Check that no other run writes to a study; if one does, raise an InputError.

    The lock of a run of this command that was killed is removed.
    """
    record = Record(study)
    if record.is_running():
        raise InputError(f"Study '{study}' is running in another process; wait until it ends.")
    if is_locked is None and record.was_killed():
        record.free()
    if record.is_locked() if is_locked is None else is_locked:
        if not config.is_file():  # so another file was run
            config = Path(record.read().get("config", config))
        raise InputError(
            f"Study '{study}' is locked: another run is active, or one was killed. If none is "
            f"active: {shlex.join(['shakedown', 'unlock', str(config)])}"
        )


def arguments(
    config: Path, cores: str, targets: Sequence[str] = (), profile: Path | None = None
) -> list[str]:
    """The command that runs a study; a profile for a cluster says itself how many jobs run."""
    root = project()
    how = ("--workflow-profile", str(profile or root / "profiles/default"))
    return [
        *(sys.executable, "-m", "snakemake", "--snakefile", str(root / "Snakefile")),
        *how,
        *("--logger", "shakedown"),
        *(() if profile else ("--cores", cores)),
        *("--configfile", str(config)),
        *(("--", *targets) if targets else ()),
    ]


def environment(**changes: str) -> dict[str, str]:
    """The environment of Snakemake: it finds the logger, and need not check the results.

    Snakemake notes the name of the user; some have none.
    """
    try:
        name = getpass.getuser()
    except (KeyError, OSError):  # a number that the system does not know
        name = str(os.getuid())
    changes[CHECKED] = "yes"
    source = project() / "src"
    if source.is_dir():  # a checkout, which need not be installed
        others = os.environ.get("PYTHONPATH")
        changes["PYTHONPATH"] = os.pathsep.join([str(source), *([others] if others else [])])
    return {"LOGNAME": name, **os.environ, **changes}


def _followed(
    command: list[str], display: Display, record: Record, mark: int | None = None
) -> tuple[int, Watched, list[str]]:
    """Run Snakemake: exit code, the state in which it ended, and the lines that were not shown.

    It keeps the `mark` of a running study also if this process is killed.
    """
    rest, watched = [], Watched()
    # In a new process group, so that Ctrl-C reaches only us, and we end the jobs.
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        errors="replace",
        env=environment(),
        start_new_session=True,
        pass_fds=() if mark is None else (mark,),
    )
    ends = (signal.SIGTERM, signal.SIGHUP)  # they stop the run as Ctrl-C does
    kept = {number: signal.signal(number, signal.default_int_handler) for number in ends}
    try:
        for line in map(str.rstrip, process.stdout):
            before, kind = watched.fields, watched.take(line)
            if kind == "steps":
                display.steps(watched.done, watched.steps)
            elif kind in ("begun", "replicates"):
                display.job(watched.last)
            elif kind is None:
                rest.append(line)
            if watched.fields != before:
                record.write(**watched.fields)
        return process.wait(), watched, rest
    except BaseException as e:  # such as a disk that is full
        if isinstance(e, KeyboardInterrupt):
            display.say("Stopping ...")
        _end(process)
        raise
    finally:
        process.stdout.close()
        for number, handler in kept.items():
            signal.signal(number, handler)


def _end(process: subprocess.Popen) -> None:
    """Interrupt Snakemake and its jobs, twice if needed; kill them if they do not end in time."""
    signals = ((signal.SIGINT, AGAIN), (signal.SIGINT, PATIENCE), (signal.SIGKILL, None))
    with suppress(ProcessLookupError):
        for number, patience in signals:
            with suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
                os.killpg(process.pid, number)
                process.communicate(timeout=patience)
                return
