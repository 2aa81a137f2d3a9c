"""What a schema cannot see: whether the parts of a configuration fit together."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shakedown.configuration.problems import unknown
from shakedown.interface import InputError

#: The kinds of figures that may show several of something; all others show one.
_SEVERAL = {
    "experiment": ("traces", "growth", "trajectories", "bounds"),
    "dataset": ("trajectories",),
    "design": ("boxes",),
}


#: What a study can be besides one of experiments, and its words.
_PURPOSES = {"dryrun": "dry run", "replay": "replay"}


def check_references(config: Mapping[str, Any]) -> None:
    """See that experiments, spreads, open questions and figures name what there is.

    Parameters
    ----------
    config : mapping
        A configuration that fits its schema, with its defaults.

    Raises
    ------
    InputError
        If the study is not one of experiments, a dry run or a replay, or is several of these; if
        an experiment or the dry run names an unknown data set, an experiment gives both `features`
        and budgets, a spread does not say what predicts, bounds are to be held against outcomes
        that are not on labels, or a figure or an open question names what there is not.
    """
    _check_purpose(config)
    for name, experiment in config["experiments"].items():
        key = f"Configuration key experiments.{name}"
        for dataset in experiment["datasets"]:
            _known(f"{key}.datasets", dataset, config["datasets"])
        if experiment["attack"].get("budgets") and experiment["features"] is not None:
            raise InputError(
                f"{key}.features: {experiment['features']} would not be used, for each of "
                "attack.budgets says its own. Remove the one or the other."
            )
    for name, spread in config["spreads"].items():
        key = f"Configuration key spreads.{name}"
        _known(f"{key}.dataset", spread["dataset"], config["datasets"])
        if bool(spread["models"]) == bool(spread["correlations"]):
            raise InputError(f"{key}: wanted either `models` or `correlations`. Give one of them.")
    for name, entry in config["sensitivity"].items():
        for words, variant in entry["variants"].items():
            _check_variant(f"Configuration key sensitivity.{name}.{words}", variant, config)
    _check_bounds(config)
    for name, figure in config["figures"].items():
        _check_figure(f"Configuration key figures.{name}", figure, config)


def _check_purpose(config: Mapping[str, Any]) -> None:
    """A study plays experiments, or is the dry run of one data set, or the replay of a log."""
    parts = ["experiments", "spreads", "sensitivity", "bounds", "claims", "figures"]
    purposes = [purpose for purpose in ("dryrun", "replay") if config[purpose] is not None]
    if len(purposes) > 1:
        raise InputError(
            "Configuration: wanted a `dryrun` or a `replay`; got both. Make two configurations."
        )
    for purpose in purposes:
        others = ["datasets", *parts] if purpose == "replay" else parts
        if given := [part for part in others if config[part]]:
            raise InputError(
                f"Configuration key {purpose}: a {_PURPOSES[purpose]} has no {', '.join(given)} of "
                "its own. Remove the one or the other, or make two configurations."
            )
    if purposes == ["replay"]:
        return
    if not config["datasets"]:
        raise InputError(
            "Configuration key datasets: wanted at least one data set, got none. Add one. (Only a "
            "`replay` has none. To give only the differences from another study, name it with "
            "'extends'.)"
        )
    if not purposes:
        if not config["experiments"]:
            raise InputError(
                "Configuration: wanted `experiments`, a `dryrun` or a `replay`; got none of them. "
                "Add one."
            )
        return
    dryrun = config["dryrun"]
    among = config["datasets"]
    if dryrun["dataset"] is not None:
        _known("Configuration key dryrun.dataset", dryrun["dataset"], among)
    elif len(among) > 1:
        raise InputError(
            f"Configuration key dryrun.dataset: wanted one of the {len(among)} data sets "
            f"({', '.join(among)}). Name it."
        )
    if dryrun["fewest_replicates"] > dryrun["most_replicates"]:
        raise InputError(
            f"Configuration key dryrun.fewest_replicates: wanted at most most_replicates, which is "
            f"{dryrun['most_replicates']}; got {dryrun['fewest_replicates']}."
        )


def _check_variant(key: str, variant: Mapping[str, Any], config: Mapping[str, Any]) -> None:
    _known(f"{key}.experiment", variant["experiment"], config["experiments"])
    experiment = config["experiments"][variant["experiment"]]
    _known(f"{key}.dataset", variant["dataset"], experiment["datasets"])
    _known(f"{key}.design", variant["design"], experiment["designs"])


def _check_bounds(config: Mapping[str, Any]) -> None:
    """Bounds are held against attacks on labels, and figures of bounds show those."""
    bounded = config["bounds"]["experiments"] if config["bounds"] else []
    for name in bounded:
        key = "Configuration key bounds.experiments"
        _known(key, name, config["experiments"])
        if (designs := config["experiments"][name]["designs"]) != ["labels"]:
            raise InputError(
                f"{key}: wanted experiments with designs: [labels], where true losses are known; "
                f"'{name}' has {', '.join(designs)}. Take it out."
            )
    for name, figure in config["figures"].items():
        if figure["kind"] == "bounds":
            for experiment in _listed(figure["experiment"]):
                key = f"Configuration key figures.{name}.experiment"
                _known(key, experiment, config["experiments"])
                if experiment not in bounded:
                    raise InputError(
                        f"{key}: a figure of bounds shows experiments that are listed at `bounds`, "
                        f"got '{experiment}'. Add it to bounds.experiments."
                    )


def _check_figure(key: str, figure: Mapping[str, Any], config: Mapping[str, Any]) -> None:
    if figure["kind"] == "spread":
        _known(f"{key}.experiment", figure["experiment"], config["spreads"])
        return
    if missing := [k for k in ("dataset", "design") if k not in figure]:
        raise InputError(f"{key}: wanted {' and '.join(missing)}. Say what it is to show.")
    shown = {column: _listed(figure[column]) for column in _SEVERAL}
    for column, kinds in _SEVERAL.items():
        if len(shown[column]) > 1 and figure["kind"] not in kinds:
            raise InputError(
                f"{key}.{column}: a figure of kind {figure['kind']} shows one, got "
                f"{shown[column]}. Choose one."
            )
    for experiment in shown["experiment"]:
        _known(f"{key}.experiment", experiment, config["experiments"])
    experiments = [config["experiments"][name] for name in shown["experiment"]]
    for dataset in shown["dataset"]:
        _known(f"{key}.dataset", dataset, {d for e in experiments for d in e["datasets"]})
    for name, experiment in zip(shown["experiment"], experiments, strict=True):
        if not set(shown["dataset"]) & set(experiment["datasets"]):
            raise InputError(
                f"{key}.dataset: experiment {name} is played on "
                f"{', '.join(experiment['datasets'])}, got {', '.join(shown['dataset'])}. Name one "
                "of its data sets, or leave out the experiment."
            )
        for design in shown["design"]:
            _known(f"{key}.design", design, experiment["designs"])
    _check_curves(key, figure, dict(zip(shown["experiment"], experiments, strict=True)))
    _check_rows(key, figure, config["datasets"])
    mechanisms = [entry for experiment in experiments for entry in experiment["mechanisms"]]
    for column in ("mechanism", "alpha", "posterior_odds", "eta", "b"):
        for value in _listed(figure.get(column)):
            _shown(f"{key}.{column}", column, value, mechanisms)


def _check_curves(
    key: str, figure: Mapping[str, Any], experiments: Mapping[str, Mapping[str, Any]]
) -> None:
    """A curve names a mechanism of one of the figure's experiments, with settings that it has."""
    for i, curve in enumerate(figure.get("curves") or [], start=1):
        place = f"{key}.curves, entry {i}"
        among = list(experiments)
        if "experiment" in curve:
            _known(f"{place}, experiment", curve["experiment"], among)
            among = [curve["experiment"]]
        mechanisms = [entry for name in among for entry in experiments[name]["mechanisms"]]
        _shown(f"{place}, mechanism", "mechanism", curve["mechanism"], mechanisms)
        same = [entry for entry in mechanisms if entry["name"] == curve["mechanism"]]
        for column in ("alpha", "posterior_odds", "eta", "b"):
            if column in curve:
                _shown(f"{place}, {column}", column, curve[column], same)


