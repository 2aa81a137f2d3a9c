"""The arguments of ``shakedown``, and its help with examples."""

from __future__ import annotations

import os
from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from collections.abc import Collection, Sequence
from typing import NoReturn

from shakedown import __version__
from shakedown.cli.board_arguments import BOARD, add_actions
from shakedown.cli.design_arguments import DESIGN
from shakedown.cli.design_arguments import add_arguments as add_design
from shakedown.interface import InputError, guess
from shakedown.scheduling.dryrun_options import DRYRUN_OPTIONS

HELP = """\
How far can a public leaderboard be overfit, and how many submissions are safe?

  shakedown dryrun my.csv --response y     how many submissions are safe in your challenge
  shakedown reproduce config/test.yaml     run a study: a small one that covers everything
  shakedown replay my_replay.yaml          replay a submission log on every leaderboard
  shakedown plan my.yaml                   what a study takes before it starts
  shakedown leak --rows 209 --board 'digest(eta=0.1,floor=0.5,every=100,updates=10)'
                                           how much a leaderboard can reveal to anyone
  shakedown board create --help            run the leaderboard: make it, submit, export
  shakedown design my.csv --response y     plan: how many rows to hold back for the best to win
  shakedown winner truth.csv files/*.csv --metric pearson
                                           rank the final files: who has won, who is tied
  shakedown status                         list the studies here and their progress
  shakedown check default                  compare the results of a study with their checksums
  shakedown components mechanism           list the leaderboards

Results go to results/<study>/ in the working folder; open report.html there.
"""

REPRODUCE = """\
Run a study and print the path of its report. Finished results are kept: the same command continues
a stopped run, and after a change only the results that depend on it are made again.

  shakedown reproduce                             the default study: every figure and claim
  shakedown reproduce config/test.yaml --cores 2  a small study that covers everything
  shakedown reproduce my.yaml --only fig2 fig6    only two figures

  shakedown reproduce my.yaml --profile profiles/slurm   on a cluster; see docs/scale.md

Snakemake runs the jobs. For other options, call it directly:
  snakemake --cores 2 --configfile my.yaml
"""

PLAN = """\
Print how many jobs a study has, and its CPU time, memory and disk, before it starts. A job takes
what its log says that it took before; if there is none, a few of its replicates are played and
timed: at least two, so that it may take a while for a large study. Nothing is written.

  shakedown plan                        the default study
  shakedown plan my.yaml --cores 64     a study, a dry run or a replay
"""

DRYRUN = """\
Which leaderboard should you run, with which settings, and how many submissions may you allow?
Attackers and honest participants play against up to some twenty leaderboards on your table for
a few minutes.

  shakedown dryrun my.csv --response y
  shakedown dryrun my.parquet --response age --id patient --ignore site,batch --missing drop_rows
  shakedown dryrun my.csv --response y --metric mae --submissions 200 --days 30 --thresholds -2
  shakedown dryrun my.csv --time months --event died --metric c_index
  shakedown dryrun my.csv --response y --quantile 0.05 --minutes 10 --study careful

The answer is in results/<study>/report.html; results/<study>/config.yaml is the configuration that
was run. Edit it and run: shakedown reproduce results/<study>/config.yaml
"""

REPLAY = """\
What would each team have seen under another leaderboard, and where would it have ended?

  cp config/replay.yaml my_replay.yaml     name your files in it
  shakedown replay my_replay.yaml

data/README.md describes the files.
"""

