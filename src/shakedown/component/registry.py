"""Find components: in the package of their kind, or by import path."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, cached_property
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, Generic, TypeVar

from pydantic import ValidationError

from shakedown.component.base import Component
from shakedown.component.identity import parsed
from shakedown.component.messages import sentence
from shakedown.interface import InputError, guess

C = TypeVar("C", bound=Component)


class Registry(Generic[C]):
    """The components of one kind: those of a package, and any others by import path.

    Parameters
    ----------
    base : type
        The base class of the kind.
    package : str
        The package; each of its modules defines one component.
    """

    def __init__(self, base: type[C], package: str) -> None:
        self.base, self._package = base, package

    @cached_property
    def classes(self) -> dict[str, type[C]]:
        """The package's own components by name, in order."""
        package = import_module(self._package)
        modules = [
            import_module(f"{self._package}.{m.name}") for m in iter_modules(package.__path__)
        ]
        own = [
            component
            for module in modules
            for component in vars(module).values()
            if isinstance(component, type)
            and issubclass(component, self.base)
            and component.__module__ == module.__name__
        ]
        for component in own:
            if "label" in vars(component) and "name" not in vars(component):
                raise InputError(
                    f"{self.base.kind}: {component.__module__}.{component.__name__} has a label "
                    "but no name, so a configuration cannot name it. Add to the class: "
                    f'`name = "{component.__module__.rpartition(".")[2]}"`.'
                )
        named = [component for component in own if "name" in vars(component)]
        return {
            component.name: component
            for component in sorted(named, key=lambda component: (component.order, component.name))
        }

    def __iter__(self) -> Iterator[str]:
        return iter(self.classes)

    def __len__(self) -> int:
        return len(self.classes)

    def __contains__(self, name: object) -> bool:
        return name in self.classes

    def find(self, name: str) -> type[C]:
        """The class with this name or import path.

        Raises
        ------
        InputError
            If there is none.
        """
        if name in self.classes:
            return self.classes[name]
        if "." not in name:
            raise InputError(
                f"{self.base.kind} '{name}' is not known.{guess(name, self.classes)} Wanted one of "
                f"{sorted(self.classes)}, or the import path of your own class."
            )
        component = _imported(name, self.base)
        if component not in self.classes.values():  # ours keep their names
            component.name = name  # used in the configuration, tables and names of random streams
        return component

    def make(self, name: str, /, **parameters: Any) -> C:
        """A component with its parameters.

        Raises
        ------
        InputError
            If it is unknown, or a parameter is missing, unknown or out of range.
        """
        component = self.find(name)
        try:
            return component(**parameters)
        except ValidationError as e:
            raise InputError(sentence(component, e)) from None

    def parse(self, id: str) -> C:
        """The component with this id; the inverse of `Component.id`."""
        return _parsed(self, id)


@cache
def _imported(path: str, base: type[Component]) -> type[Component]:
    what = f"{base.kind} '{path}'"
    component = imported(path, what, f"a class derived from {base.__module__}.{base.__qualname__}")
    if not (isinstance(component, type) and issubclass(component, base)):
        raise InputError(
            f"{what}: wanted a class derived from {base.__module__}.{base.__qualname__}, got "
            f"{component!r}."
        )
    if not hasattr(component, "label"):
        raise InputError(
            f'{what} has no label for readers. Add to the class: `label = "{component.__name__}"`.'
        )
    return component


@cache
def _parsed(registry: Registry, id: str) -> Component:
    try:
        name, parameters = parsed(id)
    except ValueError as e:
        raise InputError(
            f"{registry.base.kind}: wanted an id such as ladder(alpha=0.15), got {id!r}. Copy it "
            "from the column `setting` of a table of results."
        ) from e
    return registry.make(name, **parameters)


def imported(path: str, what: str, wanted: str) -> Any:
    """The object at an import path, which may be in the working folder.

    Raises
    ------
    InputError
        If it cannot be imported.
    """
    module, _, attribute = path.rpartition(".")
    with _named(what, wanted), working_folder():
        return getattr(import_module(module), attribute)


def imported_module(path: str, what: str, wanted: str) -> ModuleType:
    """The module at an import path, which may be in the working folder.

    Raises
    ------
    InputError
        If it cannot be imported.
    """
    with _named(what, wanted), working_folder():
        return import_module(path)


@contextmanager
def working_folder() -> Iterator[None]:
    """Make modules in the working folder importable."""
    here = os.getcwd()
    sys.path.append(here)
    try:
        yield
    finally:
        sys.path.remove(here)


@contextmanager
def _named(what: str, wanted: str) -> Iterator[None]:
    try:
        yield
    except InputError:  # raised by the module itself
        raise
    except (ImportError, AttributeError, ValueError, SyntaxError, NameError, TypeError) as e:
        raise InputError(f"{what} cannot be imported ({e}). Wanted {wanted}.") from e
