"""The commands of the tutorial and of running a board work as pasted, in an empty folder."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from shakedown.cli import main
from shakedown.cli.arguments import parsed
from tests.docs.commands import ELSEWHERE, lines

FOLDER = Path(__file__).parents[2] / "docs"
DOCS = "\n".join((FOLDER / name).read_text("utf-8") for name in ("tutorial.md", "running_board.md"))
BLOCKS = re.findall(r"```(sh|python)\n(.*?)```", DOCS, re.DOTALL)
#: Those that `tests/docs/commands.py` leaves to this file.
HERE = {line for line, test in ELSEWHERE.items() if Path(test.partition("::")[0]).name in __file__}
COMMANDS = [
    line
    for kind, block in BLOCKS
    if kind == "sh"
    for line in lines(block)
    if line in HERE or line.startswith("shakedown replay")
]


def dry_run_of(line):
    """What its dry run would write, in a moment."""
    assert parsed(shlex.split(line)[1:]).response == "target"
    Path("results/my").mkdir(parents=True)
    recommendation = {
        "sentence": "Use Digest: 100 submissions per participant are safe.", "submissions": 100,
        "recommended": {"setting": "digest(eta=300.0,floor=3000.0,every=10,updates=10)"},
        "rests_on": {"metric": "mse", "public_rows": 150},
    }  # fmt: skip
    Path("results/my/recommendation.json").write_text(json.dumps(recommendation))


def run(line, capsys):
    """Run a line; returns what it prints."""
    words = shlex.split(line)
    if words[0] == "python":
        subprocess.run([sys.executable, *words[1:]], check=True)
    elif words[1] == "dryrun":
        dry_run_of(line)
    elif words[1] == "replay":  # Snakemake takes a while; `test_export` plays the log
        assert parsed(words[1:]).config == "final/replay.yaml"
        assert Path("final/replay.yaml").is_file()
    else:
        assert main(words[1:]) == 0, line
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return out


def test_the_commands_work_in_their_order(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SHAKEDOWN_DATABASE", raising=False)
    for kind, block in BLOCKS:
        if kind == "python":
            Path(block.splitlines()[0].removeprefix("# ")).write_text(block)
    said = [(line, run(line, capsys)) for line in COMMANDS]
    first, again, other = (json.loads(text) for line, text in said if " submit " in line)
    assert first == again
    assert first["number"] == other["number"] == 1
    assert pd.read_csv("final/final.csv")["team"].tolist() == ["Team Ada", "Team Bob"]
    assert Path("backup.db").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("line", re.findall(r"^shakedown .+$", DOCS, re.MULTILINE))
def test_every_command_is_one(line):
    parsed(shlex.split(line)[1:])


def test_what_it_says_of_commands_in_a_sentence():
    for line in re.findall(r"`shakedown (board [^`]+)`", DOCS):
        if "--help" not in line:
            parsed(shlex.split(line))
