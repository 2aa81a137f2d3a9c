"""Configurations of older versions: parameters by the names that they have now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shakedown.interface import InputError
from shakedown.simulation.settings import AttackEntry


def renamed(config: Mapping[str, Any], extended: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration whose attacks have their parameters' present names and values.

    Parameters
    ----------
    config : mapping
        As it was written; it may have mistakes, which are left to `Study`.
    extended : mapping
        The configuration that it extends, which may name the attack of an experiment.

    Raises
    ------
    InputError
        If an attack has a parameter by both names, as from two merged files.
    """
    experiments = config.get("experiments")
    if not isinstance(experiments, Mapping):
        return dict(config)
    changed = {}
    for id, experiment in experiments.items():
        attack = _below(experiment, "attack")
        name = attack.get("name", _below(extended, "experiments", id, "attack").get("name"))
        if attack and isinstance(name, str):
            changed[id] = {**experiment, "attack": _attack(attack, name, id)}
    return {**config, "experiments": {**experiments, **changed}} if changed else dict(config)


def _attack(entry: Mapping[str, Any], name: str, id: str) -> dict[str, Any]:
    try:
        attack = AttackEntry.choice.registry.find(name)
    except InputError:  # `Study` refuses it, with its place
        return dict(entry)
    for old, new in attack.former_names.items():
        if old in entry and new in entry:
            raise InputError(
                f"Configuration key experiments.{id}.attack: '{old}' is now called '{new}', and "
                f"both are given. Remove '{old}'."
            )
    entry, budgets = attack.renamed(entry), entry.get("budgets")
    if isinstance(budgets, list):
        entry["budgets"] = [attack.renamed(b) if isinstance(b, Mapping) else b for b in budgets]
    return entry


def _below(value: Any, *keys: Any) -> Mapping[str, Any]:
    """The mapping at a path of keys; empty if there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}
