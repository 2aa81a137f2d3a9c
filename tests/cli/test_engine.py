"""Snakemake is ended whatever it does with an interrupt."""

import getpass
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from shakedown.cli import engine
from shakedown.data.checksums import seal

#: A process that ignores as many interrupts as its argument says.
DEAF = """
import signal, sys
left = int(sys.argv[1])
def hear(*_):
    global left
    left -= 1
    if left < 0:
        sys.exit(130)
signal.signal(signal.SIGINT, hear)
print("ready", flush=True)
while True:
    signal.pause()
"""


@pytest.mark.parametrize(
    ("ignored", "again", "patience", "code"),
    [(0, 60, 60, 130), (1, 0.3, 60, 130), (2, 0.3, 0.3, -signal.SIGKILL)],
    ids=["none", "one", "all"],
)
def test_a_process_that_ignores_interrupts_is_interrupted_again_and_killed_at_last(
    ignored, again, patience, code, monkeypatch
):
    monkeypatch.setattr(engine, "AGAIN", again)
    monkeypatch.setattr(engine, "PATIENCE", patience)
    command = [sys.executable, "-c", DEAF, str(ignored)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout.readline() == "ready\n"
        engine._end(process)
        assert process.returncode == code


#: Stands for Snakemake: makes the missing file, if the workflow need not check the others.
MAKING = """
import os
from pathlib import Path
assert os.environ["SHAKEDOWN_CHECKED"]
with Path("results/x/claims.csv").open("x") as file:
    file.write("claim\\n")
"""


def test_a_damaged_file_is_told_and_set_aside_before_the_study_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "results/x/claims.csv"
    path.parent.mkdir(parents=True)
    path.write_text("claim\n")
    seal([path])
    path.write_text("clain\n")
    monkeypatch.setattr(engine, "arguments", lambda *_: [sys.executable, "-c", MAKING])
    assert engine.run(Path("x.yaml"), "x", cores="1") == 0
    line = "results/x/claims.csv is damaged: its content is not what was written. It is kept as "
    assert f"{line}results/x/.claims.csv.damaged; a run makes it again." in capsys.readouterr().err
    assert path.read_text() == "claim\n"
    assert path.with_name(".claims.csv.damaged").read_text() == "clain\n"


def test_a_user_whom_the_system_does_not_know_has_a_name_for_snakemake(monkeypatch):
    """As in a container that runs with --user and a number."""
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 987_654_321)
    with pytest.raises((KeyError, OSError)):
        getpass.getuser()
    given = engine.environment(HOME="/tmp")
    assert given["LOGNAME"] == "987654321"
    assert given["HOME"] == "/tmp"
    monkeypatch.setenv("LOGNAME", "ada")
    assert engine.environment()["LOGNAME"] == "ada"