LEAK = """\
How much can a leaderboard reveal about its public rows, and how far can anyone overfit it at most,
whatever is submitted? Computed without data; for many leaderboards no bound is proved.

  shakedown leak --rows 209 --board 'general_ladder(eta=0.1)+baseline' --submissions 1000
  shakedown leak --rows 2000 --board 'ladder(alpha=0.15)+baseline' --submissions 10 --accounts 3
  shakedown leak --rows 209 --board 'digest(eta=0.1,floor=0.5,every=100,updates=10)' \\
      --submissions 1000
  shakedown leak --rows 209 --updates 10 --step 0.02 --metric accuracy --tolerated -0.1 --json
  shakedown leak --rows 209 --noise 0.01 --submissions 1000

With --meter, how much can files that were sent have revealed at most? They are enough, no truth is
needed. How many of an honest team's files keep the gain on a board that has not opened?

  shakedown leak --meter predictions.csv
  shakedown leak --meter predictions.csv --listing submissions.csv --noise-sd 0.05
  shakedown leak --meter my_replay.yaml --tolerated -0.1 --json
  shakedown leak --meter simulated --rows 209 --submissions 50

A digest shows its score a fixed number of times in the whole challenge. One that another platform
runs is described by --updates and --step; its bound is larger, as nothing says how it rounds.
The MSE is that of a standardised response unless --start gives its variance. With --subgaussian,
--variance is a quarter of the squared range of a bounded response.
"""

STATUS = """\
List the studies in the working folder: progress, locks, and the next command.

  shakedown status
  shakedown status default     its running jobs, rate, time left, last error and what to do
"""

CHECK = """\
Compare each result of a study with its checksum, and name those that were damaged or edited.

  shakedown check default            changes nothing; the exit code is 1 if any differs
  shakedown check default --repair   renames what differs, so that the next run makes it again

`shakedown reproduce`, `dryrun` and `replay` do that before each run. `snakemake` stops if a result
is damaged, and names this command.
"""

REPLICATE = """\
Play one replicate of a study alone, in this process, and print its outcomes as CSV: to look into
an error or an outcome. The study's data set must have been made.

  shakedown replicate config/test.yaml freedman 37 --dataset ad_like --design permuted
"""

COMPONENTS = """\
List the mechanisms, attacks, metrics and other components that a configuration can name.

  shakedown components                             all of them, one per line
  shakedown components mechanism                   all mechanisms
  shakedown components mechanism ladderboot        one of them, with its parameters and an example
  shakedown components mechanism my_boards.Tilted  your own, in my_boards.py
"""

UNLOCK = """\
Unlock a study after a run was killed. Make sure that no run of it is still active.

  shakedown unlock config/test.yaml
"""

WINNER = """\
Rank final files: who has won, who is tied with the first, which ranks can be told apart.

  shakedown winner truth.csv files/*.csv --metric pearson --second spearman
  shakedown winner truth.csv files/*.csv --metric auroc --stratified --page winner.html

A team is named like its file. Files whose Bayes factor K against the best one is at most 3 are tied
with it; the second metric decides between them, then the time of submission (--times). Only rows
that the column of sets calls final count.
"""

#: Options of `winner` that take a value: name, placeholder, meaning.
WINNER_OPTIONS = (
    ("metric", "METRIC", "by which the first is found"),
    ("second", "METRIC", "decides between files that are tied with the first"),
    ("k", "K", "largest Bayes factor of a tie; by default 3"),
    ("variant", "NAME", "of K: counts (default) or smoothed"),
    ("times", "FILE", "a table with the columns team and time"),
    ("id", "COLUMN", "ids of the rows; by default id"),
    ("response", "COLUMN", "true values, by default truth; several: a,b,c or a pattern"),
    ("classes", "A,B", "names of the response's classes in their order, the positive one last"),
    ("event", "COLUMN", "events of censored times: 1, or 0 where the row was censored"),
    ("horizons", "A,B", "time points of these at which files predict an event"),
    ("group", "COLUMN", "rows that belong together; samples draw them whole"),
    ("split", "COLUMN", "public or final; by default set, if there is such a column"),
    ("draws", "N", "bootstrap samples; by default 10,000"),
    ("level", "L", "of confidence sets; by default .95"),
    ("seed", "N", "of the bootstrap"),
    ("page", "FILE", "write a page with the figure"),
)

