"""A digest of the code that a result depends on; it changes when that code changes."""

from __future__ import annotations

import ast
import hashlib
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import Any

from shakedown import __version__

PACKAGE = "shakedown"
#: Cached digests are valid while this file does not change.
_OURSELVES = Path(__file__).read_bytes()
#: Other files that belong to a package; excludes an editor's backups.
DATA = (".css", ".j2", ".js", ".json", ".yaml")


def code_digest(script: str | Path, root: str | Path, own: Iterable[str | Path] = ()) -> str:
    """Digest of all code that a script imports from the package, directly or indirectly.

    Comments, docstrings (also of attributes) and layout do not count, nor does the script itself.
    A registry imports all modules of its package, so all of them count.  Other files of a package,
    such as templates, count byte by byte.  The digest is of syntax trees, so it may differ between
    Python versions.

    Parameters
    ----------
    script : str or Path
    root : str or Path
        The folder that contains the package.
    own : iterable of str or Path
        Files of a user's own components, which count too; see `own_files`.

    Returns
    -------
    str
        32 hexadecimal digits.
    """
    root = Path(root)
    before = len(_known(root))
    digest = hashlib.blake2b(digest_size=16)
    for name, path in sorted(imported_modules(Path(script), root).items()):
        code, _ = _understood(path, root)
        digest.update(f"{name}\n{code}\n".encode())
        for other in _files_beside(path):
            digest.update(f"{other.name}\n".encode() + other.read_bytes())
    for path in sorted(map(Path, own)):
        digest.update(f"{path.name}\n{_understood(path, root)[0]}\n".encode())
    if len(_known(root)) > before:
        _remember(root)
    return digest.hexdigest()


def own_files(config: Any) -> list[Path]:
    """Files of the modules outside the package that a configuration names by import path.

    Parameters
    ----------
    config : mapping
        Already checked, so a user's own modules are imported.
    """
    names = {text.rpartition(".")[0] for text in _texts(config)}
    modules = (sys.modules.get(name) for name in names if name.partition(".")[0] != PACKAGE)
    files = {getattr(module, "__file__", None) for module in modules if module}
    return sorted(Path(file) for file in files if file and file.endswith(".py"))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)


def versions(packages: Iterable[str]) -> dict[str, str]:
    """Versions of Python, this package and others, by name."""
    return {"Python": python_version(), PACKAGE: __version__} | {p: version(p) for p in packages}


def imported_modules(script: Path, root: Path) -> dict[str, Path]:
    """Files of all modules that a script imports from the package, by name.

    Importing a module also runs the `__init__` of its parent packages, so these are included.
    """
    files: dict[str, Path] = {}
    met: set[str] = set()
    waiting = list(_understood(script, root)[1])
    while waiting:
        name = waiting.pop()
        if name in met:
            continue
        met.add(name)
        if name.endswith(".*"):
            folder = root.joinpath(*name.split(".")[:-1])
            waiting += [f"{name[:-2]}.{path.stem}" for path in folder.glob("*.py")]
            continue
        path = _file(name, root)
        if path is None:
            continue
        files[name] = path
        waiting += [name.rpartition(".")[0], *_understood(path, root)[1]]
    return files


def _understood(path: Path, root: Path) -> tuple[str, Sequence[str]]:
    """Digest of a source without its docstrings, and the modules that it may import.

    Parsing all sources takes a second, so the result is cached by content.
    """
    source = path.read_bytes()
    key = hashlib.blake2b(_OURSELVES + source, digest_size=16).hexdigest()
    known = _known(root)
    if key not in known:
        known[key] = _parsed(source)
    return known[key]


@cache
def _known(root: Path) -> dict[str, tuple[str, Sequence[str]]]:
    try:
        return json.loads(_kept(root).read_text("utf-8"))
    except (OSError, ValueError):  # none yet, or half written
        return {}


def _remember(root: Path) -> None:
    """Save the cache for the next process."""
    path = _kept(root)
    with suppress(OSError):  # no cache in a read-only folder
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(_known(root)), "utf-8")


def _kept(root: Path) -> Path:
    """The cache file, next to the byte code because it depends on the Python version too."""
    return root / PACKAGE / "__pycache__" / f"sources.{sys.implementation.cache_tag}.json"


def _parsed(source: bytes) -> tuple[str, Sequence[str]]:
    tree = ast.parse(source)
    imported: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            imported.append(node.module)
            # A name imported from a package may be a module.
            imported += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Registry":
            imported += [f"{a.value}.*" for a in node.args if isinstance(a, ast.Constant)]
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [part for part in node.body if not _is_text(part)]
    code = hashlib.blake2b(ast.dump(tree).encode(), digest_size=16)
    return code.hexdigest(), tuple(imported)


def _is_text(part: ast.stmt) -> bool:
    """Whether a statement is a docstring, of a module, function or class or of an attribute."""
    value = part.value if isinstance(part, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


@cache
def _file(module: str, root: Path) -> Path | None:
    if module.partition(".")[0] != PACKAGE:
        return None
    path = root.joinpath(*module.split("."))
    for candidate in (path / "__init__.py", path.with_suffix(".py")):
        if candidate.is_file():
            return candidate
    return None


def _files_beside(path: Path) -> list[Path]:
    """Templates and other files of a package."""
    if path.name != "__init__.py":
        return []
    return sorted(p for p in path.parent.iterdir() if p.suffix in DATA)
