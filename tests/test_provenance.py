"""The digest of code changes exactly when the code that is imported does something else."""

import importlib
import re
import sys
from pathlib import Path

import pytest

from shakedown import provenance
from shakedown.provenance import DATA, code_digest, imported_modules, own_files

ROOT = Path(__file__).parents[1]
SRC, SCRIPTS = ROOT / "src", ROOT / "workflow/scripts"


@pytest.fixture
def root(tmp_path):
    """A package in which `game` imports `dice`, in a function, and `board` is on its own."""
    package = tmp_path / "shakedown"
    (package / "inner").mkdir(parents=True)
    (package / "__init__.py").write_text('"""Top."""\n')
    (package / "inner" / "__init__.py").write_text("")
    (package / "inner" / "dice.py").write_text("import random\nSIDES = 6\n")
    (package / "inner" / "page.css").write_text("p {}")
    (package / "inner" / "dice.py~").write_text("SIDES = 4\n")
    (package / "board.py").write_text("SIZE = 1\n")
    (package / "game.py").write_text(
        '"""A game."""\n\n\ndef play():\n    """Play."""\n'
        "    from shakedown.inner import dice\n\n    return dice.SIDES\n"
    )
    (tmp_path / "script.py").write_text("import numpy\nfrom shakedown import game\n")
    return tmp_path


def digest(root):
    return code_digest(root / "script.py", root)


def test_follows_imports_into_functions_and_packages(root):
    assert set(imported_modules(root / "script.py", root)) == {
        "shakedown",
        "shakedown.game",
        "shakedown.inner",
        "shakedown.inner.dice",
    }


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("game.py", "return dice.SIDES", "return dice.SIDES + 1"),
        ("inner/dice.py", "6", "8"),
        ("__init__.py", '"""Top."""', "VERSION = 2"),
        ("inner/page.css", "p {}", "div {}"),
    ],
)
def test_changes_with_the_code(root, file, old, new):
    before = digest(root)
    path = root / "shakedown" / file
    path.write_text(path.read_text().replace(old, new))
    assert digest(root) != before


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("game.py", '"""A game."""', '"""Another text."""\n# and a comment'),
        ("game.py", '    """Play."""\n', ""),
        ("game.py", "return dice.SIDES", "return (dice.SIDES)  # six"),
        ("inner/dice.py", "SIDES = 6", 'SIDES = 6\n"""Faces, as the manual says."""'),
        ("board.py", "1", "2"),
        ("inner/dice.py~", "4", "5"),
    ],
)
def test_does_not_change_with_texts_layout_and_what_is_not_imported(root, file, old, new):
    before = digest(root)
    path = root / "shakedown" / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    assert digest(root) == before


def test_sees_a_module_that_is_imported_anew(root):
    before = digest(root)
    (root / "shakedown/inner/__init__.py").write_text("from shakedown import board\n")
    assert digest(root) != before


def test_follows_a_registry_to_all_modules_of_its_package(root):
    registry = (
        'from shakedown.component import Registry\nDICE = Registry(object, "shakedown.kinds")'
    )
    (root / "shakedown/inner/dice.py").write_text(registry)
    (root / "shakedown/kinds").mkdir()
    (root / "shakedown/kinds/__init__.py").write_text("")
    before = digest(root)
    (root / "shakedown/kinds/loaded.py").write_text("FACES = 7\n")
    assert "shakedown.kinds.loaded" in imported_modules(root / "script.py", root)
    assert digest(root) != before


def test_the_code_of_a_users_own_component_counts(root, monkeypatch):
    path = root / "my_dice_module.py"
    path.write_text("class Loaded:\n    pass\n")
    monkeypatch.syspath_prepend(root)
    importlib.import_module("my_dice_module")
    config = {"dice": [{"name": "my_dice_module.Loaded", "path": "data/dice.csv"}], "n": 3}
    assert own_files(config) == [path]
    importlib.import_module("shakedown.claims")
    assert own_files({"claims": ["shakedown.claims.zheng"]}) == []  # part of the package
    before = code_digest(root / "script.py", root, own_files(config))
    path.write_text("class Loaded:\n    faces = 7\n")
    assert code_digest(root / "script.py", root, own_files(config)) != before
    monkeypatch.delitem(sys.modules, "my_dice_module")


def test_tells_apart_what_the_scripts_import():
    playing = imported_modules(SCRIPTS / "play_experiments.py", SRC)
    assert {"shakedown.attacks.freedman", "shakedown.leaderboard.gates"} <= set(playing)
    assert "shakedown.leaderboard.mechanisms.ladder" in playing
    assert not [name for name in playing if ".figures" in name or ".report" in name]
    assert "shakedown.simulation.replicate" not in imported_modules(
        SCRIPTS / "draw_figures.py", SRC
    )
    assert "shakedown.simulation.replicate" not in imported_modules(
        SCRIPTS / "make_dataset.py", SRC
    )


def test_no_import_escapes_it():
    """Relative imports and imports by name would; the package has none but a user's own."""
    for path in SRC.rglob("*.py"):
        lines = path.read_text("utf-8").splitlines()
        assert not [line for line in lines if line.strip().startswith("from .")], path
        # A registry imports what users name; the package's own file, what users ask it for.
        if path.name != "registry.py" and path != SRC / "shakedown/__init__.py":
            assert not [line for line in lines if "import_module" in line], path


def test_knows_every_kind_of_file_that_the_package_holds():
    files = [path for path in SRC.joinpath("shakedown").rglob("*") if path.is_file()]
    kinds = {path.suffix for path in files if path.parent.name != "__pycache__"}
    assert kinds - {".py"} <= set(DATA)


def test_what_is_kept_for_the_next_process_changes_no_digest(root):
    before = digest(root)
    (kept,) = (root / "shakedown/__pycache__").glob("sources.*.json")
    provenance._known.cache_clear()  # as in another process
    assert digest(root) == before
    kept.write_text(kept.read_text()[:100])
    provenance._known.cache_clear()
    assert digest(root) == before


def test_writes_what_it_keeps_only_after_new_sources(root):
    digest(root)
    (kept,) = (root / "shakedown/__pycache__").glob("sources.*.json")
    kept.write_text(kept.read_text() + "\n")
    provenance._known.cache_clear()  # as in another process
    digest(root)
    assert kept.read_text().endswith("\n")
    (root / "shakedown/game.py").write_text("SIDES = 9\n")
    digest(root)
    assert not kept.read_text().endswith("\n")


def test_every_caption_that_a_rule_names_is_there():
    rules = [*(ROOT / "workflow/rules").glob("*.smk"), ROOT / "Snakefile"]
    named = {
        rule.parent / path
        for rule in rules
        for path in re.findall(r'(?:caption=|report: )"([^"]+\.rst)"', rule.read_text())
    }
    assert {path.resolve() for path in named} == set((ROOT / "workflow/report").glob("*.rst"))
