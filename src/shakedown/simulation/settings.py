"""The keys of an experiment and its attack."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, create_model

from shakedown.attacks.attack import ATTACKS
from shakedown.attacks.settings import Model
from shakedown.component.entries import Choice, Entry, again
from shakedown.component.keys import (
    DISTINCT,
    MOST,
    NO_SOURCE,
    SOME,
    DistinctTexts,
    Settings,
    optional,
)
from shakedown.data.designs import DESIGNS
from shakedown.leaderboard.entries import METRIC, MechanismEntry

Designs = Annotated[list[Literal[tuple(DESIGNS)]], SOME, DISTINCT]


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
        size = create_model("Size", __base__=Size, __cls_kwargs__=NO_SOURCE, **sizes)
        return {"budgets": (Annotated[(list[size] | None, *own.metadata)], again(own))}


class ExperimentEntry(Settings):
    """An experiment."""

    datasets: DistinctTexts
    """Ids of the data sets."""
    designs: Designs = ["permuted", "splits"]
    """One or more ways to split the data."""
    metric: str = Field("mse", description=METRIC)
    features: int | None = Field(None, ge=2)
    """Number of features to attack, a random subset; null, or more than the data set has, for
    all."""
    feature_subset: Literal["study", "replicate"] = "study"
    """Draw the subset of features once for the study, or again for each replicate."""
    attack: AttackEntry
    """The attack."""
    model: Model = "ols"
    """The attacker's final model: ols; the import path of a scikit-learn regressor or, under a
    metric of classes, classifier, or such a path as `class` with `settings`; under a metric of
    censored times also cox, a Cox regression with the ridge penalty 1."""
    replicates: int = Field(100, ge=1, le=MOST)
    """Number of replicates."""
    traced: int = Field(1, ge=1)
    """Replicates that keep every submission, if a figure shows traces of the experiment. The figure
    shows the first; claims use all of them."""
    replicates_per_job: int | None = Field(None, ge=1)
    """Replicates per job; null for the study's replicates_per_job."""
    mechanisms: list[MechanismEntry] = Field(min_length=1)
    """The mechanisms to attack. A parameter may be a list; all combinations of lists are played."""
