"""A full disk, a folder that cannot be written to, a run that was killed: sentences, no orphans."""

import errno
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from io import StringIO
from pathlib import Path

import pytest
import yaml

from shakedown.cli import engine, faults, main
from shakedown.cli.record import Record, machine
from shakedown.data.files import replacing, sweep
from tests.cli.studies import STUDY, shakedown

FULL = "The disk is full, or the share of it that you may use. Free some. "
CONTINUE = "Results so far are kept. Continue: shakedown reproduce study.yaml"

#: A Snakemake that tells its process and its progress, and then works on.
WORKING = """
import json, os, time
for event in (
    {"event": "begun", "job": 1, "message": str(os.getpid())},
    {"event": "steps", "done": 1, "total": 7},
):
    print(chr(2) + json.dumps(event), flush=True)
time.sleep(600)
"""


def refused(number, path=None):
    return OSError(number, os.strerror(number), path)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (refused(errno.ENOSPC), f"{FULL}Go on."),
        (refused(errno.EDQUOT, "a"), f"{FULL}Go on."),
        (
            refused(errno.EROFS, "results/a"),
            "results/a cannot be read or written (Read-only file system). Change that, or work in "
            "another folder. Go on.",
        ),
        (refused(errno.EIO, "a"), None),
    ],
)
def test_what_the_disk_refuses_is_a_sentence_with_its_cure(error, said):
    assert faults.sentence(error, "Go on.") == said


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has a full device")
def test_output_that_finds_no_room_ends_in_a_sentence(tmp_path):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "shakedown.cli", "leak", "--rows", "9", "--updates", "1",
             "--step", "0.1"],
            stdout=full, stderr=subprocess.PIPE, text=True, cwd=tmp_path,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == f"shakedown: {FULL.strip()}\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.yaml").write_text(yaml.safe_dump(STUDY))
    return tmp_path


@pytest.mark.full  # runs Snakemake several times
def test_snakemake_is_stopped_if_its_progress_cannot_be_noted(here, monkeypatch):
    """As on a disk that is full."""

    class Full(Record):
        def write(self, **changes):
            if changes.get("done"):
                raise refused(errno.ENOSPC)
            super().write(**changes)

    monkeypatch.setattr(engine, "Record", Full)
    monkeypatch.setattr(engine, "arguments", lambda *_: [sys.executable, "-c", WORKING])
    shown = StringIO()
    monkeypatch.setattr(sys, "stderr", shown)
    assert main(["reproduce", "study.yaml"]) == 2
    process, *_, last = shown.getvalue().splitlines()
    assert last == f"shakedown: {FULL}{CONTINUE}"
    with pytest.raises(ProcessLookupError):
        os.kill(int(process), 0)
    assert not Record("tiny").is_running()


def lock(folder, study, number=0):
    folder = folder / ".snakemake/locks"
    folder.mkdir(parents=True, exist_ok=True)
    for kind in ("input", "output"):
        path = folder / f"{number}.{kind}.lock"
        path.write_text(f"results/{study}/datasets/sim.npz\n")
        os.utime(path, (1, 1))


@pytest.fixture
def killed(here):
    """A study whose run was killed, with its lock, beside another one that is locked."""
    record = Record("tiny")
    record.write(config="study.yaml", state="running", machine=machine(), done=3, steps=7)
    lock(here, "tiny")
    lock(here, "tiny 2", number=1)
    return record


def test_the_lock_of_a_killed_run_is_removed_and_no_other(killed, here):
    assert killed.was_killed()
    engine.check_free("tiny", Path("study.yaml"))
    assert not killed.is_locked()
    left = sorted(path.name for path in (here / ".snakemake/locks").iterdir())
    assert left == ["1.input.lock", "1.output.lock"]


@pytest.mark.parametrize("other", ["newer", "machine", "state"])
def test_a_lock_that_may_be_of_another_run_stays(killed, here, other):
    """One that is newer than the record is of a Snakemake that this command did not start."""
    if other == "newer":
        os.utime(here / ".snakemake/locks/0.output.lock", (2e9, 2e9))
    elif other == "machine":
        killed.write(machine="another")
    else:
        killed.write(state="stopped")
    assert not killed.was_killed()
    with pytest.raises(engine.InputError, match="shakedown unlock study.yaml"):
        engine.check_free("tiny", Path("study.yaml"))
    assert killed.is_locked()
    assert engine.unlock(Path("study.yaml"), "tiny") == 0
    assert not killed.is_locked()


def test_a_study_runs_as_long_as_its_snakemake(here):
    """Also if the command was killed: its results are still written."""
    record, reader = Record("tiny"), [sys.executable, "-c", "input()"]
    with record.running() as mark:
        child = subprocess.Popen(reader, stdin=subprocess.PIPE, pass_fds=(mark,))
    try:
        assert record.is_running()
        with pytest.raises(engine.InputError, match="wait until it ends"):
            engine.check_free("tiny", Path("study.yaml"))
    finally:
        child.communicate(b"\n")
    assert not record.is_running()


