"""The record of a study's runs: progress of the last one, and whether one is active."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shakedown.data.files import replacing


class Record:
    """Progress of the last run of a study: ``results/<study>/logs/run.json``."""

    def __init__(self, study: str) -> None:
        self.study, self.path = study, Path("results", study, "logs", "run.json")
        self._sign = self.path.with_name("running")

    def read(self) -> dict:
        """The record; empty if the study was run by Snakemake without this command."""
        try:
            return json.loads(self.path.read_text("utf-8"))
        except (OSError, ValueError):
            return {}

    def write(self, **changes: object) -> None:
        """Update the record."""
        text = json.dumps(self.read() | changes)
        with replacing(self.path) as new:
            new.write_text(text, "utf-8")

    @contextmanager
    def running(self) -> Iterator[int]:
        """Mark the study as running; the mark ends with the process, even if it is killed.

        A child that gets the yielded file descriptor keeps the mark, too.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._sign.open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file.fileno()

    def is_running(self) -> bool:
        """Whether a run that this command started is active."""
        if not self._sign.exists():
            return False
        with self._sign.open() as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except OSError:
                return True
        return False

    def is_locked(self) -> bool:
        """Whether Snakemake has locked the study's results in this folder."""
        return any(path.name.endswith(".output.lock") for path in self._locks())

    def was_killed(self) -> bool:
        """Whether the lock is that of a run of this command, on this machine, that was killed.

        A lock that is newer than the record may be that of a Snakemake that somebody else started.
        """
        record = self.read()
        if record.get("state") != "running" or record.get("machine") != machine():
            return False
        return not self.is_running() and all(
            path.stat().st_mtime_ns <= self.path.stat().st_mtime_ns for path in self._locks()
        )

    def free(self) -> None:
        """Remove the locks of this study; those of other studies in this folder stay."""
        for path in self._locks():
            path.unlink(missing_ok=True)

    def _locks(self) -> list[Path]:
        """Snakemake's locks that name results of the study, whether read or written."""
        return [
            path
            for path in Path(".snakemake/locks").glob("*.lock")
            if any(
                line.startswith(f"results/{self.study}/")
                for line in path.read_text("utf-8").splitlines()
            )
        ]


def machine() -> str:
    """The name of this machine; another one may share the folder, but not its processes."""
    return os.uname().nodename
