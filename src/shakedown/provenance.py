"""Which code a result depends on: a digest that changes when that code does something else."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable
from functools import cache
from importlib.metadata import version
from pathlib import Path
from platform import python_version

from shakedown import __version__

PACKAGE = "shakedown"
#: Files that belong to a package beside its code; an editor's backups do not.
DATA = (".css", ".j2", ".yaml")


def code_digest(script: str | Path, root: str | Path) -> str:
    """Digest of all that a script imports from the package, directly or not.

    Comments, docstrings and layout do not count; neither do modules that are not imported, nor the
    script itself.  Files of the packages, such as templates, count as they are.  The digest is of
    the syntax trees, so another version of Python may give another one.

    Parameters
    ----------
    script : str or Path
    root : str or Path
        The folder in which the package lies.

    Returns
    -------
    str
        32 hexadecimal digits.
    """
    digest = hashlib.blake2b(digest_size=16)
    for name, path in sorted(imported_modules(Path(script), Path(root)).items()):
        code, _ = _understood(path.read_bytes())
        digest.update(f"{name}\n{code}\n".encode())
        for other in _files_beside(path):
            digest.update(f"{other.name}\n".encode() + other.read_bytes())
    return digest.hexdigest()


def versions(packages: Iterable[str]) -> dict[str, str]:
    """Versions of Python, of this package and of others, by name."""
    return {"Python": python_version(), PACKAGE: __version__} | {p: version(p) for p in packages}


def imported_modules(script: Path, root: Path) -> dict[str, Path]:
    """Files of all modules that a script imports from the package, by name.

    Importing a module runs the packages around it first, so these belong to it.
    """
    found: dict[str, Path] = {}
    waiting = list(_understood(script.read_bytes())[1])
    while waiting:
        name = waiting.pop()
        path = _file(name, root)
        if path is None or name in found:
            continue
        found[name] = path
        waiting += [name.rpartition(".")[0], *_understood(path.read_bytes())[1]]
    return found


@cache
def _understood(source: bytes) -> tuple[str, tuple[str, ...]]:
    """Digest of some source without its docstrings, and the modules that it may import.

    Most scripts import the same modules, and to parse one takes long.
    """
    tree = ast.parse(source)
    imported: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            imported.append(node.module)
            # What is imported from a package may be a module of it.
            imported += [f"{node.module}.{alias.name}" for alias in node.names]
        documented = isinstance(
            node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        )
        if documented and ast.get_docstring(node, clean=False) is not None:
            del node.body[0]
    code = hashlib.blake2b(ast.dump(tree).encode(), digest_size=16)
    return code.hexdigest(), tuple(imported)


def _file(module: str, root: Path) -> Path | None:
    if module.partition(".")[0] != PACKAGE:
        return None
    path = root.joinpath(*module.split("."))
    for candidate in (path / "__init__.py", path.with_suffix(".py")):
        if candidate.is_file():
            return candidate
    return None


def _files_beside(path: Path) -> list[Path]:
    """Templates and the like of a package."""
    if path.name != "__init__.py":
        return []
    return sorted(p for p in path.parent.iterdir() if p.suffix in DATA)
