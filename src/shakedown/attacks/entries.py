"""Attacks and final models as a configuration names them."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field, create_model

from shakedown.attacks.attack import ATTACKS
from shakedown.component.entries import Choice, Entry, again
from shakedown.component.keys import Settings, optional


class Size(Settings):
    """A size."""

    features: int = optional(ge=2)
    """Number of attacked features."""


class AttackEntry(Entry):
    """The attack."""

    choice: ClassVar[Choice] = Choice(ATTACKS)

    name: str
    """The attack, or the import path of your own."""
    budgets: list[Size] | None = Field(None, min_length=1)
    """Sizes of the attack, if it is played at several. Each entry sets `features`, in place of
    those of the experiment, or parameters of the attack; null for one size."""

    @classmethod
    def is_whole(cls, given):
        """The sizes may give the parameters."""
        return not given.get("budgets")

    @classmethod
    def others(cls, parameters):
        """Sizes may set the parameters again."""
        sizes = {
            name: (kind, optional(field.description, alias=field.alias))
            for name, (kind, field) in parameters.items()
        }
        own = cls.model_fields["budgets"]
        size = create_model("Size", __base__=Size, **sizes)
        return {"budgets": (Annotated[(list[size] | None, *own.metadata)], again(own))}


class Regressor(Settings):
    """A regressor."""

    path: str = Field(alias="class")
    """Import path of a scikit-learn regressor, such as sklearn.linear_model.Ridge."""
    settings: dict[Any, Any] = {}
    """Arguments of the class."""


#: A final model: ols, or a regressor with or without its settings.
Model = str | Regressor
