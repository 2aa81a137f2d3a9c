"""The arguments of ``shakedown board``, and its help with examples."""

from __future__ import annotations

import os
from argparse import _SubParsersAction

#: The environment variable with the URL of the database.
VARIABLE = "SHAKEDOWN_DATABASE"
DEFAULT = "sqlite:///board.db"

BOARD = """\
Run the leaderboard that a dry run recommends. Its state stands in a database.

  shakedown board create results/my/recommendation.json --truth truth.csv --split set
  shakedown board register 'Team Ada'              print a token for the team's account
  shakedown board submit 'Team Ada' file.csv       judge a file; print what the team may see
  shakedown board status                           what the board shows
  shakedown board serve                            the same as web pages
  shakedown board close
  shakedown board export final/                    final scores, ranks, tests, and the log
  shakedown board publish                          the final table, on the page

--url names the database, by default $SHAKEDOWN_DATABASE, else sqlite:///board.db.
docs/running_board.md has the whole way, and what you must never do.
"""

CREATE = """\
Make a board, from a dry run's recommendation, a YAML file, or options, which come first.

  shakedown board create results/my/recommendation.json --truth truth.csv --split set
  shakedown board create --board 'ladderboot(alpha=0.15,b=10)+baseline' --metric mse \\
      --truth truth.csv --id patient --response y --public-share 0.5 --per-team 100
  shakedown board create results/my/ --truth truth.csv --split set \\
      --opens 2027-03-01 --closes 2027-04-01 --zone Europe/Berlin
  shakedown board create board.yaml

The truth is a table with a row for each id: its true value, or one for each of several responses
(--response 'att_*'), and public or final. The rows of a --group stay in one set. Times without a
zone are in that of --zone. A digest shows scores at --updates or, without them, at equal intervals
between --opens and --closes.
"""

SUBMIT = """\
Judge a submission, and print what the team may see as JSON. A file that is not counted gives
{"status": "refused", "message": ...} and exit code 2. With a key of its own, a submission that is
sent twice is scored once, and both get the same answer.

  shakedown board submit 'Team Ada' file.csv
  shakedown board submit 'Team Ada' file.csv --key 2027-03-05-1
  shakedown board submit 'Team Ada' file.csv --server http://127.0.0.1:8000

With --server the file goes to a running `shakedown board serve`, with the team's token in the
variable SHAKEDOWN_TOKEN, or in a file that SHAKEDOWN_TOKEN_FILE names; that takes less time, and
participants can do it from their own machines.
"""

PRICE = """\
What a file would cost a team on a metered board, and how precisely its score would be shown. The
price depends on the files alone, and nothing is counted.

  shakedown board price 'Team Ada' file.csv
  shakedown board price 'Team Ada' file.csv --json
"""

REGISTER = """\
Register a team, and print its token: it is shown once, and only its hash is stored. A team that has
a token gets a new one only after a question, or with --new-token: the old one ends.

  shakedown board register 'Team Ada'
  shakedown board register 'Team Ada' --new-token
"""

FINAL = """\
Name a team's final file for it, by the key of a submission, as long as the board is open. The team
can do so itself on its page. The last one that is named counts; without one, the last file that the
board accepted.

  shakedown board final 'Team Ada' ada-2
"""

PUBLISH = """\
Show everybody the final table on the board's page: place, team, and the score of its final file on
the final rows. Only when the board is closed, and no other phase uses the same rows. It cannot be
undone.

  shakedown board publish
"""

STATUS = """\
What the board shows, and how many submissions each team has made. Do not publish the numbers: with
them and a changed score, others can tell whose submission was accepted.

  shakedown board status
  shakedown board status --team 'Team Ada' --json
"""

