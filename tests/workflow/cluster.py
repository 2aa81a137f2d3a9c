"""A Slurm cluster of two nodes on this machine, with its own folder and ports."""

import getpass
import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path

NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "scontrol", "squeue", "sinfo")
NODES = ("n1", "n2")
#: Seconds until the cluster must have done what it is told.
PATIENCE = 30

CONFIG = """\
ClusterName=lab
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
MpiDefault=none
ReturnToService=2
SlurmdTimeout=5
BatchStartTimeout=2
MinJobAge=300
SchedulerParameters=sched_interval=2,batch_sched_delay=1,sched_min_interval=0
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SlurmdParameters=config_overrides
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs=2 RealMemory=4000
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs=2 RealMemory=4000
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def path() -> str:
    """Where programs are looked for; those of an administrator are not on every user's path."""
    return os.pathsep.join([os.environ["PATH"], "/usr/sbin", "/sbin"])


def missing() -> list[str]:
    """The programs of Slurm that this machine lacks."""
    return [name for name in NEEDED if shutil.which(name, path=path()) is None]


class Cluster:
    """A running cluster; `stop` ends all of its processes.

    Parameters
    ----------
    folder : Path
        For its state; the path must be short, because it holds a socket.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {"SLURM_CONF": str(folder / "slurm.conf")}
        for name in ("state", "bin", *(f"spool.{node}" for node in NODES)):
            (folder / name).mkdir()
        (folder / "slurm.conf").write_text(
            CONFIG.format(
                folder=folder,
                host=socket.gethostname().partition(".")[0],
                user=getpass.getuser(),
                ports=_free_ports(3),
            )
        )
        # The job step of Snakemake's plugin drops SLURM_CONF, and no file of the system names it.
        shim = folder / "bin" / "srun"
        real = shutil.which("srun", path=path())
        shim.write_text(f'#!/bin/sh\nSLURM_CONF={folder}/slurm.conf exec {real} "$@"\n')
        shim.chmod(0o755)
        self.environment["PATH"] = os.pathsep.join([str(folder / "bin"), path()])
        key = folder / "munge.key"
        key.write_bytes(secrets.token_bytes(1024))
        key.chmod(0o400)
        folder.chmod(0o755)  # munged refuses a folder that its clients cannot enter
        try:
            self.run(
                *("munged", "--force", f"--key-file={key}", f"--socket={folder}/munge.socket"),
                *(f"--{name}-file={folder}/munged.{name}" for name in ("pid", "log", "seed")),
            )
            self.start_controller()
            for node in NODES:
                self.start_node(node)
            self.wait(lambda: all(self.state(node) == "idle" for node in NODES))
        except BaseException:
            self.stop()
            raise

    def run(self, *command: str, check: bool = True, **variables: str) -> str:
        """What a command of the cluster prints."""
        # A daemon would keep a pipe open; a file is read as soon as the command ends.
        with open(self.folder / "printed", "w+") as printed:
            done = subprocess.run(
                command,
                env={**os.environ, **self.environment, **variables},
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=subprocess.STDOUT,
                timeout=PATIENCE,
            )
            printed.seek(0)
            text = printed.read()
        assert done.returncode == 0 or not check, f"{command}: {text}"
        return text

    def start_controller(self) -> None:
        """Start the controller; it goes on with the jobs that it knew."""
        self.run("slurmctld", "-f", str(self.folder / "slurm.conf"))

    def start_node(self, node: str) -> None:
        """Start a node."""
        config = str(self.folder / "slurm.conf")
        self.run("slurmd", "-N", node, "-f", config, SHAKEDOWN_NODE=node)

    def restart_controller(self) -> None:
        """End the controller, which then saves its state, and start it again."""
        self._kill("slurmctld.pid", signal.SIGTERM)
        self.start_controller()
        self.wait(lambda: "is UP" in self.run("scontrol", "ping", check=False))

    def kill_workers(self, node: str) -> None:
        """End the processes of a node's jobs, as a lack of memory does."""
        for process in self._processes(b"SLURMD_NODENAME=" + node.encode()):
            _end(process)

    def state(self, node: str) -> str:
        """The state of a node, such as idle, mixed or drained."""
        states = dict(line.split() for line in self.run("sinfo", "-hN", "-o%N %T").splitlines())
        return states[node]

    def stop(self) -> None:
        """End the daemons, and what they started."""
        self._kill("slurmctld.pid", signal.SIGTERM)
        for node in NODES:
            self.kill_workers(node)
            for process in self._processes(b"SHAKEDOWN_NODE=" + node.encode()):
                _end(process)
        self._kill("munged.pid", signal.SIGTERM)

    @staticmethod
    def wait(until) -> None:
        """Wait until something holds."""
        end = time.monotonic() + PATIENCE
        while not until():
            assert time.monotonic() < end, "the cluster did not do what it was told"
            time.sleep(0.1)

    def _processes(self, mark: bytes) -> list[int]:
        """The processes of this cluster with a variable in their environment."""
        numbers = []
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                given = (process / "environ").read_bytes()
                if bytes(self.folder) in given and mark in given.split(b"\0"):
                    numbers.append(int(process.name))
        return numbers

    def _kill(self, file: str, number: int) -> None:
        """End the process whose id lies in a file, and wait until it has ended."""
        try:
            process = int((self.folder / file).read_text())
            os.kill(process, number)
        except (OSError, ValueError):
            return
        self.wait(lambda: not Path(f"/proc/{process}").exists())


def _end(process: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def _free_ports(count: int) -> list[int]:
    taken = [socket.socket() for _ in range(count)]
    try:
        for sock in taken:
            sock.bind(("127.0.0.1", 0))
        return [sock.getsockname()[1] for sock in taken]
    finally:
        for sock in taken:
            sock.close()
