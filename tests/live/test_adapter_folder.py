"""The folders of adapters that organisers copy."""

import re
import stat
from pathlib import Path

import pytest

from shakedown.interface import InputError
from shakedown.live import adapter_folder
from shakedown.live.adapter_folder import SECRET, TEMPLATE, names, write
from tests.live.test_live_board import board


@pytest.fixture
def url(tmp_path):
    board(tmp_path)
    return f"sqlite:///{tmp_path}/board.db"


@pytest.mark.parametrize("with_url", [True, False])
@pytest.mark.parametrize("name", names())
def test_a_folder_is_complete_and_has_no_address_but_in_one_file(
    name, with_url, url, tmp_path, monkeypatch
):
    monkeypatch.setattr(adapter_folder, "ONLY_POSTGRESQL", frozenset())
    folder = tmp_path / "mine"
    said = write(name, folder, url if with_url else None)
    assert said
    assert all(sentence.endswith(".") for sentence in said)
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert {"README.md", "LIMITS.md"} <= {path.name for path in files}
    assert not [path for path in files if path.suffix == TEMPLATE or "__pycache__" in path.parts]
    holders = [path.name for path in files if "board.db" in path.read_text()]
    assert holders == ([SECRET] if with_url else [])
    if with_url:
        secret = folder / SECRET
        assert secret.read_text() == url + "\n"
        assert stat.S_IMODE(secret.stat().st_mode) == 0o600
        assert (folder / ".gitignore").read_text() == f"{SECRET}\n"


def test_a_path_of_a_database_becomes_an_address_that_holds_anywhere(url, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("synapse", "mine", "board.db")
    assert (tmp_path / "mine" / SECRET).read_text() == url + "\n"


def test_an_address_with_a_password_is_kept_whole():
    url = "postgresql://a:b%40c@h:1/d"
    assert adapter_folder._absolute(url) == url


@pytest.mark.parametrize(
    ("name", "folder", "board", "said"),
    [
        ("synaps", "new", None, r"adapter: wanted one of .*'synaps'\. Did you mean 'synapse'"),
        ("synapse", ".", None, "folder: wanted a new or an empty one"),
        ("synapse", "board.db", None, "folder: wanted a new or an empty one"),
        ("synapse", "new", "other", "board: wanted one of board; got 'other'"),
        ("codabench", "new", None, "needs the board in PostgreSQL; got an SQLite database"),
    ],
)  # fmt: skip
def test_errors_leave_nothing(name, folder, board, said, url, tmp_path):
    with pytest.raises(InputError, match=said):
        write(name, tmp_path / folder, url, board)
    assert not (tmp_path / "new").exists()


def test_an_installed_package_brings_its_own(tmp_path, monkeypatch):
    source = tmp_path / "shakedown" / "project" / "adapters" / "mine"
    source.mkdir(parents=True)
    (source / "LIMITS.md").write_text("- It keeps nothing.\n")
    (source / "a.txt.jinja").write_text("{{ metric }}\n")
    monkeypatch.setattr(adapter_folder, "PACKAGE", tmp_path / "shakedown")
    assert names() == ["mine"]
    assert write("mine", tmp_path / "copy") == ["It keeps nothing."]
    assert (tmp_path / "copy" / "a.txt").read_text() == "score\n"
    assert not (tmp_path / "copy" / "a.txt.jinja").exists()


def test_a_package_without_adapters_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(adapter_folder, "PACKAGE", tmp_path / "src" / "shakedown")
    with pytest.raises(InputError, match="Install the package again"):
        names()


def test_a_missing_value_is_no_empty_text(tmp_path, monkeypatch):
    package = tmp_path / "src" / "shakedown"
    source = tmp_path / "adapters" / "mine"
    source.mkdir(parents=True)
    (source / "LIMITS.md").write_text("- It keeps nothing.\n")
    (source / "a.txt.jinja").write_text("{{ bord }}")
    monkeypatch.setattr(adapter_folder, "PACKAGE", package)
    with pytest.raises(Exception, match="'bord' is undefined"):
        write("mine", tmp_path / "copy")


def test_the_table_of_adapters_has_each():
    folder = Path(__file__).parents[2] / "adapters"
    rows = (folder / "README.md").read_text().splitlines()
    links = set(re.findall(r"\]\((\w+)/README.md\)", "".join(rows)))
    assert links == set(names())
    titles = [(folder / name / "README.md").read_text().splitlines()[0] for name in names()]
    for title in titles:
        name = title.removeprefix("# The board on ")
        assert any(row.startswith(f"| {name} |") for row in rows), name