#: Options of `leak` that take a value.
LEAK_OPTIONS = (
    ("board", "ID", "a mechanism with its defences, such as 'general_ladder(eta=0.1)+baseline'"),
    ("submissions", "K", "of each account"),
    ("accounts", "G", "accounts that work together, each with a board of its own; by default 1"),
    ("improvements", "C", "largest number of visible improvements of a board"),
    ("updates", "W", "of a digest, in the whole challenge"),
    ("step", "ETA", "of a digest's score"),
    ("noise", "RHO", "scores with Gaussian noise: variance of an exact score / that of the noise"),
    ("start", "SCORE", "at which the board starts: that of guessing; 1 for mse, .5 for accuracy"),
    ("floor", "SCORE", "best score that is shown; by default a perfect one"),
    ("tolerated", "DELTA", "tolerated overfit, below 0; by default 5 % of the variance, or -0.05"),
    (
        "variance",
        "S2",
        "for mse and rmse: public MSE of the best honest file; by default, of the start",
    ),
    ("sd", "SD", "for other metrics: sampling standard deviation of one file's public score"),
    (
        "meter",
        "FILES",
        "measure files instead: a table with a column for each, a folder, a replay's configuration",
    ),
    ("listing", "TABLE", "with --meter: the files in their order, and their teams"),
    ("noise-sd", "SD", "with --meter: of each answer's noise; by default, .005 of the variance"),
    ("id", "COLUMN", "with --meter: ids of the rows"),
    ("weight", "COLUMN", "what each row weighs in the score, 0 or more"),
    ("ignore", "A,B", "with --meter: columns that are no files"),
)
CONFIG = {
    "nargs": "?",
    "default": "config/config.yaml",
    "metavar": "CONFIG",
    "help": "a YAML file; by default %(default)s",
}
STYLE = {"formatter_class": RawDescriptionHelpFormatter, "allow_abbrev": False}


class Parser(ArgumentParser):
    """An argument parser whose errors are those of the package."""

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message[0].upper()}{message[1:]}. Examples: {self.prog} --help")


def parsed(arguments: Sequence[str]) -> Namespace:
    """Parse the arguments; an InputError if they are not valid."""
    arguments = list(arguments)
    parser, commands, actions = parsers()
    _check_name("command", arguments[:1], commands)
    if arguments[:1] == ["board"]:
        _check_name("command of `shakedown board`", arguments[1:2], actions)
    for option in ("--thresholds", "--tolerated"):
        if option in arguments[:-1]:  # a value such as -2,-5 or -5e-2 looks like an option
            at = arguments.index(option)
            arguments[at : at + 2] = [f"{option}={arguments[at + 1]}"]
    given, unknown = parser.parse_known_args(arguments)
    if unknown:
        chosen = actions[given.action] if given.command == "board" else commands[given.command]
        raise InputError(
            f"{chosen.prog} does not take {unknown[0]!r}."
            f"{guess(unknown[0].partition('=')[0], chosen._option_string_actions)} "
            f"Its options: {chosen.prog} --help"
        )
    return given


def _check_name(what: str, given: Sequence[str], among: Collection[str]) -> None:
    for name in given:
        if not name.startswith("-") and name not in among:
            raise InputError(
                f"There is no {what} '{name}'.{guess(name, among)} Wanted one of: "
                f"{', '.join(among)}."
            )


