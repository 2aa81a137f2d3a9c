"""Where the report of a study lies."""

import subprocess
import sys

import pytest

from shakedown.configuration.place import report_of
from shakedown.interface import InputError


def test_the_name_of_the_study_may_come_from_what_it_extends(tmp_path):
    (tmp_path / "base.yaml").write_text("study: whole\nseed: 1\n")
    (tmp_path / "my.yaml").write_text("extends: base.yaml\nseed: 2\n")
    (tmp_path / "own.yaml").write_text("extends: base.yaml\nstudy: own\n")
    results = tmp_path / "results"
    assert report_of(tmp_path / "my.yaml", tmp_path) == results / "whole" / "report.html"
    assert report_of(tmp_path / "own.yaml", tmp_path) == results / "own" / "report.html"


def test_a_configuration_that_extends_nothing_there_is_refused(tmp_path):
    (tmp_path / "my.yaml").write_text("extends: base.yaml\n")
    with pytest.raises(InputError, match="'base.yaml' cannot be read"):
        report_of(tmp_path / "my.yaml", tmp_path)


def test_it_is_told_in_one_line(tmp_path):
    (tmp_path / "my.yaml").write_text("study: own\n")
    command = [sys.executable, "-m", "shakedown.configuration.place", "my.yaml"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == f"The report lies in {tmp_path}/results/own/report.html\n"
    assert done.stderr == ""
