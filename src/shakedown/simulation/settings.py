"""The keys of an experiment."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from shakedown.attacks.entries import AttackEntry, Model
from shakedown.component.keys import DISTINCT, MOST, SOME, DistinctTexts, Settings
from shakedown.data.designs import DESIGNS
from shakedown.leaderboard.entries import MechanismEntry

METRIC = (
    "The metric; or the import path of one of your own, or of one of scikit-learn's, such as "
    "sklearn.metrics.r2_score."
)

Designs = Annotated[list[Literal[tuple(DESIGNS)]], SOME, DISTINCT]


class Experiment(Settings):
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
    """The attacker's final model: ols, the import path of a scikit-learn regressor, or such a path
    as `class` with `settings`."""
    replicates: int = Field(100, ge=1, le=MOST)
    """Number of replicates."""
    traced: int = Field(1, ge=1)
    """Replicates that keep every submission, if a figure shows traces of the experiment. The figure
    shows the first; claims use all of them."""
    replicates_per_job: int | None = Field(None, ge=1)
    """Replicates per job; null for the study's replicates_per_job."""
    mechanisms: list[MechanismEntry] = Field(min_length=1)
    """The mechanisms to attack. A parameter may be a list; all combinations of lists are played."""
