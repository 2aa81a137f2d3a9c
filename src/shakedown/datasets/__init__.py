"""Data sets: recipes that make or read a `Challenge`.

A recipe is a module with two functions, ``check(name, recipe, *, folder)`` and ``read(name,
recipe, *, rng, folder)``.  To add one: write the file, and add a line to `RECIPES`.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import Any

from shakedown.datasets import diabetes, labels, simulated, table
from shakedown.interface import Challenge, InputError
from shakedown.seeding import stream

#: Recipe id -> module.
RECIPES: dict[str, ModuleType] = {
    "simulated": simulated,
    "diabetes": diabetes,
    "labels": labels,
    "table": table,
}


def read(
    name: str, recipe: Mapping[str, Any], *, seed: int, folder: str | Path = Path(".")
) -> Challenge:
    """Make or read a data set.

    Parameters
    ----------
    name : str
        The data set's id.  A simulated one depends on it: other id, other luck.
    recipe : mapping
        The recipe's id under ``recipe``, and its settings; see the ``read`` of that recipe.
    seed : int
        The study's seed.
    folder : str or Path
        Where relative paths of tables start.

    Returns
    -------
    Challenge
        X is in Fortran order, so a random subset of its columns is cheap.

    Raises
    ------
    InputError
        If settings or data are not as they must be.

    Warns
    -----
    UserWarning
        If columns of a table were dropped because they say nothing (constant or repeated).
    """
    module = _find(name, recipe)
    return module.read(name, recipe, rng=stream(seed, "data", name), folder=Path(folder))


def check(name: str, recipe: Mapping[str, Any], *, folder: str | Path = Path(".")) -> None:
    """Find, without reading the data, what would make `read` fail.

    Parameters
    ----------
    name, recipe, folder
        As in `read`.

    Raises
    ------
    InputError
        If settings are impossible; or if a table's file or one of its columns is missing.
    """
    _find(name, recipe).check(name, recipe, folder=Path(folder))


def _find(name: str, recipe: Mapping[str, Any]) -> ModuleType:
    known = ", ".join(sorted(RECIPES))
    wanted = recipe.get("recipe") if isinstance(recipe, Mapping) else None
    if wanted is None:
        raise InputError(f"Data set {name}: 'recipe' is missing; wanted one of {known}.")
    if wanted not in tuple(RECIPES):
        close = get_close_matches(str(wanted), RECIPES, n=1)
        guess = f" Did you mean '{close[0]}'?" if close else ""
        raise InputError(f"Data set {name}: no recipe '{wanted}'; wanted one of {known}.{guess}")
    return RECIPES[wanted]
