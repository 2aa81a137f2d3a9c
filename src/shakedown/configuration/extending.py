"""Configurations that give only the differences from another one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from shakedown.interface import InputError
from shakedown.reading import read

#: Parts whose entries are left out where they are null.
SECTIONS = ("datasets", "experiments", "spreads", "sensitivity", "figures")


def extended(config: Mapping[str, Any], base: Path) -> dict[str, Any]:
    """The whole configuration that one with `extends` stands for.

    Parameters
    ----------
    config : mapping
        May have the key `extends`, with the path of another configuration, which may extend a
        third one.
    base : Path
        Where these paths start.

    Returns
    -------
    dict
        Without `extends`, and without the entries of `SECTIONS` that are null.

    Raises
    ------
    InputError
        If the other configuration cannot be read, repeats a key, or extends this one in turn.
    """
    config, seen = dict(config), []
    while (path := config.pop("extends", None)) is not None:
        seen.append(path)
        if path in seen[:-1]:
            raise InputError(f"Configuration key extends: '{path}' extends itself: {seen}.")
        config = merged(_read(path, base), config)
    for section in SECTIONS:
        entries = config.get(section)
        if isinstance(entries, Mapping):
            config[section] = {k: v for k, v in entries.items() if v is not None}
    return config


def merged(whole: Mapping[str, Any], differences: Mapping[str, Any]) -> dict[str, Any]:
    """`whole` with the values of `differences`; mappings are merged, anything else is replaced."""
    result = dict(whole)
    for key, value in differences.items():
        below = result.get(key)
        both = isinstance(below, Mapping) and isinstance(value, Mapping)
        result[key] = merged(below, value) if both else value
    return result


def _read(path: str, base: Path) -> dict[str, Any]:
    where = f"Configuration key extends: '{path}'"
    try:
        content = read(base / path)
    except (OSError, TypeError) as e:
        raise InputError(f"{where} cannot be read from {base.resolve()} ({e}).") from e
    except yaml.YAMLError as e:
        raise InputError(f"{where} is not valid YAML ({e}).") from e
    if not isinstance(content, dict):
        raise InputError(f"{where} holds no keys; wanted a configuration.")
    return content
