"""Check that the parts of a configuration fit together, which a schema cannot do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from shakedown.attacks.attack import ATTACKS
from shakedown.claims import files_of
from shakedown.config.places import known, placed
from shakedown.config.study import Study, Variant
from shakedown.interface import InputError
from shakedown.replay.settings import ReplayEntry
from shakedown.simulation.settings import ExperimentEntry
from shakedown.wording import counted

#: Largest number of jobs of an experiment; to list that many takes minutes.
MOST_JOBS = 100_000

#: Kinds of study without experiments, and their names in messages.
_PURPOSES = {"dryrun": "dry run", "replay": "replay", "boards": "comparison of boards"}


def check_references(study: Study) -> None:
    """Check that all names in experiments, release variability and open questions exist.

    Raises
    ------
    InputError
        If the study does not have exactly one of experiments, a dry run, a replay and a comparison
        of boards; if a data set, experiment, design or module of claims is unknown; if an
        experiment and its budgets both set `features`, or it has too many jobs; if an entry of
        release_variability does not have exactly one of `models` and `correlations`; or if an
        experiment with bounds is not an attack on labels.
    """
    _check_purpose(study)
    for name, experiment in study.experiments.items():
        key = f"Configuration key experiments.{name}"
        for dataset in experiment.datasets:
            known(f"{key}.datasets", dataset, study.datasets)
        sizes = experiment.attack.budgets or []
        if experiment.features is not None and any(size.features is not None for size in sizes):
            raise InputError(
                f"{key}.features: {experiment.features} would not be used, because "
                "attack.budgets sets `features` too. Remove one of them."
            )
        _check_jobs(key, experiment, study.replicates_per_job)
    for name, entry in study.release_variability.items():
        key = f"Configuration key release_variability.{name}"
        known(f"{key}.dataset", entry.dataset, study.datasets)
        if bool(entry.models) == bool(entry.correlations):
            raise InputError(f"{key}: wanted either `models` or `correlations`. Give exactly one.")
    for name, entry in study.sensitivity.items():
        for words, variant in entry.variants.items():
            _check_variant(f"Configuration key sensitivity.{name}.{words}", variant, study)
    _check_bounds(study)
    for number, module in enumerate(study.claims):
        with placed(f"claims[{number}]"):
            files_of(module)


def _check_jobs(key: str, experiment: ExperimentEntry, usual: int) -> None:
    """Check that the jobs of an experiment can be listed."""
    size = experiment.replicates_per_job or usual
    datasets, designs = len(experiment.datasets), len(experiment.designs)
    jobs = datasets * designs * -(-experiment.replicates // size)
    if jobs > MOST_JOBS:
        raise InputError(
            f"{key}.replicates_per_job: wanted at most {MOST_JOBS:,} jobs; "
            f"{experiment.replicates:,} replicates, on {counted(datasets, 'data set')} and in "
            f"{counted(designs, 'design')}, with {size:,} in each make {jobs:,}. Raise it."
        )


def _check_purpose(study: Study) -> None:
    """Check that a study has experiments, or is a dry run of one data set, or has no data set."""
    parts = ["experiments", "release_variability", "sensitivity", "bounds", "claims", "figures"]
    purposes = [purpose for purpose in _PURPOSES if getattr(study, purpose) is not None]
    if len(purposes) > 1:
        raise InputError(
            f"Configuration: wanted one of {_listed(_PURPOSES, 'and')}; got "
            f"{_listed(purposes, 'and')}. Make a configuration of each."
        )
    for purpose in purposes:
        others = parts if purpose == "dryrun" else ["datasets", *parts]
        if given := [part for part in others if getattr(study, part)]:
            raise InputError(
                f"Configuration key {purpose}: not allowed together with {', '.join(given)}. "
                f"Remove one or the other, or write the {_PURPOSES[purpose]} to a file of its own."
            )
    if purposes and purposes != ["dryrun"]:
        return
    among = study.datasets
    if not among:
        raise InputError(
            "Configuration key datasets: wanted at least one data set, got none. Add one. (Only a "
            "`replay` and `boards` have none. To give only the differences from another study, use "
            "'extends'.)"
        )
    dryrun = study.dryrun
    if dryrun is None:
        if not study.experiments:
            raise InputError(
                f"Configuration: wanted {_listed(['experiments', *_PURPOSES], 'or')}; got none. "
                "Add one."
            )
        return
    if dryrun.dataset is not None:
        known("Configuration key dryrun.dataset", dryrun.dataset, among)
    elif len(among) > 1:
        raise InputError(
            f"Configuration key dryrun.dataset: wanted one of the {len(among)} data sets "
            f"({', '.join(among)}). Name it."
        )
    if dryrun.fewest_replicates > dryrun.most_replicates:
        raise InputError(
            "Configuration key dryrun.fewest_replicates: wanted at most most_replicates "
            f"({dryrun.most_replicates}); got {dryrun.fewest_replicates}."
        )


def _listed(keys: Iterable[str], last: str) -> str:
    """Keys in a sentence, such as "`dryrun`, `replay` and `boards`"."""
    *others, end = (f"`{key}`" for key in keys)
    return f"{', '.join(others)} {last} {end}"


def _check_variant(key: str, variant: Variant, study: Study) -> None:
    known(f"{key}.experiment", variant.experiment, study.experiments)
    experiment = study.experiments[variant.experiment]
    known(f"{key}.dataset", variant.dataset, experiment.datasets)
    known(f"{key}.design", variant.design, experiment.designs)


def _check_bounds(study: Study) -> None:
    """Check that experiments with bounds are attacks on labels."""
    key = "Configuration key bounds.experiments"
    for name in study.bounds.experiments if study.bounds else []:
        known(key, name, study.experiments)
        attack = study.experiments[name].attack.name
        if not ATTACKS.find(attack).on_labels:
            raise InputError(
                f"{key}: wanted experiments with an attack on labels, whose true losses are known; "
                f"'{name}' plays {attack}. Remove it."
            )


def check_recipes(config: Mapping[str, Any], folder: Path) -> None:
    """Check the settings of data sets and logs without reading them.

    Raises
    ------
    InputError
        If a data set cannot be made, or the log cannot be read.
    """
    from shakedown import data

    for name, recipe in config["datasets"].items():
        data.check(name, recipe, folder=folder)  # its messages name the data set
    if config["replay"] is not None:
        from shakedown.replay import reading

        with placed("replay"):
            reading.check(ReplayEntry(**config["replay"]), folder=folder)


def check_settings(study: Study, config: Mapping[str, Any]) -> None:
    """Check, without data, that metric, mechanisms and model fit together.

    Raises
    ------
    InputError
        If they do not.
    """
    # Imported here because they are slow to import: they load the compiler and pandas.
    from shakedown.attacks.models import check_model
    from shakedown.simulation.playable import playable

    for name, experiment in config["experiments"].items():
        with placed(f"experiments.{name}"):
            playable(experiment, experiment["designs"], calls=False)
    for name, entry in study.release_variability.items():
        for label, model in entry.models.items():
            with placed(f"release_variability.{name}.models.{label}"):
                check_model(model)
    if study.dryrun is not None:
        from shakedown.dryrun import plan

        with placed("dryrun"):
            plan.check(study.dryrun)
    if study.replay is not None:
        from shakedown.replay.boards import check_boards

        with placed("replay"):
            check_boards(study.replay)
    if study.boards is not None:
        from shakedown.comparison import candidates

        with placed("boards"):
            candidates.check(study.boards)
