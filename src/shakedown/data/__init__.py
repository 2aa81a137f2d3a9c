"""Data sets: recipes that make or read a `Challenge`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from shakedown.data.checks import too_close, too_large
from shakedown.data.recipe import RECIPES, Recipe
from shakedown.interface import LARGEST, Challenge, InputError
from shakedown.seeding import stream

__all__ = ["RECIPES", "Recipe", "check", "made", "read"]


def read(
    name: str, recipe: Mapping[str, Any], *, seed: int, folder: str | Path = Path(".")
) -> Challenge:
    """Make or read a data set.

    Parameters
    ----------
    name : str
        The data set's id.  Random numbers depend on it and on `seed`.
    recipe : mapping
        ``recipe``, the recipe's name or the import path of your own, and its parameters.
    seed : int
        The study's seed.
    folder : str or Path
        Folder for relative paths of tables.

    Returns
    -------
    Challenge
        X is in Fortran order, so a random subset of its columns is cheap.

    Raises
    ------
    InputError
        If settings or data are not valid.

    Warns
    -----
    UserWarning
        If constant or repeated columns of a table were dropped, a feature gives the response
        away, or one is named like an official split.

    Examples
    --------
    A table, and what was done to it:

    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> import pandas as pd
    >>> import shakedown
    >>> numbers = shakedown.stream(1, "my table").normal(size=(40, 3))
    >>> table = pd.DataFrame(numbers, columns=["age", "dose", "y"])
    >>> table.loc[:2, "dose"] = None
    >>> folder = Path(mkdtemp())
    >>> table.to_csv(folder / "my.csv", index=False)
    >>> settings = {"recipe": "table", "path": "my.csv", "response": "y"}
    >>> mine = shakedown.read("my", settings | {"missing": "impute_median"}, seed=1, folder=folder)
    >>> mine.notes[1]
    "3 missing cells in 1 of 2 feature columns filled with the column's median over all rows."

    A simulated one:

    >>> sim = {"recipe": "simulated", "rows": 90, "features": 12}
    >>> shakedown.read("sim", sim, seed=1).notes[0]
    'Simulated: 90 rows of 12 normal features with no correlation; the response is unrelated to the
    features.'
    """
    maker = made(name, recipe)
    challenge = maker.read(name, rng=stream(seed, "data", name), folder=Path(folder))
    if why := _unusable(challenge):
        raise InputError(f"Data set {name}: recipe '{maker.name}': {why}")
    X = np.asfortranarray(challenge.X)
    return challenge if X is challenge.X else replace(challenge, X=X)


def _unusable(challenge: Challenge) -> str:
    """What is wrong with the numbers of a challenge, which its recipe should have said; or ""."""
    # Smallest and largest first: a mask would take memory.
    for values, what in ((challenge.y[:, None], ""), (challenge.X, "feature")):
        if not values.size or (values.min() >= -LARGEST and values.max() <= LARGEST):
            continue  # NaN is neither
        i, j = np.argwhere(~(np.abs(values) <= LARGEST))[0]
        where = f"feature '{challenge.features[j]}'" if what else "the response"
        return f"{where}, row '{challenge.rows[i]}' {too_large(values[i, j])}. Correct it."
    why = too_close(challenge.y)
    return f"values of the response {why}" if why else ""


def check(name: str, recipe: Mapping[str, Any], *, folder: str | Path = Path(".")) -> None:
    """Check, without reading the data, that `read` can work.

    Raises
    ------
    InputError
        If settings are not valid, or a table's file or one of its columns is missing.
    """
    made(name, recipe).check(name, folder=Path(folder))


def made(name: str, recipe: Mapping[str, Any]) -> Recipe:
    """The recipe of a configuration's entry.

    Raises
    ------
    InputError
        If it is unknown, or its settings are not valid.
    """
    wanted = recipe.get("recipe") if isinstance(recipe, Mapping) else None
    if wanted is None:
        raise InputError(
            f"Data set {name}: 'recipe' is missing; wanted one of {', '.join(sorted(RECIPES))}."
        )
    settings = {str(key): value for key, value in recipe.items() if key != "recipe"}
    try:
        return RECIPES.make(str(wanted), **settings)
    except InputError as e:
        raise InputError(f"Data set {name}: {e}") from None
