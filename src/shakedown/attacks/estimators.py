"""What scikit-learn's sources tell of its estimators: to import them takes a second."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec, resolve_name
from pathlib import Path

#: Methods of which every classifier has one, and no regressor any.
OF_CLASSIFIERS = ("predict_proba", "decision_function")
#: Methods of a class by name.
Methods = dict[str, ast.FunctionDef]


def is_regressor(path: str, settings: Iterable[str]) -> bool:
    """Whether scikit-learn surely has a class that fits, predicts and takes these settings.

    Parameters
    ----------
    path : str
        Import path of the class.
    settings : iterable of str
        Names of the arguments of its constructor.

    Returns
    -------
    bool
        False also where the sources do not tell; then the class must be imported.
    """
    methods = _methods(*path.rpartition(".")[::2])
    if not {"__init__", "fit", "predict"} <= methods.keys():
        return False
    arguments = methods["__init__"].args
    plain = [argument.arg for argument in arguments.args[1:]]
    named = [argument.arg for argument in arguments.kwonlyargs]
    needed = plain[: len(plain) - len(arguments.defaults)]
    needed += [name for name, at in zip(named, arguments.kw_defaults, strict=True) if at is None]
    return set(needed) <= set(settings) <= {*plain, *named}


def classifies(path: str) -> bool:
    """Whether scikit-learn surely has a classifier at an import path."""
    return any(name in _methods(*path.rpartition(".")[::2]) for name in OF_CLASSIFIERS)


def _methods(module: str, name: str) -> Methods:
    """The methods of a class and of its bases; none if scikit-learn has no such class there."""
    folder, body = _source(module)
    for node in body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            bases = [base.id for base in node.bases if isinstance(base, ast.Name)]
            inherited: Methods = {}
            for base in reversed(bases):
                inherited |= _methods(module, base)
            return inherited | {m.name: m for m in node.body if isinstance(m, ast.FunctionDef)}
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if name == (alias.asname or alias.name):
                    origin = "." * node.level + (node.module or "")
                    return _methods(resolve_name(origin, folder), alias.name)
    return {}


@cache
def _source(module: str) -> tuple[str, list[ast.stmt]]:
    """The package that relative imports of a module start from, and the module's statements."""
    library, _, rest = module.partition(".")
    spec = find_spec(library) if library == "sklearn" else None
    if spec is None:
        return module, []
    path = Path(spec.origin).parent.joinpath(*rest.split("."))
    files = {path / "__init__.py": module, path.with_suffix(".py"): module.rpartition(".")[0]}
    for file, folder in files.items():
        if file.is_file():
            return folder, ast.parse(file.read_bytes()).body
    return module, []
