"""The documentation counts the leaderboards of a dry run as the code does."""

import re
import shlex
from pathlib import Path

import pytest

from shakedown.checkout import project
from shakedown.cli import arguments
from shakedown.cli.dryrun import asked
from shakedown.config import complete
from shakedown.config.dryrun import check
from shakedown.dryrun.plan import entries
from shakedown.dryrun.settings import DryRunEntry
from shakedown.leaderboard.mechanism import mechanisms
from shakedown.questions import dry_run

DOCS = Path(__file__).parents[2] / "docs"
TUTORIAL = (DOCS / "tutorial.md").read_text("utf-8")
WORDS = {17: "seventeen", 18: "eighteen", 19: "nineteen", 20: "twenty"}
METRICS = ("rmse", "mae", "pearson", "spearman", "r2")


@pytest.fixture
def count(tmp_path, monkeypatch):
    """How many leaderboards the tutorial's dry run has, with other arguments too."""
    monkeypatch.chdir(tmp_path)
    (table,) = re.findall(r"```python\n(# make_table.py.*?)```", TUTORIAL, re.DOTALL)
    exec(compile(table, "make_table.py", "exec"), {})
    (command,) = re.findall(r"^shakedown (dryrun my.csv .*)$", TUTORIAL, re.MULTILINE)

    def counted(*more):
        config = asked(arguments.parsed([*shlex.split(command), *more]))
        challenge, _ = check(config, project())
        settings = DryRunEntry(**complete(config, base=project())["dryrun"])
        return len(mechanisms(entries(challenge, settings)))

    return counted


def test_the_tutorial_has_the_number_of_its_own_dry_run(count):
    said = re.findall(r"\b(\w+) leaderboards", TUTORIAL)
    assert said == [WORDS[count()], "other"]  # and those of the replay


def test_a_dry_run_has_some_twenty_at_most(count):
    own = count()
    assert 19 <= own <= 22  # "nineteen or more for the MSE"
    assert max(count("--metric", metric) for metric in METRICS) < own


@pytest.mark.parametrize("name", ["../README.md", "index.md", "guide.md"])
def test_the_documents_say_the_same(name):
    text = (DOCS / name).read_text("utf-8")
    assert re.findall(r"against ([\w ]+?) leaderboards(?! \()", text)[:1] == ["up to some twenty"]


def test_the_help_says_the_same():
    for text in (arguments.DRYRUN, dry_run.dry_run.__doc__):
        assert "against up to some twenty leaderboards" in " ".join(text.split())
