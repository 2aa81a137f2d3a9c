"""Entries that name a component and give its parameters.

Each kind of entry is a union over a registry, and over the user's own components by import path:
the component that an entry names decides which further keys it may have.  So a new parameter needs
no change here.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, ClassVar, NamedTuple

from pydantic import Field, ValidationError, create_model
from pydantic.fields import FieldInfo
from pydantic_core import InitErrorDetails, PydanticCustomError, core_schema

from shakedown.component.base import Component
from shakedown.component.keys import NO_SOURCE, OF_THESE, SOME, Settings, kind_of, optional
from shakedown.component.registry import Registry
from shakedown.interface import InputError


class Choice(NamedTuple):
    """How an entry chooses its component.

    Attributes
    ----------
    registry : Registry
    key : str
        The key that names the component.
    listed : bool
        Whether a parameter may be a list, which gives a component for each value.
    """

    registry: Registry
    key: str = "name"
    listed: bool = False


class Entry(Settings):
    """A component by name, with its parameters.

    A class with a `choice` has only the keys that do not depend on the component.  A validated
    entry is of a class that adds the parameters, see `expanded`.
    """

    choice: ClassVar[Choice]

    @property
    def given(self) -> dict[str, Any]:
        """The entry as a configuration gives it, without what was not given."""
        return self.model_dump(by_alias=True, exclude_unset=True)

    def component(self) -> Component:
        """The component, whose parameters are single values.

        Raises
        ------
        InputError
            If they do not fit together.
        """
        chosen = self.choice.registry.find(getattr(self, self.choice.key))
        keys = [field.alias or name for name, field in chosen.model_fields.items()]
        given = self.given
        return self.choice.registry.make(chosen.name, **{k: given[k] for k in keys if k in given})

    @classmethod
    def expanded(cls, given: Mapping[str, Any]) -> type[Entry]:
        """The class of an entry; without a name, it has the parameters of all components.

        Parameters
        ----------
        given : mapping
            The entry in a configuration.

        Raises
        ------
        InputError
            If the component does not exist.
        """
        name = given.get(cls.choice.key)
        if name is None:
            return _made(cls, *cls.choice.registry.classes.values(), needed=False)
        return _made(cls, cls.choice.registry.find(str(name)), needed=cls.is_whole(given))

    @classmethod
    def of(cls, *component: type[Component]) -> type[Entry]:
        """The class of entries for a component, or with the keys that all entries have."""
        return _made(cls, *component)

    @classmethod
    def is_whole(cls, given: Mapping[str, Any]) -> bool:
        """Whether an entry itself gives all parameters that have no default."""
        return True

    @classmethod
    def others(cls, parameters: Mapping[str, tuple[Any, FieldInfo]]) -> dict[str, Any]:
        """Further fields that depend on the parameters; by default none."""
        return {}

    @classmethod
    def __get_pydantic_core_schema__(cls, source, handler):
        if "choice" in vars(cls):
            return core_schema.no_info_plain_validator_function(cls._chosen)
        return handler(source)

    @classmethod
    def __get_pydantic_json_schema__(cls, core, handler):
        return {"type": "object", "component": cls} if "choice" in vars(cls) else handler(core)

    @classmethod
    def _chosen(cls, given: Any) -> Entry:
        if not isinstance(given, Mapping):
            raise PydanticCustomError("dict_type", "Wanted settings")
        try:
            chosen = cls.expanded(given)
        except InputError as e:
            unknown = PydanticCustomError("unknown_component", "{message}", {"message": str(e)})
            named = cls.choice.key
            raise ValidationError.from_exception_data(
                cls.__name__, [InitErrorDetails(type=unknown, loc=(named,), input=given[named])]
            ) from None
        return chosen.model_validate(given)


@cache
def _made(cls: type[Entry], *components: type[Component], needed: bool = True) -> type[Entry]:
    """A class of entries with the parameters of some components."""
    fields = {}
    for component in components:
        for name, field in component.model_fields.items():
            kind = kind_of(field)
            if cls.choice.listed:
                kind = kind | Annotated[list[kind], SOME, OF_THESE]
            fields[name] = kind, again(field, needed=needed)
    others = cls.others(fields)
    return create_model(cls.__name__, __base__=cls, __cls_kwargs__=NO_SOURCE, **fields, **others)


def again(field: FieldInfo, *, needed: bool = True) -> Any:
    """A field without its bounds."""
    if field.is_required() and not needed:
        return optional(field.description, alias=field.alias)
    return Field(
        field.default, alias=field.alias, title=field.title, description=field.description,
        json_schema_extra=field.json_schema_extra,
    )  # fmt: skip