EXPORT = """\
Write final scores, their ranks with bootstrap intervals, the overfit of every team, the winner's
tests and the other tables of a replay, and the submission log with a configuration that replays it
on other boards. The winner is found as by `shakedown winner`, and winner.txt says who it is. The
folder must be new or empty. Keep it secret: it contains the truth.

  shakedown board export final/
  shakedown board export final/ --second spearman --by-time
  shakedown replay final/replay.yaml
"""

CLOSE = """\
Accept no more submissions. A closed board cannot be opened again.

  shakedown board close
"""

AUDIT = """\
Rebuild the board in memory from its log, and compare all tables. Exit code 1 if they differ. A head
is in each receipt of a submission and in what `status` prints. If the log does not have it, the
log's end was taken away, or somebody wrote the whole log again.

  shakedown board audit
  shakedown board audit --expect 0f3a... --expect 99c1...
"""

BACKUP = """\
Copy an SQLite database to a new file, while the board runs. You alone can read the copy: it holds
the truth. For PostgreSQL use pg_dump (docs/running_board.md).

  shakedown board backup backup.db
"""

COPY = """\
Rebuild the board in another database, and compare all tables. Nobody must submit meanwhile.

  shakedown board copy postgresql+psycopg://user@host/challenge
"""

ADAPTER = """\
Write the folder with which a platform calls the board, filled in, and say what the platform cannot
keep secret. It contains the address of the database: do not publish it.

  shakedown board adapter synapse
  shakedown board adapter synapse my_scorer/
"""

SERVE = """\
Show the board to participants, and to the organiser with the token, as web pages.

  shakedown board serve --port 8000
"""

DEMO = """\
Play 20 honest teams and one adversary against a board of their own over HTTP.

  shakedown board demo
"""

#: Options of `export` that take a value: name, placeholder, meaning.
RULE_OPTIONS = (
    ("second", "METRIC", "decides between files that are tied with the first"),
    ("k", "K", "largest Bayes factor of a tie; by default 3"),
    ("variant", "NAME", "of K: counts (default) or smoothed"),
    ("draws", "N", "bootstrap samples; by default 10,000"),
)

#: Options of `create` that take a value: name, placeholder, meaning.
CREATE_OPTIONS = (
    ("board", "ID", "a mechanism with its defences; its parameters are in the metric's unit"),
    ("metric", "METRIC", "mse, rmse, mae, pearson, ..., or an import path"),
    ("truth", "FILE", ".csv, .tsv (each also with .gz) or .parquet"),
    ("id", "COLUMN", "ids of the rows; by default id"),
    ("response", "COLUMN", "true values, by default truth; several: a,b,c or a pattern ('att_*')"),
    ("classes", "A,B", "names of the response's classes in their order, the positive one last"),
    ("event", "COLUMN", "events of censored times: 1, or 0 where the row was censored"),
    ("horizons", "A,B", "time points of these at which files predict an event"),
    ("group", "COLUMN", "rows that belong together, such as the visits of a patient"),
    ("split", "COLUMN", "public or final; by default set, unless --public-share is given"),
    ("public-share", "S", "draw this share of the rows as public"),
    ("per-team", "N", "most submissions of a team; by default what the dry run allows"),
    ("per-day", "N", "most submissions of a team in a day"),
    ("in-total", "N", "most submissions of all teams together"),
    ("opens", "TIME", "such as 2027-03-01 or 2027-03-01T18:00"),
    ("closes", "TIME", "from then on nothing is accepted"),
    ("updates", "A,B", "times at which a digest shows scores"),
    ("zone", "ZONE", "time zone of days and times; by default UTC"),
    ("seed", "N", "of noise and drawn rows; by default drawn by the operating system, and secret"),
    ("name", "NAME", "of the board; by default board"),
    ("challenge", "NAME", "by default that of the board"),
)