def _check_rows(key: str, figure: Mapping[str, Any], datasets: Mapping[str, Any]) -> None:
    """Public rows are given for data sets that there are, and where a law needs them."""
    rows = figure.get("rows") or {}
    for name in rows:
        _known(f"{key}.rows", name, datasets)
    for name in _listed(figure["dataset"]) if figure.get("fits") else []:
        if name not in rows and datasets[name]["recipe"] != "labels":
            raise InputError(
                f"{key}.fits: laws need the number of public rows, which is not known of {name}. "
                f"Add it: rows: {{{name}: <number of public rows>}}."
            )


def check_recipes(config: Mapping[str, Any], folder: Path) -> None:
    """See, without reading data, that every data set can be made, and a log be read.

    Raises
    ------
    InputError
        If one cannot.
    """
    from shakedown import datasets

    for name, recipe in config["datasets"].items():
        try:
            datasets.check(name, recipe, folder=folder)
        except InputError as e:
            raise InputError(f"Configuration key datasets.{name}: {e}") from e
    if config["replay"] is not None:
        from shakedown.replay import reading

        try:
            reading.check(config["replay"], folder=folder)
        except InputError as e:
            raise InputError(f"Configuration key replay: {e}") from e


def check_settings(config: Mapping[str, Any]) -> None:
    """See, without any data, that metric, mechanisms and model go together, wherever named.

    Raises
    ------
    InputError
        If they do not.
    """
    from shakedown.playable import checked_settings  # slow to import: it loads the compiler

    for name, experiment in config["experiments"].items():
        try:
            checked_settings(name, experiment, experiment["designs"])
        except InputError as e:
            raise InputError(f"Configuration key experiments.{name}: {e}") from e
    if config["dryrun"] is not None:
        from shakedown.dryrun import plan

        try:
            plan.check(config["dryrun"])
        except InputError as e:
            raise InputError(f"Configuration key dryrun: {e}") from e
    if config["replay"] is not None:
        from shakedown.replay.boards import check_boards

        try:
            check_boards(config["replay"])
        except InputError as e:
            raise InputError(f"Configuration key replay: {e}") from e


def _known(key: str, what: str, among) -> None:
    if what not in among:
        raise InputError(unknown(key, what, among))


def _shown(key: str, column: str, value: Any, mechanisms: list[Mapping[str, Any]]) -> None:
    column = "name" if column == "mechanism" else column
    played = {v for entry in mechanisms for v in _listed(entry.get(column))}
    if value not in played:
        raise InputError(
            f"{key}: no mechanism of its experiment has {value!r}; they have "
            f"{', '.join(map(str, sorted(played))) or 'none'}."
        )


def _listed(value: Any) -> list:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]
