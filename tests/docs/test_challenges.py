"""The table of real challenges: what it names can be named."""

import re
from pathlib import Path

import pytest

from shakedown.cli.arguments import parsed
from shakedown.metrics import find

PAGE = Path(__file__).parents[2] / "docs" / "challenges.md"
#: Those of the first table.
TABLE = PAGE.read_text("utf-8").partition("\n## ")[0]
LINES = [line for line in TABLE.splitlines() if re.match(r"\| \w", line)]
ROWS = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in LINES][1:]


def test_there_are_as_many_challenges_as_the_page_says():
    assert len(ROWS) == 24  # two of the 22 have two subchallenges, each with a row
    assert {row[2] for row in ROWS} == {"yes", "partly"}


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_a_challenge_that_is_expressed_names_a_metric_and_options_that_exist(row):
    quoted = re.findall(r"`(--[^`]+)`", row[3])
    assert quoted
    for words in quoted:
        given = [a or b for a, b in re.findall(r"'([^']+)'|(\S+)", words)]
        known = parsed(["dryrun", "my.csv", "--response", "y", *given])
        if known.metric:
            find(known.metric)
