"""Play one replicate of a study alone, in this process: to look into an error or an outcome."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Collection
from pathlib import Path

from shakedown.cli.project import again, configuration_file, whole
from shakedown.data.store import load
from shakedown.dryrun.playing import planned
from shakedown.dryrun.settings import DryRunEntry
from shakedown.interface import Challenge, InputError, guess
from shakedown.simulation.replicate import Experiment, play


def replicate(given: Namespace) -> str:
    """The outcomes of a replicate as CSV text; the study's data set must have been made."""
    path = configuration_file(given.config)
    config = whole(path)
    if config["dryrun"]:
        among = _among("data set", given.dataset, config["datasets"])
        challenge = _made(config["study"], among, path)
        plan = planned(challenge, DryRunEntry(**config["dryrun"]), config["seed"])
        experiments = {experiment.name: experiment for experiment in plan}
        experiment = experiments[_among("experiment", given.experiment, experiments)]
        _among("design", given.design, [experiment.design])
        return _csv(experiment, given.number, previews=False)
    name = _among("experiment", given.experiment, config["experiments"])
    settings = config["experiments"][name]
    dataset = _among("data set", given.dataset, settings["datasets"])
    design = _among("design", given.design, settings["designs"])
    challenge = _made(config["study"], dataset, path)
    experiment = Experiment(name, settings, challenge, design, seed=config["seed"])
    return _csv(experiment, given.number)


def _csv(experiment: Experiment, number: str, *, previews: bool = True) -> str:
    if not (number.isascii() and number.isdigit()):
        raise InputError(f"NUMBER: wanted a replicate, from 0; got '{number}'.")
    return play(experiment, [int(number)], previews=previews).to_csv(index=False).rstrip("\n")


def _among(what: str, name: str | None, names: Collection[str]) -> str:
    """A name that is one of some names; with no name the only one."""
    if name is None and len(names) == 1:
        return next(iter(names))
    if name not in names:
        option = "" if what == "experiment" else f" (option --{what.replace(' ', '')})"
        raise InputError(
            f"Wanted one {what} of the study{option}: {', '.join(names)}; got {name or 'none'}."
            f"{guess(name, names) if name else ''}"
        )
    return name


def _made(study: str, dataset: str, config: Path) -> Challenge:
    path = Path("results", study, "datasets", f"{dataset}.npz")
    if not path.is_file():
        raise InputError(f"{path} has not been made; run the study first: {again(config)}")
    return load(path)
