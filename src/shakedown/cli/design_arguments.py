"""The arguments of ``shakedown design``."""

from __future__ import annotations

from argparse import ArgumentParser

DESIGN = """\
Find how many rows must be held back so that the best team wins, and how to split the rows.

  shakedown design my.csv --response y --metric mse
  shakedown design --rows 300 --best 0.6 --spread 0.05 --correlation 0.7 --metric pearson --teams 20
  shakedown design --dryrun results/my
  shakedown design my.csv --response y --rounds 3
  shakedown design truth.csv files/*.csv --metric auroc --page design.html

With the results of a dry run, the plan also says which board is safe with these sets, whether that
is proved or measured, and how to measure it.

Teams are honest models of a table, those of an earlier challenge (a truth and final files, or the
YAML file of a replay), or made up from numbers: their best score, and the spread of their scores.
"""

#: Options that take a value: name, placeholder, meaning.
OPTIONS = (
    ("dryrun", "FOLDER", "of a finished dry run, such as results/my, in place of DATA"),
    ("metric", "METRIC", "of the challenge"),
    ("metrics", "A,B", "metrics to compare: how many rows each needs"),
    ("response", "COLUMN", "column to predict; of a truth, by default truth"),
    ("rows", "N", "rows of the challenge; by default those of the data"),
    ("teams", "N", "teams, 2 to 500; by default 20"),
    ("best", "SCORE", "the best team's score"),
    ("spread", "SD", "standard deviation of the teams' scores"),
    ("correlation", "R", "of two teams' errors; by default .7"),
    ("wanted", "P", "with which probability the best team is to win; by default .8"),
    (
        "tolerated",
        "DELTA",
        "by how much the public score may be too good; by default -0.05, or a dry run's",
    ),
    ("rounds", "R", "rounds, each with public rows of its own; by default 1"),
    ("id", "COLUMN", "ids of the rows"),
    ("split", "COLUMN", "sets of a table or a truth; of a truth by default set, if there is one"),
    ("group", "COLUMN", "rows that belong together; they stay in one set"),
    ("weight", "COLUMN", "what each row of a table weighs in the score"),
    ("event", "COLUMN", "events of censored times: 1, or 0 where the row was censored"),
    ("horizons", "A,B", "time points of these at which an event is predicted"),
    ("classes", "A,B", "names of the response's classes in their order, the positive one last"),
    ("ignore", "A,B", "columns of a table that are not features"),
    ("seed", "N", "of all random numbers"),
    ("page", "FILE", "write a page with the figure"),
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "data", nargs="?", metavar="DATA", help="a table, a truth, or the YAML file of a replay"
    )
    parser.add_argument("files", nargs="*", metavar="FILE", help="the final file of each team")
    for name, value, meaning in OPTIONS:
        parser.add_argument(f"--{name}", metavar=value, help=meaning.replace("%", "%%"))
    parser.add_argument("--json", action="store_true", help="print JSON")
