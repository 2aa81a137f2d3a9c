"""The floors of the package: a module imports from floors below its own, and from its own."""

import ast
from pathlib import Path

import shakedown

PACKAGE = Path(shakedown.__file__).parent

#: From the lowest floor to the highest; rooms on one floor other than `LEVEL` ones stand apart.
FLOORS = [
    {"interface", "terms"},
    {"component", "seeding", "compiled", "wording", "reading", "provenance", "checkout"},
    {"metrics", "tables"},
    {"data", "leaderboard", "attacks"},
    {"simulation"},
    {"theory", "ranking"},
    {"dryrun", "replay", "claims"},
    {"comparison", "final_rows"},
    {"figures"},
    {"report"},
    {"scheduling"},
    {"config"},
    {"live", "questions"},
    {"cli"},
]
FLOOR = {room: level for level, rooms in enumerate(FLOORS) for room in rooms}
#: The most modules that may lie loose in the root.
LOOSE = 8


def room_of(module: str) -> str:
    return module.split(".")[1] if "." in module else module


def imports(path: Path):
    """Modules of the package that a file imports, wherever in the file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            if node.module == "shakedown":
                yield from (f"shakedown.{name.name}" for name in node.names)
            else:
                yield node.module


def climbing(path: Path, room: str) -> list[str]:
    """Imports that do not go down."""
    problems = []
    for module in imports(path):
        if not module.startswith("shakedown."):
            continue
        to = room_of(module)
        if to != room and to in FLOOR and FLOOR[to] > FLOOR[room]:
            problems.append(f"{path.relative_to(PACKAGE)} imports {module}")
    return problems


def rooms():
    for path in sorted(PACKAGE.rglob("*.py")):
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if room != "__init__":
            yield path, room


def test_every_module_has_a_floor():
    assert {room for _, room in rooms()} - set(FLOOR) == set()


def test_imports_only_go_down():
    assert [line for path, room in rooms() for line in climbing(path, room)] == []


def test_few_modules_lie_loose_in_the_root():
    loose = [
        path.name
        for path in PACKAGE.glob("*.py")
        if path.name not in ("__init__.py", "__main__.py")
    ]
    assert len(loose) <= LOOSE, loose


def test_an_import_that_climbs_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(f"{__name__}.PACKAGE", tmp_path)
    file = tmp_path / "metrics.py"
    file.write_text("def f():\n    from shakedown.report.page import page\n")
    assert climbing(file, "metrics") == ["metrics.py imports shakedown.report.page"]


def test_files_stay_short_enough_to_read():
    long = {
        str(path.relative_to(PACKAGE)): lines
        for path in PACKAGE.rglob("*.py")
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > 400
    }
    assert long == {}
