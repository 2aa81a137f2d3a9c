"""The base class of components, and how their parameters are declared."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import UnionType
from typing import Annotated, Any, ClassVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, model_validator

from shakedown.component.identity import identity, printed


def parameter(
    default: Any = ...,
    *,
    description: str,
    symbol: str | None = None,
    relation: str = "=",
    unit: str | None = None,
    role: str | None = None,
    descending: bool = False,
    **bounds: Any,
) -> Any:
    """Declare a parameter in the body of a component's class.

    Parameters
    ----------
    default
        The default; without one the parameter is required.
    description : str
        One sentence, with the unit, for the manual and for messages.
    symbol : str, optional
        Its name in labels, such as "α"; without one a label shows it only if it is not the default.
    relation : str
        The sign between symbol and value in a label.
    unit : {"score", "submissions"}, optional
        "score" for a value in units of the metric, which a dry run converts; "submissions" for a
        number of an account's submissions.
    role : {"level", "noise"}, optional
        Its place in figures with a grid of panels: levels of a test across, noise down.
    descending : bool
        Whether large values come first.
    **bounds
        `gt`, `ge`, `lt`, `le` and other arguments of `pydantic.Field`.

    Examples
    --------
    >>> from typing import ClassVar
    >>> import shakedown
    >>> class Boards(shakedown.Recipe):
    ...     name: ClassVar[str] = "my_data.Boards"
    ...     label: ClassVar[str] = "Boards"
    ...     rows: int = shakedown.parameter(100, ge=30, symbol="n", description="Number of rows.")
    >>> Boards(rows=60).title, Boards(rows=60).id
    ('Boards (n = 60)', 'my_data.Boards(rows=60)')

    A value outside of its bounds is refused:

    >>> shakedown.mechanism("ladder", alpha=2)
    Traceback (most recent call last):
        ...
    shakedown.interface.InputError: mechanism 'ladder': `alpha` must be a number above 0 and below
    1; got 2.
    """
    extra = {
        key: value
        for key, value in (
            ("relation", relation), ("unit", unit), ("role", role), ("descending", descending),
        )
        if value
    }  # fmt: skip
    return Field(default, title=symbol, description=description, json_schema_extra=extra, **bounds)


class Parameters(BaseModel):
    """A frozen set of validated parameters: a component, or a group of its parameters."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, protected_namespaces=(), allow_inf_nan=False
    )

    @model_validator(mode="before")
    @classmethod
    def _whole(cls, values: Any) -> Any:
        if not isinstance(values, Mapping):
            return values
        kinds = {f.alias or name: f.annotation for name, f in cls.model_fields.items()}
        return {key: _whole(value, kinds.get(key)) for key, value in values.items()}


class Component(Parameters):
    """Base of all components: a frozen set of validated parameters, with words and code.

    Attributes
    ----------
    kind : str
        "mechanism", "defence", "attack", "metric", "recipe" or "figure".
    name : str
        Its name in the configuration; for a class outside the package, the import path.
    label : str
        Its name for readers.
    sentence : str
        One sentence on what it does, for the glossary and the manual; every component of the
        package has one.
    source : str
        The paper and algorithm that it follows; empty for none.
    order : float
        Position in lists and legends.
    examples : tuple of dict
        Parameters for the contract tests and the warm-up.
    former_names : dict
        Parameters by the names that they had in older versions, which are still read.
    former_values : dict
        By parameter, its values by the words for them in older versions, which are still read.
    """

    kind: ClassVar[str]
    name: ClassVar[str]
    label: ClassVar[str]
    sentence: ClassVar[str] = ""
    source: ClassVar[str] = ""
    order: ClassVar[float] = 1e6
    examples: ClassVar[tuple[dict, ...]] = ({},)
    former_names: ClassVar[Mapping[str, str]] = {}
    former_values: ClassVar[Mapping[str, Mapping[str, Any]]] = {}

    @classmethod
    def renamed(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """Parameters by their present names and with their present values.

        A parameter that is given by both names keeps both, so that the former is refused.
        """
        names = {old: new for old, new in cls.former_names.items() if new not in given}
        now = {names.get(key, key): value for key, value in given.items()}
        for key, values in cls.former_values.items():
            if isinstance(now.get(key), str):
                now[key] = values.get(now[key], now[key])
        return now

    @model_validator(mode="before")
    @classmethod
    def _renamed(cls, values: Any) -> Any:
        return cls.renamed(values) if isinstance(values, Mapping) else values

    @cached_property
    def id(self) -> str:
        """Name with parameters: the required ones, and those that differ from their default.

        Tables, random streams and messages use it; `Registry.parse` reads it.
        """
        return identity(type(self).name, self.given)

    def __hash__(self) -> int:
        return hash(self.id)  # a parameter may be a list, which has no hash

    @property
    def given(self) -> dict[str, Any]:
        """The parameters that are part of the id."""
        fields = type(self).model_fields
        return {
            key: value
            for key, value in self.parameters.items()
            if fields[key].is_required()
            or value != fields[key].get_default(call_default_factory=True)
        }

    @property
    def parameters(self) -> dict[str, Any]:
        """All parameters, in the order of declaration."""
        return {key: getattr(self, key) for key in type(self).model_fields}

    @property
    def title(self) -> str:
        """The label with the parameters, such as "LadderBoot (α = 0.15, b = 100)"."""
        shown = [self.shown(key) for key in self.parameters]
        shown = [text for text in shown if text]
        return f"{self.label} ({', '.join(shown)})" if shown else self.label

    def shown(self, key: str) -> str:
        """A parameter in a label, such as "α = 0.15"; empty if labels omit it."""
        field, value = type(self).model_fields[key], getattr(self, key)
        if value is None or (field.title is None and key not in self.given):
            return ""
        relation = (field.json_schema_extra or {}).get("relation", "=")
        return f"{self.symbol(key)} {relation} {printed(value)}"

    @classmethod
    def symbol(cls, key: str) -> str:
        """A parameter's name in labels, such as "α"."""
        return cls.model_fields[key].title or key.replace("_", " ")

    @property
    def sort_key(self) -> tuple:
        """Sorts lists and legends: by component, then by parameters."""
        values = []
        for key, field in type(self).model_fields.items():
            value = getattr(self, key)
            number = float(value) if isinstance(value, int | float) else 0.0
            values.append(-number if (field.json_schema_extra or {}).get("descending") else number)
        return (type(self).order, type(self).name, tuple(values))


def _whole(value: Any, kind: Any) -> Any:
    """Whole floats as ints where an int is wanted: YAML reads 1e3 as a float."""
    if kind is int and isinstance(value, float) and value.is_integer():
        return int(value)
    origin, within = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _whole(value, within[0])
    if origin in (Union, UnionType):
        for part in within:
            value = _whole(value, part)
        return value
    if origin is list and isinstance(value, list):
        return [_whole(item, within[0]) for item in value]
    if origin is dict and isinstance(value, dict):
        return {key: _whole(item, within[1]) for key, item in value.items()}
    return value
