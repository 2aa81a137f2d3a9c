"""After `pip install`, every command of the README works in an empty folder."""

import json
import re
import shlex
import shutil
import zipfile

import numpy as np
import pandas as pd
import pytest

from tests.cli.installing import (
    Installed,
    fetched,
    free_port,
    install,
    required,
    sdist_of,
    wheel_of,
)
from tests.cli.studies import ROOT
from tests.docs.commands import lines
from tests.docs.markdown import blocks

pytestmark = pytest.mark.full  # builds, installs, and runs whole studies

COMMANDS = [
    shlex.split(line)
    for block in blocks(ROOT / "README.md", "sh")
    for line in lines(block)
    if line.startswith("shakedown ")
]
#: So that a dry run takes a minute.
SMALLER = ["--submissions", "5", "--minutes", "0.2"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """A wheel of the sdist of this checkout."""
    sdist = sdist_of(ROOT, tmp_path_factory.mktemp("sdist"))
    return wheel_of(sdist, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def plain(wheel, tmp_path_factory):
    """The package alone, in a folder with the files of a user that the commands name."""
    path = tmp_path_factory.mktemp("plain")
    install(wheel, path / "environment")
    installed = Installed(path / "environment", path / "folder")
    write_files(installed.folder)
    return installed


def write_files(folder):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 6))  # enough for a board to be recommended
    table = pd.DataFrame(X, columns=[f"x{k}" for k in range(6)])
    y = X @ rng.normal(size=6)
    table.assign(y=y).to_csv(folder / "my.csv", index=False)
    sets = np.where(np.arange(900) % 3, "final", "public")
    truth = {"id": [f"p{k}" for k in range(900)], "truth": y, "set": sets}
    pd.DataFrame(truth).to_csv(folder / "truth.csv", index=False)
    for name, noise in (("ada", 0.5), ("bob", 1.0)):
        predictions = y + noise * rng.normal(size=900)
        file = pd.DataFrame({"id": truth["id"], "prediction": predictions})
        file.to_csv(folder / f"{name}.csv", index=False)
    (folder / "my.yaml").write_text("extends: config/test.yaml\nstudy: mine\n")
    replay = (ROOT / "config/replay.yaml").read_text("utf-8")
    named = re.sub("^study: replay$", "study: my_replay", replay, flags=re.M)
    (folder / "my_replay.yaml").write_text(named, "utf-8")


def test_an_sdist_has_all_that_its_wheel_needs(wheel, tmp_path):
    def content(path):
        with zipfile.ZipFile(path) as packed:
            return {name: packed.read(name) for name in packed.namelist()}

    direct, there = content(wheel_of(ROOT, tmp_path)), content(wheel)
    assert direct.keys() == there.keys()
    assert all(direct[name] == there[name] for name in direct)


def test_every_command_of_the_readme_works(plain):
    assert {words[1] for words in COMMANDS} >= {"reproduce", "dryrun", "replay", "board", "plan"}
    for words in COMMANDS:
        if words[1] == "board":
            said = plain.run(*words, code=2)
            assert "needs the package" in said
            assert "pip install '.[board]'" in said
        else:
            assert plain.run(*words, *(SMALLER if words[1] == "dryrun" else ())), words
    for study in ("test", "my", "my_replay"):
        assert (plain.folder / "results" / study / "report.html").is_file()


def test_with_its_extra_the_recommended_board_runs(plain, wheel, tmp_path):
    """It comes after the dry run of the readme."""
    assert "fastapi" in required("board").keys() - required().keys()
    install(wheel, tmp_path / "environment", "board")
    installed = Installed(tmp_path / "environment", tmp_path / "folder")
    for name in ("truth.csv", "results/my/recommendation.json"):
        (installed.folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(plain.folder / name, installed.folder / name)
    (command,) = (words for words in COMMANDS if words[1] == "board")
    assert installed.run(*command)
    port = free_port()
    server = installed.start("shakedown", "board", "serve", "--port", str(port))
    try:
        assert json.loads(fetched(f"http://127.0.0.1:{port}/api/board", server))["metric"] == "mse"
    finally:
        server.terminate()
        server.communicate()
