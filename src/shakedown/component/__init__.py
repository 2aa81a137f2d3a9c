"""Components: the parts of a study that the configuration chooses by name.

Each mechanism, defence, attack, metric, data recipe and kind of figure is one class in one module,
with its parameters, its words for readers and its code.  Schema, manual, tables and legends are
derived from it.  A user's own class is named by its import path, such as ``my_boards.Tilted``, and
works like those of the package.
"""

from shakedown.component.base import Component, Parameters, parameter
from shakedown.component.identity import identity, parsed, parts_of
from shakedown.component.messages import described
from shakedown.component.registry import Registry, imported, imported_module, working_folder

__all__ = [
    "Component", "Parameters", "Registry", "described", "identity", "imported", "imported_module",
    "parameter", "parsed", "parts_of", "working_folder",
]  # fmt: skip
