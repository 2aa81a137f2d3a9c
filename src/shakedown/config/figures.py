"""Check that the experiments of a configuration produce the rows that its figures show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from shakedown.config.places import known, placed, unknown
from shakedown.figures.entries import FigureEntry
from shakedown.interface import InputError

#: Steps of the workflow in a study of experiments, and how the names of those begin that it makes
#: for parts of a study.  A figure is a step by its id.
STEPS = (
    "all", "build_report", "check_claims", "compare_bounds", "compare_readings", "join_outcomes",
    "make_dataset", "play_experiment", "release_again", "summarise_outcomes", "tabulate_threats",
    "trace_experiment",
)  # fmt: skip
GENERATED = ("draw_figures_", "play_small_")

_KEYS = ("experiment", "dataset", "design")


def check_figures(config: Mapping[str, Any]) -> None:
    """Check that everything a figure names exists.

    Parameters
    ----------
    config : mapping
        A configuration that fits the schema, with defaults.

    Raises
    ------
    InputError
        If a figure has the id of a step of the workflow or an unknown key, or names a data set, an
        experiment, a mechanism or a mechanism's parameter that it cannot show.
    """
    for name, figure in config["figures"].items():
        if name in STEPS or name.startswith(GENERATED):
            raise InputError(
                f"Configuration key figures.{name}: wanted an id that no step of the workflow has, "
                f"because `snakemake {name}` draws the figure. Rename it, such as {name}_figure."
            )
        _check_figure(name, figure, config)


def _check_figure(id: str, figure: Mapping[str, Any], config: Mapping[str, Any]) -> None:
    # Slow imports: they load the compiler.
    from shakedown.data import made
    from shakedown.figures.kind import FIGURE_KINDS

    key = f"Configuration key figures.{id}"
    kind = FIGURE_KINDS.find(figure["kind"])
    settings = FigureEntry.of(kind).model_fields
    with placed(f"figures.{id}"):
        plot = FIGURE_KINDS.make(
            kind.name, **{k: figure[k] for k in kind.model_fields if k in figure}
        )
    if kind.table == "release_variability":
        known(f"{key}.experiment", figure["experiment"], config["release_variability"])
        sizes = config["release_variability"][figure["experiment"]]["b"]
        _check_choice(key, figure, [{"b": b} for b in sizes], settings)
        return
    if missing := [k for k in ("dataset", "design") if k not in figure]:
        raise InputError(f"{key}: {' and '.join(missing)} missing. Name what the figure shows.")
    shown = {column: listed(figure[column]) for column in _KEYS}
    for column, values in shown.items():
        if len(values) > 1 and column not in kind.several:
            raise InputError(
                f"{key}.{column}: kind {kind.name} shows only one; got {values}. Choose one."
            )
    for experiment in shown["experiment"]:
        known(f"{key}.experiment", experiment, config["experiments"])
    experiments = {name: config["experiments"][name] for name in shown["experiment"]}
    for dataset in shown["dataset"]:
        among = {d for e in experiments.values() for d in e["datasets"]}
        known(f"{key}.dataset", dataset, among)
    for design in shown["design"]:
        among = {d for e in experiments.values() for d in e["designs"]}
        known(f"{key}.design", design, among)
    for name, experiment in experiments.items():
        if not set(shown["dataset"]) & set(experiment["datasets"]):
            raise InputError(
                f"{key}.dataset: experiment {name} uses {', '.join(experiment['datasets'])}; got "
                f"{', '.join(shown['dataset'])}. Name one of its data sets, or remove the "
                "experiment."
            )
        if not set(shown["design"]) & set(experiment["designs"]):
            raise InputError(
                f"{key}.design: experiment {name} has {', '.join(experiment['designs'])}; got "
                f"{', '.join(shown['design'])}. Name one of its designs, or remove the experiment."
            )
    if kind.table == "bounds":
        _check_bounded(key, experiments, config["bounds"])
    _check_choice(key, figure, _played(experiments.values()), settings)
    for place, choice in plot.choices.items():
        _check_named(f"{key}.{place}", choice, experiments)
    for place, datasets in plot.datasets.items():
        for dataset in datasets:
            known(f"{key}.{place}", dataset, config["datasets"])
    rows = {name: made(name, config["datasets"][name]).public_rows for name in shown["dataset"]}
    with placed(f"figures.{id}"):
        plot.check_public_rows(rows)


def _check_bounded(key: str, experiments: Iterable[str], bounds: Mapping[str, Any] | None) -> None:
    """Check that the experiments of a figure of bounds are listed at `bounds`."""
    for experiment in experiments:
        if experiment not in (bounds or {"experiments": []})["experiments"]:
            raise InputError(
                f"{key}.experiment: a figure of bounds needs experiments that are listed in "
                f"bounds.experiments; got '{experiment}'. Add it there."
            )


def _played(experiments: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The settings that experiments play against: id, mechanism and parameters of each."""
    from shakedown.leaderboard.mechanism import mechanisms

    return [
        {"setting": mechanism.setting, **mechanism.columns}
        for experiment in experiments
        for mechanism in mechanisms(experiment["mechanisms"])
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
    place: str, choice: Mapping[str, Any], experiments: Mapping[str, Mapping[str, Any]]
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
