"""A study on a real Slurm of two nodes: its tables are those of a local run, whatever fails."""

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
import yaml

from tests.warm_python import clean

from . import cluster
from .conftest import ROOT, Folder

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(bool(cluster.missing()), reason=f"no {', '.join(cluster.missing())}"),
]

#: An attack that waits on a cluster as long as a file is there, so that a job is in its middle.
WAITING = """
import os
import time
from pathlib import Path
from typing import ClassVar

from shakedown.attacks.freedman import Freedman

HERE = Path(__file__).parent


class Waiting(Freedman):
    label: ClassVar[str] = "Waiting"

    def prepare(self, participant, model, rng):
        node = os.environ.get("SLURMD_NODENAME")
        if node:
            (HERE / f"on_{node}").touch()
        while node and (HERE / "hold").exists():
            time.sleep(0.1)
        return super().prepare(participant, model, rng)
"""
STUDY = {
    "study": "far",
    "seed": 5,
    "datasets": {"sim": {"recipe": "simulated", "rows": 48, "features": 9}},
    "experiments": {
        "free": {
            "datasets": ["sim"],
            "designs": ["permuted", "splits"],
            "attack": {"name": "waiting_attack.Waiting", "largest_model": 3},
            "replicates": 4,
            "replicates_per_job": 2,
            "mechanisms": [
                {"name": "full_disclosure"},
                {"name": "ladder", "alpha": 0.15},
                {"name": "ladderboot", "alpha": 0.15, "b": 10},
            ],
        },
    },
}
TABLE = "results/far/outcomes/free.parquet"
#: Seconds until a study on the cluster has reached a state; nothing is said of its speed.
PATIENCE = 300


@pytest.fixture
def slurm():
    folder = Path(tempfile.mkdtemp(prefix="slurm", dir="/tmp"))  # a short path: it holds a socket
    running = cluster.Cluster(folder)
    yield running
    running.stop()
    shutil.rmtree(folder)


def prepared(path: Path) -> Folder:
    """A folder with the study and its attack."""
    path.mkdir()
    (path / "study.yaml").write_text(yaml.safe_dump(STUDY, sort_keys=False))
    (path / "waiting_attack.py").write_text(WAITING)
    return Folder(path)


def submitted(folder: Folder, slurm: cluster.Cluster) -> subprocess.Popen:
    """The study, run by the profile; only intervals of a cluster of minutes are shortened."""
    command = [
        *(sys.executable, "-m", "snakemake", "--snakefile", ROOT / "Snakefile"),
        *("--directory", folder.path, "--configfile", folder.path / "study.yaml"),
        *("--workflow-profile", ROOT / "profiles/slurm", "--jobs", "4"),
        *("--slurm-init-seconds-before-status-checks", "5"),
        *("--seconds-between-status-checks", "1", "--latency-wait", "5"),
        *("--default-resources", "mem_mb=500", "runtime=5", "--", TABLE),
    ]
    variables = {"XDG_CACHE_HOME": str(folder.path / "cache"), **slurm.environment}
    with open(folder.path / "printed", "w") as printed:
        return subprocess.Popen(
            [str(word) for word in command],
            cwd=folder.path,
            env=clean() | variables,
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.STDOUT,
        )


def test_a_worker_is_killed_a_node_drained_and_the_controller_restarted(tmp_path, slurm):
    near, far = prepared(tmp_path / "near"), prepared(tmp_path / "far")
    (far.path / "hold").touch()
    run = submitted(far, slurm)
    try:
        printed = far.path / "printed"
        wait(lambda: all((far.path / f"on_{n}").exists() for n in cluster.NODES), run, printed)
        slurm.restart_controller()
        slurm.run("scontrol", "update", "nodename=n1", "state=drain", "reason=test")
        slurm.kill_workers("n2")  # in the middle of its jobs
        (far.path / "hold").unlink()
        assert run.wait(PATIENCE) == 0, printed.read_text()
    finally:
        run.kill()
        run.wait()
    assert "Trying to restart job" in printed.read_text()
    assert slurm.state("n1") == "drained"

    local = near.snakemake("--", TABLE, config=near.path / "study.yaml")
    assert local.returncode == 0, local.text
    assert (far.path / TABLE).read_bytes() == (near.path / TABLE).read_bytes()


def wait(until, run: subprocess.Popen, printed: Path) -> None:
    """Wait until something holds, as long as the run goes on."""
    end = time.monotonic() + PATIENCE
    while not until():
        assert run.poll() is None, printed.read_text()
        assert time.monotonic() < end, printed.read_text()
        time.sleep(0.1)