def add_actions(adding: _SubParsersAction, style: dict) -> None:
    """Add the sub-commands of ``shakedown board``."""

    def action(name: str, text: str, line: str, *, opens: bool = True):
        sub = adding.add_parser(name, description=text, help=line, **style)
        sub.add_argument(
            "--url", metavar="URL", default=os.environ.get(VARIABLE) or DEFAULT,
            help=f"database; by default ${VARIABLE}, else {DEFAULT}",
        )  # fmt: skip
        if opens:
            sub.add_argument(
                "--board", metavar="NAME", dest="of", help="if the database has several"
            )
        return sub

    sub = action("create", CREATE, "make a board", opens=False)
    sub.add_argument(
        "source", nargs="?", metavar="FROM", help="recommendation.json, its folder, or a YAML file"
    )
    for name, value, meaning in CREATE_OPTIONS:
        sub.add_argument(f"--{name}", metavar=value, help=meaning)
    sub.add_argument(
        "--by-count", action="store_true", default=None,
        help="a digest moves after every so many submissions of a team, not by the clock",
    )  # fmt: skip
    sub.add_argument("--json", action="store_true", help="print JSON")

    sub = action("submit", SUBMIT, "judge a file")
    sub.add_argument("team", metavar="TEAM")
    sub.add_argument("file", metavar="FILE")
    sub.add_argument("--key", metavar="K", help="names the submission; one key is scored once")
    sub.add_argument("--server", metavar="URL", help="submit through a running server")

    sub = action("price", PRICE, "what a file would cost on a metered board")
    sub.add_argument("team", metavar="TEAM")
    sub.add_argument("file", metavar="FILE")
    sub.add_argument("--json", action="store_true", help="print JSON")

    sub = action("register", REGISTER, "register a team, or give it a new token")
    sub.add_argument("team", metavar="TEAM")
    sub.add_argument(
        "--new-token", action="store_true", help="also if the team has one, which then ends"
    )

    sub = action("final", FINAL, "name a team's final file")
    sub.add_argument("team", metavar="TEAM")
    sub.add_argument("key", metavar="K", help="of a submission of the team")

    sub = action("status", STATUS, "what the board shows")
    sub.add_argument("--team", metavar="TEAM", help="one team and its submissions")
    sub.add_argument("--json", action="store_true", help="print JSON")

    sub = action("export", EXPORT, "write final scores, ranks, tests and the log")
    sub.add_argument("folder", metavar="FOLDER")
    sub.add_argument(
        "--while-open", action="store_true", help="although the board is open; tell nobody"
    )
    for name, value, meaning in RULE_OPTIONS:
        sub.add_argument(f"--{name}", metavar=value, help=meaning)
    sub.add_argument(
        "--stratified", action="store_true", help="samples have as many rows of each class"
    )
    sub.add_argument(
        "--by-time", action="store_true",
        help="the file that came first wins where nothing else decides",
    )  # fmt: skip

    action("close", CLOSE, "accept no more submissions")
    action("publish", PUBLISH, "show the final table on the page")
    sub = action("audit", AUDIT, "rebuild the board from its log, and compare")
    sub.add_argument(
        "--expect", metavar="HEAD", action="append", default=[],
        help="a head that was printed before; can be given several times",
    )  # fmt: skip

    sub = action("backup", BACKUP, "copy an SQLite database to a file", opens=False)
    sub.add_argument("file", metavar="FILE", help="a new file")

    sub = action("copy", COPY, "rebuild the board in another database")
    sub.add_argument("target", metavar="URL")

    sub = action("adapter", ADAPTER, "write a platform's folder")
    sub.add_argument("platform", metavar="NAME", help="such as synapse")
    sub.add_argument("folder", nargs="?", metavar="FOLDER", help="by default its name, here")

    sub = action("serve", SERVE, "web pages")
    sub.add_argument("--host", metavar="HOST", default="127.0.0.1", help="by default %(default)s")
    sub.add_argument("--port", metavar="N", type=int, default=8000, help="by default %(default)s")

    sub = action("demo", DEMO, "20 teams and an adversary against a board", opens=False)
    sub.add_argument("--seconds", metavar="N", type=float, default=30.0, help="its length")
