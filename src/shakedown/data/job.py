"""The frame of every job of the workflow: its log, its files, its memory, and what it took."""

from __future__ import annotations

import gc
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from shakedown.data import checksums


@contextmanager
def job(snakemake: Any, *, collect_every: int = 20_000) -> Iterator[None]:
    """Log what a job says, check what it reads, and seal what it has made.

    A job that fails seals nothing.

    Parameters
    ----------
    snakemake : object
        What Snakemake gives a script.
    collect_every : int
        Number of new objects after which Python searches them for garbage.  A job's objects are
        used once and let go; a search after every 700, the default of Python 3.11, takes a
        thirtieth of its time.

    Raises
    ------
    InputError
        If an input is damaged.
    """
    # Not closed here: if the job fails, Python writes the error there.
    sys.stderr = open(snakemake.log[0], "w", buffering=1)  # noqa: SIM115
    checksums.prepare(snakemake.input, snakemake.output)
    # Imported modules live as long as the job.  Python would look among their objects for garbage
    # now and then, and several times when it ends: a fifth of what it takes to start and end it.
    gc.freeze()
    gc.set_threshold(collect_every)
    yield
    checksums.seal(snakemake.output)
    gc.freeze()
    print(_taken(), file=sys.stderr)


def _taken() -> str:
    """The CPU time of this process and, where Linux tells it, the most memory that it has held."""
    times = os.times()
    words = f"took {times.user + times.system:.1f} CPU s"
    if (held := most_memory()) is not None:
        words += f" and {held / 2**20:,.0f} MiB at most"
    return words


def taken(log: Path) -> float | None:
    """The CPU seconds that a job took, by the last line of its log; None if it did not end."""
    with suppress(OSError):
        last = log.read_text("utf-8", "replace").splitlines()[-1:]
        if match := re.match(r"took ([\d.]+) CPU s", *last or [""]):
            return float(match[1])
    return None


def most_memory() -> int | None:
    """The most memory that this process has held, in bytes; None where the system does not tell it.

    `resource.getrusage` would count what the process that started this one held.
    """
    with suppress(OSError, KeyError, ValueError):  # other systems have no such file, or another
        status = Path("/proc/self/status").read_text()
        fields = dict(line.split(":", 1) for line in status.splitlines())
        return 1024 * int(fields["VmHWM"].split()[0])
    return None
