"""Check that the experiments of a configuration produce the rows that its figures show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from shakedown.config.places import known, placed, unknown
from shakedown.config.study import BoundsEntry, Study
from shakedown.figures.entries import FigureEntry
from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import mechanisms
from shakedown.simulation.settings import ExperimentEntry

#: Steps of the workflow in a study of experiments, and how the names of those begin that it makes
#: for parts of a study.  A figure is a step by its id.
STEPS = (
    "all", "build_report", "check_claims", "compare_bounds", "compare_readings", "join_outcomes",
    "make_dataset", "play_experiment", "release_again", "summarise_outcomes", "tabulate_threats",
    "trace_experiment",
)  # fmt: skip
GENERATED = ("draw_figures_", "play_small_")

_KEYS = ("experiment", "dataset", "design")


def check_figures(study: Study) -> None:
    """Check that everything a figure names exists.

    Raises
    ------
    InputError
        If a figure has the id of a step of the workflow or an unknown key, or names a data set, an
        experiment, a mechanism or a mechanism's parameter that it cannot show.
    """
    for name, figure in study.figures.items():
        if name in STEPS or name.startswith(GENERATED):
            raise InputError(
                f"Configuration key figures.{name}: wanted an id that no step of the workflow has, "
                f"because `snakemake {name}` draws the figure. Rename it, such as {name}_figure."
            )
        _check_figure(name, figure, study)


def _check_figure(id: str, figure: FigureEntry, study: Study) -> None:
    key = f"Configuration key figures.{id}"
    with placed(f"figures.{id}"):
        plot = figure.component()
    kind = type(plot)
    shown = {column: listed(getattr(figure, column)) for column in _KEYS}
    for column, values in shown.items():
        if len(values) > 1 and column not in kind.several:
            raise InputError(
                f"{key}.{column}: kind {kind.name} shows only one; got {values}. Choose one."
            )
    settings = type(figure).model_fields
    if kind.table == "release_variability":
        (entry,) = shown["experiment"]
        known(f"{key}.experiment", entry, study.release_variability)
        sizes = [{"b": b} for b in study.release_variability[entry].b]
        _check_choice(key, figure.given, sizes, settings)
        return
    if missing := [k for k in ("dataset", "design") if getattr(figure, k) is None]:
        raise InputError(f"{key}: {' and '.join(missing)} missing. Name what the figure shows.")
    for experiment in shown["experiment"]:
        known(f"{key}.experiment", experiment, study.experiments)
    experiments = {name: study.experiments[name] for name in shown["experiment"]}
    for dataset in shown["dataset"]:
        among = {d for e in experiments.values() for d in e.datasets}
        known(f"{key}.dataset", dataset, among)
    for design in shown["design"]:
        among = {d for e in experiments.values() for d in e.designs}
        known(f"{key}.design", design, among)
    for name, experiment in experiments.items():
        if not set(shown["dataset"]) & set(experiment.datasets):
            raise InputError(
                f"{key}.dataset: experiment {name} uses {', '.join(experiment.datasets)}; got "
                f"{', '.join(shown['dataset'])}. Name one of its data sets, or remove the "
                "experiment."
            )
        if not set(shown["design"]) & set(experiment.designs):
            raise InputError(
                f"{key}.design: experiment {name} has {', '.join(experiment.designs)}; got "
                f"{', '.join(shown['design'])}. Name one of its designs, or remove the experiment."
            )
    if kind.table == "bounds":
        _check_bounded(key, experiments, study.bounds)
    _check_choice(key, figure.given, _played(experiments.values()), settings)
    for place, choice in plot.choices.items():
        _check_named(f"{key}.{place}", choice, experiments)
    for place, datasets in plot.datasets.items():
        for dataset in datasets:
            known(f"{key}.{place}", dataset, study.datasets)
    rows = {name: study.datasets[name].component().public_rows for name in shown["dataset"]}
    with placed(f"figures.{id}"):
        plot.check_public_rows(rows)


def _check_bounded(key: str, experiments: Iterable[str], bounds: BoundsEntry | None) -> None:
    """Check that the experiments of a figure of bounds are listed at `bounds`."""
    for experiment in experiments:
        if bounds is None or experiment not in bounds.experiments:
            raise InputError(
                f"{key}.experiment: a figure of bounds needs experiments that are listed in "
                f"bounds.experiments; got '{experiment}'. Add it there."
            )


def _played(experiments: Iterable[ExperimentEntry]) -> list[dict[str, Any]]:
    """The settings that experiments play against: id, mechanism and parameters of each."""
    return [
        {"setting": mechanism.setting, **mechanism.columns}
        for experiment in experiments
        for mechanism in mechanisms(entry.given for entry in experiment.mechanisms)
    ]


def _check_choice(
    key: str, chosen: Mapping[str, Any], played: list[dict[str, Any]], settings: Iterable[str]
) -> None:
    """Check the keys that select rows by a parameter of the mechanisms shown."""
    columns = {column for row in played for column in row}
    for column, values in chosen.items():
        if column in settings and column not in ("mechanism", "setting"):
            continue
        if column not in columns:
            raise InputError(unknown(key, column, {*settings, *columns}))
        possible = [row[column] for row in played if row.get(column) is not None]
        for value in listed(values):
            if value not in possible:
                among = ", ".join(sorted(set(map(str, possible))))
                cure = f"Wanted one of: {among}." if possible else "Remove the key."
                raise InputError(
                    f"{key}.{column}: no mechanism of the experiment has {value!r}. {cure}"
                )


def _check_named(
    place: str, choice: Mapping[str, Any], experiments: Mapping[str, ExperimentEntry]
) -> None:
    """Check that the rows of one of the kind's `choices` exist in the figure's experiments."""
    if "experiment" in choice:
        known(f"{place}.experiment", choice["experiment"], experiments)
        experiments = {choice["experiment"]: experiments[choice["experiment"]]}
    played = _played(experiments.values())
    settings = ("experiment", "mechanism", "setting", "label")
    for column in ("setting", "mechanism"):
        if column in choice:
            _check_choice(place, {column: choice[column]}, played, settings)
            played = [row for row in played if row[column] == choice[column]]
    _check_choice(place, choice, played, settings)


def listed(value: Any) -> list:
    """A value as a list; a list stays as it is."""
    return value if isinstance(value, list) else [value]
