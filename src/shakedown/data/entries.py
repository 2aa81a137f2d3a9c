"""Data sets as a configuration names them."""

from __future__ import annotations

from typing import ClassVar

from shakedown.component.entries import Choice, Entry
from shakedown.data.recipe import RECIPES


class DatasetEntry(Entry):
    """A data set."""

    choice: ClassVar[Choice] = Choice(RECIPES, "recipe")

    recipe: str
    """How the data set is made; or the import path of your own recipe."""
