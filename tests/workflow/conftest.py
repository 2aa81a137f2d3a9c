"""The workflow as a user runs it: as a program of its own, in a folder of its own."""

import atexit
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import yaml

ROOT = Path(__file__).parents[2]


@cache
def forked():
    """A process that forks for each run of snakemake."""
    command = [sys.executable, Path(__file__).with_name("forked.py")]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=clean()
    )
    atexit.register(process.communicate)
    return process


def clean() -> dict[str, str]:
    """The environment without what the tests' own Python was told."""
    return {k: v for k, v in os.environ.items() if not k.startswith(("SNAKEMAKE", "PYTHON"))}


@dataclass(frozen=True)
class Run:
    """What became of a run of snakemake."""

    returncode: int
    text: str

    def jobs(self) -> dict[str, int]:
        """Number of jobs by rule, from the table that snakemake prints first."""
        lines = self.text.splitlines()
        if "Job stats:" not in lines:
            return {}
        rows = lines[lines.index("Job stats:") + 3 :]
        counts = dict(row.split() for row in rows[: rows.index("")])
        return {rule: int(n) for rule, n in counts.items() if rule not in ("all", "total")}


@dataclass(frozen=True)
class Folder:
    """A folder in which studies are run.

    Attributes
    ----------
    path : Path
    root : Path
        Where the Snakefile lies.
    """

    path: Path
    root: Path = ROOT

    def write(self, config: dict) -> Path:
        """Write a configuration."""
        path = self.path / "study.yaml"
        path.write_text(yaml.safe_dump(config, sort_keys=False))
        return path

    def snakemake(self, *arguments, config: Path | None = None, cores: int = 2) -> Run:
        """Run snakemake here; targets go behind "--"."""
        words = [
            *("--snakefile", self.root / "Snakefile"),
            *("--directory", self.path, "--cores", cores, "--scheduler", "greedy"),
            *("--workflow-profile", "none", "--show-failed-logs"),
            *(("--configfile", config) if config else ()),
            *arguments,
        ]
        environment = clean() | {"XDG_CACHE_HOME": str(self.path / "cache")}
        with TemporaryDirectory() as folder:
            printed = Path(folder) / "printed"
            request = [str(printed), environment, [str(word) for word in words]]
            print(json.dumps(request), file=forked().stdin, flush=True)
            return Run(int(forked().stdout.readline()), printed.read_text("utf-8"))


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path)


def copy_workflow(to: Path) -> Path:
    """A copy of all that a study needs, with compiled code as it is."""
    for name in ("workflow", "src"):
        shutil.copytree(ROOT / name, to / name)  # keeps times, so caches stay valid
    shutil.copy2(ROOT / "Snakefile", to)
    return to
