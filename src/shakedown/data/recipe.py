"""Recipes, which make or read the data sets of challenges."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from pydantic import model_validator

from shakedown.component import Component, Registry
from shakedown.interface import Challenge, Shape


class Recipe(Component):
    """A recipe for a data set.

    Derive from it, declare the parameters, and write `read`.  If a parameter is called `path`, the
    study makes the data set again when that file changes.

    Examples
    --------
    >>> import numpy as np
    >>> import shakedown
    >>> from shakedown.interface import Challenge
    >>> class Noise(shakedown.Recipe):
    ...     name, label = "my_data.Noise", "Noise"
    ...     rows: int = shakedown.parameter(90, ge=30, description="Number of rows.")
    ...
    ...     def read(self, name, *, rng, folder):
    ...         ids, features = np.arange(self.rows).astype(str), np.array(["a", "b", "c"])
    ...         X, y = rng.normal(size=(self.rows, 3)), rng.normal(size=self.rows)
    ...         return Challenge(name, X, y, ids, features)
    >>> noise = Noise(rows=60).read("noise", rng=shakedown.stream(1, "data", "noise"), folder=None)

    Attacks play on it.  Of noise nothing can be learned, so all that looks better is overfit:

    >>> settings = {
    ...     "metric": "mse",
    ...     "attack": {"name": "freedman", "largest_model": 2},
    ...     "features": 3,
    ...     "mechanisms": [{"name": "full_disclosure"}],
    ... }
    >>> experiment = shakedown.Experiment("mine", settings, noise, "permuted", seed=1)
    >>> shakedown.play(experiment, range(50)).groupby("point")["delta"].median().round(3)
    point
    1   -0.024
    2   -0.031
    Name: delta, dtype: float64
    """

    kind: ClassVar[str] = "recipe"

    @model_validator(mode="before")
    @classmethod
    def _given(cls, values: Any) -> Any:
        """Drop null settings."""
        if not isinstance(values, Mapping):
            return values
        return {key: value for key, value in values.items() if value is not None}

    @property
    def public_rows(self) -> int | None:
        """Number of public rows if the recipe determines it, else None."""
        return None

    def planned_shape(self, folder: Path) -> Shape:
        """The size of the data set, without reading it; a guess if nothing else is known."""
        return Shape(3 * (self.public_rows or 1000), 100)

    def read(self, name: str, *, rng: np.random.Generator, folder: Path) -> Challenge:
        """Make or read the data set.

        Parameters
        ----------
        name : str
            The data set's id.
        rng : numpy.random.Generator
            Random numbers for the study's seed and `name`.
        folder : Path
            Folder for relative paths.

        Raises
        ------
        InputError
            If the data are not valid.
        """
        raise NotImplementedError

    def check(self, name: str, *, folder: Path) -> None:
        """Check, without reading the data, that `read` can work; by default nothing.

        Raises
        ------
        InputError
            If it cannot.
        """


RECIPES = Registry(Recipe, "shakedown.data.recipes")
