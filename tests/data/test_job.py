"""The frame of a job: its log, its files, and what it took."""

import gc
import re
import subprocess
import sys
from contextlib import contextmanager, redirect_stderr
from pathlib import Path
from types import SimpleNamespace

import pytest

from shakedown.data.checksums import damaged, seal
from shakedown.data.job import _taken, job, most_memory
from shakedown.interface import InputError


@pytest.fixture
def asked(tmp_path):
    """What Snakemake gives a script that reads a sealed table and writes another."""
    table = tmp_path / "in.csv"
    table.write_text("1")
    seal([table])
    thresholds = gc.get_threshold()
    gc.unfreeze()
    yield SimpleNamespace(
        input=[str(table)], output=[str(tmp_path / "out.csv")], log=[str(tmp_path / "log")]
    )
    gc.unfreeze()
    gc.set_threshold(*thresholds)


@contextmanager
def within(asked, **options):
    """Run a job, and restore standard error afterwards."""
    with redirect_stderr(sys.stderr):
        try:
            with job(asked, **options):
                yield
        finally:
            sys.stderr.close()


def checksum(path):
    return Path(path).with_name(f".{Path(path).name}.sha256")


def test_a_job_seals_what_it_makes_and_logs_what_it_says_and_took(asked):
    with within(asked):
        print("half done", file=sys.stderr)
        Path(asked.output[0]).write_text("2")
        assert gc.get_freeze_count() > 1000, "modules count as no garbage"
        assert gc.get_threshold()[0] == 20_000
    assert checksum(asked.output[0]).is_file()
    assert list(damaged(Path(asked.output[0]).parent)) == []
    said, took = Path(asked.log[0]).read_text().splitlines()
    assert said == "half done"
    seconds = re.fullmatch(r"took (.*) CPU s( and [0-9,]+ MiB at most)?", took)[1]
    assert float(seconds) > 0.0


def test_a_job_that_fails_seals_nothing(asked):
    checksum(asked.output[0]).write_text("of an earlier run")
    with pytest.raises(ZeroDivisionError), within(asked, collect_every=300_000):
        Path(asked.output[0]).write_text(str(1 / 0))
    assert gc.get_threshold()[0] == 300_000
    assert not checksum(asked.output[0]).exists()


def test_a_job_checks_what_it_reads_first(asked):
    Path(asked.input[0]).write_text("3")
    with pytest.raises(InputError, match=r"in\.csv is damaged"), within(asked):
        raise AssertionError


def test_an_error_is_in_the_log(asked):
    code = (
        "from types import SimpleNamespace; from shakedown.data.job import job\n"
        f"with job(SimpleNamespace(**{vars(asked)})): 1 / 0"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == ""
    assert Path(asked.log[0]).read_text().endswith("ZeroDivisionError: division by zero\n")


TOLD = pytest.mark.skipif(most_memory() is None, reason="the system does not tell the memory")


@TOLD
def test_the_memory_is_what_the_process_held_at_most():
    code = "from shakedown.data.job import _taken; b = bytearray(3 * 10**8); del b; print(_taken())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    peak = float(done.stdout.split(" and ")[1].split()[0])
    assert 286 < peak < 450


@TOLD
def test_the_memory_is_not_that_of_the_process_that_started_it():
    held = bytearray(b"1") * (3 * 10**8)
    code = "from shakedown.data.job import most_memory; print(most_memory())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) < len(held)


@pytest.mark.parametrize("status", [None, "Name:\tpython\n", "no colon\n"])
def test_a_system_that_does_not_tell_the_memory(monkeypatch, status):
    def read(path):
        if status is None:
            raise FileNotFoundError(path)
        return status

    monkeypatch.setattr(Path, "read_text", read)
    assert re.fullmatch(r"took [0-9.]+ CPU s", _taken())
