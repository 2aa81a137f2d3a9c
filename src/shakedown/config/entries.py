"""Entries that name a component and give its parameters.

Each kind of entry is a union over a registry, and over the user's own components by import path:
the component that an entry names decides which further keys it may have.  So a new parameter needs
no change here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated, Any, ClassVar, NamedTuple

from pydantic import ConfigDict, Field, ValidationError, create_model
from pydantic.fields import FieldInfo
from pydantic_core import InitErrorDetails, PydanticCustomError, core_schema

from shakedown.component import Component, Registry
from shakedown.config.keys import (
    OF_THESE,
    SOME,
    Counts,
    DistinctTexts,
    Settings,
    Texts,
    key,
    optional,
)  # fmt: skip
from shakedown.interface import InputError


class Choice(NamedTuple):
    """How an entry chooses its component.

    Attributes
    ----------
    registry : callable
        Returns the registry.  It imports the code of the components, which is slow.
    key : str
        The key that names the component.
    listed : bool
        Whether a parameter may be a list, which gives a component for each value.
    """

    registry: Callable[[], Registry]
    key: str = "name"
    listed: bool = False


class Entry(Settings):
    """A component by name, with its parameters.

    The classes that derive from it in this module have only the keys that do not depend on the
    component.  A validated entry is of a class that adds the parameters, see `expanded`.
    """

    choice: ClassVar[Choice]

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
            return _made(cls, *cls.choice.registry().classes.values(), needed=False)
        return _made(cls, cls.choice.registry().find(str(name)), needed=cls.is_whole(given))

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
            kind = _kind(field)
            if cls.choice.listed:
                kind = kind | Annotated[list[kind], SOME, OF_THESE]
            fields[name] = kind, _again(field, needed=needed)
    return create_model(cls.__name__, __base__=cls, **fields, **cls.others(fields))


def _kind(field: FieldInfo) -> Any:
    """The type of a field with its bounds."""
    return Annotated[(field.annotation, *field.metadata)] if field.metadata else field.annotation


def _again(field: FieldInfo, *, needed: bool = True) -> Any:
    """A field without its bounds."""
    if field.is_required() and not needed:
        return optional(field.description, alias=field.alias)
    return Field(
        field.default, alias=field.alias, title=field.title, description=field.description,
        json_schema_extra=field.json_schema_extra,
    )  # fmt: skip


def _recipes() -> Registry:
    from shakedown.data.recipe import RECIPES

    return RECIPES


def _attacks() -> Registry:
    from shakedown.attacks.attack import ATTACKS

    return ATTACKS


def _defences() -> Registry:
    from shakedown.leaderboard.defence import DEFENCES

    return DEFENCES


def _mechanisms() -> Registry:
    from shakedown.leaderboard.mechanism import MECHANISMS

    return MECHANISMS


def _figure_kinds() -> Registry:
    from shakedown.figures.kind import FIGURE_KINDS

    return FIGURE_KINDS


class DatasetEntry(Entry):
    """A data set."""

    choice: ClassVar[Choice] = Choice(_recipes, "recipe")

    recipe: str = key(
        description="How the data set is made; or the import path of your own recipe."
    )


class Size(Settings):
    """A size."""

    features: int = optional("Number of attacked features.", ge=2)


class AttackEntry(Entry):
    """The attack."""

    choice: ClassVar[Choice] = Choice(_attacks)

    name: str = key(description="The attack, or the import path of your own.")
    budgets: list[Size] | None = key(
        None,
        min_length=1,
        description=(
            "Sizes of the attack, if it is played at several.  Each entry sets `features`, in "
            "place of those of the experiment, or parameters of the attack; null for one size."
        ),
    )

    @classmethod
    def is_whole(cls, given):
        """The sizes may give the parameters."""
        return not given.get("budgets")

    @classmethod
    def others(cls, parameters):
        """Sizes may set the parameters again."""
        again = {
            name: (kind, optional(field.description, alias=field.alias))
            for name, (kind, field) in parameters.items()
        }
        own = cls.model_fields["budgets"]
        size = create_model("Size", __base__=Size, **again)
        return {"budgets": (Annotated[(list[size] | None, *own.metadata)], _again(own))}


class DefenceEntry(Entry):
    """A defence."""

    choice: ClassVar[Choice] = Choice(_defences)

    name: str = key(description="The defence, or the import path of your own.")


MechanismName = Annotated[str, Field(description="The mechanism, or the import path of your own.")]


class MechanismEntry(Entry):
    """A mechanism."""

    choice: ClassVar[Choice] = Choice(_mechanisms, listed=True)

    name: MechanismName
    defences: list[DefenceEntry] = optional(
        "The rules that the organiser puts around it; by default none."
    )


class FigureEntry(Entry):
    """A figure; other keys than these select rows by a parameter of the mechanisms shown."""

    model_config = ConfigDict(extra="allow")

    choice: ClassVar[Choice] = Choice(_figure_kinds, "kind")

    kind: str = key(description="The kind of figure, or the import path of your own.")
    experiment: str | Texts = key(
        description=(
            "Id of the experiment, or of the entry of release_variability; some kinds take a list."
        )
    )
    dataset: str | Texts = optional("Id of the data set; not for release variability.")
    design: str | DistinctTexts = optional("The design; not for release variability.")
    title: str | None = key(None, description="Title in the report; null for the id.")
    mechanism: MechanismName | Annotated[list[MechanismName], SOME, OF_THESE] = optional(
        "The mechanisms to show; by default all."
    )
    setting: str | Texts = optional("The settings to show, by their ids; by default all.")
    n_features: Counts = optional("The numbers of attacked features to show; by default all.")
    point: Counts = optional(
        "The points of the attack to show (features of the final model, iteration, round or "
        "outcome, depending on the attack); by default all."
    )
