"""The commands of docs/running_board.md for PostgreSQL."""

import os
import shlex
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from shakedown.cli import main
from shakedown.live.live_board import LiveBoard
from tests.docs.commands import ELSEWHERE
from tests.live import postgres

pytestmark = pytest.mark.slow

DOCS = "postgresql://user@host/challenge"
#: In the order of the page, except that a dump needs the database that is made further down.
FIRST, LATER = [], []
for _line, _test in ELSEWHERE.items():
    if Path(_test.partition("::")[0]).name == Path(__file__).name:
        (LATER if _line.startswith(("pg_", "umask")) else FIRST).append(_line)


@pytest.fixture
def own_url(postgres_url, monkeypatch):
    """The URL that stands for the page's; PostgreSQL's programs find its server, too."""
    folder = postgres_url.partition("?host=")[2]
    monkeypatch.setenv("PGHOST", folder)
    monkeypatch.setenv("PGUSER", "tester")
    yield f"postgresql://tester@/challenge?host={folder}"
    subprocess.run([postgres.program("dropdb"), "--force", "challenge"], check=True)


def test_a_board_moves_and_comes_back_from_a_dump(own_url, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SHAKEDOWN_DATABASE", raising=False)
    ids = [f"p{k}" for k in range(40)]
    truth = np.random.default_rng(0).normal(size=40)
    sets = np.where(np.arange(40) % 2, "public", "final")
    pd.DataFrame({"id": ids, "truth": truth, "set": sets}).to_csv("truth.csv", index=False)
    pd.DataFrame({"id": ids, "prediction": truth / 2}).to_csv("one.csv", index=False)
    board = ("--board", "full_disclosure", "--metric", "mse", "--truth", "truth.csv")
    assert main(["board", "create", *board]) == 0
    assert main(["board", "submit", "Ada", "one.csv"]) == 0
    before = LiveBoard.open("sqlite:///board.db").log()

    # What `umask` does to the programs is undone at the end.
    usual = os.umask(0o022)

    def run(line):
        mine = own_url.replace("postgresql:", "postgresql+psycopg:")
        words = shlex.split(line.replace(DOCS.replace("l:", "l+psycopg:"), mine))
        words = [word.replace(DOCS, own_url) for word in words]
        if words[0] == "export":
            monkeypatch.setenv(*words[1].split("=", 1))
        elif words[0] == "umask":
            os.umask(int(words[1], 8))
        elif words[0] == "shakedown":
            assert main(words[1:]) == 0
        else:
            subprocess.run([postgres.program(words[0]), *words[1:]], check=True, env=os.environ)

    for line in FIRST:
        run(line)
    assert main(["board", "audit"]) == 0
    try:
        for line in LATER:
            run(line)
    finally:
        os.umask(usual)
    assert Path("board.dump").stat().st_mode & 0o777 == 0o600
    assert main(["board", "audit"]) == 0
    pd.testing.assert_frame_equal(LiveBoard.open(os.environ["SHAKEDOWN_DATABASE"]).log(), before)
