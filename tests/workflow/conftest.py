"""The workflow as a user runs it: as a program of its own, in a folder of its own."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from tests import warm_python

ROOT = Path(__file__).parents[2]


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
        done = subprocess.run(
            [warm_python.program(), "-m", "snakemake", *map(str, words)],
            env=warm_python.clean() | {"XDG_CACHE_HOME": str(self.path / "cache")},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return Run(done.returncode, done.stdout)


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path)


def copy_workflow(to: Path) -> Path:
    """A copy of all that a study needs, with compiled code as it is."""
    for name in ("workflow", "src"):
        shutil.copytree(ROOT / name, to / name)  # keeps times, so caches stay valid
    shutil.copy2(ROOT / "Snakefile", to)
    return to