def parsers() -> tuple[Parser, dict[str, Parser], dict[str, Parser]]:
    """The parser, those of its commands, and those of the commands of ``shakedown board``."""
    parser = Parser(prog="shakedown", description=HELP, **STYLE)
    parser.add_argument("--version", action="version", version=f"shakedown {__version__}")
    adding = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)

    def command(name: str, text: str, line: str) -> Parser:
        return adding.add_parser(name, description=text, help=line, **STYLE)

    sub = command("reproduce", REPRODUCE, "run a study")
    sub.add_argument("config", **CONFIG)
    sub.add_argument("--profile", metavar="FOLDER", help="a cluster's, such as profiles/slurm")
    sub.add_argument("--only", nargs="+", default=(), metavar="FIGURE", help="figures, by their id")

    sub = command("dryrun", DRYRUN, "find how many submissions are safe on your table")
    sub.add_argument("table", metavar="TABLE", help=".csv, .tsv (each also with .gz) or .parquet")
    sub.add_argument(
        *("--response", "--time"),
        metavar="A,B",
        help="column to predict, also of censored times; several, or a pattern such as 'att_*'",
    )
    for name, value, meaning in DRYRUN_OPTIONS:
        sub.add_argument(f"--{name}", metavar=value, help=meaning)
    sub.add_argument("--replace", action="store_true", help="replace a dry run of the same name")

    sub = command("replay", REPLAY, "replay a submission log")
    sub.add_argument("config", metavar="CONFIG", help="a YAML file")

    sub = command("plan", PLAN, "print what a study takes: jobs, CPU time, memory, disk")
    sub.add_argument("config", **CONFIG)

    sub = command("leak", LEAK, "bound how much a leaderboard can reveal to anyone")
    sub.add_argument("--rows", metavar="N", help="public rows; with --meter, those of the files")
    for name, value, meaning in LEAK_OPTIONS:
        sub.add_argument(f"--{name}", metavar=value, help=meaning.replace("%", "%%"))
    sub.add_argument(
        "--metric",
        default="mse",
        metavar="METRIC",
        help="mse (default), rmse, pearson, accuracy, or other",
    )
    sub.add_argument(
        "--acceptance", action="store_true", help="it also tells which submissions are accepted"
    )
    sub.add_argument(
        "--subgaussian", action="store_true", help="for mse: with responses that are not Gaussian"
    )
    sub.add_argument("--shared", action="store_true", help="the accounts share one board")
    sub.add_argument("--json", action="store_true", help="print JSON")

    add_design(command("design", DESIGN, "plan how many rows to hold back"))

    sub = command("winner", WINNER, "rank final files: who has won, who is tied")
    sub.add_argument("truth", metavar="TRUTH", help=".csv, .tsv (each also with .gz) or .parquet")
    sub.add_argument("files", nargs="+", metavar="FILE", help="the final file of each team")
    for name, value, meaning in WINNER_OPTIONS:
        sub.add_argument(f"--{name}", metavar=value, help=meaning.replace("%", "%%"))
    sub.add_argument(
        "--stratified", action="store_true", help="samples have as many rows of each class"
    )
    sub.add_argument("--json", action="store_true", help="print JSON")

    sub = command("board", BOARD, "run a leaderboard")
    of_board = sub.add_subparsers(dest="action", metavar="ACTION", required=True)
    add_actions(of_board, STYLE)

    sub = command("status", STATUS, "list the studies here and their progress")
    sub.add_argument("study", nargs="?", metavar="STUDY", help="by default all of them")

    sub = command("check", CHECK, "compare the results of a study with their checksums")
    sub.add_argument("study", metavar="STUDY", help="its folder in results/")
    sub.add_argument(
        "--repair", action="store_true", help="rename what differs; the next run makes it again"
    )

    sub = command("replicate", REPLICATE, "play one replicate of a study alone")
    sub.add_argument("config", metavar="CONFIG", help="a YAML file")
    sub.add_argument("experiment", metavar="EXPERIMENT", help="its name in the configuration")
    sub.add_argument("number", metavar="NUMBER", help="of the replicate, from 0")
    sub.add_argument("--dataset", metavar="NAME", help="if the experiment has several")
    sub.add_argument("--design", metavar="DESIGN", help="if the experiment has several")

    sub = command("components", COMPONENTS, "list what a configuration can name")
    sub.add_argument("kind", nargs="?", metavar="KIND", help="such as mechanism")
    sub.add_argument(
        "name", nargs="?", metavar="NAME", help="a name, or the import path of your own"
    )

    sub = command("unlock", UNLOCK, "unlock a study after a run was killed")
    sub.add_argument("config", **CONFIG)

    for name in ("reproduce", "dryrun", "replay", "plan"):
        adding.choices[name].add_argument(
            "--cores", type=_cores, default="all", metavar="N", help="processes at a time, or all"
        )
    return parser, adding.choices, of_board.choices


def _cores(text: str) -> str:
    if text == "all" or (text.isascii() and text.isdigit() and int(text) > 0):
        return text
    raise ArgumentTypeError(
        f"wanted a number above 0 or 'all', got {text!r}; this machine has {os.cpu_count()}"
    )
