"""The image runs as docs/scale.md says: as another user, read-only, without a network."""

import json
import os
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from tests.cli.studies import STUDY
from tests.container.image import USER, Image, NoImage, asked, why_not
from tests.live import postgres

pytestmark = pytest.mark.full  # builds an image

#: Seconds until a server answers; nothing is said of its speed.
PATIENCE = 300
BOARD = ("--board", "general_ladder(eta=0.05)+baseline", "--metric", "mse", "--truth", "truth.csv")


@pytest.fixture(scope="session")
def image():
    if why := why_not():
        pytest.skip(why)
    with tempfile.TemporaryDirectory(prefix="image", ignore_cleanup_errors=True) as folder:
        built = Image(Path(folder))
        try:
            built.build()
            with owned() as work:
                built.run("--help", work=work)
        except NoImage as e:
            pytest.skip(str(e))
        yield built


@contextmanager
def owned():
    """A folder of the user without a name."""
    with tempfile.TemporaryDirectory(prefix="work", ignore_cleanup_errors=True) as folder:
        give(Path(folder))
        yield Path(folder)


def give(folder):
    for path in (folder, *folder.iterdir()):
        os.chown(path, USER, USER)


@pytest.fixture
def work():
    with owned() as folder:
        yield folder


def assert_owned(folder):
    for path in folder.rglob("*"):
        at = path.lstat()
        assert (at.st_uid, at.st_gid) == (USER, USER), path


#: Prints what must fail, and which folders can be written to.
BARRED = """
import os, pwd, socket
from pathlib import Path
try:
    pwd.getpwuid(os.getuid())
except KeyError:
    print("no name")
try:
    socket.create_connection(("192.0.2.1", 80), timeout=5)
except OSError as e:
    print(e.strerror)
import shakedown
for folder in ("/", "/opt/shakedown", Path(shakedown.__file__).parent, "/work", "/tmp"):
    print(os.statvfs(folder).f_flag & os.ST_RDONLY, os.access(folder, os.W_OK))
"""


def test_the_user_is_nobody_and_can_write_to_no_more_than_the_folder(image, work):
    said = image.run("-c", BARRED, work=work, program=("python",)).splitlines()
    assert said == ["no name", "Network is unreachable", *["1 False"] * 3, *["0 True"] * 2]


#: Prints the kernels that a replicate compiled, though the image has them.
COMPILED = """
from pathlib import Path
from shakedown.simulation.warm_up import _challenge, _play
boards = [{"name": "full_disclosure"}, {"name": "ladder", "alpha": 0.15}]
_play(_challenge(36), "permuted", "mse", {"name": "freedman", "largest_model": 3}, boards)
print(*Path("/tmp").rglob("*.nbi"), sep="\\n")
"""


def test_no_kernel_is_compiled_again(image, work):
    assert image.run("-c", COMPILED, work=work, program=("python",)).strip() == ""


def test_a_small_study_runs_to_its_end(image, work):
    (work / "my.yaml").write_text(yaml.safe_dump(STUDY))
    give(work)
    report = image.run("reproduce", "my.yaml", "--cores", "2", work=work)
    assert report.strip() == "Report: /work/results/tiny/report.html"
    outcomes = pd.read_parquet(work / "results/tiny/outcomes/free.parquet")
    assert outcomes["replicate"].nunique() == 4
    assert set(outcomes["setting"]) == {"full_disclosure", "ladder(alpha=0.15)"}
    assert "<html" in (work / "results/tiny/report.html").read_text("utf-8")
    assert_owned(work)


def test_a_dry_run_runs_to_its_end(image, work):
    rng = np.random.default_rng(8)
    table = pd.DataFrame(rng.standard_normal((66, 3)), columns=list("abc"))
    table.assign(y=table["a"] + rng.standard_normal(66)).to_csv(work / "mine.csv", index=False)
    give(work)
    few = ("--submissions", "5", "--minutes", "0.01", "--cores", "2")
    image.run("dryrun", "mine.csv", "--response", "y", *few, work=work)
    here = work / "results/mine"
    recommendation = json.loads((here / "recommendation.json").read_text("utf-8"))
    assert recommendation["wanted"] == 5
    assert {"ladder", "ladderboot"} <= set(pd.read_csv(here / "limits.csv")["mechanism"])
    assert "<html" in (here / "report.html").read_text("utf-8")
    assert_owned(work)


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request):
    """The database's URL in a container, and the folder of the socket that must be in it."""
    if request.param == "sqlite":
        yield "sqlite:////work/board.db", {}
        return
    if why := postgres.why_not():
        pytest.skip(why)
    with postgres.server() as url:
        base, _, folder = url.partition("?host=")
        os.chmod(folder, 0o755)  # of the socket; that of the data has a mode of its own
        yield f"{base}?host=/run/postgresql", {folder: "/run/postgresql"}


def test_a_board_is_served(image, work, database):
    url, volumes = database
    where = {"work": work, "volumes": volumes, "SHAKEDOWN_DATABASE": url}
    ids, values = [f"r{k}" for k in range(60)], np.random.default_rng(0).standard_normal(60)
    sets = ["public", "final"] * 30
    pd.DataFrame({"id": ids, "y": values, "set": sets}).to_csv(work / "truth.csv", index=False)
    file = pd.DataFrame({"id": ids, "prediction": values / 2})
    file.to_csv(work / "ada.csv", index=False)
    give(work)
    truth = ("--id", "id", "--response", "y", "--split", "set")
    image.run("board", "create", *BOARD, *truth, **where)
    server = image.start("board", "serve", "--host", "0.0.0.0", **where)
    try:
        end = time.monotonic() + PATIENCE
        while (answer := asked(server, "http://127.0.0.1:8000/healthz")) is None:
            assert server.poll() is None, server.communicate()[1]
            assert time.monotonic() < end
            time.sleep(0.2)
        assert answer[0] == 200
        assert json.loads(answer[1]) == {"version": 1, "status": "ok"}
        # Another container of the same volume, or of the same server.
        image.run("board", "submit", "Team Ada", "ada.csv", **where)
        status, text = asked(server, "http://127.0.0.1:8000/api/board")
        assert status == 200
        assert [row["team"] for row in json.loads(text)["teams"]] == ["Team Ada"]
    finally:
        server.kill()
        server.communicate()
    assert image.run("board", "audit", **where)
    if not volumes:
        assert (work / "board.db").stat().st_mode & 0o777 == 0o600
    assert_owned(work)
