"""What the models of a configuration are built from: types of values, and how keys are declared."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Self

from pydantic import ConfigDict, Field, create_model
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError, core_schema

from shakedown.component import Parameters

#: Names of files have at most 255 bytes, and some have an addition.
LONGEST_ID = 100

#: Largest number of replicates, draws and the like; more would take years.
MOST = 1_000_000


class Settings(Parameters):
    """A closed and frozen group of keys of a configuration.

    The text below a key describes it, in the manual, in messages and in editors.
    """

    model_config = ConfigDict(use_attribute_docstrings=True)

    @classmethod
    def part(cls, given: Mapping[str, Any]) -> Self:
        """The settings that a job gets; to read another one is an error, not its default."""
        return _part(cls, frozenset(given)).model_validate(given)


#: For classes made when the code runs: Pydantic has no source in which to look for their texts.
NO_SOURCE = {"use_attribute_docstrings": False}


@cache
def _part(model: type[Settings], keys: frozenset[str]) -> type[Parameters]:
    """A model with some of the keys of another one, all of which are needed."""
    fields = {
        name: (kind_of(field), Field(alias=field.alias))
        for name, field in model.model_fields.items()
        if (field.alias or name) in keys
    }
    return create_model(model.__name__, __base__=Parameters, **fields)


def kind_of(field: FieldInfo) -> Any:
    """The type of a field with its bounds."""
    return Annotated[(field.annotation, *field.metadata)] if field.metadata else field.annotation


class _Distinct:
    """Marks a list whose entries must differ."""

    def __get_pydantic_core_schema__(self, source, handler):
        return core_schema.no_info_after_validator_function(_distinct, handler(source))

    def __get_pydantic_json_schema__(self, core, handler):
        return {**handler(core), "uniqueItems": True}


def _distinct(values: list) -> list:
    if any(values.count(value) > 1 for value in values):
        raise PydanticCustomError("listed_twice", "An entry is listed twice")
    return values


DISTINCT = _Distinct()
#: Marks a list that has an entry.
SOME = Field(min_length=1)
#: Marks a list of values where a single one is accepted too.
OF_THESE = Field(json_schema_extra={"$comment": "a list of these"})

Id = Annotated[
    str,
    Field(
        pattern="^[A-Za-z][A-Za-z0-9_]*$",
        max_length=LONGEST_ID,
        json_schema_extra={
            "$comment": "a name of letters, digits and underscores, starting with a letter, of at "
            f"most {LONGEST_ID} characters"
        },
    ),
]
Texts = Annotated[list[str], SOME]
DistinctTexts = Annotated[list[str], SOME, DISTINCT]
Count = Annotated[int, Field(ge=1)]
Counts = Count | Annotated[list[Count], SOME, OF_THESE]


def optional(description: str | None = None, **bounds: Any) -> Any:
    """Declare a key that a completed configuration lacks if it is not given; it is then None here.

    The value null is refused, unless the key's type has it.
    """
    return Field(None, description=description, json_schema_extra=_without_default, **bounds)


def _without_default(node: dict[str, Any]) -> None:
    node.pop("default", None)


def is_optional(field: FieldInfo) -> bool:
    """Whether a key was declared with `optional`."""
    return field.json_schema_extra is _without_default
