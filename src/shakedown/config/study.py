"""The keys of a study."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from shakedown.comparison.settings import ComparisonEntry
from shakedown.component.keys import DISTINCT, DistinctTexts, Id, Settings, optional
from shakedown.data.entries import DatasetEntry
from shakedown.dryrun.settings import DryRunEntry
from shakedown.figures.entries import FigureEntry
from shakedown.replay.settings import ReplayEntry
from shakedown.simulation.release_settings import ReleaseVariabilityEntry
from shakedown.simulation.settings import ExperimentEntry


class Variant(Settings):
    """The outcomes that belong to one answer."""

    experiment: str
    """Id of the experiment."""
    dataset: str
    """Id of the data set."""
    design: str = "permuted"
    """The design."""


class OpenQuestion(Settings):
    """One open question."""

    question: str
    """The question, in one sentence."""
    variants: dict[Any, Variant] = Field(min_length=2)
    """The possible answers, by their labels in the table."""


class BoundsEntry(Settings):
    """Attacks to compare with proved bounds, and the probability of the bounds."""

    experiments: DistinctTexts
    """Ids of experiments on labels."""
    delta: float = Field(0.05, gt=0, lt=1)
    """Probability that the error exceeds the bound, above 0 and below 1. The attacks' errors are
    compared at the same probability."""


class Study(Settings):
    """All keys of a study's configuration.

    Keys with a default are optional.  Unlisted and repeated keys are errors.
    """

    study: Id
    """Name of the study, and of the folder of its results under results/."""
    extends: str = optional()
    """Path, from the folder of the Snakefile, of a configuration to start from. This one gives only
    the differences: settings are merged, lists are replaced, and a data set, experiment or figure
    set to null is dropped."""
    seed: int = Field(1607, ge=0)
    """Seed of all random numbers, 0 or more. The same seed gives the same results."""
    replicates_per_job: int = Field(100, ge=1)
    """Number of replicates per job, unless the experiment sets its own. If all data sets and
    designs of an experiment have no more replicates in total, one job plays all of it, and further
    such experiments as long as they have about as much work as one job should. Results do not
    depend on it."""
    datasets: dict[Id, DatasetEntry] = {}
    """The data sets, by id; at least one, except in a replay and a comparison of boards."""
    experiments: dict[Id, ExperimentEntry] = {}
    """The experiments, by id: an attack against mechanisms, on data sets. A study has experiments,
    or is a dry run, a replay or a comparison of boards."""
    release_variability: dict[Id, ReleaseVariabilityEntry] = {}
    """Predictions that are scored many times, to measure how much released scores vary; by id."""
    sensitivity: dict[Id, OpenQuestion] = {}
    """Open questions, by id: the same attack under each reading of a paper's text."""
    bounds: BoundsEntry | None = None
    """Compares the errors of attacks on labels with proved bounds; null for no comparison."""
    claims: Annotated[list[Annotated[str, Field(min_length=1)]], DISTINCT] = []
    """Import paths of modules of claims to check: those of the package, such as
    shakedown.claims.zheng, or my_claims for the file my_claims.py in the working folder."""
    figures: dict[Id, FigureEntry] = {}
    """The figures, by id. To draw one: snakemake --cores 2 ID."""
    dryrun: DryRunEntry | None = None
    """A dry run: how many submissions are safe in your challenge, and on which board; null for
    none. Not together with experiments, release_variability, sensitivity, bounds, claims or
    figures."""
    replay: ReplayEntry | None = None
    """A replay: a submission log, played on the boards of every mechanism; null for none. Not
    together with datasets, experiments, release_variability, sensitivity, bounds, claims or
    figures."""
    boards: ComparisonEntry | None = None
    """A comparison of boards on simulated responses: what is proved of each, what attackers without
    a model gain, and what honest teams see; null for none. Not together with datasets, experiments,
    release_variability, sensitivity, bounds, claims or figures."""
