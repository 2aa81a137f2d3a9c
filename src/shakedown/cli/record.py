"""The record of a study's runs: progress of the last one, and whether one is active."""

from __future__ import annotations

import fcntl
import json
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
    def running(self) -> Iterator[None]:
        """Mark the study as running; the mark ends with the process, even if it is killed."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._sign.open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

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
        return any(
            line.startswith(f"results/{self.study}/")
            for path in Path(".snakemake/locks").glob("*.output.lock")
            for line in path.read_text("utf-8").splitlines()
        )
