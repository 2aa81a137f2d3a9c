"""An installed package, away from its checkout: studies are run, stopped, killed and freed."""

import os
import signal
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.cli.installing import Installed, install, wheel_of
from tests.cli.studies import ROOT, STUDY

pytestmark = pytest.mark.slow


class Running(Installed):
    """One that studies are run with."""

    def playing(self, *words):
        """A process whose study has come as far as its first attack."""
        process, said = self.start(*words), []
        for line in process.stderr:
            if line.startswith("Playing"):
                return process
            said.append(line)
        process.communicate()
        raise AssertionError("it never played:\n" + "".join(said))

    def write(self, name, **changes):
        (self.folder / name).write_text(yaml.safe_dump(STUDY | changes))


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A wheel of this checkout in an environment of its own."""
    path = tmp_path_factory.mktemp("installed")
    install(wheel_of(ROOT, path), path / "environment")
    return Running(path / "environment", path / "folder")


def test_the_package_is_the_installed_one(installed):
    where = installed.run("python", "-c", "import shakedown; print(shakedown.__file__)")
    assert Path(where).is_relative_to(installed.bin.parent)


def test_components_are_listed(installed):
    assert "ladderboot" in installed.run("shakedown", "components")


def test_an_example_configuration_and_its_table_are_found_from_any_folder(installed):
    text = installed.run("shakedown", "replicate", "config/test.yaml", "freedman", "0", code=2)
    assert "Wanted one data set" in text


#: The command, whose Ctrl-C does not wait for Snakemake to end.
IMPATIENT = (
    "import sys; from shakedown.cli import engine, main; "
    "engine.AGAIN = engine.PATIENCE = 0; sys.exit(main())"
)


@pytest.mark.full  # each process imports everything again
def test_a_study_is_stopped_killed_and_completed(installed):
    # More jobs than are begun before the last run.
    free = {**STUDY["experiments"]["free"], "replicates": 6}
    installed.write("study.yaml", experiments={"free": free}, replicates_per_job=1)
    words = ("reproduce", "study.yaml", "--cores", "1")
    command = ("shakedown", *words)

    for way in (command, ("python", "-c", IMPATIENT, *words)):
        process = installed.playing(*way)
        process.send_signal(signal.SIGINT)
        err = process.communicate()[1]
        assert process.returncode == 130, err
        stopped = "Stopped; results so far are kept. Continue: shakedown reproduce study.yaml"
        assert err.splitlines()[-1] == stopped
        assert "Traceback" not in err
        assert "tiny  stopped" in installed.run("shakedown", "status")

    process = installed.playing(*command)
    assert "\n  Playing free on sim (permuted)" in installed.run("shakedown", "status", "tiny")
    children = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, text=True
    )
    process.kill()
    for child in children.stdout.split():
        os.killpg(int(child), signal.SIGKILL)
    process.communicate()
    status = installed.run("shakedown", "status", "tiny")
    assert status.splitlines()[0].endswith("; continue: shakedown reproduce study.yaml")
    left = installed.folder / f"results/tiny/chunks/.half.parquet.{process.pid}"
    left.touch()

    report = installed.folder / "results/tiny/report.html"
    assert installed.run(*command) == f"Report: {report}\n"
    assert report.is_file()
    assert not left.exists()
    status = installed.run("shakedown", "status")
    assert status == "tiny  complete: results/tiny/report.html\n"


def test_what_only_the_data_show_is_one_sentence(installed):
    (installed.folder / "few.csv").write_text("x,y\n1,2\n")
    few = {"recipe": "table", "path": "few.csv", "response": "y"}
    installed.write("few.yaml", study="few", datasets={"sim": few})
    text = installed.run("shakedown", "reproduce", "few.yaml", code=2)
    assert text.splitlines()[-1].startswith("shakedown: Data set sim (few.csv): 1 row left")