def test_temporary_files_of_processes_that_have_ended_are_deleted(tmp_path):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    (tmp_path / "figures").mkdir()
    (tmp_path / f".table.csv.{gone.pid}").touch()
    (tmp_path / f"figures/..a.svg.sha256.{gone.pid}").touch()
    kept = {".table.csv.sha256", ".table.csv.damaged", "table.csv", f".notes.{gone.pid}"}
    for name in kept:
        (tmp_path / name).touch()
    with replacing(tmp_path / "other.csv") as unfinished:
        unfinished.touch()
        sweep(tmp_path)
        assert {p.name for p in tmp_path.rglob("*")} == {*kept, "figures", unfinished.name}


class Disk:
    """A small disk of its own."""

    def __init__(self, path):
        self.path, self.filler = path, path / "filler"
        path.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(path)]
        try:
            done = subprocess.run(command, capture_output=True, text=True)
            reason = done.stderr.strip() if done.returncode else ""
        except FileNotFoundError as e:
            reason = str(e)
        if reason:
            pytest.skip(f"A disk cannot be mounted here: {reason}")

    def fill(self, left):
        """Leave some bytes."""
        self.filler.unlink(missing_ok=True)
        room = os.statvfs(self.path)
        self.filler.write_bytes(bytes(room.f_bavail * room.f_frsize - left))

    def open(self, way):
        """Mount it again, "ro" or "rw"."""
        subprocess.run(["mount", "-o", f"remount,{way}", self.path], check=True)

    def close(self):
        # A process that has just ended may still stand in it.
        for _ in range(100):
            if subprocess.run(["umount", self.path], capture_output=True).returncode == 0:
                return
            time.sleep(0.1)


@pytest.fixture
def disk(tmp_path):
    disk = Disk(tmp_path / "disk")
    yield disk
    disk.close()


def standing_in(folder):
    """Processes whose working folder it is."""
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if os.readlink(path / "cwd") == str(folder):
                yield path.name


@pytest.mark.full  # runs Snakemake several times
@pytest.mark.skipif(sys.platform != "linux", reason="mounts and processes as Linux has them")
def test_a_study_on_a_full_disk_stops_in_a_sentence_and_goes_on_later(disk):
    (disk.path / "study.yaml").write_text(yaml.safe_dump(STUDY))
    words = ("reproduce", "study.yaml", "--cores", "1")
    for left in (8, 24, 60):  # KiB: nothing fits, the first jobs' files, all but the last ones'
        disk.fill(left << 10)
        done = shakedown(disk.path, *words)
        assert done.returncode == 2, done.stderr
        assert done.stderr.splitlines()[-1] == f"shakedown: {FULL}{CONTINUE}"
        assert "Traceback" not in done.stderr
        assert not list(standing_in(disk.path))
    disk.filler.unlink()
    done = shakedown(disk.path, *words)
    assert done.returncode == 0, done.stderr
    report = disk.path / "results/tiny/report.html"
    assert done.stdout == f"Report: {report}\n"
    assert not list(disk.path.glob(f"results/**/.*.{os.getpid()}"))

    report.unlink()
    disk.open("ro")
    for command in (words, ("dryrun", "study.yaml", "--response", "y"), ("plan", "study.yaml")):
        done = shakedown(disk.path, *command)
        assert done.returncode == 2, done.stderr
        assert "Traceback" not in done.stderr
        (last,) = done.stderr.splitlines()
    assert "Read-only file system" in last
    assert "tiny" in shakedown(disk.path, "status").stdout
    disk.open("rw")


@pytest.mark.full  # runs Snakemake several times
@pytest.mark.skipif(sys.platform != "linux", reason="processes as Linux has them")
def test_a_killed_run_goes_on_without_being_unlocked(here):
    words = ("-m", "shakedown.cli", "reproduce", "study.yaml", "--cores", "1")
    process = subprocess.Popen([sys.executable, *words], stderr=subprocess.PIPE, text=True)
    for line in process.stderr:
        if line.startswith("Playing"):
            break
    (snakemake,) = children(process.pid)
    os.kill(snakemake, signal.SIGSTOP)  # or it may have ended before the next command looks
    process.kill()
    process.stderr.close()
    process.wait()
    waiting = shakedown(here, "reproduce", "study.yaml", "--cores", "1")
    os.kill(snakemake, signal.SIGCONT)
    assert "is running in another process" in waiting.stderr
    os.killpg(snakemake, signal.SIGKILL)
    while Record("tiny").is_running():
        time.sleep(0.05)
    assert Record("tiny").is_locked()
    assert "stopped" in shakedown(here, "status").stdout
    done = shakedown(here, "reproduce", "study.yaml", "--cores", "1")
    assert done.returncode == 0, done.stderr


def children(pid):
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(child) for child in text.split()]
