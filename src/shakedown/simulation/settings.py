"""The keys of an experiment."""

from __future__ import annotations

from typing import Annotated, Literal

from shakedown.attacks.entries import AttackEntry, Model
from shakedown.component.keys import DISTINCT, MOST, SOME, DistinctTexts, Settings, key
from shakedown.data.designs import DESIGNS
from shakedown.leaderboard.entries import MechanismEntry

METRIC = (
    "The metric; or the import path of one of your own, or of one of scikit-learn's, such as "
    "sklearn.metrics.r2_score."
)

Designs = Annotated[list[Literal[tuple(DESIGNS)]], SOME, DISTINCT]


class Experiment(Settings):
    """An experiment."""

    datasets: DistinctTexts = key(description="Ids of the data sets.")
    designs: Designs = key(
        ["permuted", "splits"], description="One or more ways to split the data."
    )
    metric: str = key("mse", description=METRIC)
    features: int | None = key(
        None,
        ge=2,
        description=(
            "Number of features to attack, a random subset; null, or more than the data set has, "
            "for all."
        ),
    )
    feature_subset: Literal["study", "replicate"] = key(
        "study",
        description="Draw the subset of features once for the study, or again for each replicate.",
    )
    attack: AttackEntry = key(description="The attack.")
    model: Model = key(
        "ols",
        description=(
            "The attacker's final model: ols, the import path of a scikit-learn regressor, or such "
            "a path as `class` with `settings`."
        ),
    )
    replicates: int = key(100, ge=1, le=MOST, description="Number of replicates.")
    traced: int = key(
        1,
        ge=1,
        description=(
            "Replicates that keep every submission, if a figure shows traces of the experiment.  "
            "The figure shows the first; claims use all of them."
        ),
    )
    replicates_per_job: int | None = key(
        None,
        ge=1,
        description="Replicates per job; null for the study's replicates_per_job.",
    )
    mechanisms: list[MechanismEntry] = key(
        min_length=1,
        description=(
            "The mechanisms to attack.  A parameter may be a list; all combinations of lists are "
            "played."
        ),
    )
