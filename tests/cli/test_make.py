"""What a user gives to make reaches the command as it is: nobody expands or runs it."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from tests.cli.studies import ROOT

STUB = """#!{python}
import json, sys
json.dump(sys.argv[1:], open("given.json", "w"))
"""
NASTY = [
    "$(shell touch pwned)",
    "$(touch pwned)",
    "`touch pwned`",
    "$(touch pwned) `touch pwned`",
    "| touch pwned",
    "${shell touch pwned}",
    '"; touch pwned; "',
    "'; touch pwned; '",
    "a b  c",
    "control,case",
    "50 % of $HOME $$HOME # no comment",
    "$(error stop)",
    "--help",
    "two\nlines",
    "12,24; touch pwned",
    "edge ",  # make itself drops spaces in front
    "back\\slash",
    "ü=1:=2",
    "tab\tand 'quote",
    "-0,5",
    "$${HOME:+pwned}",
    "*,?[ab]",
    "https://example.org/a.csv?b=$(touch pwned)&c=1;d",
    "!! ~ \\$HOME",
    "(a) & {b}",
    "<a >b 2>&1",
    "1;2 3",
]


@pytest.fixture
def folder(tmp_path):
    """A project whose environment is there already, with a command that notes what it is given."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in ("requirements.txt", "pyproject.toml"):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (1, 1))
    command = tmp_path / ".venv/bin/shakedown"
    command.parent.mkdir(parents=True)
    command.write_text(STUB.format(python=sys.executable))
    command.chmod(0o755)
    (tmp_path / ".venv/.done").touch()
    return tmp_path


def make(folder, target, *, environment=False, **values):
    """What the command is given."""
    words = [] if environment else [f"{key}={value}" for key, value in values.items()]
    done = subprocess.run(
        ["make", target, *words],
        cwd=folder,
        env=os.environ | (values if environment else {}),
        capture_output=True,
        text=True,
    )
    assert not (folder / "pwned").exists()
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "given.json").read_text())


KEYS = (
    "RESPONSE", "RESPONSE_TABLE", "SHA256", "RESPONSE_TABLE_SHA256", "STUDY", "CLASSES", "ID",
    "SPLIT", "SIZES", "GROUP", "WEIGHT", "EVENT", "HORIZONS", "IGNORE", "MISSING", "METRIC",
    "THREAT", "REQUIRE", "THRESHOLDS", "SUBMISSIONS", "DAYS", "QUANTILE", "MINUTES",
    "ROW_VARIANCE", "GROUP_CORRELATION", "CORES", "DATA",
)  # fmt: skip


@pytest.mark.parametrize("environment", [False, True], ids=["words", "environment"])
@pytest.mark.parametrize("shift", [0, 5, 9])
def test_a_dry_run_gets_what_was_typed(folder, shift, environment):
    values = dict(zip(KEYS, NASTY[shift:] + NASTY[:shift], strict=True))
    given = make(folder, "dryrun", environment=environment, **values)
    *options, data = values.items()
    typed = [f"--{key.lower().replace('_', '-')}={value}" for key, value in options]
    assert given == ["dryrun", *typed, "--", data[1]]


@pytest.mark.parametrize("value", NASTY)
def test_a_study_gets_what_was_typed(folder, value):
    given = make(folder, "reproduce", CONFIG=value, CORES=value)
    assert given == ["reproduce", f"--cores={value}", "--", value]


def test_boards_are_compared_by_their_own_study(folder):
    assert make(folder, "boards", CORES="2") == [
        *("reproduce", "--cores=2", "--", "config/boards.yaml")
    ]


def test_a_study_is_freed_by_its_configuration(folder):
    assert make(folder, "unlock", CONFIG=NASTY[1]) == ["unlock", "--", NASTY[1]]


def test_a_value_that_no_target_uses_is_not_run_either(folder):
    make(folder, "reproduce", TYPO="$(shell touch pwned)")


def test_what_is_not_given_has_a_default_or_is_left_out(folder):
    given = make(folder, "dryrun", DATA="my.csv", RESPONSE="y")
    assert {"--missing=impute_median", "--cores=all", "--study="} <= set(given)
    assert "--replace" not in given
    assert "--replace" in make(folder, "dryrun", DATA="my.csv", RESPONSE="y", REPLACE="yes")
    assert make(folder, "reproduce") == ["reproduce", "--cores=all", "--", "config/config.yaml"]


def test_a_dry_run_of_nothing_says_what_to_name(folder):
    done = subprocess.run(["make", "dryrun", "DATA=x.csv"], cwd=folder, capture_output=True)
    assert done.returncode == 2
    assert b"make dryrun DATA=my.csv RESPONSE=y" in done.stdout
